// mottle/live/server/player.h: the run itself: started, changed, painted, taken back, advanced in small pieces
#pragma once
#include "mottle/core/stopwatch.h"
#include "mottle/live/server/brush.h"
#include "mottle/live/server/history.h"
#include "mottle/live/server/project.h"
#include "mottle/run/simulation.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace mottle::live {

/// What became of a run that has stopped.
struct Divergence {
    std::string why, advice;
    core::Moment at;
    bool can_go_back = false;
};

/// One thread uses it.
class Player {
   public:
    /// Throws: Error of the model.
    Player(Project project, core::Context& context);

    /// Goes on as another project: with the fields as they are where it has the same cells and not `anew`, else from its start. Where it throws, what ran stays.
    /// Returns whether it began anew. Throws: Error.
    bool become(Project project, bool anew);
    /// From the start.
    void restart() { become(project_, true); }

    /// Makes steps for about `seconds`, at most `most`: whole passes of fused steps, unless one takes longer than `longest_pass` seconds. Does nothing after a
    /// divergence.
    void advance(double seconds, Index most, double longest_pass = 0);
    /// Of a number; of a map it becomes a number. Throws: InputError.
    void set_parameter(const std::string& name, double value);
    /// `painter`: whose stroke it is; each painter numbers strokes alone. Throws: InputError.
    void paint(const Stroke& part, const View& view, std::uint64_t painter = 0);
    /// False where there is nothing to take back.
    bool undo();
    bool redo();
    std::size_t undo_count() const { return history_.undo_count(); }
    std::size_t redo_count() const { return history_.redo_count(); }
    /// To the last good state, with half the dt, or the stable one if that is shorter; from the start if there is no such state.
    void go_back();

    run::Simulation& simulation() { return *simulation_; }
    const run::Simulation& simulation() const { return *simulation_; }
    const field::Field& field() const { return static_cast<const run::Simulation&>(*simulation_).field(); }
    const Project& project() const { return project_; }
    /// As the run stands now: parameters and dt as they have become.
    const run::Spec& spec() const { return spec_; }
    const run::Clock& clock() const { return clock_; }
    /// Of a dt that is longer than what is stable, and of diffusion for which none is: a warning; else "".
    std::string dt_warning() const;
    const std::optional<Divergence>& divergence() const { return divergence_; }
    /// Counts starts anew.
    std::uint32_t generation() const { return generation_; }
    /// Grows with each simulation that takes the place of another: its model, cells or equations may be others.
    std::uint64_t simulations() const { return simulations_; }
    /// Grows whenever the fields are others.
    std::uint64_t version() const { return version_; }
    /// Seconds that a step takes.
    double seconds_per_step() const { return seconds_per_step_; }
    /// For each field, in the order of field().names(), what most of its start is like, which an eraser brings back: the median of some of its cells.
    const std::vector<double>& resting_values() const { return resting_values_; }
    /// What has been found since the last call that is worth a word.
    std::vector<std::string> take_notices();

   private:
    void settle(std::unique_ptr<run::Simulation> simulation, Project project);
    /// Goes on with these numbers and their clock, which the dt of the run follows.
    void adopt(run::Spec spec, run::Clock clock);
    void watch_stability();
    void shorten(const std::string& why);
    void keep_good_state();
    void forget_history();
    Brush& brush_of(const Stroke& part, std::uint64_t painter);
    /// The fields are those of `moment` again.
    void stand_at(core::Moment moment);

    Project project_;
    core::Context& context_;
    run::Spec spec_;
    run::Clock clock_;
    std::unique_ptr<run::Simulation> simulation_;
    std::optional<run::StabilityWatch> watch_;
    /// A stroke under way.
    struct UnderWay {
        std::uint64_t painter = 0;
        std::uint32_t number = 0;
        Brush brush;
    };
    std::deque<UnderWay> strokes_;  ///< the oldest first
    std::vector<double> resting_values_;
    History history_;
    std::deque<field::Snapshot> good_;
    core::SteadyClock::time_point good_at_;
    std::optional<Divergence> divergence_;
    std::vector<std::string> notices_;
    double seconds_per_step_ = 0;
    std::uint32_t generation_ = 0;
    std::uint64_t simulations_ = 0;
    std::uint64_t version_ = 1;
};

}  // namespace mottle::live
