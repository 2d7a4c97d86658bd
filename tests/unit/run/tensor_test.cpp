// tests/unit/run/tensor_test.cpp: runs with directions: the striped cow of the examples, directions from a file, what a map among the numbers becomes
#include "kernel_cache.h"
#include "mottle/core/document.h"
#include "mottle/ir/stability/stability.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "oracle/plain_mesh.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace tensor_test {

using namespace mottle;

struct SilentObserver final : core::Observer {
    void notice(const std::string&) override {}
    bool keep_going(core::Moment, double) override { return true; }
};

std::vector<double> end_of(run::Spec spec, const std::string& field) {
    spec.outputs.clear();
    SilentObserver observer;
    core::ThreadTeam team(2);
    core::Context context{team, observer, kernel_cache()};
    run::Simulation simulation(std::move(spec), context);
    simulation.run_to_end();
    const field::Field& fields = simulation.field();
    std::vector<double> values(static_cast<std::size_t>(domain::cell_count(fields.kernel().domain())));
    fields.kernel().read_row(fields.state(), fields.find(field), 0, std::span<double>(values));
    return values;
}

class TensorFile : public testing::Test {
   protected:
    ~TensorFile() override { std::filesystem::remove_all(folder_); }
    /// Writes a file, and says where.
    std::string written(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(folder_);
        const std::filesystem::path path = folder_ / name;
        std::ofstream(path) << text;
        return path.string();
    }

   private:
    std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("mottle_tensor_" + std::to_string(::getpid()));
};

TEST(TensorRun, StripesStandAcrossTheirDirection) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "no compiled kernels in this build";
    const std::string file = std::string(MOTTLE_SOURCE_DIR) + "/examples/striped-spot.toml";
    // Of the squared slope of u, the part along the direction; with one number in all directions it would be a half or so.
    auto share_along = [&](const char* sideways) {
        core::Node settings;
        settings.at("parameters").at("sideways") = core::text_node(sideways, "--set");
        const run::Spec spec = run::read_spec(core::read_document(file), "striped-spot", "", settings);
        const domain::Mesh mesh = std::get<domain::Mesh>(spec.domain);
        const std::vector<double> u = end_of(spec, "u");
        plain::PlainMesh plain;
        for (const auto& p : mesh.surface->position) plain.position.push_back({p[0], p[1], p[2]});
        for (const auto& f : mesh.surface->faces) plain.faces.push_back({f[0], f[1], f[2]});
        const std::vector<plain::Vector> slope = plain::gradient(plain, u);
        const domain::Box box = domain::bounds(mesh.surface->position);
        double along = 0, all = 0;
        for (std::size_t v = 0; v < u.size(); ++v) {
            const double height = (plain.position[v][1] - box.lo[1]) / (box.hi[1] - box.lo[1]);
            const double legs = std::min(1.0, std::max(0.0, 3 - 7 * height));
            const plain::Vector d = {0, legs, 1 - legs};
            const double part = plain::dot(slope[v], d) / plain::length(d);
            along += mesh.operators->mass[v] * part * part;
            all += mesh.operators->mass[v] * plain::dot(slope[v], slope[v]);
        }
        return along / all;
    };
    const double standing = share_along("0.3"), even = share_along("1"), running = share_along("3");
    EXPECT_GT(standing, even + 0.15);
    EXPECT_LT(running, even - 0.15);
    RecordProperty("standing", std::to_string(standing));
}

/// A strip of triangles with a direction at each vertex, by two kinds of names.
std::string strip(const char* x, const char* y, const char* z) {
    std::string text = "ply\nformat ascii 1.0\nelement vertex 30\nproperty double x\nproperty double y\nproperty double z\n";
    for (const char* name : {x, y, z}) text += std::string("property double ") + name + "\n";
    text += "element face 36\nproperty list uchar int vertex_indices\nend_header\n";
    for (int v = 0; v < 30; ++v) {
        const int i = v % 10, j = v / 10;
        text += std::to_string(i) + " " + std::to_string(j) + " 0 " + std::to_string(1 + i) + " " + std::to_string(2 * j) + " 0.5\n";
    }
    for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 9; ++i) {
            const int a = 10 * j + i;
            text += "3 " + std::to_string(a) + " " + std::to_string(a + 1) + " " + std::to_string(a + 11) + "\n";
            text += "3 " + std::to_string(a) + " " + std::to_string(a + 11) + " " + std::to_string(a + 10) + "\n";
        }
    }
    return text;
}

run::Spec spec_of(const std::string& direction, const std::string& file, const std::string& numbers = "1, 0.2") {
    const std::string text = "[equations]\nu = \"div(tensor(" + numbers + ", " + direction +
                             ")*grad(u))\"\n[initial]\nu = \"x*x + 0.5*y\"\n[mesh]\nfile = \"" + file +
                             "\"\n[time]\nsteps = 20\n[method]\nprecision = \"f64\"\n[parameters]\nm = \"1 + 0*x\"\nn = \"0.2 + 0.1*y\"\n";
    return run::read_spec(core::parse_document(text, "m.toml"), "m", "", core::Node{});
}

TEST_F(TensorFile, DirectionsOfAFileAreThreeAttributes) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "no compiled kernels in this build";
    const std::string long_names = written("long-names.ply", strip("fibre_x", "fibre_y", "fibre_z")),
                      short_names = written("short-names.ply", strip("nx", "ny", "nz"));
    const std::vector<double> expected = end_of(spec_of("1 + x, 2*y, 0.5", long_names), "u");
    EXPECT_EQ(end_of(spec_of("attr('fibre')", long_names), "u"), expected);
    EXPECT_EQ(end_of(spec_of("attr('n')", short_names), "u"), expected);
    EXPECT_NE(end_of(spec_of("1, 0, 0", long_names), "u"), expected);
}

TEST_F(TensorFile, MapsAmongItsNumbersAreSetIntoTheFaces) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "no compiled kernels in this build";
    const std::string file = written("maps.ply", strip("a", "b", "c"));
    const run::Spec numbers = spec_of("1, 1, 0", file), maps = spec_of("1, 1, 0", file, "m, n");
    ASSERT_EQ(std::get<domain::Mesh>(numbers.domain).tensors.size(), 1U);
    ASSERT_EQ(std::get<domain::Mesh>(maps.domain).tensors.size(), 1U);
    EXPECT_NE(*std::get<domain::Mesh>(numbers.domain).tensors[0].weights, *std::get<domain::Mesh>(maps.domain).tensors[0].weights);
    // across is 0.2 to 0.4 and along is 1 in both, so the limit of the time step is the same
    EXPECT_EQ(ir::stable_step(ir::build(numbers.model), {}, numbers.domain).limit,
              ir::stable_step(ir::build(maps.model), {}, maps.domain).limit);
    EXPECT_NE(end_of(numbers, "u"), end_of(maps, "u"));
}

}  // namespace tensor_test
