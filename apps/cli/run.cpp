// apps/cli/run.cpp: mottle run
#include "command_thread.h"
#include "commands.h"
#include "ranks.h"
#include "report.h"
#include "terminal.h"
#include "watch.h"

#include "mottle/core/cache_folder.h"
#include "mottle/core/error.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/text.h"
#include "mottle/ranks/backend.h"
#include "mottle/ranks/threads.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/settings/limit_share.h"

#include <algorithm>
#include <iostream>
#include <optional>

namespace mottle::cli {

namespace {

std::string divergence_message(const stepper::Outcome& outcome, const run::Simulation& simulation) {
    std::string message = "diverged: " + outcome.why + "; " +
                          (simulation.blow_up().empty() ? run::advice_on_divergence(simulation.clock()) : simulation.blow_up());
    if (!simulation.files().empty()) message += "; the frames before it are kept in " + simulation.files().front().string();
    return message;
}

/// Devices of this process that share a run: each has a rank, which is a thread.
class SharedDevices {
   public:
    /// `threads` in all.
    SharedDevices(std::size_t devices, int threads) : ranks_(static_cast<int>(devices), threads), link_(ranks_.first()) {}
    ~SharedDevices() { link_.end(kInternal); }
    SharedDevices(const SharedDevices&) = delete;
    SharedDevices& operator=(const SharedDevices&) = delete;
    ranks::Link& link() { return link_; }

   private:
    ranks::ServingRanks ranks_;
    ranks::Link link_;
};

}  // namespace

int run(const RunArguments& arguments) {
    if (arguments.watch) require_screen();
    const auto start = core::SteadyClock::now();
    const ModelArguments& model = arguments.model;
    const core::Node document = model::load_document(model.model);
    run::Spec spec = run::read_spec(document, model_name(model.model), model.preset, model.flags, given_to(arguments.link));
    const double read = core::seconds_since(start);
    require_one_device(spec, arguments.link);
    const int all_threads = threads_of(spec, arguments.link);
    const int threads = spec.devices.empty() ? all_threads : std::max(1, all_threads / static_cast<int>(spec.devices.size()));
    std::optional<SharedDevices> shared;
    if (!spec.devices.empty()) shared.emplace(spec.devices.size(), threads);
    ranks::Link* const link = shared ? &shared->link() : arguments.link;
    core::ThreadTeam team(threads);
    TerminalObserver observer(arguments.quiet);
    tell_many_threads(all_threads, observer);
    if (arguments.watch) spec.outputs.push_back(watched(spec, observer));
    core::Context context{team, observer, core::cache_folder()};

    std::unique_ptr<backend::Backend> backend = backend_of(spec, link, threads);
    run::Simulation simulation(std::move(spec), context, std::move(backend));
    observer.expect([&simulation] { return simulation.steps(); }, domain::cell_count(simulation.spec().domain));
    const stepper::Outcome outcome = [&] {
        const FilesOpen files;
        return simulation.run_to_end();
    }();
    observer.clear();

    if (outcome.verdict == stepper::Verdict::diverged) {
        const std::string message = divergence_message(outcome, simulation);
        print_error(message);
        if (arguments.json) std::cout << json_error("diverged", message, std::nullopt);
        return kDiverged;
    }
    const bool spoken = !arguments.json && !arguments.quiet;
    const bool alone = link == nullptr;  // the limit is that of one process
    const Report report{simulation,      outcome, threads, spoken && alone ? run::share_of_limit(simulation, context) : std::nullopt,
                        arguments.watch, read};
    if (arguments.json)
        std::cout << json(report);
    else if (spoken)
        std::cout << summary(report);
    return outcome.verdict == stepper::Verdict::stopped ? kInterrupted : kDone;
}

}  // namespace mottle::cli
