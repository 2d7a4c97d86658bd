// tests/oracle/language/comparison.h: models of chance by Mottle and by plain loops
#pragma once
#include "oracle/language/grid_steps.h"
#include "oracle/language/random_model.h"
#include "oracle/language/surface_steps.h"
#include "oracle/mesh_run.h"
#include "oracle/mottle_run.h"

#include "mottle/run/settings/read_spec.h"
#include "mottle/core/error.h"
#include "mottle/ir/euler_lengths.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace language {

/// What differs at first, where that is more than `tolerance` of 1 and of the value; "" where nothing does.
inline std::string first_difference(const ModelText& model, const oracle::Fields& found, const oracle::Fields& expected, double tolerance) {
    for (std::size_t f = 0; f < expected.size(); ++f) {
        for (std::size_t i = 0; i < expected[f].size(); ++i) {
            if (std::abs(found[f][i] - expected[f][i]) <= tolerance * (1 + std::abs(expected[f][i]))) continue;
            return "field " + model.fields[f].name + " cell " + std::to_string(i) + ": " + std::to_string(found[f][i]) +
                   ", plain loops say " + std::to_string(expected[f][i]) + "; ";
        }
    }
    return "";
}

inline bool is_finite(const oracle::Fields& fields) {
    return std::all_of(fields.begin(), fields.end(), [](const auto& field) {
        return std::all_of(field.begin(), field.end(), [](double cell) { return std::isfinite(cell); });
    });
}

/// What runs a model.
struct Way {
    std::string device = "cpu", schedule = {};
    std::function<std::unique_ptr<mottle::backend::Backend>()> backend = {};  ///< in place of that of the device
};

inline mottle::run::Simulation simulation_of(const ModelText& model, const Way& way, mottle::core::Context& context) {
    const auto document = mottle::core::parse_document(model.toml(), "model.toml");
    const std::string schedule = way.schedule.empty() ? "" : "schedule = \"" + way.schedule + "\"\n";
    const auto flags =
        mottle::core::parse_document("precision = \"f64\"\nthreads = 2\ndevice = \"" + way.device + "\"\n" + schedule, "flags");
    return {mottle::run::read_spec(document, "model", "", flags), context, way.backend ? way.backend() : nullptr};
}

/// Runs `model` by Mottle, and by what `plain_of(spec)` makes: what differs, with the text of the model. Equations of chance may be ill-posed: then both diverge.
template <class PlainOf>
std::string difference(const ModelText& model, const Way& way, PlainOf&& plain_of, double tolerance) {
    const std::string about = "on " + way.device + " " + way.schedule + ":\n" + model.toml();
    try {
        mottle::core::ThreadTeam team(2);
        oracle::Silent observer;
        mottle::core::Context context{team, observer, {}};
        mottle::run::Simulation simulation = simulation_of(model, way, context);
        auto plain = plain_of(simulation.spec());
        const oracle::Fields start = oracle::read_fields(simulation);
        if (const std::string found = first_difference(model, start, plain.start(), tolerance); !found.empty())
            return "at the start, " + found + about;
        const bool diverged = simulation.advance_to(model.steps).verdict == mottle::stepper::Verdict::diverged;
        const oracle::Fields expected = plain.run(start);
        if (diverged || !is_finite(expected)) return diverged == !is_finite(expected) ? "" : "one of both diverged " + about;
        const std::string found = first_difference(model, oracle::read_fields(simulation), expected, tolerance);
        return found.empty() ? "" : "at the end, " + found + about;
    } catch (const mottle::core::Error& error) {
        return error.message() + "; " + about;
    } catch (const std::runtime_error& error) {
        return std::string(error.what()) + "; " + about;
    }
}

/// Every fifth model lives on a surface.
inline ModelText model_of(std::uint64_t seed) {
    RandomModel random(seed);
    return seed % 5 == 4 ? random.make_on_surface() : random.make();
}
inline ModelText model_with_more_of(std::uint64_t seed) {
    RandomModel random(seed);
    return random.with_more(seed % 5 == 4 ? random.make_on_surface() : random.make());
}

/// In which order Mottle takes the lengths of the stages of sts1 and sts2, which is a choice of its own; that they are the lengths of the definition is checked here.
inline std::vector<int> order_of_lengths(const std::string& method, int stages) {
    const int order = method == "sts1" ? 1 : 2;
    const oracle::FactoredStages plain = oracle::factored_stages(order, stages);
    const mottle::ir::EulerLengths& taken = mottle::ir::euler_lengths(order, stages);
    std::vector<int> places;
    std::vector<bool> used(plain.lengths.size());
    for (const double length : taken.lengths) {
        const auto is_it = [&](std::size_t i) { return !used[i] && std::abs(plain.lengths[i] - length) <= 1e-11 * length; };
        std::size_t place = 0;
        while (place < used.size() && !is_it(place)) ++place;
        if (place == used.size()) throw std::runtime_error(method + " has a stage whose length is not one of the definition");
        used[place] = true;
        places.push_back(static_cast<int>(place));
    }
    if (places.size() != used.size() || std::abs(taken.weight - plain.weight) > 1e-14)
        throw std::runtime_error(method + " has other stages than the definition");
    return places;
}

/// The model of a seed in steps of many stages, which take no white noise.
inline ModelText staged_model_of(std::uint64_t seed) {
    ModelText model = model_with_more_of(seed);
    const std::vector<const char*> methods = {"rkl1", "rkl2", "sts1", "sts2"};
    model.method = methods[seed % 4];
    const bool second = seed % 2 == 1;
    model.stages = (second ? 2 : 1) + static_cast<int>(seed / 4 % (second ? 11 : 12));
    if (model.method.starts_with("sts")) model.order = order_of_lengths(model.method, model.stages);
    model.dt *= 1 + model.stages / 2;
    model.steps = 6;
    const auto without_noise = [](std::string text) {
        for (std::size_t at = text.find("white()"); at != std::string::npos; at = text.find("white()", at)) text.replace(at, 7, "sin(5*t)");
        return text;
    };
    for (FieldText& field : model.fields) field.rate = without_noise(field.rate);
    for (Named& definition : model.definitions) definition.text = without_noise(definition.text);
    return model;
}

/// The model of a seed by imex, imex2 or etdrk4.
inline ModelText split_model_of(std::uint64_t seed) {
    RandomModel random(seed);
    return random.with_more(random.make_split());
}

inline std::string difference(const ModelText& model, std::uint64_t seed, const Way& way) {
    constexpr double kTolerance = 1e-9;
    std::string found;
    if (!model.shape.empty()) {
        found = difference(
            model, way,
            [&](const mottle::run::Spec& spec) {
                const auto& mesh = std::get<mottle::domain::Mesh>(spec.domain);
                const auto& original = mesh.surface->original;
                return SurfaceSteps(model, oracle::plain_of(mesh), std::vector<std::uint32_t>(original.begin(), original.end()));
            },
            kTolerance);
    } else {
        found = difference(
            model, way, [&](const mottle::run::Spec&) { return GridSteps(model); }, kTolerance);
    }
    return found.empty() ? "" : "seed " + std::to_string(seed) + ": " + found;
}

inline std::string difference(std::uint64_t seed, const Way& way) { return difference(model_of(seed), seed, way); }

/// What models of chance are stepped by.
enum class Kind {
    table,   ///< euler, midpoint, heun, rk4
    staged,  ///< rkl1, rkl2, sts1, sts2
    split    ///< imex, imex2, etdrk4
};
inline std::string difference(Kind kind, std::uint64_t seed, const Way& way) {
    const ModelText model = kind == Kind::table    ? model_with_more_of(seed)
                            : kind == Kind::staged ? staged_model_of(seed)
                                                   : split_model_of(seed);
    return difference(model, seed, way);
}

}  // namespace language
