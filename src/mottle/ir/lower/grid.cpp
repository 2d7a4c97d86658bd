// mottle/ir/lower/grid.cpp: the operators of a grid but the Laplacian (laplacian.cpp): derivatives, fluxes through faces; what is beyond the border is in ghosts.cpp
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/ir/functions/white_noise.h"
#include "mottle/ir/lower/domain.h"
#include "mottle/ir/lower/ghosts.h"

#include <algorithm>
#include <map>
#include <utility>

namespace mottle::ir {
namespace {

using domain::Rule;
using model::ExprPtr;

Shift along(int axis, int step) {
    Shift shift{0, 0, 0};
    shift[core::at(axis)] = step;
    return shift;
}

class GridLowering final : public Lowering {
   public:
    GridLowering(const System& system, const Method& method, const domain::Grid& grid)
        : Lowering(system, method, laplacian_shape(grid)), grid_(grid), ghosts_(system, grid, program_, uniforms_) {
        for (const auto& side : grid.sides) still_ = still_ || side.rule == Rule::still;
        for (const auto& [name, sides] : grid.field_sides) {
            for (std::size_t i = 0; i < sides.size(); ++i) {
                if ((sides[i].rule == Rule::still) != (grid.sides[i].rule == Rule::still)) {
                    const bool own = sides[i].rule == Rule::still;
                    throw core::InputError("a 'still' side applies to all fields; write it in [boundary], not for " +
                                               (own ? "'" + name + "' alone" : "some fields alone"),
                                           (own ? sides : grid.sides)[i].span);
                }
            }
        }
        declare_arrays(true);
    }

    std::vector<Weighted> fluxes(StageBuilder& stage, const Flux& flux) override {
        if (flux.tensor) {
            throw core::ModelError(
                "tensor(along, across, dir) is an operator of surfaces, but this run is on a grid; use one number or expression, as in "
                "div(D*grad(f)), or give a mesh",
                flux.tensor->span);
        }
        Builder& b = stage.code;
        const Array potential = operand(flux.potential);
        const Conductivity conductivity = prepare(flux.conductivity, potential);
        std::vector<Weighted> result;
        for (int axis = 2; axis >= 0; --axis) {
            if (!active(axis)) continue;
            auto face = [&](int step) {
                const Value sum = both_sides(stage, conductivity, potential, axis, step);
                return b.mul(sum, b.sub(load(stage, potential, along(axis, step)), load(stage, potential, kHere)));
            };
            result.push_back({1 / (2 * spacing(axis) * spacing(axis)), b.add(face(1), face(-1))});
        }
        return result;
    }

    std::vector<Weighted> derivative(StageBuilder& stage, const model::Expr& expr) override {
        const int axis = expr.name[1] - 'x';
        if (!active(axis)) return {};
        return {{1 / (2 * spacing(axis)), difference(stage, axis, operand(expr.args[0]))}};
    }

    Value white(StageBuilder& stage, std::uint32_t number) override {
        std::array<Value, 3> cell;
        double measure = 1;
        for (int d = 0; d < 3; ++d) {
            cell[core::at(d)] = active(d) ? stage.code.axis(static_cast<Axis>(kCellX + d)) : stage.code.literal(0);
            if (active(d)) measure *= spacing(d);
            if (grid_.size[core::at(d)] > most_noisy_cells(program_.f64)) {
                throw core::InputError("white() takes grids of up to " + core::grouped(most_noisy_cells(program_.f64)) +
                                       " cells along each axis" + (program_.f64 ? "" : "; more with --precision f64"));
            }
        }
        const Value scale = noise_scale(stage, measure);  // before the key: uniforms are numbered in the order in which they are asked for
        return stage.code.mul(normal(stage, cell, number), scale);
    }

    Value bordered(StageBuilder&, int, Value next, const ExprPtr&) override { return next; }

   private:
    // ---- conductivities

    /// A conductivity that varies; `held` is the array that holds all of it, or -1.
    struct Conductivity {
        ExprPtr expr;
        Array held = -1;
    };

    /// What operators in a conductivity read is held by an earlier stage: as a whole where its ghosts are copies, so that ghosts of the whole are the whole
    /// in ghost cells; else each operator by itself.
    Conductivity prepare(const ExprPtr& expr, Array potential) {
        if (!holds(*expr)) return {expr};
        bool whole = ghosts_.copies(classifier_.fields(*expr));
        for (int axis = 0; axis < 3; ++axis) {
            for (int step : {-1, 1}) whole = whole && !(has_slope(potential, axis, step) && depends_on_place(*expr, axis));
        }
        if (whole) return {expr, hold(expr)};
        hold_parts(expr);
        return {expr};
    }

    Value conduct(StageBuilder& stage, const Conductivity& of, Shift shift) {
        return of.held >= 0 ? load(stage, of.held, shift) : value(stage, of.expr, shift);
    }

    /// Twice the conductivity of the face towards `step` along an axis: that of the cell here and of the one there. Of a border's face whose rule is one of
    /// the slope, it has the place of the face in both, since g or a f + b df/dn = c says what flows through the face and not beyond it.
    Value both_sides(StageBuilder& stage, const Conductivity& of, Array potential, int axis, int step) {
        Builder& b = stage.code;
        const Shift there = along(axis, step);
        const Value inside = b.add(conduct(stage, of, kHere), conduct(stage, of, there));
        if (!has_slope(potential, axis, step) || !depends_on_place(*of.expr, axis)) return inside;
        const auto d = core::at(axis);
        const ExprPtr on_face = at_face(of.expr, axis, step);
        const std::map<int, Value> maps = maps_on_face(stage, *of.expr, axis, step);
        auto value_on_face = [&](Shift shift) {
            const Value found = value_with_maps(stage, on_face, shift, maps);
            return maps.empty() ? found : with_sign_of(b, conduct(stage, of, shift), found);
        };
        const Value at_border =
            b.equal(b.axis(static_cast<Axis>(kCellX + axis)), b.literal(step < 0 ? 0 : static_cast<double>(grid_.size[d] - 1)));
        return b.select(at_border, b.add(value_on_face(kHere), value_on_face(there)), inside);
    }

    /// Whether the border there gives the slope of this array: flux and robin.
    bool has_slope(Array array, int axis, int step) const {
        if (!active(axis)) return false;
        const auto given_slope = [&](Rule side) { return side == Rule::flux || side == Rule::robin; };
        const std::size_t at = core::at(2 * axis + (step > 0 ? 1 : 0));
        if (Lowering::is_in_place(array)) {
            const std::vector<int> fields = classifier_.fields(*in_place(array));
            return std::any_of(fields.begin(), fields.end(), [&](int field) { return given_slope(ghosts_.rule(field, at)); });
        }
        return given_slope(program_.ghosts_of(array)[at].rule);
    }

    /// A rule like value(c) holds for the fields, and for no function of them.
    bool is_in_place(const model::Expr& operand) const override {
        const std::vector<int> fields = classifier_.fields(operand);
        return !fields.empty() && !ghosts_.copies(fields) && !classifier_.needs_neighbours(operand) && !classifier_.is_random(operand);
    }

    /// Of what stands outside operators: whether a coordinate of this axis or a map that varies along it is in it.
    bool depends_on_place(const model::Expr& expr, int axis) const {
        if (makes_number(expr)) return false;
        if (is_coordinate(expr, axis)) return true;
        if (const int map = classifier_.map(expr); map >= 0) return varies(map, axis);
        return std::any_of(expr.args.begin(), expr.args.end(), [&](const auto& arg) { return depends_on_place(*arg, axis); });
    }

    static bool is_coordinate(const model::Expr& expr, int axis) {
        return expr.kind == model::Expr::Kind::name && expr.name.size() == 1 && (expr.name[0] == 'x' + axis || expr.name[0] == 'X' + axis);
    }

    bool varies(int map, int axis) const { return program_.arrays[core::at(map_array(map))].varies[core::at(axis)]; }

    /// `expr` with the coordinate of a border's face for that of the cell, but for what operators read.
    ExprPtr at_face(const ExprPtr& expr, int axis, int step) const {
        if (makes_number(*expr)) return expr;
        if (is_coordinate(*expr, axis)) {
            if (step < 0) return number(0);
            return number(expr->name[0] == 'X' + axis ? 1 : static_cast<double>(grid_.size[core::at(axis)]) * spacing(axis));
        }
        auto changed = std::make_shared<model::Expr>(*expr);
        bool same = true;
        for (ExprPtr& arg : changed->args) {
            const ExprPtr before = std::exchange(arg, at_face(arg, axis, step));
            same = same && arg == before;
        }
        return same ? expr : ExprPtr(changed);
    }

    /// Maps that vary along the axis, continued by half a cell in a straight line.
    std::map<int, Value> maps_on_face(StageBuilder& stage, const model::Expr& expr, int axis, int step) {
        std::map<int, Value> found;
        if (makes_number(expr)) return found;
        if (const int map = classifier_.map(expr); map >= 0 && varies(map, axis)) {
            Builder& b = stage.code;
            const Value here = load(stage, map_array(map), kHere), inner = load(stage, map_array(map), along(axis, -step));
            found.emplace(map, b.fma(b.literal(0.5), b.sub(here, inner), here));
        }
        for (const auto& arg : expr.args) found.merge(maps_on_face(stage, *arg, axis, step));
        return found;
    }

    /// `found`, or half of `inside` where it would be less than that or have the other sign: a picture that ends with a jump keeps what flows positive.
    static Value with_sign_of(Builder& b, Value inside, Value found) {
        const Value half = b.mul(b.literal(0.5), inside), zero = b.literal(0);
        const Value above = b.select(b.less(half, found), found, half), below = b.select(b.less(found, half), found, half);
        return b.select(b.less(zero, inside), above, b.select(b.less(inside, zero), below, inside));
    }

    // ---- the border

    int ghost_rule(const std::vector<int>& fields, bool homogeneous) override { return ghosts_.of_fields(fields, homogeneous, time_); }
    int mirrored_rule(const std::vector<int>& fields) override { return ghosts_.mirrored(fields); }

    // On a border cell of a `still` side every neighbour load gives the cell's own value.
    Value load(StageBuilder& stage, Array array, Shift shift) override {
        Builder& b = stage.code;
        const auto at = [&](Shift cell) {
            return Lowering::is_in_place(array) ? value(stage, in_place(array), cell) : b.load(array, cell[0], cell[1], cell[2]);
        };
        const Value there = at(shift);
        if (!still_ || shift == kHere) return there;
        Value border = -1;
        for (int d = 0; d < 3; ++d) {
            auto side = core::at(2 * d);
            if (grid_.size[core::at(d)] == 1) continue;  // an axis of one cell has no border
            if (grid_.sides[side].rule != Rule::still && grid_.sides[side + 1].rule != Rule::still) continue;
            Value mark = b.axis(static_cast<Axis>(kStillX + d));
            border = border < 0 ? mark : b.add(border, mark);
        }
        return border < 0 ? there : b.select(b.less(b.literal(0), border), at(kHere), there);
    }

    bool holds(const model::Expr& conductivity) const override {
        return classifier_.needs_neighbours(conductivity) || classifier_.is_random(conductivity);
    }

    // f(E) - f(W) along an axis; the derivative is this times 1/(2h).
    Value difference(StageBuilder& stage, int axis, Array array) {
        return stage.code.sub(load(stage, array, along(axis, 1)), load(stage, array, along(axis, -1)));
    }

    // The sum over axes of f' g', by fma from z to x.
    Value gradient_product(StageBuilder& stage, Array f, Array g) override {
        Builder& b = stage.code;
        Value sum = -1;
        for (int axis = 2; axis >= 0; --axis) {
            if (!active(axis)) continue;
            Value scaled = b.mul(b.literal(1 / (4 * spacing(axis) * spacing(axis))), difference(stage, axis, f));
            Value other = difference(stage, axis, g);
            sum = sum < 0 ? b.mul(scaled, other) : b.fma(scaled, other, sum);
        }
        return sum < 0 ? b.literal(0) : sum;
    }

    bool active(int axis) const { return grid_.size[core::at(axis)] > 1; }
    double spacing(int axis) const { return grid_.spacing[core::at(axis)]; }

    const domain::Grid& grid_;
    GhostRules ghosts_;
    bool still_ = false;
};

}  // namespace

std::unique_ptr<Lowering> create_grid_lowering(const System& system, const Method& method, const domain::Grid& grid) {
    return std::make_unique<GridLowering>(system, method, grid);
}

}  // namespace mottle::ir
