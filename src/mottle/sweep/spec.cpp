// mottle/sweep/spec.cpp: one model for every combination of the values
#include "mottle/sweep/spec.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/output/file_name.h"
#include "mottle/run/memory.h"

#include <algorithm>
#include <cmath>

namespace mottle::sweep {
namespace {

constexpr const char* kOver = "--over";
constexpr double kLargestSeed = 0x1p53;

bool is_seed(const Axis& axis, const model::Model& model) {
    return axis.name == kSeed &&
           std::none_of(model.parameters.begin(), model.parameters.end(), [](const auto& parameter) { return parameter.name == kSeed; });
}

/// Takes the files that hold numbers of all members out of the outputs of `flags`.
void take_data_files(core::Node& flags, Spec& spec) {
    for (core::Member& member : flags.members) {
        if (member.key != "output") continue;
        std::erase_if(member.value.items, [&](const core::Node& output) {
            const core::Node* file = output.find("file");
            const std::filesystem::path path = file ? file->text : "";
            const bool table = path.extension() == ".csv";
            if (!table && path.extension() != ".npy") return false;
            std::filesystem::path& place = table ? spec.table : spec.states;
            const std::string quoted = "'" + path.string() + "'";
            if (!place.empty())
                throw core::InputError("a sweep writes one " + path.extension().string() + " file, and " + quoted + " is the second");
            if (path.string().find('%') != std::string::npos)
                throw core::InputError(quoted + " of a sweep holds all members at the end; leave the % out");
            core::check_writable(path);
            place = path;
            return true;
        });
    }
    std::erase_if(flags.members, [](const core::Member& member) { return member.key == "output" && member.value.items.empty(); });
}

void check_outputs(const run::Spec& base) {
    const bool surface = std::holds_alternative<domain::Mesh>(base.domain);
    for (const run::Output& output : base.outputs) {
        const output::FileName name(output.sink.file);
        const bool picture = name.video() || name.kind() == output::FileName::Kind::png;
        if (!picture && !surface)
            throw core::InputError("a sweep cannot write '" + output.sink.file.string() +
                                   "'; it writes .png, name-%05d.png, .mp4, .gif, .csv and .npy");
    }
}

void check_axis(const Axis& axis, const run::Spec& base, const core::Node& flags) {
    if (is_seed(axis, base.model)) {
        for (const double value : axis.values) {
            if (value < 0 || value != std::floor(value) || value >= kLargestSeed)
                throw core::InputError(std::string(kOver) + ": a seed is a whole number from 0 on, not " + core::number_text(value));
        }
        return;
    }
    const core::Node* set = flags.find("parameters");
    if (set && set->find(axis.name))
        throw core::InputError("--set " + axis.name + " and --over " + axis.name + " say the same twice: give one");
    std::vector<std::string> known;
    for (const model::Parameter& parameter : base.model.parameters) {
        known.push_back(parameter.name);
        if (parameter.name != axis.name) continue;
        if (parameter.map)
            throw core::InputError(std::string(kOver) + ": the parameter '" + axis.name + "' is a map; a sweep takes numbers");
        return;
    }
    known.emplace_back(kSeed);
    throw core::InputError(std::string(kOver) + ": the model has no parameter '" + axis.name + "'" + core::did_you_mean(axis.name, known));
}

/// A value beyond a declared range is worth a word, one for each axis.
void tell_values_out_of_range(const Axis& axis, run::Spec& base) {
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

/// The flags with the values of a member; its seed is no parameter.
core::Node with_values(core::Node flags, const Spec& spec, std::size_t member) {
    for (std::size_t a = 0; a < spec.axes.size(); ++a) {
        const Axis& axis = spec.axes[a];
        if (is_seed(axis, spec.base.model)) continue;
        flags.at("parameters").at(axis.name) = core::number_node(spec.value(a, member), std::string(kOver) + " " + axis.name);
    }
    return flags;
}

}  // namespace

double Spec::value(std::size_t axis, std::size_t member) const {
    const std::size_t columns = axes[0].values.size();
    return axes[axis].values[axis == 0 ? member % columns : member / columns];
}

std::uint64_t Spec::seed(std::size_t member) const {
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (is_seed(axes[a], base.model)) return static_cast<std::uint64_t>(value(a, member));
    }
    return base.initial.seed;
}

std::string Spec::text(std::size_t member) const {
    std::string text;
    for (std::size_t a = 0; a < axes.size(); ++a) text += (a > 0 ? ", " : "") + axes[a].name + " = " + core::number_text(value(a, member));
    return text;
}

Spec read_spec(const core::Node& document, const std::string& name, const std::string& preset, const core::Node& typed,
               const std::vector<std::string>& over) {
    if (over.empty()) throw core::InputError("a sweep needs a parameter and its values: --over F=0.02:0.06:9, or --over F=0.03,0.05");
    if (over.size() > 2) throw core::InputError("a sweep has one or two --over, not " + std::to_string(over.size()));
    Spec spec;
    for (const std::string& text : over) spec.axes.push_back(parse_axis(text, kOver));
    if (spec.axes.size() == 2 && spec.axes[0].name == spec.axes[1].name)
        throw core::InputError("--over " + spec.axes[0].name + " is given twice; list all its values in one");
    const Index size = spec.columns() * spec.rows();
    if (size > kMostMembers)
        throw core::InputError("a sweep has at most " + core::grouped(kMostMembers) + " members, not " + core::grouped(size));

    core::Node flags = typed;
    take_data_files(flags, spec);
    spec.base = run::read_spec(document, name, preset, flags);
    if (!spec.base.checkpoint.empty() || !spec.base.resume.empty())
        throw core::InputError("a sweep keeps no state; leave --checkpoint and --resume out");
    check_outputs(spec.base);
    for (const Axis& axis : spec.axes) {
        check_axis(axis, spec.base, typed);
        tell_values_out_of_range(axis, spec.base);
    }
    for (std::size_t member = 0; member < static_cast<std::size_t>(size); ++member) {
        spec.models.push_back(run::read_model(document, name, preset, with_values(flags, spec, member), spec.base.domain));
        spec.models.back().presets.clear();
    }
    spec.base.model = spec.models.front();
    const std::size_t arrays = spec.base.model.equations.size() * static_cast<std::size_t>(size);
    if (!spec.base.force) run::check_memory(spec.base.domain, arrays, spec.base.method.f64);
    return spec;
}

}  // namespace mottle::sweep
