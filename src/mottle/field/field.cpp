// mottle/field/field.cpp: initial values and maps of a simulation, and its fields by name
#include "mottle/field/field.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/piece.h"
#include "mottle/field/all_rows.h"
#include "mottle/field/cell_kinds.h"
#include "mottle/field/cell_text.h"
#include "mottle/field/expression_rows.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <atomic>
#include <type_traits>

namespace mottle::field {

using core::Index;

namespace {

const model::ExprPtr& expression_of(const ir::ArrayInfo& array, const model::Model& model) {
    for (const auto& equation : model.equations) {
        if (array.kind == ir::ArrayInfo::Kind::state && equation.field == array.name) return equation.initial;
    }
    for (const auto& parameter : model.parameters) {
        if (array.kind == ir::ArrayInfo::Kind::input && parameter.name == array.name) return parameter.map;
    }
    throw core::InternalError("the model has nothing named '" + array.name + "' to fill an array with");
}

/// Evaluates `expr` for one array of `program`. Throws: InputError at the first value that is not finite.
void evaluate_array(const ir::ArrayInfo& array, bool f64, const model::ExprPtr& expr, const ir::Expression& expression,
                    const domain::Domain& domain, const InitialSpec& initial, core::ThreadTeam& team, const RowTaker& take) {
    const BadCell bad = evaluate_rows(expression, domain, f64, initial, team, take);
    if (bad.cell < 0) return;
    const std::string what = array.kind == ir::ArrayInfo::Kind::state ? "the initial state of '" : "the map of '";
    throw core::InputError(what + array.name + "' is " + core::number_text(bad.value) + " at " +
                               cell_text(domain::whole_of(domain), bad.cell) +
                               (f64 ? "; values must be finite" : "; values must be finite and below 3.4e38 in f32"),
                           expr->span);
}

/// Fills one array of a kernel. Throws: as evaluate_array.
void fill_array(backend::Kernel& kernel, backend::State& state, ir::Array array, const model::ExprPtr& expr, const model::Model& model,
                const InitialSpec& initial, core::ThreadTeam& team) {
    const ir::Expression expression = ir::lower_position(expr, model, domain::whole_of(kernel.domain()));
    if (comes_in_pieces(expression, kernel.domain())) {
        ir::Expression by_path = expression;
        for (ir::SourceCall& call : by_path.sources) {
            if (call.function == model::Callee::image) call.text = (initial.folder / call.text).string();
        }
        if (kernel.fill_array(state, array, by_path, initial.seed)) return;
    }
    const ir::Program& program = kernel.program();
    evaluate_array(program.arrays[core::at(array)], program.f64, expr, expression, kernel.domain(), initial, team,
                   [&](Index row, std::span<const double> cells) { kernel.write_row(state, array, row, cells); });
}

/// Calls `work(array, expression)` for every array that has values before the first step. Throws: InputError (no initial state).
template <class Work>
void for_each_filled(const ir::Program& program, const model::Model& model, Work work) {
    ir::require_default_mode();
    for (std::size_t i = 0; i < program.arrays.size(); ++i) {
        const ir::ArrayInfo& array = program.arrays[i];
        const bool state = array.kind == ir::ArrayInfo::Kind::state;
        if (array.kind == ir::ArrayInfo::Kind::held || (state && static_cast<int>(i) >= program.field_count())) continue;
        const model::ExprPtr& expr = expression_of(array, model);
        if (!expr)
            throw core::InputError("the field '" + array.name + "' has no initial state; write " + array.name +
                                   " = \"...\" under [initial]");
        work(static_cast<ir::Array>(i), expr);
    }
}

}  // namespace

Field::Field(backend::Kernel& kernel, const model::Model& model, const InitialSpec& initial, core::Context& context)
    : kernel_(&kernel), state_(kernel.create_state()) {
    const ir::Program& program = kernel.program();
    for_each_filled(program, model, [&](ir::Array array, const model::ExprPtr& expr) {
        fill_array(kernel, *state_, array, expr, model, initial, context.team);
    });
}

void Field::fill_map(ir::Array map, const model::Model& model, const InitialSpec& initial, core::Context& context) {
    ir::require_default_mode();
    fill_array(*kernel_, *state_, map, expression_of(kernel_->program().arrays[core::at(map)], model), model, initial, context.team);
}

void require_finite_start(const ir::Program& program, const model::Model& model, const domain::Domain& domain, const InitialSpec& initial,
                          core::ThreadTeam& team) {
    for_each_filled(program, model, [&](ir::Array array, const model::ExprPtr& expr) {
        evaluate_array(program.arrays[core::at(array)], program.f64, expr, ir::lower_position(expr, model, domain), domain, initial, team,
                       [](Index, std::span<const double>) {});
    });
}

void Field::move_to(backend::Kernel& kernel) {
    const ir::Program& program = kernel.program();
    std::unique_ptr<backend::State> moved = kernel.create_state();
    const auto copy = [&]<class Real>(Real, ir::Array array) {
        std::vector<Real> cells(core::at(domain::row_length(kernel.domain())));
        for (core::Index row = 0; row < domain::row_count(kernel.domain()); ++row) {
            kernel_->read_row(*state_, array, row, std::span<Real>(cells));
            if constexpr (std::is_same_v<Real, float>)
                kernel.write_row_f32(*moved, array, row, cells);  // no kernel leaves subnormal numbers
            else
                kernel.write_row(*moved, array, row, cells);
        }
    };
    for (std::size_t a = 0; a < program.arrays.size(); ++a) {
        if (program.arrays[a].kind == ir::ArrayInfo::Kind::held) continue;
        program.f64 ? copy(double{}, static_cast<ir::Array>(a)) : copy(float{}, static_cast<ir::Array>(a));
    }
    state_ = std::move(moved);
    kernel_ = &kernel;
}

ir::Array Field::find(const std::string& name) const {
    const std::vector<std::string> known = names();
    auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
        std::string list;
        for (const auto& field : known) list += (list.empty() ? "" : ", ") + field;
        throw core::InputError("unknown field '" + name + "'" + core::did_you_mean(name, known) + " (fields: " + list + ")");
    }
    return static_cast<ir::Array>(found - known.begin());
}

std::vector<double> Field::values(ir::Array array) const {
    const auto length = core::at(domain::row_length(kernel_->domain()));
    std::vector<double> all(length * core::at(domain::row_count(kernel_->domain())));
    for (std::size_t row = 0; row * length < all.size(); ++row)
        kernel_->read_row(*state_, array, static_cast<core::Index>(row), std::span(all).subspan(row * length, length));
    return all;
}

namespace {

void require_room(const domain::Domain& domain, std::size_t entries) {
    if (entries != core::at(domain::cell_count(domain)))
        throw core::InputError(core::grouped(static_cast<long long>(entries)) + " numbers for the " +
                               core::grouped(domain::cell_count(domain)) + " cells of the " + domain::describe(domain));
}

/// Throws: InputError at the first cell that `kernel` cannot hold as a finite number.
template <class Real>
[[noreturn]] void refuse_cells(const backend::Kernel& kernel, ir::Array array, std::span<const Real> cells) {
    const bool f64 = kernel.program().f64;
    const std::vector<double> wide(cells.begin(), cells.end());
    const BadCell bad = find_bad(kernel.domain(), wide, 0, f64);
    throw core::InputError("the field '" + kernel.program().arrays[core::at(array)].name + "' cannot be " + core::number_text(bad.value) +
                           " at " + cell_text(kernel.domain(), bad.cell) +
                           (f64 ? "; values must be finite" : "; values must be finite and below 3.4e38 in f32"));
}

/// Has all threads look at their rows by `look(row)`, which says what it found; then, where nothing was infinite, calls `put(row, subnormal)` for each row,
/// `subnormal` telling whether any cell was. Rows are put in the reverse order: the last ones looked at are still in the caches.
/// Returns whether rows were put.
template <class Look, class Put>
bool look_then_put(const domain::Domain& domain, core::ThreadTeam& team, const Look& look, const Put& put) {
    const Index rows = domain::row_count(domain);
    const int workers = team.size();
    std::atomic<bool> infinite = false, subnormal = false;
    team.run([&](int worker) {
        const auto [first, last] = core::share_of(rows, worker, workers);
        CellKinds seen{};
        for (Index row = first; row < last; ++row) {
            const CellKinds kinds = look(row);
            seen = {seen.infinite || kinds.infinite, seen.subnormal || kinds.subnormal};
        }
        if (seen.infinite) infinite.store(true, std::memory_order_relaxed);
        if (seen.subnormal) subnormal.store(true, std::memory_order_relaxed);
        team.barrier();
        if (infinite.load(std::memory_order_relaxed)) return;
        const bool any_subnormal = subnormal.load(std::memory_order_relaxed);
        for (Index row = last; row-- > first;) put(row, any_subnormal);
    });
    return !infinite;
}

template <class Real>
void read_cells(const backend::Kernel& kernel, const backend::State& state, ir::Array array, std::span<Real> cells,
                core::ThreadTeam& team) {
    require_room(kernel.domain(), cells.size());
    const auto length = core::at(domain::row_length(kernel.domain()));
    for_all_rows(kernel.domain(), team,
                 [&](Index row) { kernel.read_row(state, array, row, cells.subspan(core::at(row) * length, length)); });
}

}  // namespace

void Field::read(ir::Array array, std::span<float> cells, core::ThreadTeam& team) const {
    read_cells(*kernel_, *state_, array, cells, team);
}

void Field::read(ir::Array array, std::span<double> cells, core::ThreadTeam& team) const {
    read_cells(*kernel_, *state_, array, cells, team);
}

void Field::write(ir::Array array, std::span<const double> cells, core::ThreadTeam& team) {
    const domain::Domain& domain = kernel_->domain();
    require_room(domain, cells.size());
    const auto length = core::at(domain::row_length(domain));
    const auto row_of = [&](Index row) { return cells.subspan(core::at(row) * length, length); };
    const double bound = bound_of(kernel_->program().f64);
    const bool good = look_then_put(
        domain, team, [&](Index row) { return CellKinds{.infinite = any_beyond(row_of(row), bound)}; },
        [&](Index row, bool) { kernel_->write_row(*state_, array, row, row_of(row)); });
    if (!good) refuse_cells(*kernel_, array, cells);
}

void Field::write(ir::Array array, std::span<const float> cells, core::ThreadTeam& team) {
    const domain::Domain& domain = kernel_->domain();
    require_room(domain, cells.size());
    const auto length = core::at(domain::row_length(domain));
    const auto row_of = [&](Index row) { return cells.subspan(core::at(row) * length, length); };
    const bool good = look_then_put(
        domain, team, [&](Index row) { return kinds_of(row_of(row)); },
        [&](Index row, bool subnormal) {
            if (!subnormal) return kernel_->write_row_f32(*state_, array, row, row_of(row));
            const std::span<const float> from = row_of(row);
            kernel_->write_row(*state_, array, row, std::vector<double>(from.begin(), from.end()));
        });
    if (!good) refuse_cells(*kernel_, array, cells);
}

std::vector<std::string> Field::names() const {
    const auto& arrays = kernel_->program().arrays;
    const int count = kernel_->program().field_count();
    std::vector<std::string> names;
    names.reserve(core::at(count));
    for (int i = 0; i < count; ++i) names.push_back(arrays[core::at(i)].name);
    return names;
}

}  // namespace mottle::field
