// tests/unit/run/in_memory_test.cpp: what a program hands over and takes back in memory: whole fields, arrays as maps and starts, meshes, states
#include "kernel_cache.h"
#include "mottle/core/error.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/image/png.h"
#include "mottle/run/settings/outputs.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "mottle/sweep/sweep.h"

#include "unit/run/listener.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>

namespace in_memory_test {

using namespace mottle;
using core::Index;

struct Bench {
    core::ThreadTeam team{3};
    Listener observer;
    core::Context context{team, observer, kernel_cache()};

    run::Spec spec(const std::string& text, const std::string& flags, const run::Given& given = {}) const {
        return run::read_spec(core::parse_document(text, "test.toml"), "test", "", core::parse_document(flags, "flags"), given);
    }
};

const std::string kDecay = "equations.u = 'r*u + lap(u)'\nparameters.r = -0.01\ninitial.u = '1 + X'\ntime.dt = 0.05\n";

/// Numbers that no cell shares with another.
template <class Real>
std::vector<Real> numbers(Index count) {
    std::vector<Real> values(core::at(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Real>(std::sin(1.7 * static_cast<double>(i) + 0.3));
    return values;
}

template <class Work>
std::string message_of(const Work& work) {
    try {
        work();
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "";
}

/// What is written comes back, cell by cell and row by row, on every kind of kernel: rows of whole vectors and of a rest, strips, volumes, surfaces.
class WholeFields : public testing::TestWithParam<std::tuple<const char*, const char*, const char*>> {};

template <class Real>
void write_and_read(const std::string& flags) {
    Bench bench;
    run::Simulation simulation(bench.spec(kDecay, flags), bench.context);
    field::Field& field = simulation.field();
    const domain::Domain& domain = field.kernel().domain();
    const std::vector<Real> written = numbers<Real>(domain::cell_count(domain));
    field.write(0, std::span<const Real>(written), bench.team);
    std::vector<Real> read(written.size());
    field.read(0, std::span<Real>(read), bench.team);
    const bool f64 = field.kernel().program().f64;
    std::vector<double> row(core::at(domain::row_length(domain)));
    for (std::size_t i = 0; i < written.size(); ++i) {
        if (i % row.size() == 0) field.kernel().read_row(field.state(), 0, static_cast<Index>(i / row.size()), std::span<double>(row));
        const Real expected = f64 ? written[i] : static_cast<Real>(static_cast<float>(written[i]));
        ASSERT_EQ(read[i], expected) << flags << " cell " << i;
        ASSERT_EQ(row[i % row.size()], static_cast<double>(expected)) << flags << " cell " << i;
    }
    // The step sees them as it sees what was written row by row: ghosts are those of the rule.
    run::Simulation other(bench.spec(kDecay, flags), bench.context);
    for (Index y = 0; y < domain::row_count(domain); ++y) {
        const auto first = written.begin() + y * std::ssize(row);
        const std::vector<double> wide(first, first + std::ssize(row));
        other.field().kernel().write_row(other.field().state(), 0, y, wide);
    }
    simulation.advance_to(5);
    other.advance_to(5);
    ASSERT_EQ(field.values(0), other.field().values(0)) << flags;
}

TEST_P(WholeFields, ComeBackAsTheyWereWritten) {
    const auto [device, domain, precision] = GetParam();
    if (std::string(device) == "auto" && !MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const std::string flags = std::string("device = '") + device + "'\nprecision = '" + precision + "'\n" + domain + "\n";
    write_and_read<float>(flags);
    write_and_read<double>(flags);
}

INSTANTIATE_TEST_SUITE_P(Kernels, WholeFields,
                         testing::Combine(testing::Values("reference", "auto"),
                                          testing::Values("size = '64x9'", "size = '37x5'\nboundary = 'no-flux'", "size = '5000x4'",
                                                          "size = '19x6x4'", "mesh = 'sphere:2'\nmesh_scale = 10"),
                                          testing::Values("f32", "f64")));

TEST(WholeFields, RefuseWhatIsNotFiniteAndWriteNothing) {
    Bench bench;
    for (const std::string precision : {"f32", "f64"}) {
        run::Simulation simulation(bench.spec(kDecay, "device = 'reference'\nsize = '7x3'\nprecision = '" + precision + "'"),
                                   bench.context);
        field::Field& field = simulation.field();
        const std::vector<double> before = field.values(0);
        std::vector<double> wide = numbers<double>(21);
        std::vector<float> narrow = numbers<float>(21);
        wide[17] = std::numeric_limits<double>::quiet_NaN();
        narrow[17] = -std::numeric_limits<float>::infinity();
        EXPECT_NE(message_of([&] { field.write(0, std::span<const double>(wide), bench.team); }).find("cannot be nan at cell (3, 2)"),
                  std::string::npos);
        EXPECT_NE(message_of([&] { field.write(0, std::span<const float>(narrow), bench.team); }).find("cannot be -inf at cell (3, 2)"),
                  std::string::npos);
        wide[17] = 1e39;
        const bool fits = precision == "f64";
        EXPECT_EQ(message_of([&] { field.write(0, std::span<const double>(wide), bench.team); }).empty(), fits);
        if (!fits) {
            EXPECT_EQ(field.values(0), before);
        }
        const std::string message = message_of([&] { field.write(0, std::span<const double>(wide).first(20), bench.team); });
        EXPECT_NE(message.find("20 numbers for the 21 cells"), std::string::npos) << message;
    }
}

TEST(WholeFields, HoldNoSubnormalNumbersInF32) {
    Bench bench;
    for (const std::string device : {"reference", "auto"}) {
        if (device == "auto" && !MOTTLE_HAVE_JIT) continue;
        run::Simulation simulation(bench.spec(kDecay, "device = '" + device + "'\nsize = '32x2'"), bench.context);
        std::vector<float> cells(64, 1.0F);
        cells[5] = -1e-40F;
        simulation.field().write(0, std::span<const float>(cells), bench.team);
        const std::vector<double> read = simulation.field().values(0);
        EXPECT_EQ(read[5], 0);
        EXPECT_TRUE(std::signbit(read[5]));
        EXPECT_EQ(read[6], 1);
    }
}

// ---- arrays as maps and starts

run::Given given(const std::string& name, std::vector<double> values) {
    run::Given given;
    given.arrays[name] = std::make_shared<const std::vector<double>>(std::move(values));
    return given;
}

TEST(GivenArrays, AreMapsAndStarts) {
    Bench bench;
    const std::string text =
        "equations.u = 'r*u'\nparameters.r = 0\ninitial.u = 'given(\"r\", -2, 2) + 1'\ntime.dt = 0.5\ngrid.size = '6x4'\n";
    const std::vector<double> values = numbers<double>(24);
    run::Simulation simulation(
        bench.spec(text, "device = 'reference'\nprecision = 'f64'\nparameters.r = 'given(\"r\", -2, 2)'", given("r", values)),
        bench.context);
    EXPECT_EQ(simulation.field().values(0)[9], values[9] + 1);
    simulation.advance_to(1);
    const std::vector<double> after = simulation.field().values(0);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(after[i], (values[i] + 1) * (1 + 0.5 * values[i]), 1e-15) << i;
}

TEST(GivenArrays, OfSurfacesCountTheVerticesOfTheFile) {
    Bench bench;
    auto soup = std::make_shared<domain::TriangleSoup>();
    soup->name = "two";
    soup->position = {{9, 9, 9}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};  // one bare, two copies
    soup->faces = {{1, 2, 3}, {4, 5, 6}};
    soup->polygons = 2;
    run::Given both = given("s", {-7, 1, 2, 3, 4, 5, 6});
    both.mesh = soup;
    const std::string text = "equations.u = '0*u'\ninitial.u = 'given(\"s\", -7, 6)'\ntime.dt = 1\n";
    run::Simulation simulation(bench.spec(text, "device = 'reference'\nmesh = 'given'\nmesh_scale = 1", both), bench.context);
    const auto& mesh = std::get<domain::Mesh>(simulation.kernel().domain());
    ASSERT_EQ(mesh.vertex_count(), 4);
    const std::vector<double> u = simulation.field().values(0);
    const std::vector<double> of_file = {0, 1, 2, 3, 2, 5, 3};  // copies have the value of the first
    for (std::size_t i = 1; i < of_file.size(); ++i) EXPECT_EQ(u[core::at(mesh.surface->vertex_of[i])], of_file[i]) << i;
}

TEST(GivenArrays, SayWhatIsWrongWithThem) {
    Bench bench;
    const std::string text = "equations.u = '0*u'\ninitial.u = 'given(\"s\", 0, 1)'\ntime.dt = 1\ngrid.size = '3x2'\n";
    const auto message = [&](const run::Given& arrays) {
        return message_of([&] { run::Simulation simulation(bench.spec(text, "device = 'reference'", arrays), bench.context); });
    };
    EXPECT_NE(message({}).find("no array 's' was given by the program"), std::string::npos);
    EXPECT_NE(message(given("S", {})).find("did you mean 'S'"), std::string::npos);
    EXPECT_NE(message(given("s", {1, 2, 3})).find("has 3 numbers, and the 3x2 grid has room for 6"), std::string::npos);
    EXPECT_NE(message(given("s", {0, 1, 0, 1, 0, 1.5})).find("contains 1.5 as number 5, which is not within 0 and 1"), std::string::npos);
    EXPECT_NE(message(given("s", {0, 1, 0, 1, 0, std::nan("")})).find("contains nan"), std::string::npos);
}

TEST(GivenMeshes, SayWhatIsWrongWithThem) {
    core::ThreadTeam team(1);
    domain::TriangleSoup good;
    good.name = "m";
    good.position = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    good.faces = {{0, 1, 2}};
    EXPECT_EQ(domain::surface_of(good, team)->position.size(), 3U);
    const auto message = [&](const auto& change) {
        domain::TriangleSoup soup = good;
        change(soup);
        return message_of([&] { domain::surface_of(soup, team); });
    };
    EXPECT_NE(message([](auto& m) { m.position[1][2] = NAN; }).find("vertex 1 has a coordinate that is nan"), std::string::npos);
    EXPECT_NE(message([](auto& m) { m.faces[0][1] = 3; }).find("face 0 names vertex 3; vertices are numbered from 0 to 2"),
              std::string::npos);
    EXPECT_NE(message([](auto& m) { m.faces[0][1] = -1; }).find("names vertex -1"), std::string::npos);
    EXPECT_NE(message([](auto& m) { m.attributes.push_back({"a", {1, 2}}); }).find("'a' has 2 numbers for 3 vertices"), std::string::npos);
    EXPECT_NE(message([](auto& m) { m.texture = {{0, 0}}; }).find("1 texture coordinates for 3 vertices"), std::string::npos);
}

// ---- states

TEST(States, GoOnToTheSameBitsElsewhere) {
    Bench bench;
    const std::string text =  // the step counts: noise, and flushes in f64
        "equations.u = 'lap(u) - u + 0.01*white()'\ninitial.u = 'noise(0, 1)'\ntime.dt = 0.1\ngrid.size = '16x8'\n";
    const std::string flags = "device = 'reference'\nprecision = 'f64'\nseed = 5";
    run::Simulation one(bench.spec(text, flags), bench.context), two(bench.spec(text, flags), bench.context);
    one.advance_to(13);
    two.field().write(0, std::span<const double>(one.field().values(0)), bench.team);
    two.stand_at(13);
    EXPECT_EQ(two.now().step, 13);
    EXPECT_NEAR(two.now().time, 1.3, 1e-12);
    one.advance_to(40);
    two.advance_to(40);
    EXPECT_EQ(one.field().values(0), two.field().values(0));
    EXPECT_THROW(two.stand_at(-1), core::InputError);
}

TEST(States, AFewStepsAreNotFollowedByALookAtAllCells) {
    Bench bench;
    run::Simulation simulation(
        bench.spec("equations.u = 'u*u'\ninitial.u = 1e30\ntime.dt = 1e30\ngrid.size = '4x4'\n", "device = 'reference'"), bench.context);
    EXPECT_EQ(simulation.advance_to(2000, 3).verdict, stepper::Verdict::reached);
    EXPECT_EQ(simulation.now().step, 3);
    EXPECT_EQ(simulation.advance_to(4).verdict, stepper::Verdict::diverged);
}

// ---- pictures, sweeps

TEST(PicturesInMemory, TakeTheKeysOfOutputs) {
    Bench bench;
    const run::Spec spec = bench.spec(
        "equations.a = '0*a'\nequations.b = '0*b'\ninitial.a = 'X'\ninitial.b = 'Y'\nfields.a.range = [0, 2]\n"
        "time.dt = 1\ngrid.size = '4x4'\n",
        "device = 'reference'");
    const auto read = [&](const std::string& keys) {
        return run::read_picture(spec.picture, core::parse_document(keys, "keys"), spec.model, spec.domain).sink;
    };
    EXPECT_EQ(read("palette = 'magma'").style.palette, "magma");
    EXPECT_FALSE(read("").declared_range);  // of b, which is drawn
    EXPECT_EQ((*read("field = 'a'").declared_range)[1], 2);
    EXPECT_EQ(read("range = [0.25, 0.5]").style.hi, 0.5);
    EXPECT_NE(message_of([&] { read("file = 'a.png'"); }).find("has no file"), std::string::npos);
    EXPECT_NE(message_of([&] { read("camera = '1,2'"); }).find("is for surfaces"), std::string::npos);
    EXPECT_NE(message_of([&] { read("pallette = 'magma'"); }).find("did you mean 'palette'"), std::string::npos);
}

TEST(PicturesInMemory, AreTheBytesOfTheirFile) {
    if (!MOTTLE_HAVE_PNG) GTEST_SKIP() << "built without libpng";
    image::Image picture{.width = 5, .height = 3, .channels = 3, .pixels = {}};
    for (int i = 0; i < 45; ++i) picture.pixels.push_back(static_cast<std::uint8_t>(5 * i));
    const auto path = std::filesystem::temp_directory_path() / "mottle_in_memory_test.png";
    image::write_png(path, picture);
    std::ifstream file(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(image::png_bytes(picture), bytes);
    EXPECT_EQ(image::read_png(path).pixels, picture.pixels);
    std::filesystem::remove(path);
}

TEST(SweepsInMemory, ShowTheirMembers) {
    Bench bench;
    const std::string text = "equations.u = 'r*u'\nparameters.r = 0\ninitial.u = 1\ntime.dt = 0.5\ngrid.size = '3x2'\ntime.steps = 1\n";
    sweep::Spec spec = sweep::read_spec(core::parse_document(text, "test.toml"), "test", "",
                                        core::parse_document("device = 'reference'\nprecision = 'f64'", "flags"), {"r=1,2,3"});
    sweep::Sweep sweep(std::move(spec), bench.context);
    EXPECT_TRUE(sweep.run_to_end());
    EXPECT_EQ(sweep.field(0).values(0)[0], 1.5);
    EXPECT_EQ(sweep.field(2).values(0)[5], 2.5);
    EXPECT_THROW(sweep.field(3), std::out_of_range);
}

}  // namespace in_memory_test
