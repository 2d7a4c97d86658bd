// mottle/run/tune/tune.cpp: which schedules are tried, whether they agree, and which is the fastest
#include "mottle/run/tune/tune.h"

#include "mottle/device/registry.h"
#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/hash.h"
#include "mottle/run/settings/memory.h"
#include "mottle/run/tune/race.h"
#include "mottle/run/watch/timings.h"
#include "mottle/run/tune/trial_schedules.h"

#include <algorithm>
#include <memory>

namespace mottle::run {

namespace {

using backend::Schedule;

constexpr std::size_t kRaceRounds = 9, kFewestRounds = 3, kDuelRounds = 9;
constexpr double kFarBehind = 1.25;  // times the best: not worth another launch
constexpr Index kCheckSteps = 67;    // whole passes and a rest, for every depth that is tried

/// Passes on what the first simulation has to say, and asks between launches whether to go on.
class QuietObserver final : public core::Observer {
   public:
    QuietObserver(core::Observer& outer, const std::function<bool(const std::string&)>& progress) : outer_(outer), progress_(progress) {}
    void notice(const std::string& message) override {
        if (talks) outer_.notice(message);
    }
    bool keep_going(core::Moment, double) override { return goes_on(); }
    bool say(const std::string& text) {
        text_ = text;
        return goes_on();
    }
    bool talks = true;

   private:
    bool goes_on() {
        stopped_ = stopped_ || !progress_(text_);
        return !stopped_;
    }

    core::Observer& outer_;
    const std::function<bool(const std::string&)>& progress_;
    std::string text_;
    bool stopped_ = false;
};

template <class Real>
core::Hash digest_of(const Simulation& simulation) {
    const backend::Kernel& kernel = simulation.kernel();
    std::vector<Real> row(core::at(domain::row_length(kernel.domain())));
    std::vector<core::Hash> digests;
    for (ir::Array array = 0; array < kernel.program().field_count(); ++array) {
        for (Index y = 0; y < domain::row_count(kernel.domain()); ++y) {
            kernel.read_row(simulation.field().state(), array, y, row);
            digests.push_back(core::hash_bytes(std::as_bytes(std::span(row))));
        }
    }
    return core::hash_bytes(std::as_bytes(std::span(digests)));
}

/// How many states of the run fit into half of the memory that is left.
std::size_t most_at_once(const Simulation& simulation) {
    const ir::Program& program = simulation.kernel().program();
    const double bytes =
        bytes_of_state(simulation.kernel().domain(), program.arrays.size(), program.f64, simulation.spec().device) + kBytesBeside;
    return std::max<std::size_t>(2, static_cast<std::size_t>(static_cast<double>(core::available_memory()) / 2 / bytes));
}

class Search {
   public:
    Search(const TuneRequest& request, core::Context& context)
        : observer_(context.observer, request.progress),
          context_{context.team, observer_, context.cache},
          make_backend_(request.backend),
          threads_alone_(request.threads_alone),
          spec_(request.spec),
          budget_(request.seconds),
          launch_seconds_(std::clamp(request.seconds / 400, 0.004, 0.05)),
          race_(launch_seconds_) {
        spec_.schedule = {};
        spec_.outputs.clear();
        spec_.steady.reset();
        spec_.newton = false;
        spec_.use_book = false;
    }

    Tuning run() {
        bool goes_on = enter({}) && enter_others();
        goes_on = goes_on && qualify();
        if (goes_on) duel();
        Tuning tuning = result();
        if (!goes_on || tuning.stopped || threads_alone_ == 0) return tuning;
        tuning.alone = compare(tuning.remembered ? best() : 0);
        tuning.stopped = !observer_.say("done");
        return tuning;
    }

   private:
    bool in_time(double share) const { return seconds_since(start_) < share * budget_; }

    /// Null: the domain is too small for so many ranks with this schedule.
    std::unique_ptr<Simulation> build(const Schedule& schedule) {
        Spec spec = spec_;
        spec.schedule = schedule;
        try {
            return std::make_unique<Simulation>(std::move(spec), context_, make_backend_ ? make_backend_() : nullptr);
        } catch (const core::InputError&) {
            if (trials_.empty() || !make_backend_) throw;
            return nullptr;
        }
    }

    /// Advances by some steps and compares the bits with those of the first. False: stop.
    bool check(Simulation& simulation, const std::string& text) {
        if (simulation.advance_to(kCheckSteps).verdict == stepper::Verdict::stopped) return false;
        const core::Hash digest = simulation.kernel().program().f64 ? digest_of<double>(simulation) : digest_of<float>(simulation);
        if (trials_.empty()) digest_ = digest;
        if (digest == digest_) return true;
        throw core::InternalError("the schedule \"" + text + "\" gives different bits than \"" + backend::print(trials_[0].used) +
                                  "\" after " + std::to_string(kCheckSteps) + " steps of " + spec_.model.name);
    }

    /// Builds one simulation, checks its bits and lets it race. False: stop.
    bool enter(const Schedule& schedule) {
        auto simulation = build(schedule);
        observer_.talks = false;
        if (!simulation) return true;
        const Schedule used = simulation->kernel().schedule();
        const std::string text = backend::print(used);
        for (const Trial& trial : trials_) {
            if (backend::print(trial.used) == text) return true;  // the kernel makes the same of it
        }
        if (!check(*simulation, text) || !race_.enter(*simulation)) return false;
        simulations_.push_back(std::move(simulation));
        trials_.push_back({schedule, used, 0, 0});
        return true;
    }

    bool enter_others() {
        const Simulation& first = *simulations_.front();
        if (device::interprets(first.backend().name()))
            throw core::InputError("the reference interpreter has no schedules to choose from; give another --device");
        const auto list = trial_schedules(trials_[0].used, spec_.domain, context_.team.size());
        const std::size_t most = most_at_once(first);
        for (std::size_t i = 0; i < list.size() && trials_.size() < most && (trials_.size() < 2 || in_time(0.5)); ++i) {
            if (!observer_.say("building and checking " + backend::print(list[i]))) return false;
            try {
                if (!enter(list[i])) return false;
            } catch (const core::DeviceError&) {
                break;  // a card holds no more of them
            } catch (const core::Interrupted&) {
                return false;  // while it was compiled
            }
        }
        return true;
    }

    std::size_t best() const {
        std::size_t best = 0;
        for (std::size_t i = 1; i < race_.size(); ++i) {
            if (race_.median(i) < race_.median(best)) best = i;
        }
        return best;
    }

    std::string standing(const std::string& what) const { return what + ", best so far " + backend::print(trials_[best()].used); }

    /// Rounds of all that are not far behind.
    bool qualify() {
        for (std::size_t round = 0; round < kRaceRounds && (round < kFewestRounds || in_time(0.85)); ++round) {
            const double limit = round < 2 ? 0 : kFarBehind * race_.median(best());
            for (std::size_t i = 0; i < race_.size(); ++i) {
                if (i > 0 && limit > 0 && race_.median(i) > limit) continue;
                if (!observer_.say(standing("round " + std::to_string(round + 1) + " of " + std::to_string(kRaceRounds)))) return false;
                if (!race_.launch(i)) return false;
            }
        }
        return true;
    }

    /// The best of many is partly the luckiest of many: it runs again, against the cost model alone.
    void duel() {
        const std::size_t winner = best(), before = race_.launches(winner), before_first = race_.launches(0);
        if (winner == 0) return;
        for (std::size_t round = 0; round < kDuelRounds && (round < kFewestRounds || in_time(1)); ++round) {
            if (!observer_.say(standing("final round " + std::to_string(round + 1)))) return;
            // Whoever comes second finds the machine as the first has left it.
            const auto [one, other] = round % 2 == 0 ? std::pair(std::size_t{0}, winner) : std::pair(winner, std::size_t{0});
            if (!race_.launch(one) || !race_.launch(other)) return;
            if (round + 1 >= kFewestRounds)
                duel_ = pairs_of(std::span(race_.seconds(0)).subspan(before_first), std::span(race_.seconds(winner)).subspan(before));
        }
    }

    /// The ranks with the schedule of a runner, and what `mottle run` would do in one process, whose threads have all cores while the other ranks sleep.
    std::optional<Alone> compare(std::size_t runner) {
        core::ThreadTeam team(threads_alone_);
        core::Context context{team, observer_, context_.cache};
        Spec spec = spec_;
        spec.use_book = true;
        if (!observer_.say("comparing with one process")) return std::nullopt;
        try {
            Simulation alone(std::move(spec), context);
            Race pair(launch_seconds_);
            if (!check(alone, "of one process") || !pair.enter(*simulations_[runner]) || !pair.enter(alone)) return std::nullopt;
            for (std::size_t round = 0; round < kDuelRounds && (round < kFewestRounds || in_time(1)); ++round) {
                if (!pair.launch(round % 2) || !pair.launch(1 - round % 2)) return std::nullopt;
            }
            return Alone{pair.median(1), pair.median(0), pairs_of(pair.seconds(0), pair.seconds(1))};
        } catch (const core::DeviceError&) {
            return std::nullopt;  // too little memory for one more
        } catch (const core::Interrupted&) {
            return std::nullopt;
        }
    }

    Tuning result() {
        Tuning tuning;
        tuning.stopped = !observer_.say("done");
        tuning.device =
            simulations_.empty() ? "" : simulations_[0]->backend().name() + " (" + simulations_[0]->backend().description() + ")";
        const std::size_t rounds = race_.size() > 0 ? race_.launches(0) : 0;
        if (rounds == 0) return tuning;
        const std::size_t best_one = best();
        for (std::size_t i = 0; i < trials_.size(); ++i) {
            if (race_.launches(i) == 0) continue;
            if (i == best_one) tuning.winner = tuning.trials.size();
            trials_[i].seconds_per_step = race_.median(i);
            trials_[i].launches = race_.launches(i);
            tuning.trials.push_back(trials_[i]);
        }
        tuning.pairs = duel_.value_or(pairs_of(race_.seconds(0), race_.seconds(best_one)));
        if (rounds >= kFewestRounds) write(tuning);
        return tuning;
    }

    void write(Tuning& tuning) const {
        ScheduleBook book(context_.cache);
        tuning.book = book.file();
        if (tuning.book.empty()) return;
        const std::string device = device_text(spec_, *(make_backend_ ? make_backend_() : device::create_backend(spec_.device)));
        const std::string key = schedule_key(simulations_[0]->kernel().program(), spec_.domain, device, context_.team.size());
        if (tuning.winner != 0 && tuning.pairs.gains(kTuneGain))
            tuning.remembered = book.remember(key, tuning.trials[tuning.winner].request);
        else if (!tuning.stopped)
            book.forget(key);
    }

    QuietObserver observer_;
    core::Context context_;
    std::function<std::unique_ptr<backend::Backend>()> make_backend_;
    int threads_alone_;
    Spec spec_;
    double budget_;
    double launch_seconds_;
    Race race_;
    SteadyClock::time_point start_ = SteadyClock::now();
    std::vector<std::unique_ptr<Simulation>> simulations_;
    std::vector<Trial> trials_;
    core::Hash digest_{};
    std::optional<Pairs> duel_;
};

}  // namespace

Tuning tune(const TuneRequest& request, core::Context& context) { return Search(request, context).run(); }

}  // namespace mottle::run
