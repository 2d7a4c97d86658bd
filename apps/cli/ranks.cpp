// apps/cli/ranks.cpp: the program as one of several that an MPI launcher started
#include "ranks.h"

#include "commands.h"
#include "terminal.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/device/registry.h"
#include "mottle/ranks/launcher.h"
#include "mottle/ranks/serve.h"

#include <csignal>

namespace mottle::cli {

int serve_as_rank() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
    std::unique_ptr<ranks::Transport> transport;
    try {
        transport = ranks::join_ranks();
    } catch (const core::Error&) {
        return kDone;  // rank 0 meets the same, says so and has the exit code; the first to end with one has all others killed
    }
    int code = kInternal;
    std::string message;
    try {
        ranks::serve(*transport);
        return kDone;
    } catch (const core::Error& error) {
        code = error.exit_code();
        message = error.what();
    } catch (const std::bad_alloc&) {
        code = kDevice;
        message = "this machine has too little memory; use a smaller --size or more machines";
    } catch (const std::exception& error) {
        message = error.what();
    }
    print_error("rank " + std::to_string(transport->rank()) + ": " + message);
    transport->end_all(code);
    return code;
}

int lead_ranks(const std::function<int(ranks::Link& link)>& command) {
    const std::unique_ptr<ranks::Transport> transport = ranks::join_ranks();
    ranks::Link link(*transport);
    const int code = command(link);
    link.end(code);
    return code;
}

run::Given given_to(ranks::Link* link) {
    if (!link) return {};
    return {.ranks = link->transport().count(), .share_of_machine = link->transport().share_of_machine()};
}

int threads_of(const run::Spec& spec, ranks::Link* link) {
    if (spec.threads > 0) return spec.threads;
    return link ? link->transport().cores() : core::available_cores();
}

void tell_many_threads(int threads, core::Observer& observer) {
    const int cores = core::available_cores();
    if (threads <= cores) return;
    observer.notice(std::to_string(threads) + " threads are more than the " + core::counted(cores, "core", "cores") +
                    " that this process may use; they wait for each other at each pass over the domain, and fewer are faster");
}

void require_one_device(const run::Spec& spec, ranks::Link* link) {
    if (!spec.devices.empty() && link)
        throw core::InputError("each rank of mpirun takes one --device; omit --devices, or start the run without mpirun");
}

std::unique_ptr<backend::Backend> backend_of(const run::Spec& spec, ranks::Link* link, int threads) {
    if (!link) return nullptr;
    const std::vector<std::string> devices = spec.devices.empty() ? std::vector{spec.device} : spec.devices;
    return ranks::create_ranks_backend(device::create_backend(spec.device), devices, spec.devices.empty() ? spec.threads : threads, *link);
}

}  // namespace mottle::cli
