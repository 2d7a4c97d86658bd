// mottle/domain/grid.cpp: sizes and stencils as text, and what makes a grid valid
#include "mottle/domain/grid.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace mottle::domain {
namespace {

using core::InputError;

/// 2^42: an f32 field of them takes 16 TiB, on several machines.
constexpr double kMostCells = 4398046511104.0;
/// Beyond them a power of the spacing that some operator takes, 1/h^4 of bilap, comes near the ends of a double.
constexpr double kFinestSpacing = 1e-60, kCoarsestSpacing = 1e60;

Index parse_length(const std::string& word, const core::Text& text) {
    const std::string quoted = "the size '" + text.text + "'";
    long long value = 0;
    if (core::parse_integer(word, value)) {
        if (value < 1) throw InputError(quoted + " has a side of " + core::grouped(value) + " cells; it must be 1 or more", text.span);
        return value;
    }
    const bool digits = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (digits) throw InputError(quoted + " is larger than any computer can store", text.span);
    throw InputError(quoted + " is not understood; write W, WxH or WxHxD, for example 512x512", text.span);
}

double cells_of(const Grid& grid) {
    return static_cast<double>(grid.size[0]) * static_cast<double>(grid.size[1]) * static_cast<double>(grid.size[2]);
}

void check_opposite(const Sides& sides, const std::string& where) {
    for (std::size_t low = 0; low < sides.size(); low += 2) {
        const bool first = sides[low].rule == Rule::periodic, second = sides[low + 1].rule == Rule::periodic;
        if (first == second) continue;
        const std::size_t periodic = first ? low : low + 1, other = first ? low + 1 : low;
        throw InputError(where + ": " + kSideNames[periodic] + " is periodic and " + kSideNames[other] + " is " +
                             rule_name(sides[other].rule) + "; opposite sides must both be periodic or both not",
                         sides[other].span);
    }
}

void check_stencil(const Grid& grid) {
    if (grid.stencil.kind == Stencil::Kind::five) return;
    const std::string name = grid.stencil.kind == Stencil::Kind::nine ? "the stencil 9" : "a stencil of nine weights";
    if (grid.size[2] > 1)
        throw InputError(name + " is for grids of two dimensions, and this one has a depth of " + core::grouped(grid.size[2]) +
                         "; use stencil 5");
    // Weights of one's own are used as given; those of the 9-point stencil hold for one spacing.
    const bool plane = grid.stencil.kind == Stencil::Kind::nine && grid.size[0] > 1 && grid.size[1] > 1;
    if (plane && grid.spacing[0] != grid.spacing[1]) {
        throw InputError(name + " needs equal spacing in x and y, not " + core::number_text(grid.spacing[0]) + " and " +
                         core::number_text(grid.spacing[1]) + "; use stencil 5");
    }
}

}  // namespace

const Sides& Grid::sides_of(const std::string& field) const {
    const auto found = std::find_if(field_sides.begin(), field_sides.end(), [&](const auto& entry) { return entry.first == field; });
    return found == field_sides.end() ? sides : found->second;
}

Triple parse_size(const core::Text& text) {
    std::string lower = text.text;
    std::replace(lower.begin(), lower.end(), 'X', 'x');
    const std::vector<std::string> words = core::split(lower, 'x');
    if (words.empty() || words.size() > 3) {
        throw InputError("the size '" + text.text + "' is not understood; write W, WxH or WxHxD, for example 512x512", text.span);
    }
    Triple size{1, 1, 1};
    for (std::size_t i = 0; i < words.size(); ++i) size[i] = parse_length(words[i], text);
    return size;
}

Stencil parse_stencil(const core::Text& text) {
    const std::vector<std::string> words = core::split(text.text, ',');
    Stencil stencil;
    if (words.size() == 1 && words[0] == "5") return stencil;
    if (words.size() == 1 && words[0] == "9") {
        stencil.kind = Stencil::Kind::nine;
        return stencil;
    }
    if (words.size() != stencil.weights.size()) {
        throw InputError("the stencil '" + text.text + "' is not understood; it is 5, 9, or nine weights, row by row: 0,1,0,1,-4,1,0,1,0",
                         text.span);
    }
    stencil.kind = Stencil::Kind::custom;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!core::parse_number(words[i], stencil.weights[i]) || !std::isfinite(stencil.weights[i])) {
            throw InputError("weight " + std::to_string(i + 1) + " of the stencil is '" + words[i] + "'; it must be a finite number",
                             text.span);
        }
    }
    return stencil;
}

std::string describe_size(const Triple& size) {
    std::string text = std::to_string(size[0]) + "x" + std::to_string(size[1]);
    if (size[2] > 1) text += "x" + std::to_string(size[2]);
    return text;
}

std::string spacing_text(const Grid& grid) {
    const std::span<const double> lengths = std::span(grid.spacing).first(axis_count(grid.size));
    std::string text = core::number_text(lengths.front());
    if (std::all_of(lengths.begin(), lengths.end(), [&](double length) { return length == lengths.front(); })) return text;
    for (const double length : lengths.subspan(1)) text += "," + core::number_text(length);
    return text;
}

std::string complaint_about_spacing(double spacing) {
    if (spacing >= kFinestSpacing && spacing <= kCoarsestSpacing) return "";
    return "the spacing is " + core::number_text(spacing) + "; it must be a length from " + core::number_text(kFinestSpacing) + " to " +
           core::number_text(kCoarsestSpacing);
}

void validate(const Grid& grid) {
    for (std::size_t d = 0; d < 3; ++d) {
        if (grid.size[d] < 1) throw InputError("the grid has a side of " + core::grouped(grid.size[d]) + " cells; it must be 1 or more");
        if (const std::string complaint = complaint_about_spacing(grid.spacing[d]); !complaint.empty()) throw InputError(complaint);
    }
    if (const double cells = cells_of(grid); cells > kMostCells) {
        throw InputError("a grid of " + describe_size(grid.size) + " has " + core::si_text(cells, "cells") + "; one field of it takes " +
                         core::si_text(4 * cells, "B") + " in f32, and at most " + core::si_text(kMostCells, "cells") + " are possible");
    }
    check_stencil(grid);
    check_opposite(grid.sides, "[boundary]");
    for (const auto& [field, sides] : grid.field_sides) check_opposite(sides, "[boundary." + field + "]");
}

}  // namespace mottle::domain
