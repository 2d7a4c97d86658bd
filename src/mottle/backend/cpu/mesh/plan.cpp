// mottle/backend/cpu/mesh/plan.cpp: pairs arrays into words
#include "mottle/backend/cpu/mesh/plan.h"

#include "mottle/backend/step_plan.h"
#include "mottle/core/error.h"

#include <algorithm>

namespace mottle::backend::cpu {

using ir::ArrayInfo;

MeshPlan::MeshPlan(const ir::Program& program) : constants(program), stages(static_cast<int>(program.step.stages.size())) {
    const StepPlan step(program);
    for (const int edge : step.edges) edges.push_back(static_cast<ir::Edge>(edge));

    // Arrays that neighbours read share words with each other, so that few gathers fetch them all.
    const std::size_t per_word = program.f64 ? 1 : 2;
    auto columns_of = [&](auto&& belongs) {
        std::vector<Column> columns;
        for (const bool wanted : {true, false}) {
            for (ir::Array a = 0; a < static_cast<ir::Array>(program.arrays.size()); ++a) {
                if (belongs(a) && step.neighbours.contains(a) == wanted) columns.push_back({a, -1});
            }
        }
        return columns;
    };
    auto kind = [&](ir::Array a) { return program.arrays[core::at(a)].kind; };
    add(WordGroup::Home::state, columns_of([&](ir::Array a) { return kind(a) == ArrayInfo::Kind::state; }), per_word);
    for (const StageUse& stage : step.stages)  // what shares a word is stored by one stage
        add(WordGroup::Home::held, columns_of([&](ir::Array a) { return step.is_held(a) && stage.makes.contains(a); }), per_word);
    std::vector<Column> inputs = columns_of([&](ir::Array a) { return kind(a) == ArrayInfo::Kind::input; });
    for (const int axis : step.tables) inputs.push_back({-1, axis});
    add(WordGroup::Home::input, inputs, per_word);
}

void MeshPlan::add(WordGroup::Home home, const std::vector<Column>& columns, std::size_t per_word) {
    for (std::size_t i = 0; i < columns.size(); i += per_word) {
        groups.push_back({home,
                          {columns.begin() + static_cast<std::ptrdiff_t>(i),
                           columns.begin() + static_cast<std::ptrdiff_t>(std::min(i + per_word, columns.size()))}});
    }
}

MeshPlan::Place MeshPlan::place(const Column& column) const {
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto& columns = groups[g].columns;
        const auto found = std::find(columns.begin(), columns.end(), column);
        if (found != columns.end()) return {static_cast<int>(g), static_cast<int>(found - columns.begin())};
    }
    throw core::InternalError("an array of the program has no place in memory");
}

int MeshPlan::edge_place(ir::Edge edge) const { return static_cast<int>(std::find(edges.begin(), edges.end(), edge) - edges.begin()); }

}  // namespace mottle::backend::cpu
