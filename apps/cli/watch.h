// apps/cli/watch.h: mottle run --watch: the frames of a run as pictures in the terminal
#pragma once
#include "terminal.h"

#include "mottle/frame/canvas.h"
#include "mottle/output/sink.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

namespace mottle::cli {

enum class Colours { none, few, all };  ///< characters alone, the 256 of most terminals, 24 bits

/// Draws frames on stderr, each in the place of the one before, at most 25 a second: others are left out, so that a run is not held up. The upper and
/// the lower half of a character are two pixels, each the mean of what it covers; without colours a character is the fuller the lighter they are.
/// Of a grid with more than three cells for a pixel the middle is shown.
class Watch final : public output::Sink {
   public:
    /// `look`: style and range of the pictures. `last_step`: its frame is always drawn.
    /// Throws: InputError (stderr is not a terminal), as frame::Canvas.
    Watch(const output::SinkSpec& look, core::Index last_step, const field::Field& field, TerminalObserver& screen, core::Context& context);

    void write(core::Moment at, field::Field& field) override;
    void finish() override {}
    std::vector<std::filesystem::path> files() const override { return {}; }

   private:
    std::string text() const;

    core::Index last_step_;
    TerminalObserver& screen_;
    std::array<int, 2> room_;  ///< pixels: columns of the terminal, and two for each of its lines
    frame::Canvas canvas_;
    std::vector<std::uint8_t> rgb_;
    std::array<int, 2> seen_;   ///< pixels of the canvas that are shown, in the middle
    std::array<int, 2> shown_;  ///< pixels on the terminal, an even number of rows
    Colours colours_;
    std::chrono::steady_clock::time_point drawn_at_{};
};

}  // namespace mottle::cli
