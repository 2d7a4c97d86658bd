// mottle/sweep/sweep.h: many runs of one model, side by side in time: each becomes what it would be alone
#pragma once
#include "mottle/core/stopwatch.h"
#include "mottle/run/settings/clock.h"
#include "mottle/run/drawing.h"
#include "mottle/run/watch/timings.h"
#include "mottle/stepper/stepper.h"
#include "mottle/sweep/mosaic.h"
#include "mottle/sweep/numbers.h"
#include "mottle/sweep/spec.h"

#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mottle::ranks {
class Link;
}

namespace mottle::sweep {

class Crew;
class Member;
struct Worker;

/// All members have one domain and begin with one dt: the least that any of them asks for, unless the spec says one. Where dt is automatic and turns out to
/// be too long for a member, that member begins anew with half of it, as its own run would; frames stay at their times. A grid as small as those of a sweep keeps one
/// thread busy and no more, so every thread steps one member at a time, and members take turns; few members of large grids share all threads, and all
/// do on a card. A member that diverges or comes to rest is left there, and the others go on.
class Sweep {
   public:
    /// Compiles, and sets the initial states. `link`: to other ranks, which take members as they become free. Throws: Error.
    Sweep(Spec spec, core::Context& context, ranks::Link* link = nullptr);
    ~Sweep();

    /// Runs all members, draws, and writes. False if the observer stopped it. On an error what was written so far is closed and kept.
    bool run_to_end();

    const Spec& spec() const { return spec_; }
    const run::Clock& clock() const { return clock_; }
    const std::vector<Result>& results() const { return results_; }
    /// What has become of a member; not finite where that diverged. Members count as Spec::models.
    const field::Field& field(std::size_t member) const { return *tiles_.at(member).field; }
    core::Moment now() const;
    run::Timings timings() const { return timings_; }
    const backend::Backend& backend() const;
    /// Steps that members have made, times their cells.
    double cell_updates() const;
    /// What was written: full paths.
    std::vector<std::filesystem::path> files() const { return files_; }

   private:
    /// The Program of all members, and the clock.
    ir::Program prepare();
    void choose_method();
    void find_stiffness();
    void take_stages();
    run::Spec run_of(std::size_t i) const;
    /// All members that go on, to `before` of their own steps before what is planned at `step`. False once the observer asked for a stop.
    bool advance_to(Index step, Index before = 0);
    void advance_in_turns(Index step, Index before);
    void advance_together(Index step, Index before);
    /// What the steps of member `i` have come to; where dt was too long, it stands at its start again.
    void settle(Worker& worker, std::size_t i, stepper::Outcome outcome);
    /// Looks at member `i`, with the same end.
    bool look(Worker& worker, std::size_t i, bool at_end = false);
    void begin_anew(Worker& worker, std::size_t i);
    /// At the end of all.
    bool look_at_ends(Index step);
    void tell_shortened();
    /// The member, in the hands of a worker.
    Member& handed_to(Worker& worker, std::size_t i) const;
    std::vector<std::size_t> going() const;
    /// Calls work(worker, i) for every member; throws what the lowest threw, and says which that is.
    template <class Work>
    void each_member(const Work& work);
    template <class Work>
    std::exception_ptr failure_of(std::size_t i, const Work& work) const;
    /// The members as they were in the beginning, with the dt that they have come to; what was drawn of them is to be drawn anew.
    void begin_all_anew();
    /// Calls work(member) for every member that goes on.
    template <class Work>
    void each_going(const Work& work);
    std::vector<run::Output> outputs_on(const Layout& layout) const;
    std::vector<run::Output> outputs_seen_from(const std::array<double, 2>& angles) const;
    class Events;
    /// False once the observer asked for a stop. Ends early, with `shortened_`, where all is to begin anew.
    bool go_through_events(run::Drawing& drawing, field::Field& picture);
    void measure();
    void write(run::Drawing& drawing);

    Spec spec_;
    core::Context& context_;
    core::SteadyClock::time_point start_;
    run::Clock clock_;
    std::unique_ptr<Crew> crew_;
    std::vector<std::unique_ptr<Member>> members_;
    std::vector<Tile> tiles_;
    bool drawn_ = false;                   ///< frames before the end
    std::atomic<bool> shortened_ = false;  ///< the dt of a member, of which there are such frames
    std::vector<Result> results_;
    std::vector<std::filesystem::path> files_;
    run::Timings timings_;
};

}  // namespace mottle::sweep
