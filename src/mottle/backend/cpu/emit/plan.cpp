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

int StagePlan::made_from(const Plan& plan, int group) const {
    const int input = input_of(group);
    if (std::find(outputs.begin(), outputs.end(), group) == outputs.end() || input < 0) return -1;
    if (plan.groups[core::at(group)].home == Home::shifting) return -1 - inputs[core::at(input)].low;
    return has_centre(input) ? -inputs[core::at(input)].low : -1;
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

bool wraps_down(const ir::Program& program, ir::Array array) { return wraps_along(program.ghosts_of(array), 1); }

// Along x a kernel keeps values in registers before it overwrites them, except in a volume, where it may update a row in pieces.
bool reads_neighbours(const StageUse& stage, ir::Array array, bool volume) {
    return (volume && stage.reach(array, 0) > 0) || stage.reach(array, 1) > 0 || stage.reach(array, 2) > 0;
}

// Whether an array is for sums alone, and Phases::begin makes it again from the fields at any step: there is one phase of a step.
bool may_pass(const ir::Program& program, ir::Array array) {
    if (!program.phases || program.phases->step.size() != 1 || !program.phases->begin) return false;
    const auto loads = [&](const ir::Stage& stage) {
        return std::any_of(stage.code.begin(), stage.code.end(),
                           [&](const ir::Instruction& i) { return i.op == Op::load && i.index == array; });
    };
    const auto& sums = program.phases->sums;
    return array >= program.field_count() &&
           std::any_of(sums.begin(), sums.end(), [&](const ir::Sum& sum) { return sum.array == array; }) &&
           std::none_of(program.step.stages.begin(), program.step.stages.end(), loads);
}

Home home_of(const StepPlan& step, ir::Array array, bool volume, Terms terms) {
    if (terms == Terms::passing && may_pass(step.program, array)) return Home::held;
    switch (step.program.arrays[core::at(array)].kind) {
        case ArrayInfo::Kind::held:
            return Home::held;
        case ArrayInfo::Kind::input:
            return Home::map;
        case ArrayInfo::Kind::state:
            break;
    }
    return reads_neighbours(step.stages.back(), array, volume) ? Home::shifting : Home::resting;
}

Along along_of(const ir::Program& program, ir::Array array, bool volume) {
    const auto& [x, y, z] = program.arrays[core::at(array)].varies;
    return volume || (x && y) ? Along::both : y ? Along::y : Along::x;
}

StagePlan plan_stage(const StageUse& stage, const Plan& plan) {
    const std::size_t along = plan.volume ? 2 : 1, across = 3 - along;
    StagePlan result{.radius = stage.reach(along), .columns = stage.reach(0), .beside = stage.reach(across)};
    if (plan.volume && (stage.turns || result.beside > 1))
        throw core::InternalError("a stencil of compiled kernels reaches along one axis at a time in a volume, by one cell");
    std::map<int, RowInput> rows;  // by group
    auto take = [&](int group, int low, int high) -> RowInput& {
        RowInput& input = rows.try_emplace(group, RowInput{group, low, high}).first->second;
        input.low = std::min(input.low, low);
        input.high = std::max(input.high, high);
        return input;
    };
    for (const auto& [array, window] : stage.loads) {
        RowInput& input = take(plan.group_of[core::at(array)], window.low[along], window.high[along]);
        input.beside = input.beside || window.reach(across) > 0;
    }
    std::set<int> outputs;
    for (const ir::Array array : stage.makes) outputs.insert(plan.group_of[core::at(array)]);
    for (int group : outputs) {
        // a shifting row is written over an input row (RowEmitter::output_place), which must be among the inputs
        if (plan.groups[core::at(group)].home == Home::shifting) take(group, -1, -1).beside = plan.volume;
    }
    for (const auto& [group, input] : rows) result.inputs.push_back(input);
    result.outputs.assign(outputs.begin(), outputs.end());
    result.axes.assign(stage.tables.begin(), stage.tables.end());
    return result;
}

// The code of two stages, with offsets relative to the cell of the second one.
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

// All stages but the last one store their results in held arrays. Stages that read coordinates are not joined: the tables of coordinates end with the
// last row of the grid, and a call for two stages may go beyond it.
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
        both.plan = plan_stage(StageUse(both.step), plan);
        bool read = true;  // the output of the first stage is an input, if the second stage reads it from memory
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

// Two joined stages together read one column further than each of them alone.
std::vector<bool> read_beyond_rows(const Plan& plan) {
    std::vector<bool> result(plan.group_of.size());
    const auto add = [&](const StageUse& stage) {
        for (const auto& [array, window] : stage.loads) result[core::at(array)] = result[core::at(array)] || window.reach(0) > 0;
    };
    for (const StageUse& stage : plan.step.stages) add(stage);
    for (const JoinedStages& both : plan.joined) add(StageUse(both.step));
    return result;
}

bool leaves_some(const ir::Program& program, const std::vector<ir::Array>& arrays) {
    const auto leaves = [&](const ir::Sweep& step) {
        return std::any_of(step.stages.begin(), step.stages.end(), [&](const ir::Stage& stage) {
            return std::any_of(stage.stores.begin(), stage.stores.end(), [&](const auto& store) {
                return writes_back(stage, store) && std::find(arrays.begin(), arrays.end(), store.first) != arrays.end();
            });
        });
    };
    return leaves(program.step) || (program.flush_step && leaves(*program.flush_step));
}

}  // namespace

bool writes_back(const ir::Stage& stage, const std::pair<ir::Array, ir::Value>& store) {
    const ir::Instruction& made = stage.code[core::at(store.second)];
    return made.op == ir::Op::load && made.index == store.first && made.offset == ir::Instruction{}.offset;
}

Plan make_plan(const ir::Program& program, bool volume, Terms terms) {
    Plan plan{.step = StepPlan(program), .volume = volume};
    for (Home home : {Home::shifting, Home::resting, Home::held, Home::map}) {
        for (const Along along : {Along::both, Along::x, Along::y}) {
            for (const bool wrapping : {true, false}) {
                Group group{.home = home, .along = along, .wraps = wrapping, .arrays = {}};
                for (ir::Array a = 0; a < static_cast<ir::Array>(program.arrays.size()); ++a) {
                    const bool fits = home_of(plan.step, a, volume, terms) == home && along_of(program, a, volume) == along &&
                                      wraps_down(program, a) == wrapping;
                    if (fits) group.arrays.push_back(a);
                }
                group.stays = home == Home::resting && leaves_some(program, group.arrays);
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
    for (const StageUse& stage : plan.step.stages) {
        plan.stages.push_back(plan_stage(stage, plan));
        plan.radius += plan.stages.back().radius;
        plan.columns += plan.stages.back().columns;
        plan.beside += plan.stages.back().beside;
    }
    // If there are several stages, each runs at least one row behind the stage before it, so that no stage overwrites a held or resting row that another one
    // still has to read.
    for (auto& stage : plan.stages) plan.skew += stage.skew = std::max(stage.radius, plan.stages.size() > 1 ? 1 : 0);
    if (!volume) plan.joined = join_stages(program, plan);
    plan.beyond_rows = read_beyond_rows(plan);
    plan.constants = Constants(program);
    return plan;
}

}  // namespace mottle::backend::cpu
