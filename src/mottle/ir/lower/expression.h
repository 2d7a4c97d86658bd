// mottle/ir/lower/expression.h: initial expressions and parameter maps: f64 code over position; noise, spots and images, which are not formulas, are dense inputs
#pragma once
#include "mottle/core/shared_file.h"
#include "mottle/ir/program/program.h"
#include "mottle/model/model.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace mottle::ir {

/// A source that is no formula: noise, spots, image (disk, ring, box, gauss are plain code). Its values arrive as Op::load.
struct SourceCall {
    model::Callee function;    ///< noise, spots, image, attr or given
    std::vector<double> args;  ///< uniform arguments, evaluated (noise, given: lo, hi; spots: n, radius)
    std::string text;          ///< image: the file name; attr: that of the attribute; given: that of the array
    /// First random draw. Draws are numbered over the whole file by source position: noise takes one, spots three (x, y, z of a centre, the
    /// spot's number in the place of the cell). A call reached twice through [define] is one place: the same draws, the same numbers.
    std::uint32_t draw = 0;
    core::Span span;
    /// spots on a surface: their centres, in the file's coordinates, where they are known already (field/source_mesh.h).
    std::optional<std::vector<std::array<double, 3>>> centres = {};
    /// image: the file as another process sees it, which is read in place of `text`.
    std::optional<core::FileIdentity> picture = {};
};

struct Expression {
    Code code;                        ///< f64; the last instruction is the value; parameters are folded, so there is no Op::uniform
    std::vector<SourceCall> sources;  ///< Op::load index i is sources[i]
};

/// Lowers an initial expression or a map with the parameters of `model` at their values. A parameter bound to a map is that map.
/// Every written operation is one rounding; nothing is fused.
/// Throws: ModelError (fields, t and operators are not allowed; arity; unknown names).
Expression lower_position(const model::ExprPtr& expr, const model::Model& model, const domain::Domain& domain);

}  // namespace mottle::ir
