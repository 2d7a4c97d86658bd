// mottle/output/vtk.cpp: VTK's XML files of a surface (PolyData, UnstructuredGrid) with raw appended arrays, and their index over time
#include "mottle/backend/cell_file.h"
#include "mottle/core/text.h"
#include "mottle/output/continuation.h"
#include "mottle/output/surface_data.h"
#include "mottle/output/vtk_xml.h"

namespace mottle::output {
namespace {

constexpr std::uint8_t kTriangleCell = 5;  ///< VTK_TRIANGLE
const std::string kEntry = "<DataSet timestep=\"";

/// The fields, and the colours of the one that is drawn.
std::string point_data(const field::Field& field, frame::Painter& painter, AppendedArrays& arrays) {
    const bool f64 = field.kernel().program().f64;
    const std::uint64_t count = core::at(domain::shape(field.kernel().domain())[0]);
    const auto add = [&](const char* type, const std::string& name, std::size_t size, ir::Array array,
                         const std::optional<backend::CellColours>& colours) {
        return arrays.add(
            type, name, colours ? 3 : 1, size * count, [&field, array, colours, bytes = size * count](core::AtomicFile& file) {
                field.kernel().save_array(field.state(), array, {file.temporary(), file.leave_room(bytes), true, true, colours});
            });
    };
    std::string text = "<PointData Scalars=\"" + xml_escaped(field.names().back()) + "\">\n";
    for (const std::string& name : field.names())
        text += add(f64 ? "Float64" : "Float32", name, f64 ? sizeof(double) : sizeof(float), field.find(name), {});
    const backend::Picture picture = painter.picture(field, backend::Picture::Format::rgb24);
    return text + add("UInt8", "rgb", sizeof(frame::Rgb), picture.array, {{picture, frame::kPlainSurface}}) + "</PointData>\n";
}

std::string cells(const domain::Surface& surface, AppendedArrays& arrays) {
    const auto corner = [&surface](std::size_t i) { return face_in_file(surface, i / 3)[i % 3]; };
    const auto end = [](std::size_t i) { return 3 * (i + 1); };
    return arrays.add_numbers<std::int64_t>("Int64", "connectivity", 1, 3 * surface.faces.size(), corner) +
           arrays.add_numbers<std::int64_t>("Int64", "offsets", 1, surface.faces.size(), end);
}

void write_surface(const field::Field& field, frame::Painter& painter, double time, bool unstructured, core::AtomicFile& file) {
    const domain::Surface& surface = *std::get<domain::Mesh>(field.kernel().domain()).surface;
    const std::vector<domain::Point> places = places_in_file(surface);
    const std::string type = unstructured ? "UnstructuredGrid" : "PolyData", points = std::to_string(places.size()),
                      faces = std::to_string(surface.faces.size()), cell = unstructured ? "Cells" : "Polys";
    AppendedArrays arrays;
    std::string text = vtk_head(type, "", time) + "<Piece NumberOfPoints=\"" + points + "\" ";
    text += unstructured ? "NumberOfCells=\"" + faces + "\">\n"
                         : "NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"" + faces + "\">\n";
    text += point_data(field, painter, arrays);
    const auto coordinate = [&places](std::size_t i) { return places[i / 3][i % 3]; };
    text += "<Points>\n" + arrays.add_numbers<double>("Float64", "Points", 3, 3 * places.size(), coordinate) + "</Points>\n";
    text += "<" + cell + ">\n" + cells(surface, arrays);
    const auto triangle = [](std::size_t) { return kTriangleCell; };
    if (unstructured) text += arrays.add_numbers<std::uint8_t>("UInt8", "types", 1, surface.faces.size(), triangle);
    write_vtk(type, text + "</" + cell + ">\n</Piece>\n", arrays, file);
}

}  // namespace

void write_vtp(const field::Field& field, frame::Painter& painter, double time, core::AtomicFile& file) {
    write_surface(field, painter, time, false, file);
}
void write_vtu(const field::Field& field, frame::Painter& painter, double time, core::AtomicFile& file) {
    write_surface(field, painter, time, true, file);
}

std::string pvd_entry(double time, const std::string& name) {
    return kEntry + core::number_text(time) + "\" group=\"\" part=\"0\" file=\"" + xml_escaped(name) + "\"/>\n";
}

std::string encode_pvd(const std::string& entries) {
    return "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n" + entries +
           "</Collection>\n</VTKFile>\n";
}

std::optional<std::string> read_pvd_entries(const std::string& pvd, core::Index count) {
    const std::size_t first = pvd.find(kEntry);
    if (first == std::string::npos) return std::nullopt;
    const std::string_view rest = std::string_view(pvd).substr(first);
    std::size_t end = 0;
    for (core::Index k = 0; k < count; ++k) {
        if (!rest.substr(end).starts_with(kEntry)) return std::nullopt;
        const std::size_t length = end_of_lines(rest.substr(end), 1);
        if (length == std::string_view::npos) return std::nullopt;
        end += length;
    }
    return std::string(rest.substr(0, end));
}

}  // namespace mottle::output
