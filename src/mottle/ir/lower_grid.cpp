// mottle/ir/lower_grid.cpp: the operators of a grid: stencils, face fluxes, ghosts
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/ir/lower_domain.h"
#include "mottle/ir/white_noise.h"

#include <algorithm>

namespace mottle::ir {
namespace {

using domain::Rule;
using model::ExprPtr;

Shift along(int axis, int step) {
    Shift shift{0, 0, 0};
    shift[static_cast<std::size_t>(axis)] = step;
    return shift;
}

class GridLowering final : public Lowering {
   public:
    GridLowering(const System& system, const Method& method, const domain::Grid& grid)
        : Lowering(system, method, laplacian_shape(grid)), grid_(grid) {
        for (const auto& side : grid.sides) still_ = still_ || side.rule == Rule::still;
        for (const auto& [name, sides] : grid.field_sides) {
            for (std::size_t i = 0; i < sides.size(); ++i) {
                if ((sides[i].rule == Rule::still) != (grid.sides[i].rule == Rule::still)) {
                    throw core::InputError("a 'still' side holds for all fields; write it in [boundary], not for '" + name + "' alone",
                                           (sides[i].rule == Rule::still ? sides : grid.sides)[i].span);
                }
            }
        }
        declare_arrays(true);
    }

    std::vector<Weighted> fluxes(StageBuilder& stage, const Flux& flux) override {
        if (flux.tensor) {
            throw core::ModelError(
                "tensor(along, across, dir) is an operator of surfaces, and this run is on a grid; use one number or expression, as in "
                "div(D*grad(f)), or give a mesh",
                flux.tensor->span);
        }
        Builder& b = stage.code;
        Array potential = operand(flux.potential);
        ExprPtr conductivity = flux.conductivity;
        bool held = holds(*conductivity);
        Array held_array = held ? hold(conductivity) : -1;
        auto conduct = [&](Shift shift) { return held ? load(stage, held_array, shift) : value(stage, conductivity, shift); };
        std::vector<Weighted> result;
        for (int axis = 2; axis >= 0; --axis) {
            if (!active(axis)) continue;
            auto face = [&](int step) {
                Value mean = b.add(conduct(kHere), conduct(along(axis, step)));
                return b.mul(mean, b.sub(load(stage, potential, along(axis, step)), load(stage, potential, kHere)));
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
            cell[static_cast<std::size_t>(d)] = active(d) ? stage.code.axis(static_cast<Axis>(kCellX + d)) : stage.code.literal(0);
            if (active(d)) measure *= spacing(d);
            if (grid_.size[static_cast<std::size_t>(d)] > most_noisy_cells(program_.f64)) {
                throw core::InputError("white() takes grids of up to " + core::grouped(most_noisy_cells(program_.f64)) +
                                       " cells along each axis" + (program_.f64 ? "" : "; more with --precision f64"));
            }
        }
        return stage.code.mul(normal(stage, cell, number), noise_scale(stage, measure));
    }

    Value bordered(StageBuilder&, int, Value next, const ExprPtr&) override { return next; }

   private:
    Ghost ghost(const domain::Boundary& boundary, std::size_t side, bool homogeneous) {
        auto affine = [&](const ExprPtr& alpha, const ExprPtr& beta) {
            return Ghost{boundary.rule, uniforms_.index(homogeneous ? number(0) : alpha), uniforms_.index(beta)};
        };
        auto term = [&](std::size_t i) {
            return with_name(model::parse_uniform(boundary.terms[i], system_.model, "a boundary value"), "t", time_);
        };
        const double h = spacing(static_cast<int>(side) / 2);
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
                return {Rule::periodic, -1, -1};
            case Rule::no_flux:
            case Rule::still:
                break;  // a still cell never sees its ghost; it copies like no-flux
        }
        return {Rule::no_flux, -1, -1};
    }

    /// The same rule, but for what the homogeneous form leaves out.
    static bool homogeneous_alike(const domain::Boundary& a, const domain::Boundary& b) {
        return a.rule == b.rule && (a.rule != Rule::robin || (a.terms[0].text == b.terms[0].text && a.terms[1].text == b.terms[1].text));
    }

    int ghost_rule(const std::vector<int>& fields, bool homogeneous) override {
        GhostRule rule;
        for (std::size_t side = 0; side < rule.size(); ++side) {
            auto boundary = [&](int field) { return grid_.sides_of(system_.model.equations[static_cast<std::size_t>(field)].field)[side]; };
            bool alike = !fields.empty();
            for (int field : fields) alike = alike && homogeneous_alike(boundary(field), boundary(fields[0]));
            if (alike) {
                rule[side] = ghost(boundary(fields[0]), side, homogeneous);
            } else {
                bool periodic = fields.empty() && grid_.sides[side].rule == Rule::periodic;
                rule[side] = {periodic ? Rule::periodic : Rule::no_flux, -1, -1};
            }
        }
        for (std::size_t i = 0; i < program_.ghosts.size(); ++i) {
            auto same = [](const Ghost& a, const Ghost& b) { return a.rule == b.rule && a.alpha == b.alpha && a.beta == b.beta; };
            if (std::equal(rule.begin(), rule.end(), program_.ghosts[i].begin(), same)) return static_cast<int>(i);
        }
        program_.ghosts.push_back(rule);
        return static_cast<int>(program_.ghosts.size()) - 1;
    }

    // On a border cell of a `still` side every neighbour load gives the cell's own value.
    Value load(StageBuilder& stage, Array array, Shift shift) override {
        Builder& b = stage.code;
        Value there = b.load(array, shift[0], shift[1], shift[2]);
        if (!still_ || shift == kHere) return there;
        Value border = -1;
        for (int d = 0; d < 3; ++d) {
            auto side = static_cast<std::size_t>(2 * d);
            if (grid_.size[static_cast<std::size_t>(d)] == 1) continue;  // an axis of one cell has no border
            if (grid_.sides[side].rule != Rule::still && grid_.sides[side + 1].rule != Rule::still) continue;
            Value mark = b.axis(static_cast<Axis>(kStillX + d));
            border = border < 0 ? mark : b.add(border, mark);
        }
        return border < 0 ? there : b.select(b.less(b.literal(0), border), b.load(array), there);
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

    bool active(int axis) const { return grid_.size[static_cast<std::size_t>(axis)] > 1; }
    double spacing(int axis) const { return grid_.spacing[static_cast<std::size_t>(axis)]; }

    const domain::Grid& grid_;
    bool still_ = false;
};

}  // namespace

std::unique_ptr<Lowering> create_grid_lowering(const System& system, const Method& method, const domain::Grid& grid) {
    return std::make_unique<GridLowering>(system, method, grid);
}

}  // namespace mottle::ir
