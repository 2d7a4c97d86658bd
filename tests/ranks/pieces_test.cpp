// tests/ranks/pieces_test.cpp: pieces of grids against the whole: starts, coordinates, cell numbers, maps, borders and halos, bit for bit
#include "conformance/settings.h"
#include "conformance/suite.h"

#include "kernel_cache.h"
#include "mottle/domain/piece.h"
#include "mottle/field/field.h"
#include "mottle/ir/program/piece.h"
#include "mottle/run/settings/boundary_rules.h"
#include "mottle/run/settings/preparation.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/stepper/stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>

namespace conformance {
namespace pieces_test {

using namespace mottle;
using domain::CellBox;
using domain::Grid;
using domain::Index;

constexpr Index kSteps = 5;
const char* const kSides = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=still";
const char* const kDeepSides =
    "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=periodic,bottom=periodic,front=robin(1, 0.3, 0.2),back=flux(0.01)";

run::Spec spec_of(const std::string& model, const std::string& size, const std::string& sides, bool f64) {
    std::string text = model;  // starts that count cells and look at the extent
    const std::size_t start = text.find("[initial]");
    const std::size_t line = text.find('\n', start) + 1;
    const std::string name = text.substr(line, text.find(' ', line) - line);
    text.replace(line, text.find('\n', line) - line, name + " = \"0.2 + noise(0, 0.5) + 0.1*spots(5, 4)*X + 0.05*Y*Z\"");
    const std::string flags = "[grid]\nsize = \"" + size + "\"\n[method]\nprecision = \"" + (f64 ? "f64" : "f32") + "\"\n";
    run::Spec spec = run::read_spec(core::parse_document(text, "pieces.toml"), "pieces", "", core::parse_document(flags, "flags"));
    auto& grid = std::get<Grid>(spec.domain);
    const core::Node rules = core::text_node(sides, "--boundary");
    run::apply_boundary(grid, spec.model, std::array{run::BoundaryLayer{.rules = &rules, .size = grid.size}});
    domain::validate(grid);
    return spec;
}

struct Cells {
    std::vector<std::vector<double>> arrays;  ///< by field
};

Cells advance(const std::string& device, const run::Spec& spec, const ir::Program& program, const Grid& grid, Index steps,
              core::Context& context) {
    const auto backend = device::create_backend(device);
    const domain::Domain domain = grid;
    const auto kernel = backend->compile(ir::program_of_piece(program, grid), domain, {}, context);
    field::Field field(*kernel, spec.model, spec.initial, context);
    stepper::Stepper stepper(field, run::input_values(program, spec.model, spec.initial.seed), *spec.dt, context);
    stepper.advance_to(steps);
    Cells cells;
    for (ir::Array a = 0; a < program.field_count(); ++a) cells.arrays.push_back(field.values(a));
    return cells;
}

Index cell(const Grid& grid, Index x, Index y, Index z) { return (z * grid.size[1] + y) * grid.size[0] + x; }

/// Cells that a halo leaves right, compared with those of the whole; how many there are.
Index compare_piece(const Grid& piece, const domain::Triple& spoilt, const Cells& whole, const Cells& part) {
    Index compared = 0, wrong = 0;
    const auto is_right = [&](std::size_t d, Index i) {
        const bool low = domain::is_halo(piece, 2 * d), high = domain::is_halo(piece, 2 * d + 1);
        return i >= (low ? spoilt[d] : 0) && i < piece.size[d] - (high ? spoilt[d] : 0);
    };
    for (std::size_t a = 0; a < whole.arrays.size(); ++a) {
        for (Index z = 0; z < piece.size[2]; ++z) {
            for (Index y = 0; y < piece.size[1]; ++y) {
                for (Index x = 0; x < piece.size[0]; ++x) {
                    if (!is_right(0, x) || !is_right(1, y) || !is_right(2, z)) continue;
                    const Index at = cell(domain::whole_of(piece), domain::index_in_whole(piece, 0, x), domain::index_in_whole(piece, 1, y),
                                          domain::index_in_whole(piece, 2, z));
                    ++compared;
                    const double expected = whole.arrays[a][core::at(at)], actual = part.arrays[a][core::at(cell(piece, x, y, z))];
                    if (std::bit_cast<std::uint64_t>(expected) != std::bit_cast<std::uint64_t>(actual)) ++wrong;
                }
            }
        }
    }
    EXPECT_EQ(wrong, 0) << "of " << compared << " cells";
    return compared;
}

class PieceConformance : public testing::TestWithParam<Settings> {
   public:
    static void expect(const std::string& model, const std::string& size, const std::string& sides, const std::vector<CellBox>& boxes) {
        const run::Spec spec = spec_of(model, size, sides, GetParam().f64);
        const auto& grid = std::get<Grid>(spec.domain);
        const ir::Program program = ir::lower(ir::build(spec.model), spec.method, spec.domain);
        struct Silent final : core::Observer {
        } silent;
        core::ThreadTeam team(2);
        core::Context context{team, silent, kernel_cache()};
        const Cells start = advance("reference", spec, program, grid, 0, context);
        const Cells whole = advance("reference", spec, program, grid, kSteps, context);
        const domain::Triple reach = ir::reach_of_step(program);
        for (const CellBox& box : boxes) {
            const Grid piece = domain::piece_of(grid, box);
            SCOPED_TRACE(size + ", " + sides + ", from " + std::to_string(box.first[0]) + " " + std::to_string(box.first[1]) + " " +
                         std::to_string(box.first[2]) + "\n" + model);
            EXPECT_GT(compare_piece(piece, {}, start, advance(GetParam().device, spec, program, piece, 0, context)), 0);
            domain::Triple spoilt;
            for (std::size_t d = 0; d < 3; ++d) spoilt[d] = kSteps * reach[d];
            EXPECT_GT(compare_piece(piece, spoilt, whole, advance(GetParam().device, spec, program, piece, kSteps, context)), 0);
        }
    }
};

// Pieces at corners, at sides, within, across a side that wraps, and as wide as the whole.
TEST_P(PieceConformance, Planes) {
    const std::vector<CellBox> boxes = {
        {{0, 0, 0}, {60, 55, 1}}, {{41, 40, 0}, {62, 57, 1}}, {{3, 2, 0}, {90, 83, 1}}, {{0, 30, 0}, {103, 50, 1}}};
    std::vector<CellBox> across = boxes;
    across.push_back({{-20, -30, 0}, {70, 90, 1}});
    across.push_back({{70, 60, 0}, {60, 77, 1}});
    const std::vector<std::string> models = {
        kGrayScott, kEverything, kTables, kHeldNoise, kConductivities, kWrapping, by_method(kGrayScott, "rk4")};
    for (const std::string& model : models) {
        expect(model, "103x97", "periodic", across);
        expect(model, "103x97", kSides, boxes);
        if (tiny()) break;
    }
}

TEST_P(PieceConformance, Volumes) {
    const std::vector<CellBox> within = {{{0, 0, 0}, {17, 12, 25}}, {{0, 0, 3}, {17, 12, 27}}, {{0, 0, 15}, {17, 12, 16}}};
    std::vector<CellBox> across = within;
    across.push_back({{0, -3, -8}, {17, 15, 24}});
    for (const std::string model : {kGrayScott, kDeepTables, kNoise}) {
        expect(model, "17x12x31", "periodic", across);
        expect(model, "17x12x31", kDeepSides, within);
        if (tiny()) break;
    }
}

TEST_P(PieceConformance, Lines) {
    expect(kGrayScott, "301x1", "periodic", {{{-40, 0, 0}, {200, 1, 1}}, {{200, 0, 0}, {101, 1, 1}}});
    expect(kEverything, "301x1", "left=no-flux,right=value(0.2)", {{{0, 0, 0}, {200, 1, 1}}, {{100, 0, 0}, {201, 1, 1}}});
}

std::vector<Settings> with_reference() {
    std::vector<Settings> all = settings();
    all.push_back({"reference", false});
    all.push_back({"reference", true});
    return all;
}

std::string name_of_device(const testing::TestParamInfo<Settings>& info) {
    return info.param.device == "reference" ? std::string("reference") + (info.param.f64 ? "_f64" : "_f32") : name_of(info);
}

INSTANTIATE_TEST_SUITE_P(Devices, PieceConformance, testing::ValuesIn(with_reference()), name_of_device);

}  // namespace pieces_test
}  // namespace conformance
