// mottle/run/watch/stability_watch.cpp: samples cells, and asks whether dt suits them
#include "mottle/run/watch/stability_watch.h"

#include "mottle/core/text.h"
#include "mottle/field/sampled_cells.h"
#include "mottle/run/settings/method_choice.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mottle::run {
namespace {

constexpr double kGrows = 1.1;        // in a step: slower growth may be that of a turning wave, which the equations themselves hold
constexpr double kSwings = 1.005;     // in a step, of waves that do not turn: slow growth, of which enough steps make a checkerboard
constexpr Index kFirstStop = 1024;    // steps
constexpr Index kFewSteps = 16;       // within which nothing grows that can be seen
constexpr double kSlack = 1.5;        // of the rate that dt was chosen for: cells differ
constexpr Index kOften = 4;           // steps between looks at what a chosen dt follows
constexpr Index kShort = 128;         // steps of a run that is over at once
constexpr Index kFewCells = 16;       // looked at in the beginning: runs should start at once
constexpr Index kSomeCells = 64;      // looked at in the end of short runs
constexpr Index kCells = 256;         // looked at later
constexpr Index kBesideExtremes = 9;  // cells looked at
constexpr Index kFewFields = 8;       // the work for a cell grows with the cube of the fields: beyond these fewer cells are looked at
constexpr Index kManyFields = 32;     // beyond these more seldom as well
constexpr Index kMostRead = 1 << 26;  // cells of a grid: reading more would take long
constexpr double kShareOfCells = 0.01;
constexpr double kShareThatSwings = 0.1;  // fewer are held by those around them

std::string state_text(const ir::CellState& cell, const model::Model& model) {
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < cell.fields.size(); ++i)
        fields.push_back(model.equations[i].field + " " + core::rounded_text(cell.fields[i], 3));
    return core::listed_briefly(fields);
}

/// The stiffness of a mesh may be bounded alone, by up to twice what it is: too little to blame a step.
bool is_known(const domain::Domain& domain) {
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    return mesh == nullptr || mesh->spectrum.lanczos > 0;
}

}  // namespace

StabilityWatch::StabilityWatch(const Spec& spec, const Clock& clock, Index first)
    : spec_(spec),
      dt_(clock.dt),
      silent_(clock.dt > clock.limits.diffusion_limit || clock.dt > clock.limits.drift_limit || !is_known(spec.domain) ||
              domain::cell_count(spec.domain) > kMostRead),
      follows_(std::isfinite(spec.longest_dt) && ir::scheme_of(spec.method).legendre()),
      next_(0),
      local_(spec.model, spec.method, spec.domain) {
    while (next_ < first) next_ = after(next_);  // a run that was stopped there may not have looked
}

Index StabilityWatch::after(Index step) const {
    if (!follows_) return std::max(kFirstStop, 2 * step);
    return step + std::max(kOften, std::ssize(spec_.model.equations) > kManyFields ? step : step / 8);
}

std::optional<std::string> StabilityWatch::look(const core::Moment& now, const field::Field& field, bool at_end) {
    if (at_end) {
        const bool looked = now.step == looked_ || next_ == 2 * now.step;
        return looked || now.step < (follows_ ? kOften : kFewSteps) ? std::nullopt : find(now, field);
    }
    if (now.step != next_) return std::nullopt;
    next_ = after(now.step);
    looked_ = now.step;
    return find(now, field);
}

/// What the equations, linearised about the states of cells, say of a step.
struct StabilityWatch::Findings {
    std::size_t cells = 0;
    std::size_t grow = 0, swing = 0;         ///< cells with waves that should decay, and grow, fast or as a checkerboard
    double growth = 0;                       ///< in a step, the largest
    const ir::CellState* worst = nullptr;    ///< where that is
    double longest = INFINITY;               ///< step that lets none of these grow
    double fastest = 0, slowest = INFINITY;  ///< the largest rate of growth; the rate that all spread cells have at least

    bool blame_the_step() const {
        const auto all = static_cast<double>(cells);
        return worst != nullptr &&
               (static_cast<double>(grow) >= kShareOfCells * all || static_cast<double>(grow + swing) >= kShareThatSwings * all);
    }
    /// What decays fast in some cells is at rest there, in spikes and fronts; where it does so in all of them, the fields are on their way.
    double rate_to_follow() const { return std::isfinite(slowest) ? std::max(fastest, slowest) : fastest; }
    double percent() const { return std::max(1.0, std::round(100 * static_cast<double>(grow + swing) / static_cast<double>(cells))); }
};

StabilityWatch::Findings StabilityWatch::examine(const std::vector<ir::CellState>& cells, std::size_t spread) {
    Findings found;
    found.cells = cells.size();
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const ir::CellState& cell = cells[i];
        if (!std::all_of(cell.fields.begin(), cell.fields.end(), [](double value) { return std::isfinite(value); })) continue;
        if (follows_) {
            const ir::CellRates rates = local_.rates_at(cell, dt_);
            found.fastest = std::max(found.fastest, rates.growth);
            if (i < spread) found.slowest = std::min(found.slowest, rates.fastest);
        }
        const ir::StiffWave wave = local_.at(cell, dt_);
        const bool swings = i < spread && wave.swing > kSwings;  // one cell alone is held by those around it
        if (!(wave.growth > kGrows || swings)) continue;
        wave.growth > kGrows ? ++found.grow : ++found.swing;
        found.longest = std::min(found.longest, wave.longest);
        if (wave.growth <= found.growth) continue;
        found.growth = wave.growth;
        found.worst = &cell;
    }
    return found;
}

std::optional<std::string> StabilityWatch::find(const core::Moment& now, const field::Field& field) {
    if (silent_) return std::nullopt;
    const Index fields = std::max<Index>(kFewFields, std::ssize(spec_.model.equations));
    const auto fewer = [&](Index cells, Index least) { return std::max(least, cells * kFewFields * kFewFields / (fields * fields)); };
    const Index later = fewer(kCells, kFewCells), at_start = follows_ ? fewer(kFewCells, 1) : kFewCells;
    const Index count = now.step == 0 ? at_start
                        : follows_    ? fewer(kBesideExtremes, 1)
                                      : (now.step < kShort ? std::min(later, kSomeCells) : later);
    std::vector<ir::CellState> cells = field::states_at(field, field::spread_places(field.kernel().domain(), count));
    const std::size_t spread = cells.size();
    if (follows_)
        std::ranges::move(field::states_at(field, field::extreme_places(field, core::at(fewer(kFewFields, 1)))), std::back_inserter(cells));
    for (ir::CellState& cell : cells) cell.time = now.time;
    const Findings found = examine(cells, spread);
    const std::string too_long =
        "dt " + core::rounded_text(dt_, 6) + " is too long for the state of the fields at step " + core::grouped(now.step);
    if (const double rate = found.rate_to_follow(); follows_ && rate * dt_ > kSlack * kStepOfRate) {
        silent_ = true;
        advice_ = "; try --dt " + core::rounded_text(kStepOfRate / rate, 2);
        return too_long + ", which change by up to " + core::rounded_text(rate, 3) + " of themselves per unit of time";
    }
    if (!found.blame_the_step()) return std::nullopt;
    silent_ = true;
    if (found.longest > 0) advice_ = "; try --dt " + core::rounded_text(0.9 * found.longest, 2);
    const std::string where = follows_ ? "some cells" : core::number_text(found.percent()) + " % of the cells";
    return too_long + " in " + where + " (" + state_text(*found.worst, spec_.model) +
           "): modes that the equations damp grow there by a factor of up to " + core::rounded_text(found.growth, 3) + " in a step";
}

}  // namespace mottle::run
