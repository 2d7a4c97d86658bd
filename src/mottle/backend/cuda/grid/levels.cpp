// mottle/backend/cuda/grid/levels.cpp: a pass as levels: how far each reaches, what goes from one to the next
#include "mottle/backend/cuda/grid/levels.h"

#include <algorithm>
#include <array>

namespace mottle::backend::cuda {
namespace {

constexpr std::array<std::int8_t, 3> kHere{0, 0, 0};

bool is_held(const ir::Program& program, ir::Array array) { return program.arrays[core::at(array)].kind == ir::ArrayInfo::Kind::held; }

bool stores(const ir::Stage& stage, ir::Array array) {
    return std::any_of(stage.stores.begin(), stage.stores.end(), [array](const auto& store) { return store.first == array; });
}

bool reads(const ir::Stage& stage, ir::Array array) {
    return std::any_of(stage.code.begin(), stage.code.end(),
                       [array](const ir::Instruction& in) { return in.op == ir::Op::load && in.index == array; });
}

bool reads_beside(const ir::Stage& stage, ir::Array array, std::size_t axis) {
    return std::any_of(stage.code.begin(), stage.code.end(),
                       [=](const ir::Instruction& in) { return in.op == ir::Op::load && in.index == array && in.offset[axis] != 0; });
}

}  // namespace

std::vector<ir::Array> cell_arrays(const ir::Program& program) {
    std::vector<ir::Array> arrays;
    for (ir::Array a = 0; a < static_cast<ir::Array>(program.arrays.size()); ++a) {
        if (program.arrays[core::at(a)].kind != ir::ArrayInfo::Kind::input) arrays.push_back(a);
    }
    return arrays;
}

std::vector<ir::Array> carried_arrays(const ir::Program& program, const ir::Sweep& step, std::size_t stage) {
    const auto begin = step.stages.begin(), here = begin + static_cast<std::ptrdiff_t>(stage);
    std::vector<ir::Array> arrays = cell_arrays(program);
    std::erase_if(arrays, [&](ir::Array array) {
        auto makes = [array](const ir::Stage& other) { return stores(other, array); };
        auto wants = [array](const ir::Stage& other) { return reads(other, array); };
        const bool there = !is_held(program, array) || std::any_of(begin, here, makes);
        return !there || makes(*here) || std::none_of(here + 1, step.stages.end(), wants);
    });
    return arrays;
}

std::vector<ir::Array> exchanged_arrays(const ir::Program& program, std::size_t stage) {
    std::vector<ir::Array> arrays = cell_arrays(program);
    std::erase_if(arrays, [&](ir::Array array) { return !reads_beside(program.step.stages[stage], array, 1); });
    return arrays;
}

std::vector<ir::Array> ghosted_arrays(const ir::Program& program, std::size_t stage) {
    std::vector<ir::Array> arrays = cell_arrays(program);
    std::erase_if(arrays,
                  [&](ir::Array array) { return stage == 0 ? is_held(program, array) : !stores(program.step.stages[stage - 1], array); });
    return arrays;
}

int stage_reach(const ir::Program& program, std::size_t stage) {
    const ir::Stage& what = program.step.stages[stage];
    auto looks_around = [](const ir::Instruction& in) { return (in.op == ir::Op::load || in.op == ir::Op::axis) && in.offset != kHere; };
    return stage + 1 == program.step.stages.size() || std::any_of(what.code.begin(), what.code.end(), looks_around) ? 1 : 0;
}

int step_reach(const ir::Program& program) {
    int reach = 0;
    for (std::size_t stage = 0; stage < program.step.stages.size(); ++stage) reach += stage_reach(program, stage);
    return reach;
}

int least_steps(const ir::Program& program) { return program.step.stages.size() > 1 ? 1 : 2; }

// An array is made `made` rows behind the row that comes in, and the last row that a stage wants of it lies `wanted` rows behind that.
int kept_rows(const ir::Program& program, std::size_t axis) {
    int rows = 0;
    for (const ir::Array array : cell_arrays(program)) {
        int behind = 0, made = 0, wanted = 0;
        for (std::size_t stage = 0; stage < program.step.stages.size(); ++stage) {
            const ir::Stage& what = program.step.stages[stage];
            behind += stage_reach(program, stage);
            if (reads(what, array)) wanted = std::max(wanted, behind + (reads_beside(what, array, axis) ? 1 : 0));
            if (stores(what, array) && is_held(program, array)) made = behind;
        }
        rows += std::max(0, wanted - made);
    }
    return rows;
}

std::vector<Level> levels_of(const ir::Program& program, int steps) {
    std::vector<Level> levels;
    for (int step = 0; step < steps; ++step) {
        for (std::size_t stage = 0; stage < program.step.stages.size(); ++stage)
            levels.push_back({step, stage, stage_reach(program, stage)});
    }
    return levels;
}

int most_alive(const ir::Program& program) {
    int most = program.state_count();
    for (std::size_t stage = 0; stage < program.step.stages.size(); ++stage) {
        const std::size_t after = carried_arrays(program, program.step, stage).size() + program.step.stages[stage].stores.size();
        most = std::max(most, static_cast<int>(after));
    }
    return most;
}

int most_operations(const ir::Program& program) {
    int most = 0;
    for (const ir::Stage& stage : program.step.stages) most = std::max(most, ir::operations(stage.code));
    return most;
}

}  // namespace mottle::backend::cuda
