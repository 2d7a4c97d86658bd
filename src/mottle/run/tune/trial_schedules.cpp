// mottle/run/tune/trial_schedules.cpp: the schedules that a search for the fastest one tries
#include "mottle/run/tune/trial_schedules.h"

#include <algorithm>
#include <cmath>

namespace mottle::run {
namespace {

using backend::Index;
using backend::Schedule;

constexpr Index kWideRow = 1024;       // cells from which on strips are tried
constexpr Index kHeldCells = 1 << 21;  // more than the registers of a card hold

/// All of these numbers with each other.
struct Choices {
    std::vector<int> steps, rows = {0}, parts = {0}, chunks = {-1};

    void list(std::vector<Schedule>& schedules) const {
        for (const int s : steps) {
            for (const int r : rows) {
                for (const int p : parts) {
                    for (const int chunk : chunks) schedules.push_back({s, r, chunk, p});
                }
            }
        }
    }
};

void list_orders(std::vector<Schedule>& schedules) {
    for (const auto order : {Schedule::Order::file, Schedule::Order::morton}) schedules.push_back({1, 0, -1, 0, order});
}

std::vector<Schedule> of_grid(const Schedule& chosen, const domain::Domain& domain) {
    Choices choices{.steps = {1, 2, 4, 6, 8, 12, 16, 24, 32}, .rows = {1, 2, 3, 4, 6, 8}};
    if (domain::row_length(domain) >= kWideRow)
        choices.chunks = chosen.chunk > 0 ? std::vector<int>{-1, 0, chosen.chunk / 2, 2 * chosen.chunk} : std::vector<int>{-1, 512, 1024};
    std::vector<Schedule> schedules;
    choices.list(schedules);
    return schedules;
}

std::vector<Schedule> of_mesh(const Schedule& chosen, int threads) {
    std::vector<Schedule> schedules;
    Choices{.steps = {1, 2, 4, 6, 8, 12, 16, 24, 32}, .parts = {0, threads, 2 * threads, 4 * threads, 8 * threads}}.list(schedules);
    list_orders(schedules);
    for (const auto gather : {Schedule::Gather::vector, Schedule::Gather::words}) {
        schedules.push_back(chosen);
        schedules.back().gather = gather;
    }
    return schedules;
}

/// On a card: what a chunk is, and that rows and parts are those of a tile, is in docs/gpu-measurements.md.
std::vector<Schedule> of_grid_on_card(const domain::Domain& domain) {
    const bool plane = std::get<domain::Grid>(domain).size[2] == 1;
    const std::vector<int> steps = {2, 3, 4, 5, 6, 7, 8};
    std::vector<Schedule> schedules = {{.steps = 1}};
    Choices{.steps = steps, .chunks = {-1, 16, 32, 64, 128, 256, 512}}.list(schedules);
    if (plane) Choices{.steps = steps, .rows = {4, 6, 8}}.list(schedules);
    if (plane) Choices{.steps = steps, .parts = {12}}.list(schedules);
    // the whole plane, in one launch whose blocks stay
    if (plane && domain::cell_count(domain) <= kHeldCells) Choices{.steps = {2, 3, 4, 6, 8}, .chunks = {0}}.list(schedules);
    return schedules;
}

std::vector<Schedule> of_mesh_on_card() {
    std::vector<Schedule> schedules;
    Choices{.steps = {1, 2, 3, 4, 6, 8}, .chunks = {-1, 128, 256, 512, 1024}}.list(schedules);
    list_orders(schedules);
    return schedules;
}

}  // namespace

std::vector<Schedule> trial_schedules(const Schedule& chosen, const domain::Domain& domain, bool card, int threads) {
    const bool mesh = std::holds_alternative<domain::Mesh>(domain);
    std::vector<Schedule> list = card   ? mesh ? of_mesh_on_card() : of_grid_on_card(domain)
                                   : mesh ? of_mesh(chosen, threads)
                                        : of_grid(chosen, domain);
    auto octaves = [](int a, int b) { return a > 0 && b > 0 ? std::abs(std::log2(static_cast<double>(a) / b)) : 0; };
    auto distance = [&](const Schedule& schedule) {
        const double parts = schedule.parts > 0 ? 0.5 + octaves(schedule.parts, card ? chosen.parts : threads) : 0;
        const double chunk = schedule.chunk >= 0 ? 0.5 + (card ? octaves(schedule.chunk, chosen.chunk) : 0) : 0;
        return octaves(schedule.steps, chosen.steps) + octaves(schedule.rows, chosen.rows) + parts + chunk;
    };
    std::stable_sort(list.begin(), list.end(), [&](const Schedule& a, const Schedule& b) { return distance(a) < distance(b); });
    return list;
}

}  // namespace mottle::run
