// mottle/field/expression_rows.cpp: initial expressions and maps, row by row on all threads
#include "mottle/field/expression_rows.h"

#include "mottle/core/cancellation.h"
#include "mottle/domain/piece.h"
#include "mottle/field/source.h"
#include "mottle/field/source_mesh.h"

#include <algorithm>
#include <cmath>

namespace mottle::field {

using core::Index;

double bound_of(bool f64) { return f64 ? HUGE_VAL : 0x1.ffffffp127; }

BadCell find_bad(const domain::Domain& domain, std::span<const double> cells, Index first, bool f64) {
    const double bound = bound_of(f64);
    const auto found = std::find_if(cells.begin(), cells.end(), [bound](double value) { return !(std::abs(value) < bound); });
    if (found == cells.end()) return {};
    auto value = [&](Index cell) { return cells[core::at(cell - first)]; };
    const Index cell = first_in_file(domain, first + (found - cells.begin()), [&](Index c) { return !(std::abs(value(c)) < bound); });
    return {cell, value(cell)};
}

BadCell evaluate_rows(const ir::Expression& expression, const domain::Domain& part, bool f64, const InitialSpec& initial,
                      core::ThreadTeam& team, const RowTaker& take) {
    const domain::Domain domain = domain::whole_of(part);
    const auto* grid = std::get_if<domain::Grid>(&part);
    const RowSource source = create_row_expression(expression, domain, initial);
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

bool needs_seed_alone(const ir::Expression& expression) {
    return std::all_of(expression.sources.begin(), expression.sources.end(), [](const ir::SourceCall& call) {
        return call.function == model::Callee::noise || call.function == model::Callee::spots;
    });
}

ir::Expression for_pieces(ir::Expression expression, const domain::Domain& domain, std::uint64_t seed) {
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    for (ir::SourceCall& call : expression.sources) {
        if (!mesh || call.function != model::Callee::spots) continue;
        require_spots(call);
        call.centres = spot_centres(call, *mesh, seed);
    }
    return expression;
}

}  // namespace mottle::field
