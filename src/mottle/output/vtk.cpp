// mottle/output/vtk.cpp: VTK's XML files of a surface (PolyData, UnstructuredGrid) with raw appended arrays, and their index over time
#include "mottle/output/bytes.h"
#include "mottle/output/surface_data.h"

#include "mottle/core/text.h"

namespace mottle::output {
namespace {

constexpr std::uint8_t kTriangleCell = 5;  ///< VTK_TRIANGLE

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

/// Arrays behind the XML, each with its length in bytes before it.
class Appended {
   public:
    /// Adds an array of `count` numbers; `number(i)` is the i-th. Returns its element.
    template <class Number, class Make>
    std::string add(const char* type, const std::string& name, int components, std::size_t count, Make number) {
        std::string element = "<DataArray type=\"" + std::string(type) + "\" Name=\"" + escaped(name) + "\"";
        if (components > 1) element += " NumberOfComponents=\"" + std::to_string(components) + "\"";
        element += " format=\"appended\" offset=\"" + std::to_string(bytes_.size()) + "\"/>\n";
        append(bytes_, static_cast<std::uint64_t>(count * sizeof(Number)));
        for (std::size_t i = 0; i < count; ++i) append(bytes_, static_cast<Number>(number(i)));
        return element;
    }
    const std::string& bytes() const { return bytes_; }

   private:
    std::string bytes_;
};

std::string point_data(const SurfaceData& data, Appended& appended) {
    std::string text = "<PointData Scalars=\"" + escaped(data.names.back()) + "\">\n";
    for (std::size_t k = 0; k < data.names.size(); ++k) {
        const auto value = [&](std::size_t i) { return data.values[k][i]; };
        text += data.f64 ? appended.add<double>("Float64", data.names[k], 1, data.position.size(), value)
                         : appended.add<float>("Float32", data.names[k], 1, data.position.size(), value);
    }
    text +=
        appended.add<std::uint8_t>("UInt8", "rgb", 3, 3 * data.position.size(), [&](std::size_t i) { return data.colours[i / 3][i % 3]; });
    return text + "</PointData>\n";
}

std::string cells(const SurfaceData& data, Appended& appended) {
    const auto corner = [&](std::size_t i) { return data.faces[i / 3][i % 3]; };
    const auto end = [](std::size_t i) { return 3 * (i + 1); };
    return appended.add<std::int64_t>("Int64", "connectivity", 1, 3 * data.faces.size(), corner) +
           appended.add<std::int64_t>("Int64", "offsets", 1, data.faces.size(), end);
}

std::string encode(const SurfaceData& data, bool unstructured) {
    const std::string type = unstructured ? "UnstructuredGrid" : "PolyData", points = std::to_string(data.position.size()),
                      faces = std::to_string(data.faces.size());
    Appended appended;
    std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type +
                       "\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<" + type +
                       ">\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" +
                       core::number_text(data.time) + "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"" + points + "\" ";
    text += unstructured ? "NumberOfCells=\"" + faces + "\">\n"
                         : "NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"" + faces + "\">\n";
    text += point_data(data, appended);
    text += "<Points>\n" + appended.add<double>("Float64", "Points", 3, 3 * data.position.size(), [&](std::size_t i) {
        return data.position[i / 3][i % 3];
    }) + "</Points>\n";
    const std::string cell = unstructured ? "Cells" : "Polys";
    text += "<" + cell + ">\n" + cells(data, appended);
    if (unstructured) text += appended.add<std::uint8_t>("UInt8", "types", 1, data.faces.size(), [](std::size_t) { return kTriangleCell; });
    text += "</" + cell + ">\n</Piece>\n</" + type + ">\n<AppendedData encoding=\"raw\">\n_";
    return text + appended.bytes() + "\n</AppendedData>\n</VTKFile>\n";
}

}  // namespace

std::string encode_vtp(const SurfaceData& data) { return encode(data, false); }
std::string encode_vtu(const SurfaceData& data) { return encode(data, true); }

std::string encode_pvd(const std::vector<std::pair<double, std::string>>& files) {
    std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
    for (const auto& [time, name] : files) {
        text += "<DataSet timestep=\"" + core::number_text(time) + "\" group=\"\" part=\"0\" file=\"" + escaped(name) + "\"/>\n";
    }
    return text + "</Collection>\n</VTKFile>\n";
}

}  // namespace mottle::output
