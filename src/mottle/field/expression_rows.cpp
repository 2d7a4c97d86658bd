// mottle/field/expression_rows.cpp: initial expressions and maps, row by row on all threads
#include "mottle/field/expression_rows.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/domain/piece.h"
#include "mottle/field/cell_kinds.h"
#include "mottle/field/cell_text.h"
#include "mottle/field/source.h"
#include "mottle/field/source_mesh.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

namespace mottle::field {

using core::Index;

BadCell find_bad(const domain::Domain& domain, std::span<const double> cells, Index first, bool f64) {
    const double bound = bound_of(f64);
    const auto found = std::find_if(cells.begin(), cells.end(), [bound](double value) { return !(std::abs(value) < bound); });
    if (found == cells.end()) return {};
    auto value = [&](Index cell) { return cells[core::at(cell - first)]; };
    const Index cell = first_in_file(domain, first + (found - cells.begin()), [&](Index c) { return !(std::abs(value(c)) < bound); });
    return {cell, value(cell)};
}

namespace {

BadCell evaluate_part(const ir::Expression& expression, const domain::Domain& part, bool f64, const InitialSpec& initial,
                      core::ThreadTeam& team, const RowTaker& take) {
    const domain::Domain domain = domain::whole_of(part);
    const auto* grid = std::get_if<domain::Grid>(&part);
    const RowSource source = create_row_expression(expression, part, initial);
    const Index rows = domain::row_count(part), length = domain::row_length(part), whole_length = domain::row_length(domain);
    const int workers = team.size();
    std::vector<BadCell> bad(core::at(workers));
    team.run([&](int worker) {
        const auto [first, last] = core::share_of(rows, worker, workers);
        if (first == last) return;  // a row may be as large as memory allows
        std::vector<double> cells(core::at(length));
        BadCell& first_bad = bad[core::at(worker)];
        for (Index row = first; row < last && first_bad.cell < 0; ++row) {
            core::cancellation_point();
            const Index y = grid ? domain::row_in_whole(*grid, row) : row;
            // a piece may go on beyond a side that wraps
            for (Index i = 0, n = 0; i < length; i += n) {
                const Index x = grid ? domain::index_in_whole(*grid, 0, i) : i;
                n = std::min(length - i, whole_length - x);
                const std::span<double> run = std::span(cells).subspan(core::at(i), core::at(n));
                source(y, x, run);
                if (first_bad.cell < 0) first_bad = find_bad(domain, run, y * whole_length + x, f64);
            }
            take(row, cells);
        }
    });
    // workers own ascending rows, so the first report is the lowest cell for any number of threads
    const auto found = std::find_if(bad.begin(), bad.end(), [](const BadCell& b) { return b.cell >= 0; });
    return found == bad.end() ? BadCell{} : *found;
}

/// Rows of a plane of which the pixels of a picture are held at a time, if it is a piece: a process that has one is to hold little more than its cells.
Index rows_at_a_time(const ir::Expression& expression, const domain::Domain& part) {
    constexpr Index kMostCells = Index{12} << 20;
    const auto* grid = std::get_if<domain::Grid>(&part);
    const bool pictures = std::any_of(expression.sources.begin(), expression.sources.end(),
                                      [](const ir::SourceCall& call) { return call.function == model::Callee::image; });
    if (!pictures || !grid || !grid->whole || grid->size[2] > 1 || !domain::can_be_cut(*grid->whole, 1)) return domain::row_count(part);
    return std::clamp<Index>(kMostCells / grid->size[0], 1, grid->size[1]);
}

/// All bytes of a picture count. One that cannot be read is none that a process sees.
core::FileIdentity identity_of(const std::filesystem::path& picture) {
    try {
        return core::identify_file(picture, std::numeric_limits<std::uint64_t>::max());
    } catch (const core::OutputError&) {
        return {};
    }
}

}  // namespace

BadCell evaluate_rows(const ir::Expression& expression, const domain::Domain& part, bool f64, const InitialSpec& initial,
                      core::ThreadTeam& team, const RowTaker& take) {
    const Index rows = domain::row_count(part), most = rows_at_a_time(expression, part);
    if (most == rows) return evaluate_part(expression, part, f64, initial, team, take);
    const auto& grid = std::get<domain::Grid>(part);
    for (Index first = 0; first < rows; first += most) {
        domain::CellBox box{grid.first, grid.size};
        box.first[1] += first;
        box.size[1] = std::min(most, rows - first);
        const BadCell bad = evaluate_part(expression, domain::piece_of(*grid.whole, box), f64, initial, team,
                                          [&](Index row, std::span<const double> cells) { take(first + row, cells); });
        if (bad.cell >= 0) return bad;
    }
    return {};
}

bool comes_in_pieces(const ir::Expression& expression, const domain::Domain& domain) {
    const bool grid = std::holds_alternative<domain::Grid>(domain);
    return std::all_of(expression.sources.begin(), expression.sources.end(), [grid](const ir::SourceCall& call) {
        return call.function == model::Callee::noise || call.function == model::Callee::spots ||
               (grid && call.function == model::Callee::image);
    });
}

ir::Expression for_pieces(ir::Expression expression, const domain::Domain& domain, std::uint64_t seed) {
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    for (ir::SourceCall& call : expression.sources) {
        if (mesh && call.function == model::Callee::spots) {
            require_spots(call);
            call.centres = spot_centres(call, *mesh, seed);
        }
        if (call.function == model::Callee::image) call.picture = identity_of(call.text);
    }
    return expression;
}

bool sees_pictures(const ir::Expression& expression) {
    return std::all_of(expression.sources.begin(), expression.sources.end(), [](const ir::SourceCall& call) {
        return !call.picture || core::SharedFile::open(*call.picture, core::SharedFile::Use::reads);
    });
}

}  // namespace mottle::field
