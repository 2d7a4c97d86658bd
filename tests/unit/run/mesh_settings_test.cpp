// tests/unit/run/mesh_settings_test.cpp: from [mesh], --mesh, --across, --scale and loops to a mesh with a scale and rules
#include "mottle/core/error.h"
#include "mottle/ir/stability/stability.h"
#include "mottle/run/settings/clock.h"
#include "mottle/run/settings/read_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

namespace mesh_settings_test {

using namespace mottle;

constexpr const char* kModel = R"toml(
wavelength = 2
[equations]
u = "lap(u)"
[initial]
u = "x"
)toml";

run::Spec spec_of(const std::string& text, const std::vector<std::pair<std::string, std::string>>& flags = {}) {
    core::Node settings;
    for (const auto& [key, value] : flags) settings.at(key) = core::text_node(value, "--" + key);
    return run::read_spec(core::parse_document(text, "m.toml"), "m", "", settings);
}

const domain::Mesh& mesh_of(const run::Spec& spec) { return std::get<domain::Mesh>(spec.domain); }

TEST(MeshSettings, across_spans_the_longest_side_with_wavelengths) {
    const run::Spec spec = spec_of(kModel, {{"mesh", "plane:101x51"}, {"across", "5"}});
    EXPECT_NEAR(mesh_of(spec).scale, 5 * 2.0 / 100, 1e-15);
}

TEST(MeshSettings, scale_is_taken_as_it_is) {
    EXPECT_EQ(mesh_of(spec_of(kModel, {{"mesh", "plane:11x11"}, {"mesh_scale", "3"}})).scale, 3);
}

TEST(MeshSettings, without_either_a_wavelength_has_at_least_ten_long_edges) {
    const double edge = std::sqrt(2.0);  // one side of every triangle of a plane; the others are 1
    const run::Spec coarse = spec_of(kModel, {{"mesh", "plane:31x31"}}), fine = spec_of(kModel, {{"mesh", "plane:201x201"}});
    EXPECT_NEAR(mesh_of(coarse).scale, 2 / (10 * edge), 1e-9);
    EXPECT_NEAR(mesh_of(fine).scale, 12 * 2.0 / 200, 1e-12);
    ASSERT_FALSE(fine.notices.empty());
    EXPECT_NE(fine.notices.front().find("12 wavelengths of 2 across plane:201x201"), std::string::npos) << fine.notices.front();
}

TEST(MeshSettings, without_either_a_long_thin_surface_has_four_wavelengths_round_it) {
    const run::Spec thin = spec_of(kModel, {{"mesh", "cylinder:1,40,96"}}), stout = spec_of(kModel, {{"mesh", "cylinder:1,10,128"}});
    const double girth = 2 * 96 * std::sin(std::acos(-1.0) / 96);
    EXPECT_NEAR(mesh_of(thin).scale * girth, 4 * 2.0, 1e-9);
    EXPECT_NEAR(mesh_of(stout).scale, 12 * 2.0 / 10, 1e-12);
    EXPECT_NE(thin.notices.front().find("25.5 wavelengths of 2 across cylinder:1,40,96, 4 round it, "), std::string::npos)
        << thin.notices.front();
    // As many as leave ten long edges in each, here too.
    EXPECT_LT(mesh_of(spec_of(kModel, {{"mesh", "cylinder:1,40,12"}})).scale * girth, 4 * 2.0);
}

/// A file of 21 x 21 points in a square, with two triangles in each of its 20 x 20 squares.
std::string square_file() {
    const std::string path = testing::TempDir() + "/mesh_settings_square.obj";
    std::ofstream file(path);
    for (int y = 0; y < 21; ++y)
        for (int x = 0; x < 21; ++x) file << "v " << x << ' ' << y << " 0\n";
    for (int y = 0; y < 20; ++y)
        for (int x = 0; x < 20; ++x) {
            const int a = 21 * y + x + 1;
            file << "f " << a << ' ' << a + 1 << ' ' << a + 22 << "\nf " << a << ' ' << a + 22 << ' ' << a + 21 << '\n';
        }
    return path;
}

TEST(MeshSettings, a_coarse_file_is_refined_for_a_program_that_asks_and_where_no_source_says_how_often) {
    const std::string file = square_file();
    const auto read = [&](const std::vector<std::pair<std::string, std::string>>& flags, bool refines) {
        core::Node settings;
        settings.at("mesh") = core::text_node(file, "--mesh");
        for (const auto& [key, value] : flags) settings.at(key) = core::text_node(value, "--" + key);
        run::Given given;
        given.refines = refines;
        return run::read_spec(core::parse_document(kModel, "m.toml"), "m", "", settings, given);
    };
    // Ten edges of sqrt(2) in a wavelength leave 1.41 of them; three times halved, edges leave 11.3, which is more than 8, 2/3 of the usual 12.
    const run::Spec refined = read({}, true);
    EXPECT_EQ(refined.refinement.times, 3);
    EXPECT_EQ(domain::row_length(refined.domain), 161 * 161);
    EXPECT_NE(refined.notices.front().find(
                  "each triangle is cut into 64 (--refine 3), since its 441 vertices draw only 1.41 wavelengths smoothly"),
              std::string::npos)
        << refined.notices.front();
    EXPECT_EQ(read({}, false).refinement.times, 0);
    EXPECT_EQ(read({{"refine", "0"}}, true).refinement.times, 0);
    EXPECT_EQ(read({{"refine", "1"}}, true).refinement.times, 1);
    EXPECT_EQ(read({{"mesh_scale", "1"}}, true).refinement.times, 0);
    EXPECT_EQ(read({{"across", "2"}}, true).refinement.times, 0);
    EXPECT_EQ(read({{"across", "4"}}, true).refinement.times, 1);
    EXPECT_EQ(read({{"across", "23"}}, true).refinement.times, 3) << "25,921 vertices, and no more than 65,536";
    std::remove(file.c_str());
}

TEST(MeshSettings, force_takes_more_wavelengths_than_a_mesh_holds) {
    core::Node flags;
    flags.at("mesh") = core::text_node("plane:11x11", "--mesh");
    flags.at("across") = core::text_node("9", "--across");
    core::Node& force = flags.at("force");
    force.kind = core::Node::Kind::boolean;
    force.boolean = true;
    EXPECT_NEAR(mesh_of(run::read_spec(core::parse_document(kModel, "m.toml"), "m", "", flags)).scale, 9 * 2.0 / 10, 1e-12);
}

TEST(MeshSettings, a_model_without_a_wavelength_is_not_scaled) {
    EXPECT_EQ(mesh_of(spec_of("[equations]\nu = 'lap(u)'\n[initial]\nu = '1'\n", {{"mesh", "sphere:2"}})).scale, 1);
}

TEST(MeshSettings, the_layer_above_decides_between_grid_and_mesh) {
    const std::string on_mesh = std::string(kModel) + "[mesh]\nshape = 'sphere:2'\n",
                      on_grid = std::string(kModel) + "[grid]\nsize = '16x16'\n";
    EXPECT_TRUE(std::holds_alternative<domain::Mesh>(spec_of(on_mesh).domain));
    EXPECT_TRUE(std::holds_alternative<domain::Grid>(spec_of(on_mesh, {{"size", "8x8"}}).domain));
    EXPECT_TRUE(std::holds_alternative<domain::Mesh>(spec_of(on_grid, {{"mesh", "sphere:2"}}).domain));
}

TEST(MeshSettings, loops_are_no_flux_unless_they_are_given_a_value) {
    const run::Spec spec =
        spec_of(std::string(kModel) + "[boundary]\nloop1 = 'value(2)'\n[boundary.u]\nloop0 = 'value(3)'\n", {{"mesh", "cylinder:1,2,12"}});
    const domain::Mesh& mesh = mesh_of(spec);
    ASSERT_EQ(mesh.loops.size(), 2u);
    EXPECT_EQ(mesh.loops[0].rule, domain::Rule::no_flux);
    EXPECT_EQ(mesh.loops[1].rule, domain::Rule::value);
    EXPECT_EQ(mesh.loops[1].terms[0].text, "2");
    EXPECT_EQ(mesh.loops_of("u")[0].terms[0].text, "3");
    EXPECT_EQ(mesh.loops_of("u")[1].terms[0].text, "2");
    EXPECT_EQ(mesh_of(spec_of(kModel, {{"mesh", "cylinder:1,2,12"}, {"boundary", "value(1)"}})).loops[0].terms[0].text, "1");
    EXPECT_THROW(spec_of(kModel, {{"mesh", "cylinder:1,2,12"}, {"boundary", "still"}}), core::InputError);
}

TEST(MeshSettings, a_file_made_for_grids_runs_on_a_surface_and_a_note_tells) {
    const std::string model =
        std::string(kModel) + "[boundary]\nleft = 'no-flux'\nright = 'value(1)'\n[boundary.u]\nleft = 'still'\nloop1 = 'value(3)'\n";
    const run::Spec spec = spec_of(model, {{"mesh", "cylinder:1,2,12"}});
    EXPECT_EQ(mesh_of(spec).loops[0].rule, domain::Rule::no_flux);
    EXPECT_EQ(mesh_of(spec).loops_of("u")[1].terms[0].text, "3") << "what a surface has is kept";
    EXPECT_EQ(std::ranges::count(spec.notices, "a surface has no sides: the rules of the file for left and right are ignored"), 1);
    const run::Spec all = spec_of("boundary = 'periodic'\n" + std::string(kModel), {{"mesh", "sphere:3"}});
    EXPECT_EQ(std::ranges::count(all.notices, "a surface has no sides: the rules of the file for 'periodic' are ignored"), 1);
    EXPECT_THROW(spec_of(kModel, {{"mesh", "cylinder:1,2,12"}, {"boundary", "left=no-flux"}}), core::InputError) << "it was meant";
    EXPECT_THROW(spec_of(model + "[mesh]\nshape = 'cylinder:1,2,12'\n"), core::InputError) << "and so was this";
}

TEST(MeshSettings, a_region_keeps_the_faces_that_lie_in_it_whole) {
    const run::Spec spec =
        spec_of(kModel, {{"mesh", "plane:11x6"}, {"mesh_scale", "2"}, {"region", "x < 9"}});  // lengths of the equations: columns 0 to 4
    const domain::Surface& part = *mesh_of(spec).surface;
    EXPECT_EQ(part.position.size(), 5u * 6);
    EXPECT_EQ(part.faces.size(), 2u * 4 * 5);
    EXPECT_EQ(part.report.outside_region, 2 * 10 * 5 - 2 * 4 * 5);
    ASSERT_EQ(part.loops.size(), 1u);
    EXPECT_EQ(part.loops[0].size(), 18u) << "the cut is a border";
    EXPECT_EQ(part.vertex_of[10], -1);
    EXPECT_EQ(part.vertex_of[11], 5);
    EXPECT_EQ(part.original[5], 11);
    // What lies outside stands where it stood.
    EXPECT_EQ(part.outside.size(), 2u * 6 * 5);
    ASSERT_EQ(part.bare.size(), 6u * 6);
    EXPECT_EQ(part.bare[0], (std::pair<domain::Vertex, domain::Point>(5, {5, 0, 0})));
    EXPECT_EQ(part.bare[7], (std::pair<domain::Vertex, domain::Point>(17, {6, 1, 0})));
    double area = 0;
    for (const double m : mesh_of(spec).operators->mass) area += m;
    EXPECT_NEAR(area, 4 * 5 * 4, 1e-12);
    EXPECT_THROW(spec_of(kModel, {{"mesh", "plane:11x6"}, {"region", "X > 2"}}), core::InputError);
    EXPECT_THROW(spec_of(kModel, {{"mesh", "plane:11x6"}, {"region", "noise(0, 1)"}}), core::ModelError);
}

TEST(MeshSettings, delaunay_flips_edges_and_tells_it) {
    const run::Spec given = spec_of(std::string(kModel) + "[mesh]\nshape = \"snake:3000\"\n"),
                    flipped = spec_of(std::string(kModel) + "[mesh]\nshape = \"snake:3000\"\ndelaunay = true\n");
    auto negative = [](const run::Spec& spec) {
        return std::ranges::count_if(mesh_of(spec).operators->cotangent, [](double w) { return w < -1e-12; });
    };
    EXPECT_EQ(mesh_of(given).operators->flips, -1);
    EXPECT_GT(negative(given), 0);
    EXPECT_EQ(negative(flipped), 0);
    EXPECT_GT(mesh_of(flipped).operators->flips, 0);
    ASSERT_EQ(flipped.notices.size(), given.notices.size() + 1);
    EXPECT_NE(flipped.notices.back().find("edges along the surface; no weight is negative"), std::string::npos) << flipped.notices.back();
    EXPECT_EQ(mesh_of(spec_of(std::string(kModel) + "[mesh]\nshape = \"sphere:2\"\ndelaunay = true\n")).operators->flips, 0);
}

run::Clock clock_of(const run::Spec& spec) {
    return run::decide_clock(spec, ir::stable_step(ir::build(spec.model), spec.method, spec.domain));
}

TEST(MeshSettings, dt_auto_is_nine_tenths_of_the_lanczos_bound) {
    const run::Spec spec = spec_of(kModel, {{"mesh", "sphere:3"}, {"mesh_scale", "4"}});
    EXPECT_NEAR(clock_of(spec).dt / (0.9 * 2 / mesh_of(spec).spectrum.largest), 1, 1e-3);
}

TEST(MeshSettings, lanczos_runs_only_where_the_bound_does_not_settle_dt) {
    core::ThreadTeam team(1);
    auto looked = [&](const std::string& model, const std::vector<std::pair<std::string, std::string>>& flags, run::Clock& clock) {
        run::Spec spec = spec_of(model, flags);
        const bool before = mesh_of(spec).spectrum.lanczos > 0;
        const run::StepLimits limits = run::limits_of_step(spec, ir::build(spec.model), team);
        EXPECT_EQ(mesh_of(spec).spectrum.lanczos > 0, before) << "a question changes nothing";
        run::adopt(spec, limits);
        clock = run::decide_clock(spec, limits.stable);
        EXPECT_EQ(mesh_of(spec).spectrum.largest > 0, true);
        EXPECT_LE(before, mesh_of(spec).spectrum.lanczos > 0);
        return mesh_of(spec).spectrum.lanczos > 0;
    };
    run::Clock clock, chosen;
    const std::vector<std::pair<std::string, std::string>> sphere = {{"mesh", "sphere:3"}, {"mesh_scale", "1"}, {"method", "euler"}};
    auto with = [&](const char* dt) {
        auto flags = sphere;
        flags.emplace_back("dt", dt);
        return flags;
    };
    EXPECT_TRUE(looked(kModel, sphere, chosen));
    EXPECT_FALSE(looked(kModel, with("0.0001"), clock));
    EXPECT_TRUE(clock.notices.empty());
    EXPECT_TRUE(looked(kModel, with("0.2"), clock));
    EXPECT_EQ(clock.stable_dt, chosen.stable_dt) << "what a run that diverges advises";
    ASSERT_EQ(clock.notices.size(), 1u);
    EXPECT_NE(clock.notices.front().find("the limit of explicit diffusion"), std::string::npos);
    const std::string model = std::string(kModel) + "[presets.a]\nsteps = 100\n";
    EXPECT_FALSE(looked(model + "dt = 1e-4\n", sphere, clock));
    EXPECT_TRUE(looked(model + "dt = 0.2\n", sphere, clock));
    EXPECT_EQ(clock.stable_dt, chosen.stable_dt);
    EXPECT_EQ(clock.dt * static_cast<double>(clock.steps), 20);
}

TEST(MeshSettings, a_preset_made_for_grids_keeps_its_time_with_a_stable_dt) {
    const std::string model = std::string(kModel) + "[presets.a]\ndt = 0.2\nsteps = 100\n";
    const run::Spec spec = spec_of(model, {{"mesh", "sphere:3"}, {"mesh_scale", "1"}});
    const run::Clock clock = clock_of(spec);
    EXPECT_LT(clock.dt, 0.01);
    EXPECT_NEAR(clock.dt * static_cast<double>(clock.steps), 20, clock.dt);
    EXPECT_EQ(clock_of(spec_of(model, {{"mesh", "sphere:3"}, {"mesh_scale", "1"}, {"steps", "7"}})).steps, 7);
    EXPECT_EQ(clock_of(spec_of(model, {{"mesh", "sphere:3"}, {"mesh_scale", "1"}, {"dt", "0.2"}})).dt, 0.2) << "a typed dt is taken";
}

TEST(MeshSettings, endless_runs_are_refused_with_the_place_to_blame) {
    const run::Spec spec = spec_of(kModel, {{"mesh", "sphere:3"}, {"mesh_scale", "1e-3"}, {"time", "1"}, {"precision", "f64"}});
    try {
        clock_of(spec);
        FAIL() << "not refused";
    } catch (const core::InputError& error) {
        EXPECT_NE(error.message().find("steps of dt"), std::string::npos) << error.message();
        EXPECT_NE(error.message().find("the triangles at vertex"), std::string::npos) << error.message();
    }
    run::Spec forced = spec;
    forced.force = true;
    EXPECT_GT(clock_of(forced).steps, 10000000);
}

}  // namespace mesh_settings_test
