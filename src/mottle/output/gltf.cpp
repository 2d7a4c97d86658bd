// mottle/output/gltf.cpp: binary glTF 2.0: a mesh with normals and a colour per vertex, as browsers and Blender open it
#include "mottle/output/bytes.h"
#include "mottle/output/surface_data.h"

#include "mottle/core/provenance.h"
#include "mottle/core/text.h"
#include "mottle/frame/lit_surface.h"

#include <algorithm>
#include <limits>

namespace mottle::output {
namespace {

// Names of the format's numbers.
constexpr int kUnsignedShort = 5123, kUnsignedInt = 5125, kFloat = 5126, kArrayBuffer = 34962, kElementBuffer = 34963;
constexpr std::uint32_t kMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;

/// Buffer views and accessors, one for one.
class Arrays {
   public:
    void add(std::size_t count, int component, const std::string& shape, int target, const std::string& extra, const std::string& bytes) {
        views_ += (views_.empty() ? "" : ",") + std::string("{\"buffer\":0,\"byteOffset\":") + std::to_string(bytes_.size()) +
                  ",\"byteLength\":" + std::to_string(bytes.size()) + ",\"target\":" + std::to_string(target) + "}";
        accessors_ += (accessors_.empty() ? "" : ",") + std::string("{\"bufferView\":") + std::to_string(count_++) +
                      ",\"componentType\":" + std::to_string(component) + ",\"count\":" + std::to_string(count) + ",\"type\":\"" + shape +
                      "\"" + extra + "}";
        bytes_ += bytes;
        bytes_.resize((bytes_.size() + 3) / 4 * 4);
    }
    const std::string& bytes() const { return bytes_; }
    std::string json() const {
        return "\"bufferViews\":[" + views_ + "],\"accessors\":[" + accessors_ +
               "],\"buffers\":[{\"byteLength\":" + std::to_string(bytes_.size()) + "}]";
    }

   private:
    std::string views_, accessors_, bytes_;
    int count_ = 0;
};

std::string list_of(const std::array<double, 3>& a) {
    return "[" + core::number_text(a[0]) + "," + core::number_text(a[1]) + "," + core::number_text(a[2]) + "]";
}

/// The places of the vertices that faces use; the others, which may lie anywhere, stand with the first of them.
std::vector<domain::Point> used_places(const SurfaceData& data) {
    std::vector<domain::Point> places(data.position.size(), data.position[core::at(data.faces[0][0])]);
    for (const domain::Triangle& face : data.faces) {
        for (const domain::Vertex v : face) places[core::at(v)] = data.position[core::at(v)];
    }
    return places;
}

/// Places are single precision; they are told from the middle of the bounding box of the faces, and the node carries that.
domain::Point add_positions(const SurfaceData& data, Arrays& arrays) {
    const std::vector<domain::Point> used = used_places(data);
    domain::Point low = used[0], high = low, middle{};
    for (const auto& p : used) {
        for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], p[d]), high[d] = std::max(high[d], p[d]);
    }
    for (std::size_t d = 0; d < 3; ++d) middle[d] = low[d] + (high[d] - low[d]) / 2;
    std::array<double, 3> least{1e300, 1e300, 1e300}, most{-1e300, -1e300, -1e300};
    std::string bytes;
    for (const auto& p : data.position) {
        for (std::size_t d = 0; d < 3; ++d) {
            constexpr double kFarthest = std::numeric_limits<float>::max();
            const auto x = static_cast<float>(std::clamp(p[d] - middle[d], -kFarthest, kFarthest));
            least[d] = std::min(least[d], static_cast<double>(x));
            most[d] = std::max(most[d], static_cast<double>(x));
            append(bytes, x);
        }
    }
    arrays.add(data.position.size(), kFloat, "VEC3", kArrayBuffer, ",\"min\":" + list_of(least) + ",\"max\":" + list_of(most), bytes);
    return middle;
}

/// Vertices that no face uses, copies among them, have no normal; the format wants a unit vector all the same.
void add_normals(const SurfaceData& data, Arrays& arrays) {
    domain::Surface surface;
    surface.position = used_places(data);
    const auto normals = frame::smooth_normals(frame::normalised_points(surface), data.faces);
    std::string bytes;
    for (const auto& normal : normals) {
        const bool none = normal == frame::Vec3{};
        for (std::size_t d = 0; d < 3; ++d) append(bytes, none ? (d == 1 ? 1.0F : 0.0F) : normal[d]);
    }
    arrays.add(normals.size(), kFloat, "VEC3", kArrayBuffer, "", bytes);
}

void add_colours(const SurfaceData& data, Arrays& arrays) {
    std::string bytes;  // glTF wants linear light; the fourth number is opacity and keeps entries at multiples of four bytes
    for (const auto& colour : data.colours) {
        for (const std::uint8_t byte : colour) append(bytes, frame::linear_of_srgb()[byte]);
        append(bytes, std::uint16_t{65535});
    }
    arrays.add(data.colours.size(), kUnsignedShort, "VEC4", kArrayBuffer, ",\"normalized\":true", bytes);
}

void add_faces(const SurfaceData& data, Arrays& arrays) {
    std::string bytes;
    for (const auto& face : data.faces) {
        for (const domain::Vertex vertex : face) append(bytes, static_cast<std::uint32_t>(vertex));
    }
    arrays.add(3 * data.faces.size(), kUnsignedInt, "SCALAR", kElementBuffer, "", bytes);
}

}  // namespace

std::string complaint_about_glb(std::uint64_t vertices, std::uint64_t faces) {
    constexpr std::uint64_t kVertex = 3 * sizeof(float) * 2 + 4 * sizeof(std::uint16_t), kFace = 3 * sizeof(std::uint32_t), kRest = 4096;
    if (vertices * kVertex + faces * kFace + kRest <= std::numeric_limits<std::uint32_t>::max()) return "";
    return "a .glb holds at most 4 GiB, and this surface has " + std::to_string(vertices) + " vertices and " + std::to_string(faces) +
           " faces; take .vtu or .ply";
}

std::string encode_glb(const SurfaceData& data) {
    Arrays arrays;
    const domain::Point middle = add_positions(data, arrays);
    add_normals(data, arrays);
    add_colours(data, arrays);
    add_faces(data, arrays);
    std::string json = R"({"asset":{"version":"2.0","generator":"Mottle )" + core::version() +
                       R"("},"scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0,"translation":)" + list_of(middle) +
                       R"(}],"meshes":[{"primitives":[{"attributes":{"POSITION":0,"NORMAL":1,"COLOR_0":2},"indices":3,"material":0}]}],)" +
                       R"("materials":[{"pbrMetallicRoughness":{"metallicFactor":0,"roughnessFactor":0.6},"doubleSided":true}],)" +
                       arrays.json() + "}";
    json.resize((json.size() + 3) / 4 * 4, ' ');
    std::string bytes;
    append(bytes, kMagic);
    append(bytes, std::uint32_t{2});
    append(bytes, static_cast<std::uint32_t>(12 + 8 + json.size() + 8 + arrays.bytes().size()));
    append(bytes, static_cast<std::uint32_t>(json.size()));
    append(bytes, kJsonChunk);
    bytes += json;
    append(bytes, static_cast<std::uint32_t>(arrays.bytes().size()));
    append(bytes, kBinaryChunk);
    return bytes + arrays.bytes();
}

}  // namespace mottle::output
