// mottle/run/watch/steady.h: decides whether a run has come to rest (--until steady=tolerance)
#pragma once
#include "mottle/field/field.h"
#include "mottle/run/settings/clock.h"
#include "mottle/stepper/stepper.h"

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace mottle::run {

/// A field whose standard deviation is at most this, of the larger of |mean| and its declared range, is flat.
inline constexpr double kFlat = 1e-6;
/// The width of the declared range of the equation's field; 0 without one.
double declared_width(const model::Equation& equation);

/// A run is steady if at three consecutive checks every field has rms(df/dt) <= tolerance * (its standard deviation), and if the deviation of each field has, at some
/// check, exceeded twice its initial value or fallen below 1e-6 * max(|mean|, declared range). A field that changes by at most two units in the last place from one
/// check to the next counts as constant (rounding hides slower changes), and then as flat if its deviation is below 1e-3 of that maximum and half the initial one.
/// The rounding of s stages never stops moving cells, by some s^2 half units in the last place: a field whose deviation is at most four times that, and which has
/// moved no further since the last check, counts alike. Where no cell of any field has changed since the last check, no deviation is asked for. Where a step moves a field no further than that, its rate is what it has moved since the last check.
/// Sums are exact, so the verdict is the same on every backend with any number of threads.
class SteadyTest {
   public:
    /// `spec` has a tolerance of rest, `clock` is that of its run.
    SteadyTest(const field::Field& field, const Spec& spec, const Clock& clock);

    /// Stores the state one step before a check.
    void remember(const field::Field& field);
    /// Compares it with the state one step later. True if the run is steady.
    bool check(const field::Field& field);
    /// The results of the checks so far, for go_on of another test: for each field the initial deviation, the largest one, and whether it has been far from its
    /// initial value (1 or 0); then the number of consecutive checks passed, the tolerance, and what tighten() has made of it.
    std::vector<double> progress() const;
    /// Does nothing if `progress` has another number of entries than progress() of this test. Checks passed count if the tolerance was no larger and the
    /// equations are `same`, with the same parameters.
    void go_on(std::span<const double> progress, bool same);
    /// Whether the last checks were all that a run at rest needs: of a run that was stopped while it looked for a steady state.
    bool has_passed() const;
    /// The following checks ask for a tenth of the tolerance.
    void tighten() {
        tolerance_ /= 10;
        passed_ = 0;
    }
    /// "", or what is worth saying of a last check at which every field changed slowly enough, and some had neither grown nor faded.
    std::string notice() const;
    /// `uniform` if every field is flat, else `patterned`. Valid after a check.
    stepper::Verdict verdict() const;

   private:
    struct Watch {
        ir::Array array;
        double start, peak;                                      ///< standard deviation at the start, and the largest at any check
        double width;                                            ///< of the declared range, 0 without one
        double moved = std::numeric_limits<double>::infinity();  ///< root mean square change between the last two looks
        bool ready = false, flat = false;
    };
    /// Of a step, or of all between two looks.
    template <class Real>
    double root_mean_square_change(const field::Field& field, std::size_t watch, const std::vector<Real>& before) const;

    std::vector<Watch> watches_;
    double given_, tolerance_;
    double step_, between_;  ///< units of time of a step, and from one check to the next
    double noise_ = 0;       ///< what the rounding of a step leaves in a field without a pattern, as a share of its largest value
    int passed_ = 0;
    bool stands_ = false;               ///< no cell has changed between the last two checks
    std::vector<std::string> waiting_;  ///< fields that are slow, but may just have begun to grow, where all are slow
    std::vector<std::vector<float>> before32_;
    std::vector<std::vector<double>> before64_;
};

}  // namespace mottle::run
