// mottle/benchmarks/mesh_start.cpp: seconds from a mesh file to the first step of chemotaxis, stage by stage, in file order and in random order
#include "baseline/machine.h"
#include "harness/report.h"
#include "harness/surface_run.h"
#include "mottle/domain/operators/operators.h"
#include "mottle/domain/readers/read.h"
#include "mottle/domain/repair/repair.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/domain/shapes/shapes.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace mottle::benchmarks {
namespace {

constexpr const char* kAbout =
    "Seconds from a mesh file to the first step of Murray's chemotaxis (f32), median of the rounds, and the most memory the process held.\n"
    "plane: its side in vertices; it is written as OBJ and binary PLY, with vertices and faces in the order of the shape and in random "
    "order.\n"
    "files: real meshes, separated by commas, each as it is and shuffled (as a PLY of f64).";

void write_obj(const std::filesystem::path& path, const domain::TriangleSoup& soup) {
    std::ofstream out(path);
    std::string text;
    for (const auto& p : soup.position) text += format("v %.9g %.9g %.9g\n", p[0], p[1], p[2]);
    for (const auto& f : soup.faces) text += format("f %d %d %d\n", f[0] + 1, f[1] + 1, f[2] + 1);
    out << text;
}

void write_ply(const std::filesystem::path& path, const domain::TriangleSoup& soup) {
    std::ofstream out(path, std::ios::binary);
    out << "ply\nformat binary_little_endian 1.0\nelement vertex " << soup.position.size()
        << "\nproperty double x\nproperty double y\nproperty double z\nelement face " << soup.faces.size()
        << "\nproperty list uchar int vertex_indices\nend_header\n";
    out.write(reinterpret_cast<const char*>(soup.position.data()),
              static_cast<std::streamsize>(soup.position.size() * sizeof soup.position[0]));
    std::string bytes(soup.faces.size() * 13, '\3');
    for (std::size_t f = 0; f < soup.faces.size(); ++f) std::memcpy(&bytes[13 * f + 1], soup.faces[f].data(), 12);
    out << bytes;
}

struct Stages {
    std::array<double, 6> seconds{};  ///< read, repair, weights, spectrum, kernel with its state, first step
    double total = 0, vertices = 0, megabytes = 0;
};

Stages start(const std::filesystem::path& path, int threads) {
    Stages stages;
    std::size_t stage = 0;
    double last = seconds_now();
    auto done = [&] {
        const double now = seconds_now();
        stages.seconds[stage++] = now - last;
        last = now;
    };
    const double begin = last;
    core::ThreadTeam team(threads);
    SurfaceCase surface;
    {
        domain::TriangleSoup soup = domain::read_mesh(path, &team);
        done();
        surface.mesh.surface = std::make_shared<const domain::Surface>(domain::repair(soup, team));
    }
    done();
    surface.mesh.scale = 1 / domain::mean_edge(*surface.mesh.surface);
    surface.mesh.operators =
        std::make_shared<const domain::MeshOperators>(domain::assemble_operators(*surface.mesh.surface, surface.mesh.scale, team));
    done();
    surface.mesh.spectrum = domain::spectrum_of(*surface.mesh.surface, *surface.mesh.operators, team);
    done();
    const auto count = static_cast<std::size_t>(surface.mesh.vertex_count());
    surface.mesh.loops.assign(surface.mesh.surface->loops.size(), domain::Boundary{domain::Rule::no_flux, {}, {}});
    surface.order = surface.mesh.surface->in_file_order();
    surface.problem.n.assign(count, 1);
    surface.problem.c.assign(count, 0.5);
    surface.problem.dt = 0.1 / surface.mesh.spectrum.gershgorin;
    surface.problem.s = 0.05;
    SurfaceRun run(surface, false, threads);
    done();
    run.advance(1);
    done();
    stages.total = last - begin;
    stages.vertices = static_cast<double>(count);
    std::vector<double> n;
    run.read(0, n);
    for (const double x : n) {
        if (!std::isfinite(x)) throw std::runtime_error("the first step is not finite");
    }
    return stages;
}

/// In a process of its own, whose memory is known.
Stages start_alone(const std::filesystem::path& path, int threads) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t child = ::fork();
    if (child == 0) {
        const Stages stages = start(path, threads);
        const bool written = ::write(ends[1], &stages, sizeof stages) == sizeof stages;
        std::_Exit(written ? 0 : 1);
    }
    ::close(ends[1]);
    Stages stages;
    const bool whole = ::read(ends[0], &stages, sizeof stages) == sizeof stages;
    ::close(ends[0]);
    rusage use{};
    ::wait4(child, nullptr, 0, &use);
    if (!whole) throw std::runtime_error(path.string() + ": the run failed");
    stages.megabytes = static_cast<double>(use.ru_maxrss) / 1024;
    return stages;
}

int run(int count, char** words) {
    const Options options(count, words, kAbout, {{"plane", "1000"}, {"files", ""}, {"rounds", "3"}, {"threads", "2"}, {"json", ""}});
    const int rounds = static_cast<int>(options.number("rounds")), threads = static_cast<int>(options.number("threads"));
    const auto folder = std::filesystem::temp_directory_path() / format("mottle_mesh_start_%d", static_cast<int>(::getpid()));
    std::filesystem::create_directories(folder);
    struct Case {
        std::string name;
        std::filesystem::path path;
    };
    std::vector<Case> cases;
    const int side = static_cast<int>(options.number("plane"));
    if (side > 0) {
        // the parent keeps no mesh: what a child holds is its own
        domain::TriangleSoup soup = domain::make_shape({format("plane:%dx%d", side, side), {}}, domain::kMostVertices);
        write_obj(folder / "plane.obj", soup);
        write_ply(folder / "plane.ply", soup);
        shuffle(soup);
        write_obj(folder / "plane_random.obj", soup);
        write_ply(folder / "plane_random.ply", soup);
        const std::string name = format("plane:%dx%d", side, side);
        cases = {{name + ", OBJ", folder / "plane.obj"},
                 {name + ", OBJ, random order", folder / "plane_random.obj"},
                 {name + ", PLY", folder / "plane.ply"},
                 {name + ", PLY, random order", folder / "plane_random.ply"}};
    }
    std::string list = options.text("files");
    while (!list.empty()) {
        const std::filesystem::path path = list.substr(0, list.find(','));
        list.erase(0, list.find(',') == std::string::npos ? list.size() : list.find(',') + 1);
        domain::TriangleSoup soup = domain::read_mesh(path);
        shuffle(soup);
        const auto shuffled = folder / (path.stem().string() + "_random.ply");
        write_ply(shuffled, soup);
        cases.push_back({path.filename().string(), path});
        cases.push_back({path.filename().string() + ", random order", shuffled});
    }
    Table table({"mesh", "vertices", "MB", "read", "repair", "weights", "spectrum", "kernel", "first step", "total s", "peak MB"});
    Json results = Json::array();
    for (const Case& one : cases) {
        std::vector<Stages> all;
        for (int r = 0; r < rounds; ++r) all.push_back(start_alone(one.path, threads));
        std::sort(all.begin(), all.end(), [](const Stages& a, const Stages& b) { return a.total < b.total; });
        const Stages& middle = all[all.size() / 2];
        std::vector<std::string> row = {one.name, format("%.0f", middle.vertices),
                                        format("%.1f", static_cast<double>(std::filesystem::file_size(one.path)) / 1e6)};
        for (const double s : middle.seconds) row.push_back(format("%.3f", s));
        row.push_back(format("%.2f", middle.total));
        row.push_back(format("%.0f", middle.megabytes));
        table.add(row);
        results.add(Json::object()
                        .set("mesh", one.name)
                        .set("vertices", middle.vertices)
                        .set("total", middle.total)
                        .set("megabytes", middle.megabytes));
    }
    table.print();
    std::filesystem::remove_all(folder);
    options.write(provenance("mesh_start", "cpu", threads).set("results", results));
    return 0;
}

}  // namespace
}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::guarded(mottle::benchmarks::run, count, words); }
