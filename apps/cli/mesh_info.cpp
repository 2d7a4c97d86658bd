// apps/cli/mesh_info.cpp: mottle mesh info: counts, quality and stiffness of a mesh
#include "commands.h"
#include "json.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/domain/operators/operators.h"
#include "mottle/domain/mesh/quality.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/domain/repair/topology.h"

#include <cmath>
#include <cstdio>
#include <iostream>

namespace mottle::cli {

namespace {

/// For a reader.
std::string rounded(double value) { return core::rounded_text(value, 4); }

struct Info {
    domain::Mesh mesh;
    domain::Topology topology;
    domain::Quality quality;
    double mean_edge = 0;
    bool refined = false;

    const domain::Surface& surface() const { return *mesh.surface; }
    domain::Vertex worst() const { return surface().original[core::at(mesh.spectrum.worst)]; }
    const domain::Point& worst_place() const { return surface().position[core::at(mesh.spectrum.worst)]; }
    core::Index flips() const { return mesh.operators->flips; }
    double stable(double eigenvalue) const { return 2 / eigenvalue; }
};

std::string text_of(const Info& info) {
    const domain::Surface& s = info.surface();
    const domain::MeshReport& r = s.report;
    std::string out = s.name + "\n";
    auto line = [&](const char* name, const std::string& value) {
        char label[32];
        std::snprintf(label, sizeof label, "  %-12s", name);
        out += label + value + "\n";
    };
    using core::counted;
    auto size = [](const auto& things) { return static_cast<core::Index>(things.size()); };
    line(info.refined ? "refined" : "file", counted(r.file_vertices, "vertex", "vertices") + ", " + counted(r.file_faces, "face", "faces"));
    line("surface", counted(info.mesh.vertex_count(), "vertex", "vertices") + ", " + counted(size(s.faces), "triangle", "triangles") +
                        ", " + counted(info.topology.edges, "edge", "edges") + ", " + counted(info.topology.components, "piece", "pieces"));
    std::string loops = s.loops.empty() ? "closed" : counted(size(s.loops), "loop", "loops");
    constexpr std::size_t kShown = 8;
    for (std::size_t i = 0; i < s.loops.size() && i < kShown; ++i)
        loops += (i == 0 ? ": loop" : ", loop") + std::to_string(i) + " of " + core::grouped(size(s.loops[i])) + " from vertex " +
                 std::to_string(s.original[core::at(s.loops[i].front())]);
    line("boundary", loops + (s.loops.size() > kShown ? ", ..." : ""));
    line("repairs",
         counted(r.welded, "copy of a vertex", "copies of vertices") + " welded, " + counted(r.unreferenced, "vertex", "vertices") +
             " without a face; left out: " + counted(r.zero_area_faces, "face", "faces") + " without area, " +
             counted(r.repeated_index_faces, "that repeats", "that repeat") + " a vertex, " + counted(r.duplicate_faces, "copy", "copies"));
    line("manifold", counted(r.non_manifold_edges, "edge", "edges") + " of more than two faces, " +
                         counted(r.non_manifold_vertices, "vertex", "vertices") + " where surfaces touch, " +
                         counted(r.inconsistent_edges, "edge", "edges") + " where orientation changes");
    line("angles", rounded(info.quality.least_angle) + " to " + rounded(info.quality.greatest_angle) + " degrees, " +
                       rounded(info.quality.obtuse_percent) + " % of the triangles obtuse");
    line("weights", rounded(info.quality.negative_percent) + " % of the edges have a negative cotangent weight" +
                        (info.flips() >= 0 ? ", after " + counted(info.flips(), "flip", "flips") + " along the surface" : ""));
    line("area", rounded(info.quality.area) + ", mean edge " + rounded(info.mean_edge));
    line("attributes", [&] {
        std::string names;
        for (const domain::Attribute& a : s.attributes) names += (names.empty() ? "" : ", ") + a.name;
        if (!s.texture.empty()) names += (names.empty() ? "" : ", ") + std::string("texture coordinates");
        return names.empty() ? std::string("none") : names;
    }());
    line("stable dt", rounded(info.stable(info.mesh.spectrum.largest)) + " for du/dt = lap(u) by Lanczos, " +
                          rounded(info.stable(info.mesh.spectrum.gershgorin)) + " by Gershgorin");
    line("stiffest", "at vertex " + std::to_string(info.worst()) + " (" + rounded(info.worst_place()[0]) + ", " +
                         rounded(info.worst_place()[1]) + ", " + rounded(info.worst_place()[2]) + ")");
    return out;
}

std::string json_of(const Info& info) {
    const domain::Surface& s = info.surface();
    const domain::MeshReport& r = s.report;
    auto integer = [](auto n) { return std::to_string(n); };
    std::string loops, attributes;
    for (const auto& loop : s.loops) loops += (loops.empty() ? "" : ", ") + integer(loop.size());
    for (const domain::Attribute& a : s.attributes) attributes += (attributes.empty() ? "" : ", ") + json_text(a.name);
    JsonObject object;
    object.add("mesh", json_text(s.name)).add("file_vertices", integer(r.file_vertices)).add("file_faces", integer(r.file_faces));
    object.add("vertices", integer(info.mesh.vertex_count()))
        .add("triangles", integer(s.faces.size()))
        .add("edges", integer(info.topology.edges));
    object.add("components", integer(info.topology.components)).add("loops", "[" + loops + "]");
    object.add("welded", integer(r.welded)).add("unreferenced", integer(r.unreferenced)).add("zero_area_faces", integer(r.zero_area_faces));
    object.add("repeated_index_faces", integer(r.repeated_index_faces)).add("duplicate_faces", integer(r.duplicate_faces));
    object.add("non_manifold_edges", integer(r.non_manifold_edges)).add("non_manifold_vertices", integer(r.non_manifold_vertices));
    object.add("inconsistent_edges", integer(r.inconsistent_edges));
    object.add("least_angle", json_number(info.quality.least_angle)).add("greatest_angle", json_number(info.quality.greatest_angle));
    object.add("obtuse_percent", json_number(info.quality.obtuse_percent))
        .add("negative_weights_percent", json_number(info.quality.negative_percent));
    if (info.flips() >= 0) object.add("delaunay_flips", integer(info.flips()));
    object.add("area", json_number(info.quality.area)).add("mean_edge", json_number(info.mean_edge));
    object.add("attributes", "[" + attributes + "]").add("texture", s.texture.empty() ? "false" : "true");
    object.add("stable_dt_lanczos", json_number(info.stable(info.mesh.spectrum.largest)));
    object.add("stable_dt_gershgorin", json_number(info.stable(info.mesh.spectrum.gershgorin)));
    object.add("stiffest_vertex", integer(info.worst()));
    return object.text() + "\n";
}

}  // namespace

int mesh_info(const MeshInfoArguments& arguments) {
    double scale = 1;
    if (!arguments.scale.empty() && (!core::parse_number(arguments.scale, scale) || !std::isfinite(scale) || scale <= 0))
        throw core::InputError("--scale must be a number above 0, not '" + arguments.scale + "'");
    domain::Refinement refinement;
    double times = 0;
    if (!arguments.refine.empty() &&
        (!core::parse_number(arguments.refine, times) || !(times >= 0 && times <= domain::kMostRefinements) || times != std::floor(times)))
        throw core::InputError("--refine must be a whole number from 0 to " + std::to_string(domain::kMostRefinements) + ", not '" +
                               arguments.refine + "'");
    refinement.times = static_cast<int>(times);
    if (!arguments.subdivision.empty() && arguments.subdivision != "loop" && arguments.subdivision != "midpoint")
        throw core::InputError("--subdivision must be loop or midpoint, not '" + arguments.subdivision + "'");
    if (arguments.subdivision == "midpoint") refinement.subdivision = domain::Subdivision::midpoint;
    core::ThreadTeam team(core::available_cores());
    Info info;
    info.refined = refinement.times > 0;
    info.mesh = domain::create_mesh(domain::load_surface({arguments.mesh, {}}, {}, team, domain::kMostVertices, refinement), scale, team,
                                    arguments.delaunay);
    info.topology = domain::topology_of(info.surface());
    info.quality = domain::quality_of(info.mesh);
    info.mean_edge = domain::mean_edge(info.surface()) * scale;
    std::cout << (arguments.json ? json_of(info) : text_of(info));
    return kDone;
}

}  // namespace mottle::cli
