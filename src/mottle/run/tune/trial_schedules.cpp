// mottle/run/tune/trial_schedules.cpp: the schedules that a search for the fastest one tries
#include "mottle/run/tune/trial_schedules.h"

#include "mottle/domain/piece.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mottle::run {
namespace {

using backend::BlockCounts, backend::CardMeshSchedule, backend::CardPlaneSchedule, backend::CardVolumeSchedule, backend::Gather,
    backend::Index, backend::MeshSchedule, backend::OpenSchedule, backend::PlaneSchedule, backend::Schedule, backend::Spread,
    backend::VertexOrder, backend::VolumeSchedule;

using Number = std::optional<int>;

constexpr Index kWideRow = 1024;       // cells from which on strips are tried
constexpr Index kHeldCells = 1 << 21;  // more than the registers of a card hold
constexpr std::array kCpuSteps = {1, 2, 4, 6, 8, 12, 16, 24, 32};
constexpr std::array kCpuRows = {1, 2, 3, 4, 6, 8};
constexpr std::array kHalos = {1, 2, 4, 8, 16, 32, 64};
constexpr std::array kCardSteps = {2, 3, 4, 5, 6, 7, 8};

std::vector<PlaneSchedule> trials(const PlaneSchedule& chosen, const domain::Domain& domain, int) {
    std::vector<Number> strips = {Number()};
    if (domain::row_length(domain) >= kWideRow) {
        if (const int strip = chosen.strip.value_or(0); strip > 0)
            strips.insert(strips.end(), {0, strip / 2, 2 * strip});
        else
            strips.insert(strips.end(), {512, 1024});
    }
    std::vector<PlaneSchedule> list;
    for (const int steps : kCpuSteps) {
        for (const int rows : kCpuRows) {
            for (const Number strip : strips) list.push_back({.steps = steps, .rows = rows, .strip = strip});
        }
    }
    return list;
}

std::vector<VolumeSchedule> trials(const VolumeSchedule& chosen, const domain::Domain&, int) {
    std::vector<Number> tiles = {Number()};
    if (const int tile = chosen.tile.value_or(0); tile > 1) tiles.insert(tiles.end(), {0, tile / 2, 2 * tile});
    std::vector<VolumeSchedule> list;
    for (const int steps : kCpuSteps) {
        for (const int rows : kCpuRows) {
            for (const Number tile : tiles) list.push_back({.steps = steps, .rows = rows, .tile = tile});
        }
    }
    return list;
}

std::vector<MeshSchedule> trials(const MeshSchedule& chosen, const domain::Domain&, int threads) {
    std::vector<MeshSchedule> list;
    for (const int steps : kCpuSteps) {
        for (const Number parts : {Number(), Number(threads), Number(2 * threads), Number(4 * threads), Number(8 * threads)})
            list.push_back({.steps = steps, .parts = parts});
    }
    for (const auto order : {VertexOrder::file, VertexOrder::morton}) list.push_back({.order = order, .steps = 1});
    for (const auto gather : {Gather::vector, Gather::words}) {
        list.push_back(chosen);
        list.back().gather = gather;
    }
    return list;
}

std::vector<CardPlaneSchedule> trials(const CardPlaneSchedule&, const domain::Domain& domain, int) {
    std::vector<CardPlaneSchedule> list = {{.steps = 1}};
    for (const int steps : kCardSteps) {
        list.push_back({.steps = steps});
        for (const int strip : {16, 32, 64, 128, 256, 512}) list.push_back({.steps = steps, .strip = strip});
        for (const int tile : {4, 6, 8}) list.push_back({.steps = steps, .tile = tile});
        list.push_back({.steps = steps, .warps = 12});
    }
    // the whole plane in registers, in one launch whose blocks stay
    if (domain::cell_count(domain) <= kHeldCells) {
        for (const int steps : {2, 3, 4, 6, 8}) list.push_back({.steps = steps, .strip = 0});
    }
    return list;
}

std::vector<CardVolumeSchedule> trials(const CardVolumeSchedule&, const domain::Domain&, int) {
    std::vector<CardVolumeSchedule> list = {{.steps = 1}};
    for (const int steps : kCardSteps) {
        list.push_back({.steps = steps});
        for (const int planes : {16, 32, 64, 128, 256, 512}) list.push_back({.steps = steps, .planes = planes});
    }
    return list;
}

std::vector<CardMeshSchedule> trials(const CardMeshSchedule&, const domain::Domain&, int) {
    std::vector<CardMeshSchedule> list;
    for (const int steps : {1, 2, 3, 4, 6, 8}) {
        for (const Number threads : {Number(), Number(128), Number(256), Number(512), Number(1024)})
            list.push_back({.steps = steps, .threads = threads});
    }
    for (const auto order : {VertexOrder::file, VertexOrder::morton}) list.push_back({.order = order, .steps = 1});
    return list;
}

// ---- how far a trial is from the choice of the cost model, in octaves

constexpr double kOther = 0.5;  // something else than the cost model has

double octaves(Number a, Number b) {
    return a.value_or(0) > 0 && b.value_or(0) > 0 ? std::abs(std::log2(static_cast<double>(*a) / *b)) : 0;
}
double beside(Number a, Number b) { return a ? kOther + octaves(a, b) : 0; }

double distance(const PlaneSchedule& a, const PlaneSchedule& b, int) {
    return octaves(a.steps, b.steps) + octaves(a.rows, b.rows) + beside(a.strip, Number());
}
double distance(const VolumeSchedule& a, const VolumeSchedule& b, int) {
    return octaves(a.steps, b.steps) + octaves(a.rows, b.rows) + beside(a.tile, Number());
}
double distance(const MeshSchedule& a, const MeshSchedule& b, int threads) { return octaves(a.steps, b.steps) + beside(a.parts, threads); }
double distance(const CardPlaneSchedule& a, const CardPlaneSchedule& b, int) {
    return octaves(a.steps, b.steps) + octaves(a.tile, b.tile) + beside(a.warps, b.warps) + beside(a.strip, b.strip);
}
double distance(const CardVolumeSchedule& a, const CardVolumeSchedule& b, int) {
    return octaves(a.steps, b.steps) + beside(a.planes, b.planes);
}
double distance(const CardMeshSchedule& a, const CardMeshSchedule& b, int) {
    return octaves(a.steps, b.steps) + beside(a.threads, b.threads);
}

// ---- on several ranks

double distance(const Spread& a, const Spread& b) { return octaves(a.halo, b.halo) + (a.blocks == b.blocks ? 0 : kOther); }

/// All ways to cut a domain into as many blocks as `chosen` has.
std::vector<std::optional<BlockCounts>> cuts_of(const std::optional<BlockCounts>& chosen, const domain::Domain& domain) {
    const auto* grid = std::get_if<domain::Grid>(&domain);
    if (!chosen || !grid) return {chosen};
    std::vector<std::optional<BlockCounts>> list;
    const int count = (*chosen)[0] * (*chosen)[1] * (*chosen)[2];
    for (int z = 1; z <= count; ++z) {
        for (int y = 1; y <= count / z; ++y) {
            if (count % (z * y) != 0) continue;
            const BlockCounts blocks = {count / z / y, y, z};
            bool fits = true;
            for (std::size_t d = 0; d < 3; ++d)
                fits = fits && (blocks[d] == 1 || (domain::can_be_cut(*grid, d) && blocks[d] <= grid->size[d]));
            if (fits) list.emplace_back(blocks);
        }
    }
    return list;
}

/// Each of `list` with all cuts, and with exchanges every one, two and four passes; first the cost model's with the same.
template <class S>
std::vector<S> spread_out(const std::vector<S>& list, const S& chosen, const domain::Domain& domain) {
    const auto cuts = cuts_of(spread_of(chosen).blocks, domain);
    std::vector<S> all;
    const auto add = [&](const S& trial, int halo) {
        for (const auto& blocks : cuts) all.push_back(std::get<S>(with_spread(trial, {halo, blocks})));
    };
    for (const int halo : kHalos) add(S(), halo);
    for (const S& trial : list) {
        for (const int passes : {1, 2, 4}) add(trial, passes * trial.steps.value_or(1));
    }
    return all;
}

}  // namespace

std::vector<Schedule> trial_schedules(const Schedule& chosen, const domain::Domain& domain, int threads) {
    return std::visit(
        [&]<class S>(const S& own) -> std::vector<Schedule> {
            if constexpr (std::is_same_v<S, OpenSchedule>) {
                return {};
            } else {
                std::vector<S> list = trials(own, domain, threads);
                const Spread spread = spread_of(chosen);
                if (spread.halo) list = spread_out(list, own, domain);
                const auto far = [&](const S& each) { return distance(each, own, threads) + distance(spread_of(each), spread); };
                std::stable_sort(list.begin(), list.end(), [&](const S& a, const S& b) { return far(a) < far(b); });
                return {list.begin(), list.end()};
            }
        },
        chosen);
}

}  // namespace mottle::run
