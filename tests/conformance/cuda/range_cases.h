// tests/conformance/cuda/range_cases.h: ranges of arrays with and without cells that are not finite, asked of any backend
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ir/philox.h"

#include <limits>
#include <vector>

namespace conformance {

/// Ranges of the field of a copying Program on grids that are no multiple of a warp, with bad cells put in one after another.
inline std::vector<mottle::backend::Range> ranges_of(mottle::backend::Backend& backend, mottle::core::Context& context, bool f64) {
    using namespace mottle;
    ir::Program program;
    program.f64 = f64;
    program.arrays.push_back({"u", ir::ArrayInfo::Kind::state, 0});
    program.ghosts.resize(1);
    ir::Stage stage{"copy", {}, {{0, 0}}};
    stage.code.push_back({ir::Op::load, {-1, -1, -1}, 0, {0, 0, 0}, 0});
    program.step.stages.push_back(stage);
    const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<backend::Range> ranges;
    for (const domain::Triple& size : {domain::Triple{1, 1, 1}, {70, 9, 1}, {2100, 3, 2}}) {
        domain::Grid grid;
        grid.size = size;
        auto kernel = backend.compile(program, grid, {}, context);
        auto state = kernel->create_state();
        ranges.push_back(kernel->range(*state, 0));
        std::vector<double> row(static_cast<std::size_t>(size[0]));
        for (core::Index y = 0; y < size[1] * size[2]; ++y) {
            for (std::size_t x = 0; x < row.size(); ++x) row[x] = 2 * ir::uniform_draw(1, static_cast<std::uint64_t>(y), x, 0) - 1;
            kernel->write_row(*state, 0, y, row);
        }
        ranges.push_back(kernel->range(*state, 0));
        kernel->advance(*state, 0, 1, {});
        ranges.push_back(kernel->range(*state, 0));
        for (double bad : {infinity, nan, -infinity}) {  // each before the one before it
            const core::Index y = (size[1] * size[2] - 1) * (bad == infinity ? 2 : bad != bad ? 1 : 0) / 2;
            kernel->read_row(*state, 0, y, std::span<double>(row));
            row[row.size() / 2] = bad;
            kernel->write_row(*state, 0, y, row);
            ranges.push_back(kernel->range(*state, 0));
        }
    }
    return ranges;
}

}  // namespace conformance
