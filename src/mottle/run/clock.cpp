// mottle/run/clock.cpp: chooses dt from the explicit limit, and counts steps
#include "mottle/run/clock.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <charconv>
#include <cmath>

namespace mottle::run {

namespace {

constexpr double kShare = 0.9;  // of the limit

double scientific(double value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 3);
    double rounded = 0;
    if (error != std::errc() || !core::parse_number({text, end}, rounded))
        throw core::InternalError("a number cannot be written in 32 characters");
    return rounded;
}

/// Four digits, rounded down: short to read, and the same whatever the last bits of the limit are.
double short_number(double value) {
    if (!std::isfinite(value)) return value;
    const double rounded = scientific(value);
    return rounded <= value ? rounded : scientific(value * (1 - 5e-4));
}

}  // namespace

Clock decide_clock(const Spec& spec, const ir::StableStep& stable) {
    Clock clock;
    clock.stable_dt = short_number(kShare * stable.limit);
    if (spec.dt) {
        clock.dt = *spec.dt;
        if (clock.dt > stable.diffusion_limit) {
            clock.notices.push_back("warning: dt " + core::number_text(clock.dt) + " is above " +
                                    core::number_text(short_number(stable.diffusion_limit)) +
                                    ", the limit of explicit diffusion; expect the run to diverge");
        }
    } else {
        if (!std::isfinite(stable.limit)) {
            throw core::InputError("dt cannot be chosen: nothing in the model limits it (" + stable.reason +
                                   "); give --dt, [method] reaction_rate, or ranges of the fields");
        }
        clock.dt = clock.stable_dt;
        clock.notices.push_back("dt " + core::number_text(clock.dt) + ", 0.9 of the explicit limit (" + stable.reason + ")");
    }
    if (clock.dt <= 0 || !std::isfinite(clock.dt))
        throw core::InputError("dt is " + core::number_text(clock.dt) + "; it must be above 0 and finite");
    clock.steps = spec.steps;
    if (spec.end_time) {
        const double steps = std::floor(*spec.end_time / clock.dt + 0.5);
        if (steps > static_cast<double>(kMaxSteps)) {
            throw core::InputError("time " + core::number_text(*spec.end_time) + " is " + core::number_text(steps) + " steps of dt " +
                                   core::number_text(clock.dt) + "; at most 2^53 steps can be counted");
        }
        if (steps == 0 && *spec.end_time > 0) {
            throw core::InputError("time " + core::number_text(*spec.end_time) + " is less than half a step of dt " +
                                   core::number_text(clock.dt) + "; give a smaller --dt or a longer --time");
        }
        clock.steps = static_cast<Index>(steps);
    }
    return clock;
}

}  // namespace mottle::run
