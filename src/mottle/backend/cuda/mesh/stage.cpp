// mottle/backend/cuda/mesh/stage.cpp: the text of one stage on a mesh
#include "mottle/backend/cuda/mesh/stage.h"

#include "mottle/backend/step_plan.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <map>

namespace mottle::backend::cuda {
namespace {

using ir::Op;

using core::str;
std::string value_name(ir::Value value) { return "v" + str(value); }

int stride_for(int count) { return count <= 2 ? std::max(1, count) : (count + 3) / 4 * 4; }

}  // namespace

int MeshLayout::weight_of(int edge) const { return static_cast<int>(std::find(edges.begin(), edges.end(), edge) - edges.begin()); }

MeshLayout mesh_layout(const ir::Program& program) {
    const StepPlan plan(program);
    MeshLayout layout;
    layout.edges.assign(plan.edges.begin(), plan.edges.end());
    layout.weight_stride = stride_for(static_cast<int>(plan.edges.size()));
    layout.state_stride = stride_for(plan.states);
    return layout;
}

std::string mesh_head(const ir::Program& program, const MeshLayout& layout, const std::string& title, int rows, bool wide) {
    auto aligned = [&](int stride) { return str(std::min(16, stride * (program.f64 ? 8 : 4))); };
    std::string text = module_head(program.f64, title, rows, program.uniforms.size());
    text += "struct __align__(" + aligned(layout.state_stride) + ") States { real f[" + str(layout.state_stride) + "]; };\n";
    text += "struct __align__(" + aligned(layout.weight_stride) + ") Weights { real e[" + str(layout.weight_stride) + "]; };\n";
    return text + (wide ? "typedef int Neighbour;\n" : "typedef unsigned short Neighbour;\n");
}

MeshStage::MeshStage(const ir::Program& program, const MeshLayout& layout, const ir::Stage& stage, const std::string& row)
    : program_(program), layout_(layout), stage_(stage), row_(row) {
    const ir::RingSplit split = ir::split_ring(stage.code);
    has_sums_ = !split.sums.empty();
    for (ir::Value value : split.before) before_.push_back(define(value));
    for (ir::Value sum : split.sums) before_.push_back("real " + value_name(sum) + " = 0;");
    for (ir::Value value : split.body) neighbour_.push_back(define(value));
    for (ir::Value sum : split.sums) {
        const ir::Instruction& in = stage.code[core::at(sum)];
        neighbour_.push_back(value_name(sum) + " = " +
                             fma_text(value_name(in.args[0]), value_name(in.args[1]), value_name(sum), program.f64) + ";");
    }
    for (ir::Value value : split.after) after_.push_back(define(value));
    store();
}

std::string MeshStage::indented(const Lines& lines, int depth) {
    std::string text;
    for (const std::string& line : lines) text += std::string(core::at(4 * depth), ' ') + line + "\n";
    return text;
}

std::string MeshStage::loaded(ir::Array array) {
    loaded_.insert(array);
    return "a" + str(array);
}

std::string MeshStage::text_of(ir::Value value) {
    const ir::Instruction& in = stage_.code[core::at(value)];
    const bool state = in.index < program_.state_count();
    if (in.op == Op::uniform) return "numbers.u[" + row_ + "][" + str(in.index) + "]";
    if (in.op == Op::load) return state ? "here.f[" + str(in.index) + "]" : loaded(in.index) + "[i]";
    if (in.op == Op::neighbour) {
        looks_beside_ = looks_beside_ || !state;
        return state ? "there.f[" + str(in.index) + "]" : loaded(in.index) + "[j]";
    }
    if (in.op == Op::edge) return "weight.e[" + str(layout_.weight_of(in.index)) + "]";
    if (in.op == Op::axis) {
        axes_.insert(in.index);
        return "axis_" + str(in.index) + "[i]";
    }
    std::vector<std::string> args;
    args.reserve(in.args.size());
    for (int a = 0; a < ir::arity(in.op); ++a) args.push_back(value_name(in.args[core::at(a)]));
    return expression(in, args, program_.f64);
}

std::string MeshStage::define(ir::Value value) {
    return "const " + std::string(type_name(ir::type_of(stage_.code, value))) + " " + value_name(value) + " = " + text_of(value) + ";";
}

void MeshStage::store() {
    int fields = 0;
    for (const auto& [array, value] : stage_.stores) {
        if (array >= program_.state_count()) {
            after_.push_back("a" + str(array) + "_next[i] = " + value_name(value) + ";");
            continue;
        }
        if (fields++ == 0) after_.emplace_back("States next = {};");
        after_.push_back("next.f[" + str(array) + "] = " + value_name(value) + ";");
    }
    has_next_ = fields > 0;
    if (has_next_ && fields != program_.state_count())
        throw core::InternalError("a stage of a mesh program stores some fields and not others");
}

std::vector<Argument> MeshStage::arrays() const {
    using Kind = Argument::Kind;
    std::vector<Argument> list;
    for (ir::Array array : loaded_) list.push_back({Kind::load, array});
    for (const auto& [array, value] : stage_.stores) {
        if (array >= program_.state_count()) list.push_back({Kind::store, array});
    }
    for (int axis : axes_) list.push_back({Kind::axis, axis});
    return list;
}

std::string mesh_parameters(const std::vector<Argument>& arguments) {
    using Kind = Argument::Kind;
    static const std::map<Kind, std::string> kTypes = {{Kind::numbers, "const Numbers numbers"},
                                                       {Kind::shape, "const Shape shape"},
                                                       {Kind::states, "const States* __restrict__ states"},
                                                       {Kind::next_states, "States* __restrict__ next_states"},
                                                       {Kind::slices, "const Slice* __restrict__ slices"},
                                                       {Kind::valences, "const unsigned char* __restrict__ valences"},
                                                       {Kind::neighbours, "const Neighbour* __restrict__ neighbours"},
                                                       {Kind::weights, "const Weights* __restrict__ weights"},
                                                       {Kind::patches, "const Patch* __restrict__ patches"},
                                                       {Kind::ghosts, "const int* __restrict__ ghosts"}};
    auto text_of = [](const Argument& argument) -> std::string {
        if (argument.kind == Kind::load) return "const real* __restrict__ a" + str(argument.index);
        if (argument.kind == Kind::store) return "real* __restrict__ a" + str(argument.index) + "_next";
        if (argument.kind == Kind::axis) return "const real* __restrict__ axis_" + str(argument.index);
        const auto found = kTypes.find(argument.kind);
        if (found == kTypes.end()) throw core::InternalError("an argument without a parameter");
        return found->second;
    };
    std::string text;
    for (const Argument& argument : arguments) text += (text.empty() ? "" : ", ") + text_of(argument);
    return text;
}

}  // namespace mottle::backend::cuda
