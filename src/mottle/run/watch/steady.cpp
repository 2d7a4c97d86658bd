// mottle/run/watch/steady.cpp: rates of change from two states one step apart
#include "mottle/run/watch/steady.h"

#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mottle::run {

using core::Index;

namespace {

constexpr int kChecksInARow = 3;
constexpr double kGrown = 2;
constexpr double kHeld = 2;         // units in the last place, between two looks: rounding turns them over, and takes the rest
constexpr double kMostNoise = 4;    // of s^2 half units, with s stages: sts2 was seen to leave 0.4 to 2.1 of them, with 5 to 69 stages
constexpr double kFlatHeld = 1e-3;  // of the mean or the range: what fades by less than 1/16,000 in a step of f32 is left with so much

double last_place(bool f64) { return f64 ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon(); }

template <class Real>
void copy_state(const field::Field& field, ir::Array array, std::vector<Real>& cells) {
    const domain::Domain& domain = field.kernel().domain();
    const auto length = core::at(domain::row_length(domain));
    cells.resize(core::at(domain::cell_count(domain)));
    for (Index row = 0; row < domain::row_count(domain); ++row) {
        field.kernel().read_row(field.state(), array, row, std::span(cells).subspan(core::at(row) * length, length));
    }
}

}  // namespace

double declared_width(const model::Equation& equation) { return equation.range ? (*equation.range)[1] - (*equation.range)[0] : 0; }

SteadyTest::SteadyTest(const field::Field& field, const Spec& spec, const Clock& clock)
    : given_(spec.steady.value()),
      tolerance_(given_),
      step_(clock.dt),
      between_(clock.dt * static_cast<double>(steps_between_tests(spec, clock))) {
    for (const model::Equation& equation : spec.model.equations) {
        const ir::Array array = field.find(equation.field);
        const double std = field.statistics(array).std;
        watches_.push_back({.array = array, .start = std, .peak = std, .width = declared_width(equation)});
    }
    const bool f64 = field.kernel().program().f64;
    if (clock.stages > 1) noise_ = kMostNoise * clock.stages * clock.stages * last_place(f64) / 2;
    (f64 ? before64_.resize(watches_.size()) : before32_.resize(watches_.size()));
}

void SteadyTest::remember(const field::Field& field) {
    auto look = [&](auto& before) {
        for (std::size_t i = 0; i < before.size(); ++i) {
            if (!before[i].empty()) watches_[i].moved = root_mean_square_change(field, i, before[i]);
            copy_state(field, watches_[i].array, before[i]);
        }
    };
    look(before32_);
    look(before64_);
}

template <class Real>
double SteadyTest::root_mean_square_change(const field::Field& field, std::size_t watch, const std::vector<Real>& before) const {
    const domain::Domain& domain = field.kernel().domain();
    const auto length = core::at(domain::row_length(domain));
    std::vector<Real> now(length);
    std::vector<double> change(length);
    auto for_rows = [&](auto&& visit) {
        for (Index row = 0; row < domain::row_count(domain); ++row) {
            field.kernel().read_row(field.state(), watches_[watch].array, row, std::span<Real>(now));
            const Real* old = before.data() + core::at(row) * length;
            for (std::size_t i = 0; i < length; ++i) change[i] = static_cast<double>(now[i]) - static_cast<double>(old[i]);
            visit();
        }
    };
    double largest = 0;
    for_rows([&] {
        for (double c : change) largest = std::max(largest, std::abs(c));
    });
    backend::ExactSum sum(largest * largest, domain::cell_count(domain));
    for_rows([&] {
        for (double& c : change) c *= c;
        sum.add(change);
    });
    return std::sqrt(sum.value() / static_cast<double>(domain::cell_count(domain)));
}

bool SteadyTest::check(const field::Field& field) {
    bool at_rest = true, all_slow = true;
    waiting_.clear();
    const bool stands = std::all_of(watches_.begin(), watches_.end(), [](const Watch& watch) { return watch.moved == 0; });
    for (std::size_t i = 0; i < watches_.size(); ++i) {
        Watch& watch = watches_[i];
        const backend::Statistics now = field.statistics(watch.array);
        const double moved =
            before64_.empty() ? root_mean_square_change(field, i, before32_[i]) : root_mean_square_change(field, i, before64_[i]);
        const double size = std::max(std::abs(now.mean), watch.width), flat = kFlat * size;
        const double largest = std::max(std::abs(now.min), std::abs(now.max)), noise = noise_ * largest;
        // A change of less than half a unit in the last place is rounded away, step after step: the field stands still before it is flat.
        // Of many stages rounding is left, which changes from step to step: two such states differ by sqrt(2) of their deviations.
        const double differ = std::numbers::sqrt2 * noise;
        const bool held = watch.moved <= kHeld * last_place(before32_.empty()) * largest || (now.std <= noise && watch.moved <= differ);
        const double rate = moved <= differ ? std::min(moved / step_, watch.moved / between_) : moved / step_;
        watch.peak = std::max(watch.peak, now.std);
        watch.flat = now.std <= flat || (held && now.std < kFlatHeld * size && kGrown * now.std < watch.peak);
        watch.ready = watch.ready || watch.flat || now.std > kGrown * watch.start;
        // What fades keeps its rate for each unit of deviation, and at last only rounding is left: below the flat limit that limit counts.
        const bool slow = held || rate <= tolerance_ * std::max(now.std, flat);
        at_rest = at_rest && slow && (watch.ready || stands);
        if (slow && !watch.ready) waiting_.push_back(field.names()[core::at(watch.array)]);
        all_slow = all_slow && slow;
    }
    if (!all_slow) waiting_.clear();
    stands_ = stands;
    passed_ = at_rest ? passed_ + 1 : 0;
    return passed_ >= kChecksInARow;
}

std::vector<double> SteadyTest::progress() const {
    std::vector<double> numbers;
    for (const Watch& watch : watches_) numbers.insert(numbers.end(), {watch.start, watch.peak, watch.ready ? 1.0 : 0.0});
    numbers.insert(numbers.end(), {static_cast<double>(passed_), given_, tolerance_});
    return numbers;
}

void SteadyTest::go_on(std::span<const double> progress, bool same) {
    if (progress.size() != 3 * watches_.size() + 3) return;
    for (std::size_t i = 0; i < watches_.size(); ++i) {
        watches_[i].start = progress[3 * i];
        watches_[i].peak = progress[3 * i + 1];
        watches_[i].ready = progress[3 * i + 2] > 0;
    }
    const std::span<const double> last = progress.last(3);
    if (!same || !(last[1] <= given_)) return;
    if (last[1] == given_ && last[2] > 0) tolerance_ = std::min(given_, last[2]);
    passed_ = static_cast<int>(std::clamp(last[0], 0.0, static_cast<double>(kChecksInARow)));
}

bool SteadyTest::has_passed() const { return passed_ >= kChecksInARow; }

std::string SteadyTest::notice() const {
    if (waiting_.empty()) return "";
    if (stands_) {
        const bool f64 = before32_.empty();
        return "no number of any cell changes anymore" +
               std::string(f64 ? "" : "; what is slower than f32 can tell stands still by rounding, and --precision f64 would follow it");
    }
    return "nothing changes faster than --until steady allows, but " + core::listed(waiting_, "and") +
           (waiting_.size() == 1 ? " has" : " have") +
           " neither grown to twice the deviation of the start nor faded, and may just have begun: a smaller tolerance waits until all "
           "stands still, and steady=newton looks for a state at rest nearby";
}

stepper::Verdict SteadyTest::verdict() const {
    const bool flat = std::all_of(watches_.begin(), watches_.end(), [](const Watch& watch) { return watch.flat; });
    return flat ? stepper::Verdict::uniform : stepper::Verdict::patterned;
}

}  // namespace mottle::run
