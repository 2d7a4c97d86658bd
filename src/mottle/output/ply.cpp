// mottle/output/ply.cpp: PLY, the Stanford polygon format: binary, with colours and fields per vertex
#include "mottle/output/bytes.h"
#include "mottle/output/surface_data.h"

#include "mottle/core/text.h"

namespace mottle::output {
namespace {

/// A field may bear the name of a colour.
std::string property_name(const std::string& field) {
    for (const char* taken : {"red", "green", "blue", "alpha"}) {
        if (field == taken) return "field_" + field;
    }
    return field;
}

}  // namespace

std::string encode_ply(const SurfaceData& data) {
    std::string bytes = "ply\nformat binary_little_endian 1.0\ncomment written by Mottle, time " + core::number_text(data.time) + "\n";
    bytes += "element vertex " + std::to_string(data.position.size()) + "\n";
    for (const char* axis : {"x", "y", "z"}) bytes += std::string("property double ") + axis + "\n";
    for (const char* colour : {"red", "green", "blue"}) bytes += std::string("property uchar ") + colour + "\n";
    for (const std::string& name : data.names)
        bytes += std::string("property ") + (data.f64 ? "double " : "float ") + property_name(name) + "\n";
    bytes += "element face " + std::to_string(data.faces.size()) + "\nproperty list uchar int vertex_indices\nend_header\n";
    for (std::size_t i = 0; i < data.position.size(); ++i) {
        for (const double x : data.position[i]) append(bytes, x);
        for (const std::uint8_t byte : data.colours[i]) append(bytes, byte);
        for (const auto& values : data.values) {
            if (data.f64)
                append(bytes, values[i]);
            else
                append(bytes, static_cast<float>(values[i]));
        }
    }
    for (const auto& face : data.faces) {
        append(bytes, std::uint8_t{3});
        for (const domain::Vertex vertex : face) append(bytes, vertex);
    }
    return bytes;
}

}  // namespace mottle::output
