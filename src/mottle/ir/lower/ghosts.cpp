// mottle/ir/lower/ghosts.cpp: value, flux, robin, outside, periodic, no_flux and still as copies, or as alpha + beta * mirror
#include "mottle/ir/lower/ghosts.h"

#include "mottle/core/index.h"
#include "mottle/ir/lower/rewrite.h"

#include <algorithm>

namespace mottle::ir {

using domain::Rule;
using model::ExprPtr;

namespace {

/// The same rule, but for what the homogeneous form leaves out.
bool homogeneous_alike(const domain::Boundary& a, const domain::Boundary& b) {
    return a.rule == b.rule && (a.rule != Rule::robin || (a.terms[0].text == b.terms[0].text && a.terms[1].text == b.terms[1].text));
}

Ghost mirror_or_wrap(bool wraps) { return {wraps ? Rule::periodic : Rule::no_flux, -1, -1}; }

}  // namespace

GhostRules::GhostRules(const System& system, const domain::Grid& grid, Program& program, Uniforms& uniforms)
    : system_(system), grid_(grid), program_(program), uniforms_(uniforms) {}

const domain::Boundary& GhostRules::boundary(int field, std::size_t side) const {
    return grid_.sides_of(system_.model.equations[core::at(field)].field)[side];
}

Ghost GhostRules::ghost(const domain::Boundary& boundary, std::size_t side, bool homogeneous, const ExprPtr& time) {
    auto affine = [&](const ExprPtr& alpha, const ExprPtr& beta) {
        return Ghost{boundary.rule, uniforms_.index(homogeneous ? number(0) : alpha), uniforms_.index(beta)};
    };
    auto term = [&](std::size_t i) {
        return with_name(model::parse_uniform(boundary.terms[i], system_.model, "a boundary value"), "t", time);
    };
    const double h = grid_.spacing[side / 2];
    switch (boundary.rule) {
        case Rule::value:
            return affine(multiply(number(2), term(0)), number(-1));
        case Rule::outside:
            return affine(term(0), number(0));
        case Rule::flux:
            if (homogeneous) break;
            return affine(multiply(number(h), term(0)), number(1));
        case Rule::robin: {  // the face has (mirror + ghost)/2 and the derivative (ghost - mirror)/h
            const ExprPtr half = multiply(number(0.5), term(0)), slope = divide(term(1), number(h)), sum = add(slope, half);
            return affine(divide(term(2), sum), divide(subtract(slope, half), sum));
        }
        case Rule::periodic:
            return mirror_or_wrap(true);
        case Rule::no_flux:
        case Rule::still:
            break;  // a still cell never sees its ghost; it copies like no-flux
    }
    return mirror_or_wrap(false);
}

int GhostRules::of_fields(const std::vector<int>& fields, bool homogeneous, const ExprPtr& time) {
    GhostRule found;
    for (std::size_t side = 0; side < found.size(); ++side) {
        const bool alike = !fields.empty() && std::all_of(fields.begin(), fields.end(), [&](int field) {
            return homogeneous_alike(boundary(field, side), boundary(fields[0], side));
        });
        found[side] = alike ? ghost(boundary(fields[0], side), side, homogeneous, time)
                            : mirror_or_wrap(fields.empty() && grid_.sides[side].rule == Rule::periodic);
    }
    return index_of(found);
}

int GhostRules::mirrored(const std::vector<int>& fields) {
    GhostRule found;
    for (std::size_t side = 0; side < found.size(); ++side) {
        bool wraps = !fields.empty() || grid_.sides[side].rule == Rule::periodic;
        for (int field : fields) wraps = wraps && rule(field, side) == Rule::periodic;
        found[side] = mirror_or_wrap(wraps);
    }
    return index_of(found);
}

bool GhostRules::copies(const std::vector<int>& fields) const {
    for (std::size_t side = 0; side < 6; ++side) {
        std::size_t wrapped = 0, mirrored = 0;
        for (int field : fields) {
            wrapped += rule(field, side) == Rule::periodic ? 1 : 0;
            mirrored += rule(field, side) == Rule::no_flux || rule(field, side) == Rule::still ? 1 : 0;
        }
        if (wrapped != fields.size() && mirrored != fields.size()) return false;
    }
    return true;
}

int GhostRules::index_of(const GhostRule& rule) {
    for (std::size_t i = 0; i < program_.ghosts.size(); ++i) {
        auto same = [](const Ghost& a, const Ghost& b) { return a.rule == b.rule && a.alpha == b.alpha && a.beta == b.beta; };
        if (std::equal(rule.begin(), rule.end(), program_.ghosts[i].begin(), same)) return static_cast<int>(i);
    }
    program_.ghosts.push_back(rule);
    return static_cast<int>(program_.ghosts.size()) - 1;
}

}  // namespace mottle::ir
