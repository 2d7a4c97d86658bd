// mottle/run/settings/start_rates.cpp: evaluates some cells of the initial state and of the maps, and linearises there
#include "mottle/run/settings/start_rates.h"

#include "mottle/core/error.h"
#include "mottle/field/source.h"
#include "mottle/ir/lower/expression.h"
#include "mottle/run/settings/method_choice.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mottle::run {
namespace {

constexpr Index kStartRows = 16, kStartCells = 16;  // of a start: runs should begin at once
constexpr Index kFewFieldsOfStart = 8;  // the work for a cell grows with the cube of the fields: beyond these the mean alone is looked at
constexpr Index kMostFieldsOfStart = 128;  // for which it takes a second; starts of more are not looked at

struct Start {
    ir::CellState mean;
    std::vector<ir::CellState> cells;
};

/// Evaluates `expression` in rows here and there, and gives its value in some of their cells, and its mean, to `take(values, mean)`.
template <class Take>
void sample_row_expression(const model::ExprPtr& expression, const Spec& spec, const domain::Domain& domain, Take take) {
    const Index rows = domain::row_count(domain), length = domain::row_length(domain), sampled = std::min(rows, kStartRows);
    const Index per_row = std::min(length, std::max<Index>(1, kStartCells / sampled));
    const field::RowSource source = field::create_row_expression(ir::lower_position(expression, spec.model, domain), domain, spec.initial);
    std::vector<double> row(core::at(length)), values;
    double sum = 0;
    for (Index r = 0; r < sampled; ++r) {
        source((2 * r + 1) * rows / (2 * sampled), 0, row);
        for (const double value : row) sum += value;
        // cells of one column in all rows would see one part of a pattern of stripes
        for (Index i = 0; i < per_row; ++i) values.push_back(row[core::at(((2 * i + 1) * length / (2 * per_row) + r) % length)]);
    }
    take(values, sum / static_cast<double>(sampled * length));
}

Start start_of(const Spec& spec, const domain::Domain& domain) {
    Start start;
    const auto put = [&](const auto& store) {
        return [&start, store](const std::vector<double>& values, double mean) {
            start.cells.resize(values.size());
            for (std::size_t i = 0; i < values.size(); ++i) store(start.cells[i], values[i]);
            store(start.mean, mean);
        };
    };
    for (const model::Equation& equation : spec.model.equations) {
        if (!equation.initial) throw core::InputError(equation.field + " has no initial state");
        sample_row_expression(equation.initial, spec, domain, put([](ir::CellState& cell, double value) { cell.fields.push_back(value); }));
    }
    for (const model::Parameter& parameter : spec.model.parameters) {
        if (!parameter.map) continue;
        const std::string& name = parameter.name;
        sample_row_expression(parameter.map, spec, domain,
                              put([&name](ir::CellState& cell, double value) { cell.maps.emplace_back(name, value); }));
    }
    return start;
}

bool all_finite(const ir::CellState& cell) {
    return std::all_of(cell.fields.begin(), cell.fields.end(), [](double value) { return std::isfinite(value); });
}

/// None where the start cannot be evaluated, or would take long to linearise about.
std::optional<Start> start_to_linearise(const Spec& spec, const domain::Domain& domain) {
    const Index fields = std::ssize(spec.model.equations);
    if (fields > kMostFieldsOfStart) return std::nullopt;
    try {
        Start start = start_of(spec, domain);
        if (fields > kFewFieldsOfStart) start.cells.clear();
        std::erase_if(start.cells, [](const ir::CellState& cell) { return !all_finite(cell); });
        return start;
    } catch (const core::InputError&) {
        return std::nullopt;
    } catch (const core::ModelError&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<StartRates> rates_of_start(const Spec& spec, const domain::Domain& domain, double dt, double stiffest) {
    const std::optional<Start> start = start_to_linearise(spec, domain);
    if (!start) return std::nullopt;
    ir::LocalStability local(spec.model, {"euler", spec.method.f64, 0}, domain);
    StartRates rates;
    if (all_finite(start->mean)) static_cast<ir::CellRates&>(rates) = local.rates_at(start->mean, dt, stiffest);
    std::size_t turn = 0;
    double turning = 0;
    for (const ir::CellState& cell : start->cells) {
        const ir::CellRates here = local.rates_at(cell, dt, stiffest);
        rates.fastest = std::max(rates.fastest, here.fastest);
        turning = std::max(turning, here.turning);
        turn += here.turning > 0 ? 1 : 0;
        const auto same = std::ranges::count_if(
            start->cells, [&](const ir::CellState& other) { return other.fields == cell.fields && other.maps == cell.maps; });
        if (4 * core::at(same) >= start->cells.size()) rates.spreading = std::max(rates.spreading, here.growth);
    }
    if (4 * turn >= start->cells.size() && turn > 0) rates.turning = std::max(rates.turning, turning);
    return rates;
}

void require_readable_start(const Spec& spec) {
    const auto require = [&](const model::ExprPtr& expression) {
        if (!expression) return;
        const ir::Expression lowered = ir::lower_position(expression, spec.model, spec.domain);
        for (const ir::SourceCall& call : lowered.sources) field::create_source(call, spec.domain, spec.initial);
    };
    for (const model::Equation& equation : spec.model.equations) require(equation.initial);
    for (const model::Parameter& parameter : spec.model.parameters) require(parameter.map);
}

double longest_at_start(const Spec& spec, const domain::Domain& domain) {
    const std::optional<Start> start = start_to_linearise(spec, domain);
    if (!start) return ir::kInfinity;
    constexpr double kTooLong = 1e30;  // every wave that decays would grow
    ir::LocalStability local(spec.model, spec.method, domain);
    double longest = ir::kInfinity, fastest = 0;
    const auto look = [&](const ir::CellState& cell) {
        longest = std::min(longest, local.at(cell, kTooLong).longest);
        fastest = std::max(fastest, local.rates_at(cell, 0).fastest);
    };
    if (all_finite(start->mean)) look(start->mean);
    std::ranges::for_each(start->cells, look);
    return fastest > 0 ? std::min(longest, kStepOfRate / fastest) : longest;
}

}  // namespace mottle::run
