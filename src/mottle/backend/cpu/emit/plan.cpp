// mottle/backend/cpu/emit/plan.cpp: groups of arrays, rows each stage needs, constants
#include "mottle/backend/cpu/emit/plan.h"

#include "mottle/core/error.h"

#include <algorithm>
#include <map>
#include <set>

namespace mottle::backend::cpu {

using ir::ArrayInfo;
using ir::Op;

int StagePlan::input_of(int group) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].group == group) return static_cast<int>(i);
    }
    return -1;
}

int StagePlan::input_pointer(int input, int rows) const {
    int at = 0;
    for (int i = 0; i < input; ++i) at += rows + inputs[core::at(i)].high - inputs[core::at(i)].low;
    return at;
}

int StagePlan::output_pointer(int output, int rows) const { return input_pointer(static_cast<int>(inputs.size()), rows) + output * rows; }

int StagePlan::pointers(int rows) const { return output_pointer(static_cast<int>(outputs.size()), rows); }

int Plan::most_arrays() const {
    std::size_t most = 1;
    for (const auto& group : groups) most = std::max(most, group.arrays.size());
    return static_cast<int>(most);
}

bool Plan::any_wraps() const {
    return std::any_of(groups.begin(), groups.end(), [](const Group& group) { return group.wraps; });
}

bool Plan::all_wrap() const {
    return std::all_of(groups.begin(), groups.end(), [](const Group& group) { return group.wraps; });
}

namespace {

bool wraps(const ir::Program& program, ir::Array array) {
    const ir::GhostRule& rule = program.ghosts_of(array);
    return rule[domain::kTop].rule == domain::Rule::periodic;
}

// Along x a kernel carries what it overwrites; but in a volume it may update a row in pieces.
bool reads_neighbours(const ir::Stage& stage, ir::Array array, bool volume) {
    return std::any_of(stage.code.begin(), stage.code.end(), [&](const ir::Instruction& i) {
        return i.op == Op::load && i.index == array && ((volume && i.offset[0] != 0) || i.offset[1] != 0 || i.offset[2] != 0);
    });
}

Home home_of(const ir::Program& program, ir::Array array, bool volume) {
    switch (program.arrays[core::at(array)].kind) {
        case ArrayInfo::Kind::held:
            return Home::held;
        case ArrayInfo::Kind::input:
            return Home::map;
        case ArrayInfo::Kind::state:
            break;
    }
    return reads_neighbours(program.step.stages.back(), array, volume) ? Home::shifting : Home::resting;
}

Along along_of(const ir::Program& program, ir::Array array, bool volume) {
    const auto& [x, y, z] = program.arrays[core::at(array)].varies;
    return volume || (x && y) ? Along::both : y ? Along::y : Along::x;
}

StagePlan plan_stage(const ir::Stage& stage, const Plan& plan) {
    StagePlan result;
    std::map<int, RowInput> rows;  // by group
    std::set<int> outputs, axes;
    const std::size_t along = plan.volume ? 2 : 1, across = 3 - along;
    auto take = [&](int group, int row) -> RowInput& {
        RowInput& input = rows.try_emplace(group, RowInput{group, row, row}).first->second;
        input.low = std::min(input.low, row);
        return input;
    };
    for (const auto& i : stage.code) {
        if (i.op == Op::axis) axes.insert(i.index);
        if (i.op != Op::load) continue;
        const int step = i.offset[along], beside = i.offset[across];
        if (beside != 0 && (i.offset[0] != 0 || step != 0 || std::abs(beside) > 1))
            throw core::InternalError("a stencil of compiled kernels reaches along one axis at a time in a volume, by one cell");
        RowInput& input = take(plan.group_of[core::at(i.index)], step);
        input.high = std::max(input.high, step);
        input.beside = input.beside || beside != 0;
        result.radius = std::max(result.radius, std::abs(step));
        result.columns = std::max<int>(result.columns, std::abs(i.offset[0]));
        result.beside = std::max(result.beside, std::abs(beside));
    }
    for (const auto& store : stage.stores) outputs.insert(plan.group_of[core::at(store.first)]);
    for (int group : outputs) {
        // a shifting row is written over an input row (RowEmitter::output_place), which must be among the inputs
        if (plan.groups[core::at(group)].home == Home::shifting) take(group, -1).beside = plan.volume;
    }
    for (const auto& [group, input] : rows) result.inputs.push_back(input);
    result.outputs.assign(outputs.begin(), outputs.end());
    result.axes.assign(axes.begin(), axes.end());
    return result;
}

// The code of two stages, seen from the second one's cell.
ir::Stage join(const ir::Stage& first, const ir::Stage& second) {
    ir::Stage result = first;
    for (ir::Instruction& i : result.code) {
        if (i.op != Op::load) continue;
        i.offset[0] = static_cast<decltype(i.offset)::value_type>(i.offset[0] + kAhead);
        i.offset[1] = static_cast<decltype(i.offset)::value_type>(i.offset[1] + kAhead);
    }
    const auto behind = static_cast<ir::Value>(first.code.size());
    for (ir::Instruction i : second.code) {
        for (int arg = 0; arg < ir::arity(i.op); ++arg) i.args[core::at(arg)] += behind;
        result.code.push_back(i);
    }
    for (const auto& [array, value] : second.stores) result.stores.emplace_back(array, value + behind);
    return result;
}

// All but the last stage hold what they make. Tables of coordinates end with the rows of the grid, which a call for two stages may pass.
bool can_join(const StagePlan& first, const StagePlan& second) {
    const auto near = [](const StagePlan& stage) { return stage.radius <= kAhead && stage.columns <= kAhead && stage.axes.empty(); };
    return near(first) && near(second) && second.skew == kAhead;
}

std::vector<JoinedStages> join_stages(const ir::Program& program, const Plan& plan) {
    std::vector<JoinedStages> result;
    for (std::size_t s = 0; s + 1 < plan.stages.size(); ++s) {
        if (!can_join(plan.stages[s], plan.stages[s + 1])) continue;
        const ir::Stage& first = program.step.stages[s];
        JoinedStages& both = result.emplace_back();
        both.first = static_cast<int>(s);
        both.ahead = first.stores.size();
        both.step = join(first, program.step.stages[s + 1]);
        if (program.flush_step && s + 2 == plan.stages.size()) both.flush = join(first, program.flush_step->stages[s + 1]);
        both.plan = plan_stage(both.step, plan);
        bool read = true;  // what the first stage writes stands among the inputs, if the second has use for it
        for (const auto& [array, value] : first.stores) read = read && both.plan.input_of(plan.group_of[core::at(array)]) >= 0;
        if (!read) {
            result.pop_back();
            continue;
        }
        for (RowInput& input : both.plan.inputs) {
            if (plan.groups[core::at(input.group)].home == Home::held) input.high = std::max(input.high, kAhead);
        }
        ++s;
    }
    return result;
}

// Two joined stages read a column ahead of what each of them reads.
std::vector<bool> read_beyond_rows(const ir::Program& program, const Plan& plan) {
    std::vector<bool> result(program.arrays.size());
    const auto add = [&](const ir::Stage& stage) {
        for (const ir::Instruction& i : stage.code) {
            if (i.op == Op::load && i.offset[0] != 0) result[static_cast<std::size_t>(i.index)] = true;
        }
    };
    for (const ir::Stage& stage : program.step.stages) add(stage);
    for (const JoinedStages& both : plan.joined) add(both.step);
    return result;
}

}  // namespace

Plan make_plan(const ir::Program& program, bool volume) {
    Plan plan;
    plan.volume = volume;
    for (Home home : {Home::shifting, Home::resting, Home::held, Home::map}) {
        for (const Along along : {Along::both, Along::x, Along::y}) {
            for (const bool wrapping : {true, false}) {
                Group group{home, along, wrapping, {}};
                for (ir::Array a = 0; a < static_cast<ir::Array>(program.arrays.size()); ++a) {
                    const bool fits =
                        home_of(program, a, volume) == home && along_of(program, a, volume) == along && wraps(program, a) == wrapping;
                    if (fits) group.arrays.push_back(a);
                }
                if (!group.arrays.empty()) plan.groups.push_back(std::move(group));
            }
        }
    }
    plan.group_of.resize(program.arrays.size());
    plan.ordinal_of.resize(program.arrays.size());
    for (std::size_t g = 0; g < plan.groups.size(); ++g) {
        for (std::size_t i = 0; i < plan.groups[g].arrays.size(); ++i) {
            auto array = core::at(plan.groups[g].arrays[i]);
            plan.group_of[array] = static_cast<int>(g);
            plan.ordinal_of[array] = static_cast<int>(i);
        }
    }
    for (const auto& stage : program.step.stages) {
        plan.stages.push_back(plan_stage(stage, plan));
        plan.radius += plan.stages.back().radius;
        plan.columns += plan.stages.back().columns;
        plan.beside += plan.stages.back().beside;
    }
    // Among several stages each runs at least one row behind, so that nobody overwrites a held or resting row that is still to be read.
    for (auto& stage : plan.stages) stage.skew = std::max(stage.radius, plan.stages.size() > 1 ? 1 : 0);
    if (!volume) plan.joined = join_stages(program, plan);
    plan.beyond_rows = read_beyond_rows(program, plan);
    plan.constants = Constants(program);
    return plan;
}

}  // namespace mottle::backend::cpu
