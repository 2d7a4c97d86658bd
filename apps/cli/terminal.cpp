// apps/cli/terminal.cpp: the progress bar, coloured messages and interrupts
#include "terminal.h"

#include "mottle/core/text.h"
#include "mottle/core/toml_text.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace mottle::cli {

namespace {

// a signal handler can reach nothing else; threads that step look at it
std::atomic<int> interrupt = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<int>::is_always_lock_free);
core::Cancellation cancellation;      // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): likewise
std::atomic<sem_t*> wakes = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables): likewise

extern "C" void on_interrupt(int signal) {
    interrupt = signal;
    cancellation.ask();
    std::signal(signal, SIG_DFL);
    if (sem_t* woken = wakes) sem_post(woken);
}

std::string painted(const std::string& word, const char* colour) {
    return is_coloured() ? std::string("\033[") + colour + "m" + word + "\033[0m" : word;
}

std::string duration_text(double seconds) {
    if (!(seconds < 360000)) return "long";
    const long whole = std::lround(seconds);
    char text[32];
    if (whole >= 3600)
        std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%ld:%02ld", whole / 60, whole % 60);
    return text;
}

/// The share of the work as a bar and in percent, then as many of the facts as fit into `columns`; the bar gives way to none of them.
std::string progress_line(double share, const std::vector<std::string>& facts, std::size_t columns) {
    constexpr std::size_t kWidest = 24, kBrackets = 2;
    const std::string all = std::to_string(static_cast<int>(100 * share));
    const std::string percent = std::string(3 - std::min<std::size_t>(3, all.size()), ' ') + all + " %";
    if (columns < percent.size()) return "";
    const std::size_t beside = percent.size() + 1 + kBrackets;
    const std::size_t width = columns > beside ? std::min(kWidest, columns - beside) : 0;
    const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
    std::string line = percent;
    if (width > 0) line = "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] " + percent;
    for (const std::string& fact : facts) {
        if (line.size() + 2 + fact.size() > columns) break;
        line += "  " + fact;
    }
    return line;
}

}  // namespace

void catch_interrupts(sem_t& woken) {
    wakes = &woken;
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    if (std::signal(SIGHUP, on_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
    std::signal(SIGXFSZ, SIG_IGN);  // a file larger than `ulimit -f` is an error of its output
}

// Else the first file a run writes would take the number of a closed stream, and a message would go into the video.
void open_standard_streams() {
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF && open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
    }
}

std::array<int, 2> screen_size() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) size = {};
    return {size.ws_col > 0 ? size.ws_col : 80, size.ws_row > 0 ? size.ws_row : 24};
}

bool is_coloured() {
    const char* no_color = std::getenv("NO_COLOR");
    return isatty(STDERR_FILENO) != 0 && (no_color == nullptr || *no_color == '\0');
}

const core::Cancellation& interruption() { return cancellation; }

int interrupted_by() { return interrupt; }

void print_error(const std::string& message) { std::cerr << painted("error:", "1;31") << " " << core::printable_text(message) << "\n"; }

TerminalObserver::TerminalObserver(bool quiet) : quiet_(quiet), bar_(!quiet && isatty(STDERR_FILENO) != 0) {}

void TerminalObserver::expect(std::function<core::Index()> steps, core::Index cells) {
    steps_ = std::move(steps);
    cells_ = cells;
}

void TerminalObserver::clear() {
    if (drawn_) std::cerr << "\r\033[K" << std::flush;
    drawn_ = false;
}

void TerminalObserver::draw(const std::string& picture, int lines, bool fresh) {
    clear();
    if (picture_lines_ > 0 && !fresh) std::cerr << "\033[" << picture_lines_ << "A";
    std::cerr << picture << std::flush;
    picture_lines_ = lines;
}

void TerminalObserver::notice(const std::string& message) {
    if (quiet_) return;
    const std::string text = core::printable_text(message);
    clear();
    picture_lines_ = 0;
    const std::string_view mark = "warning: ";
    if (text.starts_with(mark))
        std::cerr << painted("warning:", "1;33") << " " << text.substr(mark.size()) << "\n";
    else
        std::cerr << painted("note:", "1;36") << " " << text << "\n";
}

bool TerminalObserver::keep_going(core::Moment now, double rate) {
    if (interrupt != 0) return false;
    const core::Index steps = bar_ && steps_ ? steps_() : 0;
    if (steps <= 0) return true;
    const double share = std::min(1.0, static_cast<double>(now.step) / static_cast<double>(steps));
    std::vector<std::string> facts = {core::grouped(now.step) + " of " + core::grouped(steps) + " steps"};
    if (rate > 0) {
        facts.insert(facts.begin(), duration_text(static_cast<double>(steps - now.step) * static_cast<double>(cells_) / rate) + " left");
        facts.push_back(core::si_text(rate, "cells/s"));
    }
    // a line that breaks would not be taken away as one
    std::cerr << "\r" << progress_line(share, facts, core::at(screen_size()[0] - 1)) << "\033[K" << std::flush;
    drawn_ = true;
    return true;
}

ProgressLine::ProgressLine(bool quiet) : drawing_(!quiet && isatty(STDERR_FILENO) != 0) {}

bool ProgressLine::show(const std::string& text) {
    const auto now = std::chrono::steady_clock::now();
    if (drawing_ && now - last_ >= std::chrono::milliseconds(100)) {
        std::cerr << "\r" << text.substr(0, core::at(screen_size()[0] - 1)) << "\033[K" << std::flush;
        last_ = now;
        drawn_ = true;
    }
    return interrupt == 0;
}

void ProgressLine::clear() {
    if (drawn_) std::cerr << "\r\033[K" << std::flush;
    drawn_ = false;
}

}  // namespace mottle::cli
