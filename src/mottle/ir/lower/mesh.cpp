// mottle/ir/lower/mesh.cpp: the operators of a triangulated surface: sums over the one-ring, values kept on boundary loops
#include "mottle/core/error.h"
#include "mottle/ir/lower/domain.h"
#include "mottle/ir/lower/tensor.h"

namespace mottle::ir {
namespace {

using domain::Rule;
using model::Expr;
using model::ExprPtr;

/// lap(f)_i = sum over j of (w_ij / m_i) (f_j - f_i): one group whose sum is a difference already.
LaplacianShape cotangent_shape() {
    return {{{1, 0,
              [](Builder& b, const std::function<Value(int, int, int)>& at) {
                  return b.row_sum(b.edge(kEdgeLaplacian), b.sub(at(1, 0, 0), at(0, 0, 0)));
              }}},
            0};
}

class MeshLowering final : public Lowering {
   public:
    MeshLowering(const System& system, const Method& method, const domain::Mesh& mesh)
        : Lowering(system, method, cotangent_shape()), mesh_(mesh) {
        declare_arrays(false);
    }

    /// (1/m_i) sum over j of w_ij (u_i + u_j)/2 (v_j - v_i): what leaves i through an edge enters j. A tensor has weights w_ij of its own.
    std::vector<Weighted> fluxes(StageBuilder& stage, const Flux& flux) override {
        Builder& b = stage.code;
        const Edge edge = flux.tensor ? edge_of(*flux.tensor) : kEdgeLaplacian;
        const Array v = operand(flux.potential);
        const Value difference = b.sub(b.neighbour(v), b.load(v));
        if (!flux.conductivity) return {{1, b.row_sum(b.edge(edge), difference)}};
        const Array u = operand_of(flux.conductivity);
        return {{0.5, b.row_sum(b.mul(b.edge(edge), b.add(b.load(u), b.neighbour(u))), difference)}};
    }

    std::vector<Weighted> derivative(StageBuilder&, const Expr& expr) override {
        throw core::ModelError(
            "'" + expr.name +
                "' is an operator of grids; a surface has no fixed axes: use dot(grad(a), grad(b)), norm2(grad(a)) or div(a*grad(b))",
            expr.span);
    }

    Value white(StageBuilder& stage, std::uint32_t number) override {
        Builder& b = stage.code;
        const Value scale = b.mul(noise_scale(stage, 1), b.axis(kNoiseShare));
        return b.mul(normal(stage, {b.axis(kCellX), b.axis(kCellY), b.literal(0)}, number), scale);
    }

    /// On boundary loops with a fixed value the equations are not applied. The new value there is the one that the next step (or stage) reads, so the rule is
    /// evaluated at the time of that step: t + dt, as on a grid.
    Value bordered(StageBuilder& stage, int field, Value next, const ExprPtr& time) override {
        Builder& b = stage.code;
        const std::vector<domain::Boundary>& rules = mesh_.loops_of(system_.model.equations[core::at(field)].field);
        for (std::size_t loop = 0; loop < rules.size(); ++loop) {
            if (rules[loop].rule != Rule::value) continue;
            const ExprPtr value = with_name(model::parse_uniform(rules[loop].terms[0], system_.model, "a boundary value"), "t", time);
            const Value here = b.equal(b.axis(kLoop), b.literal(static_cast<double>(loop + 1)));
            next = b.select(here, uniforms_.value(b, value), next);
        }
        return next;
    }

   private:
    int ghost_rule(const std::vector<int>&, bool) override {
        if (program_.ghosts.empty()) {
            GhostRule none;
            none.fill({Rule::no_flux, -1, -1});
            program_.ghosts.push_back(none);
        }
        return 0;
    }

    int mirrored_rule(const std::vector<int>& fields) override { return ghost_rule(fields, true); }

    Value load(StageBuilder& stage, Array array, Shift shift) override {
        return shift == kHere ? stage.code.load(array) : stage.code.neighbour(array);
    }

    /// Neighbours read arrays alone: anything but a plain field or map is evaluated once per vertex, by an earlier stage.
    bool holds(const Expr& conductivity) const override { return classifier_.field(conductivity) < 0 && classifier_.map(conductivity) < 0; }
    bool is_in_place(const model::Expr&) const override { return false; }  // a surface has no ghosts
    Array operand_of(const ExprPtr& conductivity) { return holds(*conductivity) ? hold(conductivity) : operand(conductivity); }

    Edge edge_of(const Expr& directed) const {
        const std::string name = tensor_of(directed).name;
        for (std::size_t i = 0; i < mesh_.tensors.size(); ++i) {
            if (mesh_.tensors[i].name == name) return static_cast<Edge>(kEdgeTensor + static_cast<int>(i));
        }
        throw core::InternalError("the mesh lacks the weights of " + name);
    }

    // grad(f)_i = sum over j of g_ij (f_j - f_i); the product by fma from x to z.
    Value gradient_product(StageBuilder& stage, Array f, Array g) override {
        Builder& b = stage.code;
        auto component = [&](Edge edge, Array array) { return b.row_sum(b.edge(edge), b.sub(b.neighbour(array), b.load(array))); };
        Value sum = b.mul(component(kEdgeGradientX, f), component(kEdgeGradientX, g));
        sum = b.fma(component(kEdgeGradientY, f), component(kEdgeGradientY, g), sum);
        return b.fma(component(kEdgeGradientZ, f), component(kEdgeGradientZ, g), sum);
    }

    const domain::Mesh& mesh_;
};

}  // namespace

std::unique_ptr<Lowering> create_mesh_lowering(const System& system, const Method& method, const domain::Mesh& mesh) {
    return std::make_unique<MeshLowering>(system, method, mesh);
}

}  // namespace mottle::ir
