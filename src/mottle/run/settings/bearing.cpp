// mottle/run/settings/bearing.cpp: linearises about some cells
#include "mottle/run/settings/bearing.h"

#include "mottle/field/sampled_cells.h"
#include "mottle/ir/stability/local_stability.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace mottle::run {
namespace {

constexpr std::ptrdiff_t kMostFields = 8;  // the work for a cell grows with the cube of their number

/// Of the method of a run, with as many stages as a step has: what it makes of waves about the states of some cells, as StabilityWatch asks.
class Bearing {
   public:
    Bearing(const Spec& spec, std::function<int(double)> stages) : spec_(std::make_shared<const Spec>(spec)), stages_(std::move(stages)) {}

    bool operator()(const field::Field& field, double time, double dt) {
        ir::LocalStability& local = of_step(dt);
        std::vector<field::Place> places = field::spread_places(field.kernel().domain(), kCells);
        std::ranges::move(field::extreme_places(field, kFields), std::back_inserter(places));
        std::size_t grow = 0;
        std::vector<ir::CellState> cells = field::states_at(field, places);
        for (ir::CellState& cell : cells) {
            cell.time = time;
            const bool finite = std::ranges::all_of(cell.fields, [](double value) { return std::isfinite(value); });
            if (finite && local.at(cell, dt).growth > kGrows) ++grow;
        }
        return static_cast<double>(grow) < kShareOfCells * static_cast<double>(cells.size());
    }

   private:
    static constexpr Index kCells = 16;
    static constexpr std::size_t kFields = 4;
    static constexpr double kGrows = 1.002;           // in a step: what grows more slowly is found by its error before it matters
    static constexpr double kShareOfCells = 1.0 / 8;  // a few are held by those around them

    ir::LocalStability& of_step(double dt) {
        auto& known = known_[dt];
        if (!known) {
            ir::Method method = spec_->method;
            if (ir::scheme_of(method).legendre()) method.stages = stages_(dt);
            known = std::make_shared<ir::LocalStability>(spec_->model, method, spec_->domain);
        }
        return *known;
    }

    std::shared_ptr<const Spec> spec_;
    std::function<int(double)> stages_;
    std::map<double, std::shared_ptr<ir::LocalStability>> known_;  ///< by dt, of which there is a ladder
};

}  // namespace

std::function<bool(const field::Field& field, double time, double dt)> bearing_of(const Spec& spec, std::function<int(double)> stages) {
    if (std::ssize(spec.model.equations) > kMostFields) return {};
    return Bearing(spec, std::move(stages));
}

}  // namespace mottle::run
