// mottle/steady/newton.cpp: implicit steps that become Newton's
#include "mottle/steady/newton.h"

#include "mottle/core/text.h"
#include "mottle/steady/conserved.h"
#include "mottle/steady/travel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace mottle::steady {
namespace {

constexpr Index kFewestIterations = 40, kMostIterations = 200, kWork = 1'000'000;  // iterations times unknowns, between these
constexpr int kMostRejections = 12;
constexpr double kFirstShare = 0.1;               // of the time in which rates would change the fields by themselves
constexpr double kLongest = 1e12;                 // by the norm of the Jacobian
constexpr double kLonger = 3, kMuchLonger = 1e3;  // from one step to the next where rates fall: at least, and at most
constexpr double kLongerWhereItRises = 2;
constexpr double kMayRise = 10;      // the residual, in a step that counts
constexpr double kFar = 0.3;         // of itself, by which a field may be moved in a step that counts
constexpr double kShorter = 0.25;    // after one that does not
constexpr int kMostCorrections = 7;  // with one factor
constexpr int kMostFactors = 4;      // for a step: a new one where corrections no longer converge
constexpr double kWorse = 10;        // than before the last correction: where a new factor does not help
constexpr double kLongerWhereItWasHard = 1.5;
constexpr double kConverges = 0.5;  // from one correction to the next
constexpr double kCorrected = 0.1;  // of the rates: what may be left of the equation of an implicit step
constexpr int kPatience = 8;        // iterations
constexpr double kTravels = 0.1;    // of the rates: what a velocity may leave unexplained
constexpr double kRounding = 4;     // times the rounding of a rate: what is no longer told from 0
constexpr double kNearRounding = 100;

/// Root mean squares by field, over cells as their measures count.
class Sizes {
   public:
    Sizes(std::span<const double> weights, Index fields) : weights_(weights), fields_(core::at(fields)) {
        for (const double weight : weights_) total_ += weight;
        total_ /= static_cast<double>(fields);
    }

    std::vector<double> of(std::span<const double> x) const {
        std::vector<double> squares(fields_);
        for (std::size_t i = 0; i < x.size(); ++i) squares[i % fields_] += weights_[i] * x[i] * x[i];
        for (double& square : squares) square = std::sqrt(square / total_);
        return squares;
    }

    std::vector<double> deviations(std::span<const double> x) const {
        std::vector<double> mean(fields_), apart(x.begin(), x.end());
        for (std::size_t i = 0; i < x.size(); ++i) mean[i % fields_] += weights_[i] * x[i] / total_;
        for (std::size_t i = 0; i < x.size(); ++i) apart[i] -= mean[i % fields_];
        return of(apart);
    }

   private:
    std::span<const double> weights_;
    std::size_t fields_;
    double total_ = 0;
};

/// The largest share; a field that is 0 everywhere counts as 1. NaN where one is no number.
double largest_share(const std::vector<double>& of, const std::vector<double>& by) {
    double largest = 0;
    for (std::size_t f = 0; f < of.size(); ++f) {
        const double share = of[f] / (by[f] > 0 ? by[f] : 1);
        if (!(share <= largest)) largest = share;
        if (std::isnan(share)) return share;
    }
    return largest;
}

/// sum_j |J_ij| |y_j| by row, times the rounding of a number.
std::vector<double> rounding_of(const SparseRows& jacobian, std::span<const double> y) {
    std::vector<double> rounding(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) {
        for (Index e = jacobian.first[i]; e < jacobian.first[i + 1]; ++e)
            rounding[i] += std::abs(jacobian.value[core::at(e)] * y[core::at(jacobian.column[core::at(e)])]);
        rounding[i] *= std::numeric_limits<double>::epsilon();
    }
    return rounding;
}

class Newton {
   public:
    Newton(Rates& rates, std::span<double> y, const std::vector<double>& weights)
        : rates_(rates),
          weights_(weights),
          sizes_(weights, rates.field_count()),
          solver_(create_direct_solver(weights)),
          jacobian_(rates),
          result_(y),
          start_(y.begin(), y.end()),
          y_(start_),
          rate_(y.size()),
          start_sizes_(sizes_.of(y)) {}

    Search run() {
        search_.unknowns = rates_.unknown_count();
        const Index most = std::clamp(kWork / search_.unknowns, kFewestIterations, kMostIterations);
        search_.residual = residual_at(y_, rate_);
        if (!std::isfinite(search_.residual)) return failed("the fields are not finite");
        milestone_.residual = search_.residual;
        step_ = kFirstShare / std::max(search_.residual, std::numeric_limits<double>::min());
        while (true) {
            const SparseRows matrix = jacobian_.at(y_);
            search_.rounding = largest_share(sizes_.of(rounding_of(matrix, y_)), start_sizes_);
            const bool exact = search_.residual <= kRounding * search_.rounding;
            if (is_found() && (exact || std::exchange(once_more_, true))) return succeeded(matrix);
            if (const auto why = travels()) return failed(*why);
            if (search_.iterations >= most) return failed(or_travels("no steady state within " + std::to_string(most) + " iterations"));
            if (const char* why = iterate(matrix)) return is_found() ? succeeded(matrix) : failed(or_travels(why));
        }
    }

   private:
    /// Where the search stood when travels() last began to watch whether the pattern moves on.
    struct Milestone {
        int iterations = 0;
        double residual = 0;
        double time = 0;  ///< the lengths of all steps since then
    };

    double residual_at(std::span<const double> y, std::span<double> rate) {
        rates_.at(y, rate);
        return largest_share(sizes_.of(rate), start_sizes_);
    }

    bool is_found() const {
        return search_.residual <= std::max(kResidual, kRounding * search_.rounding) ||
               (stalled_ && search_.residual <= kNearRounding * search_.rounding);
    }

    /// Where the pattern has moved by a cell, nearly all that the rates do is to move it on, and they have not become smaller: how it moves. A pattern that only
    /// drifts on its way to a steady state mostly slows down before.
    std::optional<std::string> travels() {
        if (search_.iterations < milestone_.iterations + kPatience) return std::nullopt;
        const std::optional<Travel> travel = travel_of(y_, rate_);
        if (!travel || travel->rest > kTravels || search_.residual < 0.5 * milestone_.residual) {
            milestone_ = {search_.iterations, search_.residual, 0};
            return std::nullopt;
        }
        return travel->cells * milestone_.time >= 1 ? std::optional(describe(*travel)) : std::nullopt;
    }

    std::optional<Travel> travel_of(std::span<const double> y, std::span<const double> rate) const {
        return find_travel(rates_.kernel().domain(), rates_.kernel().program(), y, rate, start_sizes_);
    }

    /// Why nothing was found near a pattern that moved along from the start; else `why`.
    std::string or_travels(std::string why) {
        std::vector<double> rate(start_.size());
        rates_.at(start_, rate);
        const std::optional<Travel> travel = travel_of(start_, rate);
        return travel && travel->rest <= kTravels ? describe(*travel) : std::move(why);
    }

    /// Null, or why there is no step.
    const char* iterate(const SparseRows& matrix) {
        const double longest = kLongest / std::max(matrix.largest_row_sum(), std::numeric_limits<double>::min());
        ConservingStep conserving(conserved_sums(matrix, weights_, rates_.field_count()), weights_);
        search_.conserved = conserving.count();
        for (int attempt = 0; attempt <= kMostRejections; ++attempt) {
            step_ = std::min(step_, longest);
            if (try_step(matrix, conserving)) return nullptr;
            ++search_.rejected;
            step_ *= kShorter;
        }
        return "no step makes the rates smaller";
    }

    bool try_step(const SparseRows& matrix, ConservingStep& conserving) {
        if (!take_factor(matrix, conserving)) return false;
        std::vector<double> next = y_, rate = rate_, way(y_.size()), off = rate_;
        double left = search_.residual, residual = left;  // of the implicit step's own equation, and of the rates
        int factors = 1;
        for (int correction = 1;; ++correction) {  // with one factor
            conserving.solve(*solver_, off);
            for (std::size_t i = 0; i < way.size(); ++i) way[i] += off[i];
            if (!(largest_share(sizes_.of(way), start_sizes_) <= kFar)) return false;
            for (std::size_t i = 0; i < way.size(); ++i) next[i] = y_[i] + way[i];
            residual = residual_at(next, rate);
            for (std::size_t i = 0; i < way.size(); ++i) off[i] = rate[i] - way[i] / step_;
            const double before = std::exchange(left, largest_share(sizes_.of(off), start_sizes_));
            if (left <= kCorrected * residual || residual <= kResidual) break;
            if (correction == 1 || (left <= kConverges * before && correction < kMostCorrections)) continue;
            if (!(left <= kWorse * before) || factors == kMostFactors) return false;
            if (!take_factor(jacobian_.at(next), conserving)) return false;
            ++factors;
            correction = 0;
        }
        if (!(residual <= kMayRise * search_.residual)) return false;
        ++search_.iterations;
        milestone_.time += step_;
        const double fallen = residual > 0 ? search_.residual / residual : kMuchLonger;
        stalled_ = fallen < 2;
        if (factors > 1)
            step_ *= std::clamp(fallen, kLongerWhereItWasHard, kMuchLonger);
        else
            step_ *= fallen < 1 ? kLongerWhereItRises : std::clamp(fallen, kLonger, kMuchLonger);
        search_.residual = residual;
        y_.swap(next);
        rate_.swap(rate);
        return true;
    }

    bool take_factor(const SparseRows& matrix, ConservingStep& conserving) {
        ++search_.factors;
        if (!solver_->factor(matrix, 1 / step_)) return false;
        conserving.prepare(*solver_);
        return true;
    }

    Search succeeded(const SparseRows& matrix) {
        search_.found = true;
        search_.directions = count_directions(matrix, weights_);
        std::vector<double> way(y_.size());
        for (std::size_t i = 0; i < way.size(); ++i) way[i] = y_[i] - start_[i];
        std::vector<double> by = sizes_.deviations(start_);
        for (std::size_t f = 0; f < by.size(); ++f) by[f] = std::max(by[f], 1e-3 * start_sizes_[f]);
        search_.moved = largest_share(sizes_.of(way), by);
        std::copy(y_.begin(), y_.end(), result_.begin());
        return search_;
    }

    Search failed(std::string why) {
        search_.why = std::move(why);
        return search_;
    }

    Rates& rates_;
    const std::vector<double>& weights_;
    Sizes sizes_;
    std::unique_ptr<DirectSolver> solver_;
    Jacobian jacobian_;
    std::span<double> result_;
    std::vector<double> start_, y_, rate_, start_sizes_;
    double step_ = 0;
    Milestone milestone_;
    bool stalled_ = false;
    bool once_more_ = false;  ///< small rates may hide a way along which they hardly change: an iteration more squares what is left of it
    Search search_;
};

}  // namespace

Search find_steady_state(Rates& rates, std::span<double> y, const std::vector<double>& weights) { return Newton(rates, y, weights).run(); }

}  // namespace mottle::steady
