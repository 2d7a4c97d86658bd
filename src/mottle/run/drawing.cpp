// mottle/run/drawing.cpp: frames to sinks, when the timeline says so
#include "mottle/run/drawing.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/output/file_name.h"
#include "mottle/run/watch/timings.h"

#include <exception>

namespace mottle::run {

Drawing::Drawing(const std::vector<Output>& outputs, Timeline timeline, Index first_step, const KeptFrames& kept, const field::Field& field,
                 core::Context& context)
    : outputs_(outputs), timeline_(std::move(timeline)) {
    int threads = 0;
    const auto light = std::make_shared<frame::SurfaceLight>();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        core::cancellation_point();
        output::SinkSpec sink = outputs[i].sink;
        sink.frame_count = timeline_.frame_count(i);
        sink.frames_before = first_step > 0 ? timeline_.frames_until(i, first_step) : 0;
        if (is_series(i)) {  // numbers go on where they have come to
            const bool whole = holds_all_frames(i, field.kernel().domain());
            const auto before = kept.frames.find(frames_key(outputs[i]));
            if (before != kept.frames.end()) sink.frames_before = before->second;
            if (whole) sink.frames_kept = before != kept.frames.end() ? before->second : 0;
            frames_[frames_key(outputs[i])] = whole ? sink.frames_kept : sink.frames_before;
        }
        if (const auto range = kept.ranges.find(frames_key(outputs[i])); range != kept.ranges.end()) {
            sink.declared_range = frame::widened(range->second);
            range_watch_.begin_with(i, outputs[i], field, range->second);
        }
        sink.light = light;
        const output::SinkMaker& make = outputs[i].make;
        const auto create = [&] { return make ? make(sink, field, context) : output::create_sink(sink, field, context); };
        try {
            sinks_.push_back(create());
        } catch (const core::InputError& error) {
            if (!kept.forced || sink.frames_kept == 0) throw;
            const std::string why = error.message().substr(0, error.message().find("; "));
            context.observer.notice(why + "; it is made anew, with only the frames from here on");
            sink.frames_kept = sink.frames_before = frames_[frames_key(outputs[i])] = 0;
            sinks_.push_back(create());
        }
        threads += sinks_.back()->threads();
    }
    context.team.set_other_threads(threads);
}

bool Drawing::is_series(std::size_t output) const { return !outputs_[output].make && !outputs_[output].times.last_only; }

bool Drawing::holds_all_frames(std::size_t output, const domain::Domain& domain) const {
    return is_series(output) && output::holds_all_frames(output::FileName(outputs_[output].sink.file), domain);
}

// What one cannot write is no reason for the others to lack it.
template <class Work>
void Drawing::for_each_sink(const Work& work) {
    std::exception_ptr failure;
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
        try {
            work(i, *sinks_[i]);
        } catch (const core::Error&) {
            if (!failure) failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
}

void Drawing::draw(core::Moment now, field::Field& field, Which which) {
    const Stopwatch watch(draw_seconds_);
    for_each_sink([&](std::size_t i, output::Sink& sink) {
        if (!timeline_.draws(i, now.step) || (outputs_[i].times.last_only && !which.stills)) return;
        range_watch_.look(i, outputs_[i], field);
        if (which.goes_on && timeline_.draws_end_alone(i, now.step)) sink.publish();  // a longer run cuts it there
        sink.write(now, field);
        if (is_series(i) && !timeline_.draws_end_alone(i, now.step)) ++frames_[frames_key(outputs_[i])];
    });
}

std::map<std::string, Shown> Drawing::shown(const field::Field& field) const {
    std::map<std::string, Shown> shown;
    for (std::size_t i = 0; i < sinks_.size(); ++i) {
        const std::string style = shown_style(outputs_[i], field);
        if (!style.empty()) shown[frames_key(outputs_[i])] = {style, range_watch_.range_of(i)};
    }
    return shown;
}

void Drawing::publish() {
    const Stopwatch watch(draw_seconds_);
    for_each_sink([](std::size_t, output::Sink& sink) { sink.publish(); });
}

void Drawing::show_end(core::Moment now, field::Field& field, End end) {
    const Stopwatch watch(draw_seconds_);
    for_each_sink([&](std::size_t i, output::Sink& sink) {
        const bool lacks_it = end == End::found || (end == End::rest && !timeline_.draws(i, now.step));
        if (outputs_[i].times.last_only ? end != End::planned : lacks_it) {
            range_watch_.look(i, outputs_[i], field);
            sink.write(now, field);
        }
        sink.end(now, field);
    });
}

void Drawing::close(bool resumes) {
    const Stopwatch watch(draw_seconds_);
    encode_seconds_ = 0;
    std::exception_ptr failure;
    const auto attempt = [&](void (output::Sink::*action)()) {
        try {
            for_each_sink([&](std::size_t, output::Sink& sink) { (sink.*action)(); });
        } catch (const core::Error&) {
            if (!failure) failure = std::current_exception();
        }
    };
    if (resumes) attempt(&output::Sink::publish);
    attempt(&output::Sink::finish);
    for (const auto& sink : sinks_) encode_seconds_ += sink->seconds();
    if (failure) std::rethrow_exception(failure);
}

void Drawing::close_quietly() noexcept {
    try {
        close();
    } catch (...) {  // NOLINT(bugprone-empty-catch): another error is on its way
    }
}

std::vector<std::filesystem::path> Drawing::files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& sink : sinks_) {
        for (std::filesystem::path& file : sink->files()) files.push_back(std::move(file));
    }
    return files;
}

}  // namespace mottle::run
