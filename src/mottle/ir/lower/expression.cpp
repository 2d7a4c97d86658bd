// mottle/ir/lower/expression.cpp: initial expressions and parameter maps -> f64 code over position
#include "mottle/ir/lower/expression.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/ir/functions/call.h"
#include "mottle/ir/lower/draw_numbers.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/model/names.h"
#include "mottle/model/parse.h"

#include <algorithm>
#include <array>
#include <numbers>
#include <string_view>
#include <unordered_map>

namespace mottle::ir {

using model::Callee;
using model::Expr;
using model::ExprPtr;

namespace {

constexpr std::string_view kAxisLetters = "xyzXYZ";  // in the order of ir::Axis
constexpr const char* kMadeOf = "an initial expression or map is made of coordinates, parameters and sources such as noise(lo, hi)";
constexpr int kDeepest = model::kDeepestTree + model::kDeepestMap;  // an expression of maps

bool is_constant(const Code& code) {
    return std::none_of(code.begin(), code.end(), [](const Instruction& i) { return i.op == Op::load || i.op == Op::axis; });
}

class PositionLowering {
   public:
    PositionLowering(const model::Model& model, const domain::Domain& domain)
        : model_(model), mesh_(std::get_if<domain::Mesh>(&domain)), draws_(model), b_(true) {
        if (mesh_) {
            const domain::Box box = domain::bounds(mesh_->surface->position);
            for (std::size_t d = 0; d < 3; ++d) {
                first_[d] = box.lo[d] * mesh_->scale;
                extent_[d] = (box.hi[d] - box.lo[d]) * mesh_->scale;
            }
        } else {
            const auto& grid = std::get<domain::Grid>(domain);
            for (std::size_t d = 0; d < 3; ++d) extent_[d] = static_cast<double>(grid.size[d]) * grid.spacing[d];
        }
    }

    Expression lower_whole(const ExprPtr& expr) {
        Value result = lower(*expr);
        return {b_.code_of(result), std::move(sources_)};
    }

   private:
    // Sub-expressions are shared after [define]; each is lowered once.
    Value lower(const Expr& expr) {
        if (auto found = known_.find(&expr); found != known_.end()) return found->second;
        if (++depth_ > kDeepest) {
            throw core::ModelError("maps that use other maps are nested beyond " + std::to_string(kDeepest) + " levels; simplify them",
                                   expr.span);
        }
        Value value = lower_node(expr);
        --depth_;
        known_[&expr] = value;
        return value;
    }

    Value lower_node(const Expr& expr) {
        switch (expr.kind) {
            case Expr::Kind::number:
                return b_.literal(expr.number);
            case Expr::Kind::name:
                return lower_name(expr);
            case Expr::Kind::text:
                throw core::ModelError("a string can only be used in image(\"file.png\")", expr.span);
            case Expr::Kind::call:
                break;
        }
        const model::Function& function = function_of(expr);
        if (function.use == model::Use::source) return lower_source(expr);
        std::vector<Value> args;
        for (const auto& arg : expr.args) args.push_back(lower(*arg));
        return lower_call(b_, expr, args);
    }

    static const model::Function& function_of(const Expr& expr) {
        const model::Function* function = model::find_function(expr.name);
        if (!function) {
            std::vector<std::string> known;
            for (const auto& f : model::functions()) known.emplace_back(f.name);
            throw core::ModelError("unknown function '" + expr.name + "'" + core::did_you_mean(expr.name, known), expr.span);
        }
        const std::string usage(function->usage);
        if (function->use == model::Use::derivative || function->use == model::Use::sum) {
            throw core::ModelError("'" + expr.name + "' is an operator on fields; " + kMadeOf, expr.span);
        }
        if (expr.args.size() < function->least || expr.args.size() > function->most) {
            throw core::ModelError("'" + expr.name + "' has " + std::to_string(expr.args.size()) + " arguments; it is written " + usage,
                                   expr.span);
        }
        return *function;
    }

    Value lower_name(const Expr& expr) {
        const std::string& name = expr.name;
        if (model::is_coordinate(name)) return b_.axis(static_cast<Axis>(kAxisLetters.find(name)));
        if (name == "pi") return b_.literal(std::numbers::pi);
        for (const auto& parameter : model_.parameters) {
            if (parameter.name == name) return parameter.map ? lower_map(parameter, expr) : b_.literal(parameter.value);
        }
        if (name == "t")
            throw core::ModelError("'t' cannot be used here: an initial expression or map does not change with time", expr.span);
        std::vector<std::string> known;
        for (const auto& equation : model_.equations) {
            if (equation.field == name) {
                throw core::ModelError("the field '" + name + "' cannot be used here; " + kMadeOf, expr.span);
            }
        }
        for (const auto& parameter : model_.parameters) known.push_back(parameter.name);
        throw core::ModelError("unknown name '" + name + "'" + core::did_you_mean(name, known), expr.span);
    }

    Value lower_map(const model::Parameter& parameter, const Expr& use) {
        if (std::find(open_maps_.begin(), open_maps_.end(), parameter.name) != open_maps_.end()) {
            throw core::ModelError("the map of '" + parameter.name + "' uses itself", use.span);
        }
        open_maps_.push_back(parameter.name);
        Value value = lower(*parameter.map);
        open_maps_.pop_back();
        return value;
    }

    // ---- shapes and sources

    Value lower_source(const Expr& expr) {
        std::vector<Value> args;
        const auto lowered = [&] {
            for (const auto& arg : expr.args) args.push_back(lower(*arg));
            return std::span<const Value>(args);
        };
        if (expr.calls(Callee::image) || expr.calls(Callee::attr) || expr.calls(Callee::given)) return named_source(expr);
        if (expr.calls(Callee::noise) || expr.calls(Callee::spots)) return random_source(expr);
        if (expr.calls(Callee::box)) return box(lowered());
        if (expr.calls(Callee::near)) return near(expr, lowered());
        if (expr.calls(Callee::disk)) {
            const auto centre = lowered().first(expr.args.size() - 1);
            require_length(expr, "the radius", expr.args.size() - 1, args.back());
            return truth(b_.less_equal(b_.sqrt(distance_squared(centre)), args.back()));
        }
        if (expr.calls(Callee::gauss)) {
            const Value d2 = distance_squared(lowered().first(2));
            require_length(expr, "the width s", 2, args[2]);
            return exp(b_, b_.neg(b_.div(d2, b_.mul(b_.literal(2), b_.mul(args[2], args[2])))));
        }
        if (expr.calls(Callee::ring)) {
            const Value d2 = distance_squared(lowered().first(2)), off = b_.abs(b_.sub(b_.sqrt(d2), args[2]));
            require_length(expr, "the radius", 2, args[2]);
            require_length(expr, "the width", 3, args[3]);
            return truth(b_.less_equal(off, b_.mul(b_.literal(0.5), args[3])));
        }
        throw core::InternalError("the source '" + expr.name + "' has no meaning");
    }

    Value truth(Value mask) { return b_.select(mask, b_.literal(1), b_.literal(0)); }

    // sqrt(((x - px)^2 + (y - py)^2) + (z - pz)^2) <= r, in lengths of the equations.
    Value near(const Expr& expr, std::span<const Value> args) {
        require_mesh(expr, "on a grid use disk(cx, cy, r)");
        require_length(expr, "the distance r", 3, args[3]);
        Value sum = -1;
        for (std::size_t d = 0; d < 3; ++d) {
            const Value off = b_.sub(b_.axis(static_cast<Axis>(d)), args[d]);
            const Value square = b_.mul(off, off);
            sum = sum < 0 ? square : b_.add(sum, square);
        }
        return truth(b_.less_equal(b_.sqrt(sum), args[3]));
    }

    /// Where a length is the same everywhere, it must not be negative; where it depends on position, a shape may end.
    void require_length(const Expr& expr, const char* what, std::size_t index, Value value) {
        const Code code = b_.code_of(value);
        if (!is_constant(code)) return;
        const double length = evaluate(code, {});
        if (length >= 0) return;
        throw core::ModelError(expr.name + ": " + what + " is " + core::number_text(length) + "; it must be a length of 0 or more",
                               expr.args[index]->span);
    }

    void require_mesh(const Expr& expr, const char* instead) const {
        if (!mesh_) throw core::ModelError("'" + expr.name + "' is for surfaces, but this run is on a grid; " + instead, expr.span);
    }

    // ((x - cx Lx)^2 + (y - cy Ly)^2) + (z - cz Lz)^2 in lengths; without cz a disk is a cylinder in 3D. On a mesh c runs over its box.
    Value distance_squared(std::span<const Value> centre) {
        Value sum = -1;
        for (std::size_t d = 0; d < centre.size(); ++d) {
            Value place = b_.mul(centre[d], b_.literal(extent_[d]));
            if (mesh_) place = b_.add(place, b_.literal(first_[d]));
            Value off = b_.sub(b_.axis(static_cast<Axis>(d)), place);
            Value square = b_.mul(off, off);
            sum = sum < 0 ? square : b_.add(sum, square);
        }
        return sum;
    }

    // Half open, so that boxes side by side share no cell.
    Value box(std::span<const Value> corners) {
        Value zero = b_.literal(0);
        Value inside = b_.literal(1);
        for (std::size_t d = 0; d < 2; ++d) {
            Value x = b_.axis(static_cast<Axis>(kUnitX + static_cast<int>(d)));
            inside = b_.select(b_.less_equal(corners[d], x), inside, zero);
            inside = b_.select(b_.less(x, corners[d + 2]), inside, zero);
        }
        return inside;
    }

    Value named_source(const Expr& expr) {
        const bool image = expr.calls(Callee::image);
        if (expr.calls(Callee::attr)) require_mesh(expr, "a map of values over a grid is image(\"file.png\")");
        if (expr.args[0]->kind != Expr::Kind::text) {
            throw core::ModelError(image                      ? "image() needs a file name in quotes: image(\"file.png\")"
                                   : expr.calls(Callee::attr) ? "attr() needs the name of an attribute in quotes: attr(\"quality\")"
                                                              : "given() needs the name of an array in quotes: given(\"F\", 0, 1)",
                                   expr.args[0]->span);
        }
        SourceCall call{expr.callee, {}, expr.args[0]->name, 0, expr.span};
        for (const auto& bound : std::span(expr.args).subspan(1)) call.args.push_back(uniform_argument(expr, *bound));
        return source(std::move(call));
    }

    double uniform_argument(const Expr& expr, const Expr& arg) {
        const Code code = b_.code_of(lower(arg));
        if (!is_constant(code)) {
            throw core::ModelError("the arguments of '" + expr.name + "' must be the same everywhere; write X*noise(0, 1), not noise(0, X)",
                                   arg.span);
        }
        return evaluate(code, {});
    }

    Value random_source(const Expr& expr) {
        SourceCall call{expr.callee, {}, {}, draws_.first(expr), expr.span};
        for (const auto& arg : expr.args) call.args.push_back(uniform_argument(expr, *arg));
        return source(std::move(call));
    }

    Value source(SourceCall call) {
        auto same = [&](const SourceCall& s) {
            return s.function == call.function && s.args == call.args && s.text == call.text && s.draw == call.draw;
        };
        auto found = std::find_if(sources_.begin(), sources_.end(), same);
        auto index = static_cast<Array>(found - sources_.begin());
        if (found == sources_.end()) sources_.push_back(std::move(call));
        return b_.load(index);
    }

    const model::Model& model_;
    const domain::Mesh* mesh_;                  ///< or nullptr on a grid
    std::array<double, 3> first_{}, extent_{};  ///< of the domain's box, in lengths of the equations
    DrawNumbers draws_;
    Builder b_;
    std::vector<SourceCall> sources_;
    std::unordered_map<const Expr*, Value> known_;
    std::vector<std::string> open_maps_;
    int depth_ = 0;
};

}  // namespace

Expression lower_position(const ExprPtr& expr, const model::Model& model, const domain::Domain& domain) {
    return PositionLowering(model, domain).lower_whole(expr);
}

}  // namespace mottle::ir
