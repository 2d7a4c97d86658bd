// mottle/backend/step_plan.cpp: what the stages of a step read, make and hand on
#include "mottle/backend/step_plan.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace mottle::backend {

using ir::Op;

int Window::reach(std::size_t axis) const { return std::max(std::abs(low[axis]), std::abs(high[axis])); }

StageUse::StageUse(const ir::Stage& stage) : operations(ir::operations(stage.code)) {
    for (const auto& in : stage.code) {
        if (in.op == Op::axis) tables.insert(in.index);
        if (in.op == Op::edge) edges.insert(in.index);
        if (in.op == Op::neighbour) neighbours.insert(in.index);
        const auto zeros = std::count(in.offset.begin(), in.offset.end(), 0);
        looks_around = looks_around || zeros < 3;  // loads and tables alone have offsets
        if (in.op != Op::load) continue;
        turns = turns || zeros < 2;
        const auto [found, fresh] = loads.try_emplace(in.index);
        Window& window = found->second;
        for (std::size_t d = 0; d < 3; ++d) {
            window.low[d] = fresh ? in.offset[d] : std::min<int>(window.low[d], in.offset[d]);
            window.high[d] = fresh ? in.offset[d] : std::max<int>(window.high[d], in.offset[d]);
        }
    }
    for (const auto& [array, value] : stage.stores) makes.insert(array);
}

int StageUse::reach(std::size_t axis) const {
    int most = 0;
    for (const auto& [array, window] : loads) most = std::max(most, window.reach(axis));
    return most;
}

int StageUse::reach(ir::Array array, std::size_t axis) const {
    const auto found = loads.find(array);
    return found == loads.end() ? 0 : found->second.reach(axis);
}

StepPlan::StepPlan(const ir::Program& from) : program(from), states(from.state_count()) {
    for (const auto& stage : from.step.stages) {
        const StageUse& use = stages.emplace_back(stage);
        neighbours.insert(use.neighbours.begin(), use.neighbours.end());
        tables.insert(use.tables.begin(), use.tables.end());
        edges.insert(use.edges.begin(), use.edges.end());
        operations += use.operations;
    }
    for (ir::Array a = 0; a < static_cast<ir::Array>(from.arrays.size()); ++a) {
        const bool map = from.arrays[core::at(a)].kind == ir::ArrayInfo::Kind::input;
        if (!map) cells.push_back(a);
        if (map && std::any_of(stages.begin(), stages.end(), [a](const StageUse& stage) { return stage.reads(a); })) maps.insert(a);
    }
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const ir::Stage& plain = from.step.stages[s];
        flushes.push_back(from.flush_step &&
                          (plain.code != from.flush_step->stages[s].code || plain.stores != from.flush_step->stages[s].stores));
    }
}

int StepPlan::most_operations() const {
    int most = 0;
    for (const StageUse& stage : stages) most = std::max(most, stage.operations);
    return most;
}

std::vector<ir::Array> StepPlan::carried(std::size_t stage) const {
    const auto begin = stages.begin(), here = begin + static_cast<std::ptrdiff_t>(stage);
    std::vector<ir::Array> arrays = cells;
    std::erase_if(arrays, [&](ir::Array array) {
        auto makes = [array](const StageUse& other) { return other.makes.contains(array); };
        auto wants = [array](const StageUse& other) { return other.reads(array); };
        const bool there = !is_held(array) || std::any_of(begin, here, makes);
        return !there || makes(*here) || std::none_of(here + 1, stages.end(), wants);
    });
    return arrays;
}

std::vector<ir::Array> StepPlan::exchanged(std::size_t stage) const {
    std::vector<ir::Array> arrays = cells;
    std::erase_if(arrays, [&](ir::Array array) { return stages[stage].reach(array, 1) == 0; });
    return arrays;
}

std::vector<ir::Array> StepPlan::ghosted(std::size_t stage) const {
    std::vector<ir::Array> arrays = cells;
    std::erase_if(arrays, [&](ir::Array array) { return stage == 0 ? is_held(array) : !stages[stage - 1].makes.contains(array); });
    return arrays;
}

int StepPlan::exchanging_stages() const {
    int count = 0;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) count += exchanged(stage).empty() ? 0 : 1;
    return count;
}

std::size_t StepPlan::most_exchanged() const {
    std::size_t most = 0;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) most = std::max(most, exchanged(stage).size());
    return most;
}

int StepPlan::reach() const {
    int all = 0;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) all += reach(stage);
    return all;
}

std::vector<Level> StepPlan::levels(int steps) const {
    std::vector<Level> levels;
    for (int step = 0; step < steps; ++step) {
        for (std::size_t stage = 0; stage < stages.size(); ++stage) levels.push_back({step, stage, reach(stage)});
    }
    return levels;
}

// An array is made `made` rows behind the row that comes in, and the last row that a stage wants of it lies `wanted` rows behind that.
int StepPlan::kept_rows(std::size_t axis) const {
    int rows = 0;
    for (const ir::Array array : cells) {
        int behind = 0, made = 0, wanted = 0;
        for (std::size_t stage = 0; stage < stages.size(); ++stage) {
            const StageUse& what = stages[stage];
            behind += reach(stage);
            if (what.reads(array)) wanted = std::max(wanted, behind + (what.reach(array, axis) > 0 ? 1 : 0));
            if (what.makes.contains(array) && is_held(array)) made = behind;
        }
        rows += std::max(0, wanted - made);
    }
    return rows;
}

int StepPlan::most_alive() const {
    std::size_t most = core::at(states);
    for (std::size_t stage = 0; stage < stages.size(); ++stage) most = std::max(most, carried(stage).size() + stages[stage].makes.size());
    return static_cast<int>(most);
}

std::string StepPlan::pass_obstacle(const domain::Grid& grid, int axes) const {
    for (const StageUse& stage : stages) {
        if (std::max({stage.reach(0), stage.reach(1), stage.reach(2)}) > 1) return "a stencil reaches further than one cell";
    }
    // a cell beyond a border is another cell of the grid to what wraps, and made from the one before it to what does not
    for (int d = 0; d < axes; ++d) {
        for (ir::Array a = 0; a < static_cast<ir::Array>(program.arrays.size()); ++a) {
            if (wraps_along(program.ghosts_of(a), d) != domain::wraps(grid, core::at(2 * d)))
                return "some fields wrap along an axis along which others do not";
        }
    }
    return "";
}

}  // namespace mottle::backend
