// mottle/sweep/spec.cpp: one model for every combination of the values
#include "mottle/sweep/spec.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/output/file_name.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/sweep/numbers.h"
#include "mottle/sweep/shared_parts.h"

#include <algorithm>
#include <cmath>

namespace mottle::sweep {
namespace {

constexpr const char* kOver = "--over";
constexpr double kLargestSeed = 0x1p53 - 1;

/// Where all members go into one file: `place`, which is empty so far.
void take_place(std::filesystem::path& place, const std::filesystem::path& file) {
    const std::string quoted = "'" + file.string() + "'";
    if (file.string().find('%') != std::string::npos)
        throw core::InputError(quoted + " of a sweep contains the final states of all runs; omit the %");
    if (!place.empty())
        throw core::InputError("a sweep writes one " + core::lower_case(file.extension().string()) + " file, and " + quoted +
                               " is the second");
    place = file;
}

/// Nobody could tell two columns of one name apart.
void check_columns(const Spec& spec) {
    if (spec.table.empty()) return;
    for (const Axis& axis : spec.axes) {
        if (std::find(kColumns.begin(), kColumns.end(), axis.name) == kColumns.end()) continue;
        throw core::InputError("'" + spec.table.string() + "' has a column '" + axis.name + "' of its own, so the parameter '" + axis.name +
                               "' would be a second one of that name; give the parameter another name, or write .npy or --json");
    }
}

/// Takes the array and the table out of the outputs; the others must be pictures, or on a surface files of it.
void take_numbers(Spec& spec) {
    const bool surface = std::holds_alternative<domain::Mesh>(spec.base.domain);
    std::erase_if(spec.base.outputs, [&](const run::Output& output) {
        const output::FileName name(output.sink.file);
        const std::string quoted = "'" + output.sink.file.string() + "'";
        if (name.holds(output::Contents::values) || name.holds(output::Contents::statistics)) {
            take_place(name.holds(output::Contents::values) ? spec.states : spec.table, output.sink.file);
            return true;
        }
        if (!surface && !name.video() && !name.holds(output::Contents::picture))
            throw core::InputError("a sweep cannot write " + quoted + "; it writes .png, name-%05d.png, .mp4, .gif, .csv and .npy");
        if (output.sink.style.cells > 1)
            throw core::InputError("the pictures of a sweep show each cell; omit --cells-per-pixel for " + quoted);
        if (surface && output.sink.style.turn != 0)
            throw core::InputError("the surfaces of a sweep do not turn; omit --turn for " + quoted);
        return false;
    });
}

/// `document`: of the model, all layers merged.
void check_axis(const Axis& axis, const core::Node& document, const core::Node& flags) {
    if (axis.is_seed) {
        for (const double value : axis.values) {
            if (value < 0 || value != std::floor(value) || value > kLargestSeed)
                throw core::InputError(std::string(kOver) + ": a seed must be a whole number from 0 to " + core::number_text(kLargestSeed) +
                                       ", not " + core::number_text(value));
        }
        if (flags.find("seed")) throw core::InputError("--seed and --over seed are both given; give only one");
        return;
    }
    const core::Node* set = flags.find("parameters");
    if (set && set->find(axis.name))
        throw core::InputError("--set " + axis.name + " and --over " + axis.name + " are both given; give only one");
    std::vector<std::string> known = {kSeed};
    if (const core::Node* parameters = document.find("parameters")) {
        if (parameters->find(axis.name)) return;
        for (const core::Member& member : parameters->members) known.push_back(member.key);
    }
    throw core::InputError(std::string(kOver) + ": the model has no parameter '" + axis.name + "'" + core::did_you_mean(axis.name, known));
}

/// Whether values of parameters are made of other parameters, or may be.
bool has_made_parameters(const core::Node& document) {
    const core::Node* parameters = document.find("parameters");
    return parameters && std::any_of(parameters->members.begin(), parameters->members.end(), [](const core::Member& member) {
               const core::Node* value = member.value.kind == core::Node::Kind::table ? member.value.find("value") : &member.value;
               return value && !value->is_number();
           });
}

/// A value beyond a declared range is worth a word: one for each axis, in the place of that of the first run.
void tell_values_out_of_range(const Axis& axis, run::Spec& base) {
    std::erase_if(base.notices, [&](const std::string& notice) { return notice.starts_with("warning: " + axis.name + " = "); });
    for (const model::Parameter& parameter : base.model.parameters) {
        if (parameter.name != axis.name) continue;
        const auto beyond = std::count_if(axis.values.begin(), axis.values.end(), [&](double value) {
            return (parameter.min && value < *parameter.min) || (parameter.max && value > *parameter.max);
        });
        if (beyond == 0) continue;
        base.notices.push_back("warning: " + core::counted(beyond, "value", "values") + " of " + axis.name +
                               (beyond == 1 ? " lies" : " lie") + " outside its declared range " +
                               (parameter.min ? core::number_text(*parameter.min) : "-inf") + " to " +
                               (parameter.max ? core::number_text(*parameter.max) : "inf"));
    }
}

/// The flags with the values of a member; a seed is no parameter.
core::Node with_values(core::Node flags, const Spec& spec, std::size_t member) {
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
        const Axis& axis = spec.axes[a];
        if (!axis.is_seed)
            flags.at("parameters").at(axis.name) = core::number_node(spec.value(a, member), std::string(kOver) + " " + axis.name);
    }
    return flags;
}

/// The model of the base with the values of a member, where no other parameter is made of them.
model::Model model_of(const Spec& spec, std::size_t member) {
    model::Model model = spec.base.model;
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
        for (model::Parameter& parameter : model.parameters) {
            if (parameter.name == spec.axes[a].name && !spec.axes[a].is_seed) parameter.value = spec.value(a, member);
        }
    }
    return model;
}

}  // namespace

double Spec::value(std::size_t axis, std::size_t member) const {
    const std::size_t columns = axes[0].values.size();
    return axes[axis].values[axis == 0 ? member % columns : member / columns];
}

std::uint64_t Spec::seed(std::size_t member) const {
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a].is_seed) return static_cast<std::uint64_t>(value(a, member));
    }
    return base.initial.seed;
}

std::string Spec::text(std::size_t member) const {
    std::string text;
    for (std::size_t a = 0; a < axes.size(); ++a) text += (a > 0 ? ", " : "") + axes[a].name + " = " + core::number_text(value(a, member));
    return text;
}

Spec read_spec(const core::Node& document, const std::string& name, const std::string& preset, const core::Node& typed,
               const std::vector<std::string>& over, const run::Given& given) {
    if (over.empty()) throw core::InputError("a sweep needs a parameter and its values: --over F=0.02:0.06:9, or --over F=0.03,0.05");
    if (over.size() > 2) throw core::InputError("a sweep has one or two --over, not " + std::to_string(over.size()));
    Spec spec;
    for (const std::string& text : over) spec.axes.push_back(parse_axis(text, kOver));
    if (spec.axes.size() == 2 && spec.axes[0].name == spec.axes[1].name)
        throw core::InputError("--over " + spec.axes[0].name + " is given twice; list all its values in one");
    const Index size = spec.columns() * spec.rows();
    if (size > kMostMembers)
        throw core::InputError("a sweep has at most " + core::grouped(kMostMembers) + " members, not " + core::grouped(size));

    const core::Node text = run::read_model_document(document, preset, typed);
    const core::Node* parameters = text.find("parameters");
    for (Axis& axis : spec.axes) {
        axis.is_seed = axis.name == kSeed && !(parameters && parameters->find(kSeed));
        check_axis(axis, text, typed);
    }
    spec.base = run::read_spec(document, name, preset, with_values(typed, spec, 0), given);
    if (!spec.base.devices.empty()) throw core::InputError("a sweep runs on one --device, or on ranks of mpirun; omit --devices");
    if (!spec.base.checkpoint.empty() || !spec.base.resume.empty())
        throw core::InputError("a sweep cannot save or resume its state; omit --checkpoint and --resume");
    if (spec.base.newton)
        throw core::InputError(
            "a sweep ends its runs by a tolerance, not by Newton's method; use --until steady=1e-6, or one mottle run for each value");
    take_numbers(spec);
    check_columns(spec);
    spec.base.model.presets.clear();
    for (const Axis& axis : spec.axes) tell_values_out_of_range(axis, spec.base);
    const bool made = has_made_parameters(text);
    for (std::size_t member = 0; member < core::at(size); ++member) {
        spec.models.push_back(made ? run::read_model(document, name, preset, with_values(typed, spec, member), spec.base.domain)
                                   : model_of(spec, member));
        spec.models.back().presets.clear();
    }
    require_shared_parts(spec);
    return spec;
}

}  // namespace mottle::sweep
