// mottle/sweep/numbers.cpp: .csv and .npy of a sweep
#include "mottle/sweep/numbers.h"

#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/output/npy.h"
#include "mottle/output/table.h"

#include <algorithm>
#include <limits>
#include <string>

namespace mottle::sweep {
namespace {

template <class Real>
void fill_with_nan(std::span<std::byte> bytes) {
    std::fill_n(reinterpret_cast<Real*>(bytes.data()), bytes.size() / sizeof(Real), std::numeric_limits<Real>::quiet_NaN());
}

}  // namespace

std::filesystem::path write_table(const Spec& spec, std::span<const Result> results) {
    std::string text;
    for (const Axis& axis : spec.axes) text += axis.name + ",";
    for (std::size_t i = 0; i < kColumns.size(); ++i) text.append(i == 0 ? "" : ",").append(kColumns[i]);
    for (const model::Equation& equation : spec.base.model.equations) text += "," + output::statistics_header(equation.field);
    text += "\n";
    for (std::size_t i = 0; i < results.size(); ++i) {
        const stepper::Outcome& outcome = results[i].outcome;
        for (std::size_t a = 0; a < spec.axes.size(); ++a) text += core::number_text(spec.value(a, i)) + ",";
        text += std::string(stepper::word_of(outcome.verdict)) + "," + std::to_string(outcome.at.step) + "," +
                core::number_text(outcome.at.time);
        for (const backend::Statistics& field : results[i].fields) text += "," + output::statistics_text(field);
        text += "\n";
    }
    core::AtomicFile file(spec.table);
    file.write(std::as_bytes(std::span(text)));
    file.commit();
    return std::filesystem::absolute(spec.table).lexically_normal();
}

std::filesystem::path write_states(const Spec& spec, std::span<const Tile> members) {
    const field::Field& first = *members.front().field;
    const bool f64 = first.kernel().program().f64;
    std::vector<Index> shape = output::state_shape(first);
    for (const Axis& axis : spec.axes) shape.insert(shape.begin(), static_cast<Index>(axis.values.size()));
    const std::string header = output::npy_header(f64 ? "<f8" : "<f4", shape);
    core::AtomicFile file(spec.states);
    file.write(std::as_bytes(std::span(header)));
    std::vector<std::byte> values;
    for (const Tile& member : members) {
        output::read_state(*member.field, values);
        if (member.lost) f64 ? fill_with_nan<double>(values) : fill_with_nan<float>(values);
        file.write(values);
    }
    file.commit();
    return std::filesystem::absolute(spec.states).lexically_normal();
}

}  // namespace mottle::sweep
