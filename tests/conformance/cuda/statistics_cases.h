// tests/conformance/cuda/statistics_cases.h: statistics of arrays with and without cells that are not finite, asked of any backend
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/ir/functions/philox.h"

#include <limits>
#include <vector>

namespace conformance {

/// One field, which stays as it is.
inline mottle::ir::Program copying_program(bool f64) {
    using namespace mottle;
    ir::Program program;
    program.f64 = f64;
    program.arrays.push_back({"u", ir::ArrayInfo::Kind::state, 0});
    program.ghosts.resize(1);
    ir::Stage stage{"copy", {}, {{0, 0}}};
    stage.code.push_back({ir::Op::load, {-1, -1, -1}, 0, {0, 0, 0}, 0});
    program.step.stages.push_back(stage);
    return program;
}

struct Look {
    mottle::backend::Range range;
    mottle::backend::Statistics statistics;
};

/// Looks at a field on grids that are no multiple of a warp and on a surface, with bad cells put in one after another.
inline std::vector<Look> looks_of(mottle::backend::Backend& backend, mottle::core::Context& context, bool f64) {
    using namespace mottle;
    const ir::Program program = copying_program(f64);
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<domain::Domain> domains;
    for (const domain::Triple& size : {domain::Triple{1, 1, 1}, {70, 9, 1}, {2100, 3, 2}}) {
        domain::Grid grid;
        grid.size = size;
        domains.emplace_back(grid);
    }
    domains.emplace_back(domain::create_mesh(domain::load_surface({"torus:3,1,16", {}}, {}, context.team), 1, context.team));
    std::vector<Look> looks;
    for (const domain::Domain& domain : domains) {
        const core::Index rows = domain::row_count(domain);
        auto kernel = backend.compile(program, domain, {}, context);
        auto state = kernel->create_state();
        auto look = [&] { looks.push_back({kernel->range(*state, 0), kernel->reduce(*state, 0)}); };
        look();
        std::vector<double> row(static_cast<std::size_t>(domain::row_length(domain)));
        for (core::Index y = 0; y < rows; ++y) {
            // of many magnitudes, so that a sum in another order would have other bits
            for (std::size_t x = 0; x < row.size(); ++x)
                row[x] = std::ldexp(2 * ir::uniform_draw(1, static_cast<std::uint64_t>(y), x, 0) - 1, static_cast<int>(x % 40) - 30);
            kernel->write_row(*state, 0, y, row);
        }
        look();
        kernel->advance(*state, 0, 1, {});
        look();
        for (double bad : {infinity, nan, -infinity}) {  // each before the one before it
            const core::Index part = bad == infinity ? 2 : bad != bad ? 1 : 0, y = (rows - 1) * part / 2;
            kernel->read_row(*state, 0, y, std::span<double>(row));
            row[rows > 1 ? row.size() / 2 : (row.size() - 1) * static_cast<std::size_t>(part) / 2] = bad;
            kernel->write_row(*state, 0, y, row);
            look();
        }
    }
    return looks;
}

}  // namespace conformance
