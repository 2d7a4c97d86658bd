// apps/cli/forecast.cpp: mottle check --ranks: what a run would take on any number of processes
#include "forecast.h"

#include "commands.h"

#include "mottle/core/cache_folder.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/device/registry.h"
#include "mottle/domain/mesh/piece.h"
#include "mottle/domain/piece.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ranks/backend.h"
#include "mottle/ranks/forecast.h"
#include "mottle/run/settings/memory.h"

#include <algorithm>

namespace mottle::cli {

namespace {

using core::Index;

constexpr const char* kUsualNetwork = "2us,12GB/s";
constexpr int kMostRanks = 1 << 22;
constexpr double kMeasureSeconds = 0.6;

std::string percent(double share) { return core::rounded_text(100 * share, 3) + " %"; }

std::string seconds_text(double seconds) {
    if (seconds == 0) return "0";
    return core::si_text(seconds, "s");
}

std::string line(const std::string& name, const std::string& text) {
    return "  " + name + std::string(10 - name.size(), ' ') + text + "\n";
}

/// How a domain is shared out, and the piece that is measured.
struct Cut {
    std::string words;
    ranks::Load load;
    domain::Domain piece;
};

std::string blocks_text(const domain::Grid& grid, const ranks::Blocks& blocks) {
    std::string parts;
    domain::Triple largest{};
    for (std::size_t d = 0; d < 3; ++d) {
        largest[d] = (grid.size[d] + blocks.parts[d] - 1) / blocks.parts[d];
        if (d < 2 || grid.size[2] > 1) parts += (d > 0 ? " x " : "") + core::grouped(blocks.parts[d]);
    }
    return parts + " blocks of " + domain::describe_size(largest);
}

Cut cut(const ForecastRequest& request, const run::Spec& spec, const ir::Program& program, backend::Backend& backend,
        core::Context& context) {
    if (const auto* grid = std::get_if<domain::Grid>(&spec.domain)) {
        const ranks::Blocks blocks = ranks::blocks_for(program, *grid, request.ranks, spec.schedule, backend, context);
        const domain::CellBox box = ranks::box_with_halos(*grid, blocks, ranks::inner_rank(blocks));
        return {blocks_text(*grid, blocks), ranks::load_of(program, *grid, blocks), domain::piece_of(*grid, box)};
    }
    const auto& mesh = std::get<domain::Mesh>(spec.domain);
    const std::vector<ranks::SurfaceShare> shares =
        ranks::share_out(program, mesh, request.ranks, ranks::wish_of(spec.schedule).steps, context.team);
    const ranks::Load load = ranks::load_of(program, shares);
    return {core::counted(std::ssize(shares), "part", "parts") + " of about " + core::grouped(load.own) + " vertices", load,
            domain::piece_of(mesh, shares.front().vertices)};
}

std::string exchange_text(const ranks::Load& load, const ranks::Forecast& forecast) {
    if (load.messages == 0) return "none";
    return core::counted(load.messages, "message", "messages") + ", " + core::si_text(static_cast<double>(load.bytes), "B") +
           " sent by a rank every " + (load.steps == 1 ? "step" : core::grouped(load.steps) + " steps") +
           (forecast.hides ? ", hidden behind the middle of the blocks" : "");
}

std::string pass_text(const ranks::Load& load, const ranks::Forecast& forecast) {
    const double all = forecast.step * load.steps;
    return seconds_text(all) + " for " + core::counted(load.steps, "step", "steps") + ": " + seconds_text(forecast.compute) + " cells, " +
           seconds_text(forecast.copy) + " copies, " + seconds_text(forecast.network) + " network, " + seconds_text(forecast.requests) +
           " requests of rank 0";
}

}  // namespace

std::optional<ForecastRequest> read_forecast_request(const std::string& ranks, const std::string& network) {
    if (ranks.empty() && network.empty()) return std::nullopt;
    if (ranks.empty()) throw core::InputError("--network needs --ranks N, the number of processes");
    long long count = 0;
    if (!core::parse_integer(ranks, count) || count < 1 || count > kMostRanks)
        throw core::InputError("--ranks must be a whole number from 1 to " + core::grouped(kMostRanks) + ", not '" + ranks + "'");
    return ForecastRequest{static_cast<int>(count), ranks::parse_network(network.empty() ? kUsualNetwork : network)};
}

std::string forecast_text(const ForecastRequest& request, const run::Spec& spec, const run::Preparation& made) {
    ranks::require_only_kernels(made.program);
    const int wanted = spec.threads > 0 ? spec.threads : core::available_cores(), threads = std::min(wanted, core::available_cores());
    core::ThreadTeam team(threads);
    core::Observer silent;
    core::Context context{team, silent, core::cache_folder()};
    const auto backend = device::create_backend(spec.device);
    const Cut share = cut(request, spec, made.program, *backend, context);
    const std::vector<double> uniforms =
        ir::evaluate_uniforms(made.program, run::input_values(made.program, spec.model, spec.initial.seed));
    ranks::Rates rates = ranks::measure_rates(made.program, share.piece, *backend, uniforms, context, kMeasureSeconds);
    const double measured = rates.cells, more = static_cast<double>(wanted) / threads;
    rates.cells *= more;
    rates.copied *= more;
    const ranks::Forecast forecast = ranks::forecast(made.program, request.ranks, share.load, rates, request.network);

    const double bytes = run::bytes_of_state(share.piece, made.program.arrays.size(), spec.method.f64, spec.device) +
                         2 * static_cast<double>(share.load.bytes);
    const auto cells = static_cast<double>(domain::cell_count(spec.domain)), own = static_cast<double>(share.load.own);
    const auto computed = static_cast<double>(share.load.computed);
    const double per_step = spec.method.stages > 1 ? spec.method.stages : 1;
    std::string text = "  on " + core::counted(request.ranks, "rank", "ranks") + " of " + core::counted(wanted, "thread", "threads") +
                       ", a network of " + seconds_text(request.network.latency) + " and " +
                       core::si_text(request.network.bytes_per_second, "B/s") + ":\n";
    text += line("cut", share.words);
    text += line("memory", core::si_text(bytes, "B") + " on each rank, " + core::si_text(bytes * request.ranks, "B") + " in all");
    text += line("halo", percent((computed - own) / own) + " more cells than a rank owns" +
                             (forecast.hides ? ", and " + percent(static_cast<double>(share.load.rim) / own) + " computed twice" : ""));
    text += line("exchange", exchange_text(share.load, forecast));
    text += line("rate", core::si_text(measured, "cells/s") + " measured here on " + core::counted(threads, "thread", "threads") +
                             (more > 1 ? ", taken " + core::rounded_text(more, 3) + " times for " + std::to_string(wanted) : ""));
    text += line("pass", pass_text(share.load, forecast));
    text += line("speed", core::si_text(cells / (forecast.step * per_step), "cells/s") + ", efficiency " + percent(forecast.efficiency) +
                              ", " + seconds_text(forecast.step * per_step * static_cast<double>(made.clock.steps)) + " in all");
    return text;
}

}  // namespace mottle::cli
