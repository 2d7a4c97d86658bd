// mottle/run/timeline.cpp: generates the steps at which a run draws, tests and ends
#include "mottle/run/timeline.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/program/uniforms.h"
#include "mottle/model/model.h"
#include "mottle/stepper/stepper.h"

#include <algorithm>
#include <cmath>

namespace mottle::run {

namespace {

constexpr Index kMostListedFrames = 1'000'000;
__extension__ using Wide = unsigned __int128;  // steps times frames passes 2^64

Index wide_ratio(Index a, Index b, Index divisor) {
    return static_cast<Index>(static_cast<Wide>(a) * static_cast<Wide>(b) / static_cast<Wide>(divisor));
}

}  // namespace

std::vector<Index> frame_steps(const core::Text& at, Index frames) {
    if (frames > kMostListedFrames) {
        throw core::InputError(
            "at can number " + core::grouped(kMostListedFrames) + " frames at most, not " + core::grouped(frames) + "; use every", at.span);
    }
    const model::ExprPtr expr = model::parse_frame_step(at, "the step of frame n");
    ir::Builder builder(true);
    const ir::Code code = builder.code_of(ir::lower_uniform(builder, *expr, {{"n", 0}}));
    std::vector<Index> steps;
    for (Index n = 1; n <= frames; ++n) {
        const double input = static_cast<double>(n);
        const double step = std::floor(ir::evaluate(code, {&input, 1}) + 0.5);
        if (std::isnan(step))
            throw core::InputError("at = \"" + at.text + "\" has no value for frame " + std::to_string(n) + "; steps run from 0 to 2^53",
                                   at.span);
        const std::string where = "at = \"" + at.text + "\" puts frame " + std::to_string(n) + " at step " + core::number_text(step);
        if (!(step >= 0 && step <= static_cast<double>(kMostSteps))) throw core::InputError(where + "; steps run from 0 to 2^53", at.span);
        if (!steps.empty() && static_cast<Index>(step) <= steps.back()) {
            throw core::InputError(where + ", not after frame " + std::to_string(n - 1) + " at step " + core::grouped(steps.back()) +
                                       "; the steps must grow from frame to frame",
                                   at.span);
        }
        steps.push_back(static_cast<Index>(step));
    }
    return steps;
}

Timeline::Timeline(const std::vector<FrameTimes>& outputs, Index steps, Index tests, Index factor)
    : steps_(steps), tests_(tests), factor_(factor) {
    for (const FrameTimes& times : outputs) {
        Frames frames{times, {}};
        if (!times.at.text.empty()) {
            frames.at = frame_steps(times.at, times.frames);
            if (steps > 0 && frames.at.front() > steps) {
                throw core::InputError("at = \"" + times.at.text + "\" puts the first frame at step " + core::grouped(frames.at.front()) +
                                           ", but the run ends at step " + core::grouped(steps),
                                       times.at.span);
            }
            while (frames.at.size() > 1 && frames.at.back() > steps) frames.at.pop_back();
        } else if (times.every == 0 && times.frames > steps && steps > 0) {
            if (times.exact) {
                throw core::InputError(core::grouped(times.frames) + " frames cannot be drawn in " + core::grouped(steps) +
                                       " steps; use --frames " + std::to_string(steps) + " or fewer, or more --steps");
            }
            frames.times.frames = steps;
        }
        outputs_.push_back(std::move(frames));
    }
}

std::optional<Index> Timeline::next_frame(const Frames& frames, Index after) const {
    const FrameTimes& times = frames.times;
    if (steps_ == 0 || times.last_only) return after < steps_ ? std::optional(steps_) : std::nullopt;
    if (after >= (frames.at.empty() ? steps_ : frames.at.back())) return std::nullopt;
    if (!frames.at.empty()) return *std::upper_bound(frames.at.begin(), frames.at.end(), after);
    const Index from = std::max<Index>(after, 0);
    if (times.every > 0) return std::min(steps_, (from / times.every + 1) * times.every);
    // The smallest i with floor(i S / n) > after, that is i S >= (after + 1) n.
    const Wide wanted = static_cast<Wide>(from + 1) * static_cast<Wide>(times.frames);
    const Wide steps = static_cast<Wide>(steps_);
    return wide_ratio(static_cast<Index>((wanted + steps - 1) / steps), steps_, times.frames);
}

bool Timeline::draws(std::size_t output, Index step) const { return step % factor_ == 0 && draws_planned(output, step / factor_); }

bool Timeline::draws_end_alone(std::size_t output, Index step) const {
    const FrameTimes& times = outputs_[output].times;
    return step == steps() && !times.last_only && times.at.text.empty() && times.every > 0 && steps_ % times.every != 0;
}

Index Timeline::frame_count(std::size_t output) const {
    const Frames& frames = outputs_[output];
    if (steps_ == 0 || frames.times.last_only) return 1;
    if (!frames.at.empty()) return static_cast<Index>(frames.at.size());
    if (frames.times.every > 0) return (steps_ - 1) / frames.times.every + 1;
    return frames.times.frames;
}

Index Timeline::frames_until(std::size_t output, Index step) const {
    const Frames& frames = outputs_[output];
    step /= factor_;
    if (step >= steps_) return frame_count(output);
    if (step <= 0 || frames.times.last_only) return 0;
    if (!frames.at.empty()) return std::upper_bound(frames.at.begin(), frames.at.end(), step) - frames.at.begin();
    if (frames.times.every > 0) return step / frames.times.every;
    // the largest i with floor(i S / n) <= step, that is i S < (step + 1) n
    return static_cast<Index>((static_cast<Wide>(step + 1) * static_cast<Wide>(frames.times.frames) - 1) / static_cast<Wide>(steps_));
}

std::optional<Event> Timeline::next(Index after) const {
    std::optional<Event> event = next_planned(after < 0 ? after : after / factor_);
    if (event) event->step *= factor_;
    return event;
}

std::optional<Event> Timeline::next_planned(Index after) const {
    if (after >= steps_) return std::nullopt;
    Index step = steps_;
    if (tests_ > 0) step = std::min(step, (std::max<Index>(after, 0) / tests_ + 1) * tests_);
    for (const Frames& frames : outputs_) step = std::min(step, next_frame(frames, after).value_or(steps_));
    Event event{.step = step, .draw = false, .test = tests_ > 0 && step > 0 && step % tests_ == 0, .end = step == steps_};
    for (std::size_t i = 0; i < outputs_.size(); ++i) event.draw = event.draw || draws_planned(i, step);
    return event;
}

}  // namespace mottle::run
