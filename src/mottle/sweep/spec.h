// mottle/sweep/spec.h: everything a sweep needs: one run, the parameters that change from member to member, and what is written of all
#pragma once
#include "mottle/run/settings/read_spec.h"
#include "mottle/sweep/axis.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mottle::sweep {

using core::Index;

inline constexpr Index kMostMembers = 10000;

struct Spec {
    run::Spec base;                       ///< with the parameters of the first member; its outputs are pictures of all members
    std::vector<Axis> axes;               ///< one or two
    std::vector<model::Model> models;     ///< by member; the first axis varies fastest
    std::filesystem::path table, states;  ///< .csv and .npy; "": none

    Index columns() const { return static_cast<Index>(axes[0].values.size()); }
    Index rows() const { return axes.size() > 1 ? static_cast<Index>(axes[1].values.size()) : 1; }
    std::size_t size() const { return models.size(); }
    /// What an axis says of a member.
    double value(std::size_t axis, std::size_t member) const;
    std::uint64_t seed(std::size_t member) const;
    /// "F = 0.03, k = 0.06".
    std::string text(std::size_t member) const;
};

/// As run::read_spec, with the axes `over` as parse_axis reads them. Outputs: .png (axes and their values around it), name-%05d.png, .mp4, .gif; .csv, a
/// line per member; .npy, all states at the end. Throws: ModelError, InputError.
Spec read_spec(const core::Node& document, const std::string& name, const std::string& preset, const core::Node& flags,
               const std::vector<std::string>& over, const run::Given& given = {});

}  // namespace mottle::sweep
