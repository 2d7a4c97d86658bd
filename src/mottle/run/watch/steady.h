// mottle/run/watch/steady.h: decides whether a run has come to rest (--until steady=tolerance)
#pragma once
#include "mottle/field/field.h"
#include "mottle/stepper/stepper.h"

#include <limits>
#include <span>
#include <vector>

namespace mottle::run {

/// A run is steady when, at three checks in a row, every field has rms(df/dt) <= tolerance x its standard deviation, and each deviation has at some check
/// been above twice its start or below 1e-6 of max(|mean|, declared range). A field that rounding holds, changing by at most two units in the last place
/// from one check to the next, changes no more; and it is flat below 1e-3 once it has faded to half. Sums are exact, so every backend and thread count decides alike.
class SteadyTest {
   public:
    SteadyTest(const field::Field& field, const model::Model& model, double tolerance, double dt);

    /// Remembers the state one step before a check.
    void remember(const field::Field& field);
    /// Looks at the state one step later. True when the run is steady.
    bool check(const field::Field& field);
    /// What the checks so far have found, for go_on of another test: per field the deviation at the start, the largest, whether it has been far from its
    /// start (1 or 0); then the checks passed in a row.
    std::vector<double> progress() const;
    /// Nothing happens unless `progress` has as many numbers as that of this test.
    void go_on(std::span<const double> progress);
    /// `uniform` if every field has become flat, else `patterned`. After a check.
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
    double tolerance_, dt_;
    int passed_ = 0;
    std::vector<std::vector<float>> before32_;
    std::vector<std::vector<double>> before64_;
};

}  // namespace mottle::run
