// mottle/output/vtk.cpp: VTK's XML files of a surface (PolyData, UnstructuredGrid) with raw appended arrays, and their index over time
#include "mottle/core/text.h"
#include "mottle/output/continuation.h"
#include "mottle/output/surface_data.h"
#include "mottle/output/vtk_xml.h"

namespace mottle::output {
namespace {

constexpr std::uint8_t kTriangleCell = 5;  ///< VTK_TRIANGLE
const std::string kEntry = "<DataSet timestep=\"";

std::string point_data(const SurfaceData& data, AppendedArrays& appended) {
    std::string text = "<PointData Scalars=\"" + xml_escaped(data.names.back()) + "\">\n";
    for (std::size_t k = 0; k < data.names.size(); ++k) {
        const auto value = [&](std::size_t i) { return data.values[k][i]; };
        text += data.f64 ? appended.add<double>("Float64", data.names[k], 1, data.position.size(), value)
                         : appended.add<float>("Float32", data.names[k], 1, data.position.size(), value);
    }
    text +=
        appended.add<std::uint8_t>("UInt8", "rgb", 3, 3 * data.position.size(), [&](std::size_t i) { return data.colours[i / 3][i % 3]; });
    return text + "</PointData>\n";
}

std::string cells(const SurfaceData& data, AppendedArrays& appended) {
    const auto corner = [&](std::size_t i) { return data.faces[i / 3][i % 3]; };
    const auto end = [](std::size_t i) { return 3 * (i + 1); };
    return appended.add<std::int64_t>("Int64", "connectivity", 1, 3 * data.faces.size(), corner) +
           appended.add<std::int64_t>("Int64", "offsets", 1, data.faces.size(), end);
}

std::string encode(const SurfaceData& data, bool unstructured) {
    const std::string type = unstructured ? "UnstructuredGrid" : "PolyData", points = std::to_string(data.position.size()),
                      faces = std::to_string(data.faces.size());
    AppendedArrays appended;
    std::string text = vtk_head(type, "", data.time) + "<Piece NumberOfPoints=\"" + points + "\" ";
    text += unstructured ? "NumberOfCells=\"" + faces + "\">\n"
                         : "NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"" + faces + "\">\n";
    text += point_data(data, appended);
    text += "<Points>\n" + appended.add<double>("Float64", "Points", 3, 3 * data.position.size(), [&](std::size_t i) {
        return data.position[i / 3][i % 3];
    }) + "</Points>\n";
    const std::string cell = unstructured ? "Cells" : "Polys";
    text += "<" + cell + ">\n" + cells(data, appended);
    if (unstructured) text += appended.add<std::uint8_t>("UInt8", "types", 1, data.faces.size(), [](std::size_t) { return kTriangleCell; });
    return text + "</" + cell + ">\n</Piece>\n" + vtk_before_arrays(type) + appended.bytes() + vtk_end();
}

}  // namespace

std::string encode_vtp(const SurfaceData& data) { return encode(data, false); }
std::string encode_vtu(const SurfaceData& data) { return encode(data, true); }

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
        end += end_of_lines(rest.substr(end), 1);
    }
    return std::string(rest.substr(0, end));
}

}  // namespace mottle::output
