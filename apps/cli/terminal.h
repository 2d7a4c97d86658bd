// apps/cli/terminal.h: what a person sees while a run goes on, and how Ctrl-C reaches it
#pragma once
#include "mottle/core/cancellation.h"
#include "mottle/core/context.h"

#include <array>
#include <chrono>
#include <functional>
#include <string>

#include <semaphore.h>

namespace mottle::cli {

/// Opens /dev/null, the wrong way round, for standard streams that came closed: reading and writing them fails as before.
void open_standard_streams();
/// Takes Ctrl-C, SIGTERM and a terminal that goes away: the first asks for a clean stop and posts `woken`, a second one kills.
void catch_interrupts(sem_t& woken);
/// What that first signal asks.
const core::Cancellation& interruption();
/// The signal that asked for a stop, or 0.
int interrupted_by();

/// Columns and lines of the terminal at stderr; 80 x 24 where it does not tell.
std::array<int, 2> screen_size();

/// Whether stderr is a terminal that wants colours: NO_COLOR is not set.
bool is_coloured();

/// "error: ..." or "note: ..." on stderr, coloured on a terminal unless NO_COLOR is set.
void print_error(const std::string& message);

/// Notes and a progress bar on stderr; the bar only on a terminal.
class TerminalObserver : public core::Observer {
   public:
    explicit TerminalObserver(bool quiet);
    /// What the bar counts towards.
    /// `steps`: how many the run has, which may become more.
    void expect(std::function<core::Index()> steps, core::Index cells);
    /// Takes the bar away.
    void clear();
    /// Puts a picture of `lines` lines in the place of the one before, above the bar; below what was said since, or where `fresh`.
    void draw(const std::string& picture, int lines, bool fresh);

    void notice(const std::string& message) override;
    bool keep_going(core::Moment now, double rate) override;

   private:
    bool quiet_, bar_;
    bool drawn_ = false;
    int picture_lines_ = 0;  ///< that stand right above the cursor
    std::function<core::Index()> steps_;
    core::Index cells_ = 0;
};

/// One line on stderr that says what is being done; only on a terminal.
class ProgressLine {
   public:
    explicit ProgressLine(bool quiet);
    /// False once a person asked for a stop. Draws at most every 100 ms.
    bool show(const std::string& text);
    void clear();

   private:
    bool drawing_, drawn_ = false;
    std::chrono::steady_clock::time_point last_{};
};

}  // namespace mottle::cli
