// tests/unit/backend/cpu_code_test.cpp: the compiled row kernels: operations per vector of cells, products with 1, relocations
#include "mottle/backend/cpu/compile/compile.h"
#include "mottle/backend/cpu/mesh/emit_mesh.h"
#include "mottle/backend/cpu/plane/kernel.h"
#include "mottle/backend/cpu/mesh/kernel.h"
#include "mottle/backend/cpu/volume/cut.h"
#include "mottle/device/registry.h"
#include "mottle/core/document.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/run/settings/read_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace cpu_code_test {

using namespace mottle;
using namespace mottle::backend;

ir::Program program_of(const std::string& text, const domain::Domain& domain, bool f64 = false, const std::string& method = "euler") {
    const run::Spec spec = run::read_spec(core::parse_document(text, "test.toml"), "test", "", core::Node());
    return ir::lower(ir::build(spec.model), {method, f64}, domain);
}

domain::Grid square(core::Index size) {
    domain::Grid grid;
    grid.size = {size, size, 1};
    return grid;
}

const char* const kGrayScott = R"toml(
[equations]
u = "Du*lap(u) - u*v^2 + F*(1 - u)"
v = "Dv*lap(v) + u*v^2 - (F + k)*v"
[parameters]
Du = 0.2
Dv = 0.1
F = 0.04
k = 0.06
[initial]
u = "1 - 0.5*X"
v = "0.25*Y"
)toml";

std::string text_of(const ir::Program& program, const domain::Grid& grid, const cpu::Isa& isa, int rows, std::vector<bool> ones = {}) {
    cpu::EmitOptions options = cpu::emit_options(isa, cpu::whole_row(grid, isa, program.f64));
    options.ones = std::move(ones);
    const cpu::Plan plan = cpu::make_plan(program);
    const cpu::CallSizes apart{std::vector<int>(plan.stages.size(), rows), rows, std::vector<bool>(plan.joined.size(), false)};
    return cpu::emit_grid(program, plan, apart, options);
}

int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

/// Floating point vector operations in the loop over the columns of one function.
int operations(const std::string& text, const std::string& function) {
    const std::size_t begin = text.find("column:", text.find("@" + function + "(")), end = text.find("done:", begin);
    const std::string loop = text.substr(begin, end - begin);
    const std::regex operation("= f(add|sub|mul|div) |@llvm\\.fma\\.|@llvm\\.sqrt\\.");
    return static_cast<int>(std::distance(std::sregex_iterator(loop.begin(), loop.end(), operation), std::sregex_iterator()));
}

// Per row and vector of cells: 6 sums of neighbours (two of them shared between the rows of a block), 2 centres, 2 diffusions, u v v (2) and 2 products.
TEST(CpuCode, GrayScottCostsFourteenOperationsPerVectorOfCells) {
    const domain::Grid grid = square(512);
    const ir::Program program = program_of(kGrayScott, grid);
    const std::string text = text_of(program, grid, cpu::isa_levels().front(), 4);
    EXPECT_EQ(operations(text, "stage0_rows4"), 4 * 14);
    EXPECT_EQ(operations(text, "stage0_rows1"), 14);
}

TEST(CpuCode, ATimeStepOfOneSavesTheProductWithIt) {
    const domain::Grid grid = square(512);
    const ir::Program program = program_of(kGrayScott, grid);
    std::vector<double> inputs(program.inputs.size(), 0.05);
    inputs[0] = 1;
    const std::vector<double> uniforms = ir::evaluate_uniforms(program, inputs);
    std::vector<bool> ones;
    for (const double value : uniforms) ones.push_back(value == 1);
    EXPECT_EQ(operations(text_of(program, grid, cpu::isa_levels().front(), 4, ones), "stage0_rows4"), 4 * 13);
}

// What a held stage holds is read by the loop that makes it, one column ahead: of the 4 + 12 operations none is done twice, and of lap(u) only the two
// rows above those that the call makes are read from memory beside the loop's own column.
TEST(CpuCode, AHeldStageAndItsReaderAreOneLoopWhereTheRegistersHoldIt) {
    const domain::Grid grid = square(512);
    const auto cut_of = [](const ir::Program& of, const domain::Grid& on, const cpu::Isa& isa) {
        return cpu::choose_cut(of, cpu::make_plan(of), on, {}, isa, 2);
    };
    const std::string swift =
        "equations.u = '(r - 1)*u - 2*lap(u) - bilap(u) + g*u^2 - u^3'\nparameters = {r = 0.3, g = 0.5}\ninitial.u = 'X'\n";
    const ir::Program program = program_of(swift, grid);
    const cpu::Isa& wide = cpu::isa_levels().front();
    ASSERT_EQ(wide.registers, 32);
    const cpu::Cut cut = cut_of(program, grid, wide);
    ASSERT_EQ(cut.calls.joined, std::vector<bool>{true});
    const std::string text = cpu::emit_grid(program, cpu::make_plan(program), cut.calls, cpu::emit_options(wide, cut.strips));
    EXPECT_EQ(cut.calls.block, 4);
    EXPECT_EQ(operations(text, "joined0"), 4 * 16);
    EXPECT_EQ(operations(text, "stage0_rows4") + operations(text, "stage1_rows4"), 4 * 16);

    for (const cpu::Isa& isa : cpu::isa_levels())
        EXPECT_EQ(cut_of(program, grid, isa).calls.joined.at(0), isa.registers >= 32) << isa.name << ": 16 registers do not hold it";
    EXPECT_EQ(cut_of(program, square(16), wide).calls.joined, std::vector<bool>{false}) << "rows of one column";
    EXPECT_EQ(cut_of(program, square(17), wide).calls.joined, std::vector<bool>{true});
    const std::string around =
        "equations.u = 'a*norm2(grad(u)) + b*dx(u)*dy(u) - c*lap(u) - d*bilap(u)'\n"
        "parameters = {a = 0.1, b = 0.2, c = 0.3, d = 0.4}\ninitial.u = 'X'\n";
    EXPECT_EQ(cut_of(program_of(around, grid), grid, wide).calls.joined, std::vector<bool>{false}) << "carries too much";
    EXPECT_EQ(cut_of(program_of("equations.u = '0.1*lap(lap(lap(u)))'\ninitial.u = 'X'\n", grid), grid, wide).calls.joined,
              std::vector<bool>{false})
        << "waits for loads and stores";
    EXPECT_TRUE(cpu::make_plan(program_of("equations.u = 'x*lap(lap(u))'\ninitial.u = 'X'\n", grid)).joined.empty()) << "coordinates";
    EXPECT_TRUE(cpu::make_plan(program_of(kGrayScott, grid)).joined.empty());
    EXPECT_TRUE(cpu::make_plan(program, true).joined.empty()) << "volumes";
    const ir::Program deep = program_of("equations.u = 'lap(lap(lap(u)))'\ninitial.u = 'X'\n", grid);
    const cpu::Plan triple = cpu::make_plan(deep);
    ASSERT_EQ(triple.stages.size(), 3U);
    ASSERT_EQ(triple.joined.size(), 1U) << "a stage is one of two at most";
    EXPECT_EQ(triple.joined[0].first, 0);
}

// exp takes some 15 operations that wait for each other; those of all rows come in turns, and so do the powers of two, one in each.
TEST(CpuCode, RowsOfLongChainsAreComputedSideBySide) {
    const domain::Grid grid = square(512);
    std::string model = kGrayScott;
    model.replace(model.find("F*(1 - u)"), 9, "F*exp(-u)");
    const ir::Program chained = program_of(model, grid), plain = program_of(kGrayScott, grid);
    std::string terms;
    for (int i = 1; i <= 50; ++i) terms += " + exp(-" + std::to_string(i) + "*u)";
    const ir::Program huge = program_of("equations.u = 'lap(u)" + terms + "'\ninitial.u = '1'\n", grid);
    ASSERT_GT(ir::operations(huge.step.stages.at(0).code), 700);
    for (const cpu::Isa& isa : cpu::isa_levels()) {
        const auto rows = [&](const ir::Program& program) {
            return cpu::choose_rows(program, cpu::make_plan(program), 0, cpu::emit_options(isa, cpu::whole_row(grid, isa, false)));
        };
        EXPECT_EQ(rows(chained), isa.registers >= 32 ? 4 : 2) << isa.name;
        EXPECT_LE(rows(plain), 4) << isa.name;
        EXPECT_EQ(rows(huge), 2) << isa.name << ": what caches of instructions do not hold gains nothing";
    }
    const auto between = [&](const ir::Program& program, const std::string& operation) {  // lines from the first to the last of two rows
        const std::string text = text_of(program, grid, cpu::isa_levels().front(), 2);
        const std::size_t loop = text.find("column:"), end = text.find("done:");
        const std::size_t first = text.find(operation, loop), last = text.rfind(operation, end);
        return count(text.substr(first, last - first), "\n");
    };
    EXPECT_LE(between(chained, "= shl "), 2);
    EXPECT_GT(between(plain, "= fmul "), 10) << "the second row begins where the first has ended";
}

// Two fields that are read with neighbours go through 2*(rows + 2) rows, and each map through as many as are updated.
TEST(CpuCode, MapsLeaveFewerRowsToACallAndNarrowerOnes) {
    const auto cut = [&](const std::string& parameters, const char* schedule = "", core::Index size = 1024) {
        const domain::Grid grid = square(size);
        std::string model = kGrayScott;
        const std::size_t begin = model.find("[parameters]"), end = model.find("[initial]");
        model.replace(begin, end - begin, "[parameters]\n" + parameters);
        const ir::Program program = program_of(model, grid);
        const cpu::Cut chosen =
            cpu::choose_cut(program, cpu::make_plan(program), grid, std::get<PlaneSchedule>(parse_schedule(schedule, Family::plane)),
                            cpu::isa_levels().front(), 2);
        return std::pair(chosen.calls.rows.front(), chosen.strips.count());
    };
    const std::string rest = "Du = 0.2\nDv = 0.1\n", one = rest + "F = 0.04\nk = '0.06*X*Y'\n",
                      two = rest + "F = '0.04*(X + Y)'\nk = '0.06*X*Y'\n";
    EXPECT_EQ(cut(rest + "F = 0.04\nk = 0.06\n"), std::pair(4, 1)) << "12 rows";
    EXPECT_EQ(cut(one), std::pair(3, 1)) << "10 and 3";
    EXPECT_EQ(cut(two), std::pair(3, 2)) << "10 and 6 of half the width; 8 and 4 of the whole";
    EXPECT_EQ(cut(two, "chunk=0"), std::pair(2, 1)) << "asked for whole rows";
    EXPECT_EQ(cut(two, "rows=4"), std::pair(4, 1)) << "asked for";
    EXPECT_EQ(cut(two, "", 512), std::pair(4, 1)) << "40 KiB are near";
    EXPECT_EQ(cut(rest + "F = '0.04*Y'\nk = '0.06*X'\n"), std::pair(4, 1)) << "a row, and the first columns";
}

// A cached kernel is mapped from its object alone: numbers come through the arguments, and only AVX-512 has constants, the two orders in which the ends
// of a row rotate.
TEST(CpuCode, CompiledKernelsHaveNoConstantsButTheOrdersOfLanes) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "this build has no compiler";
    const char* const functions = R"toml(
[equations]
u = "0.2*lap(u) + exp(-u^2) - tanh(3*v) + abs(u) + (u^2 + 0.1)^1.7"
v = "bilap(v) + sin(4*u) - log(1 + v^2) + atan2(u, v) + where(u > v, 1, -1) + div(u*grad(v)) + x"
[initial]
u = "1"
v = "1"
)toml";
    for (const cpu::Isa& isa : cpu::isa_levels()) {
        for (const char* text : {kGrayScott, functions}) {
            for (const bool f64 : {false, true}) {
                for (const char* boundary : {"periodic", "value(0.5)"}) {
                    for (const core::Index size : {100, 128}) {  // no multiple of the lanes, and one
                        domain::Grid grid = square(size);
                        grid.sides.fill(domain::parse_boundary({boundary, {}}));
                        const ir::Program program = program_of(text, grid, f64);
                        const std::string kernel = text_of(program, grid, isa, 2);
                        const int sweeps = count(kernel, "define void @stage") + count(kernel, "define void @flush");
                        EXPECT_LE(cpu::compile_text(kernel, isa, {})->relocations(), isa.name == "avx512" ? 2 * sweeps : 0)
                            << isa.name << (f64 ? " f64 " : " f32 ") << boundary << ' ' << size;
                    }
                }
            }
        }
    }
}

domain::Mesh sphere() {
    core::ThreadTeam team(1);
    return domain::create_mesh(domain::load_surface({"sphere:1", {}}, "", team), 1, team);
}

#if defined(__x86_64__)
/// Instructions vgatherdpd and vgatherqpd of AVX2 in an object: a VEX prefix of three bytes, map 2, 64-bit words, 66.
int gathers_in(const std::string& object) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(object[i]); };
    int found = 0;
    for (std::size_t i = 0; i + 3 < object.size(); ++i) {
        const bool prefix = byte(i) == 0xc4 && (byte(i + 1) & 0x1f) == 2 && (byte(i + 2) & 0x83) == 0x81;
        found += prefix && (byte(i + 3) == 0x92 || byte(i + 3) == 0x93) ? 1 : 0;
    }
    return found;
}

// Left to itself LLVM takes gathers of AVX2 apart: it gathers nothing then, and is slower than single loads.
TEST(CpuCode, Avx2GathersWhereItIsAskedToAndElseNot) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "this build has no compiler";
    const cpu::Isa& isa = cpu::isa_levels().at(1);
    ASSERT_EQ(isa.name, "avx2");
    EXPECT_FALSE(cpu::gathers({}, isa));
    const std::filesystem::path cache = std::filesystem::path(testing::TempDir()) / "mottle-gathers";
    for (const bool f64 : {false, true}) {
        const ir::Program program = program_of(kGrayScott, sphere(), f64);
        for (const bool gather : {false, true}) {
            std::filesystem::remove_all(cache);
            cpu::compile_text(cpu::emit_mesh(program, cpu::MeshPlan(program), isa, {false, gather}), isa, cache);
            const std::filesystem::recursive_directory_iterator files(cache);
            const auto kernel = std::find_if(begin(files), end(files), [](const auto& file) { return file.path().extension() == ".o"; });
            ASSERT_NE(kernel, end(files));
            std::ifstream stream(kernel->path(), std::ios::binary);
            const std::string object{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
            EXPECT_EQ(gathers_in(object) > 0, gather) << (f64 ? "f64" : "f32");
        }
    }
    std::filesystem::remove_all(cache);
}
#endif

// As measured (docs/notes/volumes.md): more steps in a pass spare a little, up to eight levels.
TEST(CpuCode, VolumesTakeEightLevelsInAPass) {
    domain::Grid cube;
    cube.size = {256, 256, 256};
    const cpu::Isa& isa = cpu::isa_levels().front();
    for (const auto& [method, steps] : {std::pair{"euler", 8}, {"heun", 4}, {"rk4", 2}}) {
        const ir::Program program = program_of(kGrayScott, cube, false, method);
        EXPECT_EQ(cpu::choose_volume_cut(program, cpu::make_plan(program), cube, {}, isa, 2).steps, steps) << method;
    }
}

// So mottle tune sees that it has tried a kernel already.
TEST(CpuCode, AScheduleNamesTheFetchThatIsNotTheUsualOne) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "this build has no compiler";
    const domain::Domain domain = sphere();
    const ir::Program program = program_of(kGrayScott, domain);
    core::ThreadTeam team(1);
    core::Observer observer;
    core::Context context{team, observer, {}};
    int named = 0;
    for (const char* request : {"", "gather=vector", "gather=words"}) {
        const Schedule used =
            device::create_backend("cpu")->compile(program, domain, parse_schedule(request, Family::mesh), context)->schedule();
        named += std::get<MeshSchedule>(used).gather ? 1 : 0;
    }
    EXPECT_EQ(named, 1);
}

/// Both ways of the same run: what a factor of 1 leaves out changes no bit.
TEST(CpuCode, ProductsWithOneAreLeftOutWithoutATrace) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "this build has no compiler";
    const domain::Grid grid = square(64);
    const ir::Program program = program_of(kGrayScott, grid);
    core::ThreadTeam team(2);
    core::Observer observer;
    core::Context context{team, observer, {}};
    std::vector<double> inputs = {1, 0, 0.2, 0.1, 0.04, 0.06};
    const std::vector<double> uniforms = ir::evaluate_uniforms(program, inputs);
    std::vector<std::vector<float>> results;
    for (const char* device : {"reference", "cpu"}) {
        const auto kernel = device::create_backend(device)->compile(program, grid, {}, context);
        const auto state = kernel->create_state();
        std::vector<double> row(64);
        for (core::Index y = 0; y < 64; ++y) {
            for (std::size_t x = 0; x < 64; ++x)
                row[x] = 0.3 + 0.2 * static_cast<double>((static_cast<core::Index>(x) * 7 + y * 13) % 17) / 17;
            for (const ir::Array a : {0, 1}) kernel->write_row(*state, a, y, row);
        }
        kernel->advance(*state, 0, 37, {uniforms, static_cast<int>(uniforms.size())});
        std::vector<float> all;
        std::vector<float> cells(64);
        for (core::Index y = 0; y < 64; ++y) {
            kernel->read_row(*state, 1, y, cells);
            all.insert(all.end(), cells.begin(), cells.end());
        }
        results.push_back(std::move(all));
    }
    EXPECT_EQ(results[0], results[1]);
}

}  // namespace cpu_code_test
