// apps/cli/watch.h: mottle run --watch: the frames of a run as pictures in the terminal
#pragma once
#include "terminal.h"

#include "mottle/frame/canvas.h"
#include "mottle/output/sink.h"
#include "mottle/run/settings/spec.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace mottle::cli {

enum class Colours { none, few, all };  ///< characters alone, the 256 of most terminals, 24 bits

/// Throws: InputError, unless stderr is a terminal on which a cursor moves.
void require_screen();

/// The output of a run that is drawn on the terminal; it looks like the first output of `spec`. `screen` outlives the run.
run::Output watched(const run::Spec& spec, TerminalObserver& screen);

/// Draws frames on stderr, each in the place of the one before, at most 25 a second, and so that drawing takes a fifth of the time at most: others are
/// left out. The upper and the lower half of a character are two pixels, each the mean of what it covers; without colours a character is the fuller the
/// lighter they are. Of a grid with more than three cells for a pixel the middle is shown.
class Watch final : public output::Sink {
   public:
    /// Throws: as frame::Canvas.
    Watch(const output::SinkSpec& spec, const field::Field& field, TerminalObserver& screen, core::Context& context);

    void write(core::Moment at, field::Field& field) override;
    void end(core::Moment at, field::Field& field) override;
    void finish() override {}
    std::vector<std::filesystem::path> files() const override { return {}; }

   private:
    using Clock = std::chrono::steady_clock;
    void draw(core::Moment at, field::Field& field);
    void fit();
    std::string text() const;

    TerminalObserver& screen_;
    std::array<int, 2> room_;  ///< pixels: columns of the terminal, and two for each of its lines
    frame::Canvas canvas_;
    core::Index frames_;  ///< given so far
    std::vector<std::uint8_t> rgb_;
    std::array<int, 2> seen_{};   ///< pixels of the canvas that are shown, in the middle
    std::array<int, 2> shown_{};  ///< pixels on the terminal, an even number of rows
    Colours colours_;
    core::Index drawn_step_ = -1;
    Clock::time_point next_;  ///< no picture before
};

}  // namespace mottle::cli
