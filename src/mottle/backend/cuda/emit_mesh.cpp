// mottle/backend/cuda/emit_mesh.cpp: one kernel per stage on a mesh, a thread per vertex over rows in slices of 32
#include "mottle/backend/cuda/emit_mesh.h"

#include "mottle/core/error.h"
#include "mottle/ir/ring.h"

#include <algorithm>
#include <set>

namespace mottle::backend::cuda {
namespace {

using ir::Op;

std::string str(int value) { return std::to_string(value); }

int stride_for(int count) { return count <= 2 ? std::max(1, count) : (count + 3) / 4 * 4; }

class StageEmitter {
   public:
    StageEmitter(const ir::Program& program, const MeshLayout& layout, const ir::Stage& stage)
        : program_(program), layout_(layout), stage_(stage), states_(program.state_count()) {}

    KernelText emit(const std::string& name, std::string& text) {
        const ir::RingSplit split = ir::split_ring(stage_.code);
        std::string body;
        for (ir::Value value : split.before) body += "    " + define(value);
        if (!split.sums.empty()) body += ring(split);
        for (ir::Value value : split.after) body += "    " + define(value);
        body += stores();
        KernelText kernel{name, arguments(!split.sums.empty())};
        text += "\n// " + stage_.name + "\nMOTTLE_KERNEL __launch_bounds__(" + str(kMeshThreads) + ") " + name + "(" + parameters(kernel) +
                ") {\n" + "    const int i = (int)(blockIdx.x * " + str(kMeshThreads) +
                " + threadIdx.x);\n    if (i >= shape.vertices) return;\n" + "    const States here = states[i];\n" + body + "}\n";
        return kernel;
    }

   private:
    bool is_state(ir::Array array) const { return array < states_; }
    static std::string value_name(ir::Value value) { return "v" + str(value); }

    std::string text_of(ir::Value value) {
        const ir::Instruction& in = stage_.code[static_cast<std::size_t>(value)];
        switch (in.op) {
            case Op::uniform:
                return "numbers.u[0][" + str(in.index) + "]";
            case Op::load:
                return is_state(in.index) ? "here.f[" + str(in.index) + "]" : plain(in.index) + "[i]";
            case Op::neighbour:
                return is_state(in.index) ? "there.f[" + str(in.index) + "]" : plain(in.index) + "[j]";
            case Op::edge:
                return "weight.e[" + str(layout_.weight_of(in.index)) + "]";
            case Op::axis:
                axes_.insert(in.index);
                return "axis_" + str(in.index) + "[i]";
            default:
                break;
        }
        std::vector<std::string> args;
        for (int a = 0; a < ir::arity(in.op); ++a) args.push_back(value_name(in.args[static_cast<std::size_t>(a)]));
        return expression(in, args, program_.f64);
    }
    std::string define(ir::Value value) {
        return "const " + std::string(type_name(ir::type_of(stage_.code, value))) + " " + value_name(value) + " = " + text_of(value) +
               ";\n";
    }
    std::string plain(ir::Array array) {
        loaded_.insert(array);
        return "a" + str(array);
    }

    // Every lane runs over its own neighbours alone: the rows of a slice have one length but at its end.
    std::string ring(const ir::RingSplit& split) {
        std::string text;
        for (ir::Value sum : split.sums) text += "    real " + value_name(sum) + " = 0;\n";
        text +=
            "    const long long row = slices[i >> 5] + (i & 31);\n    const int valence = valences[i];\n"
            "    for (int k = 0; k < valence; ++k) {\n"
            "        const int j = neighbours[row + 32 * k];\n"
            "        const Weights weight = weights[row + 32 * k];\n"
            "        const States there = states[j];\n";
        for (ir::Value value : split.body) text += "        " + define(value);
        for (ir::Value sum : split.sums) {
            const ir::Instruction& in = stage_.code[static_cast<std::size_t>(sum)];
            text += "        " + value_name(sum) + " = " +
                    fma_text(value_name(in.args[0]), value_name(in.args[1]), value_name(sum), program_.f64) + ";\n";
        }
        return text + "    }\n";
    }

    std::string stores() {
        std::string text;
        int fields = 0;
        for (const auto& [array, value] : stage_.stores) {
            if (!is_state(array)) {
                text += "    a" + str(array) + "_next[i] = " + value_name(value) + ";\n";
                continue;
            }
            if (fields++ == 0) text += "    States next = {};\n";
            text += "    next.f[" + str(array) + "] = " + value_name(value) + ";\n";
        }
        stores_states_ = fields > 0;
        if (fields > 0 && fields != states_) throw core::InternalError("a stage of a mesh program stores some fields and not others");
        return text + (fields > 0 ? "    next_states[i] = next;\n" : "");
    }

    std::vector<Argument> arguments(bool ring) const {
        using Kind = Argument::Kind;
        std::vector<Argument> list = {{Kind::numbers, 0}, {Kind::shape, 0}, {Kind::states, 0}};
        if (stores_states_) list.push_back({Kind::next_states, 0});
        if (ring) {
            for (Kind kind : {Kind::slices, Kind::valences, Kind::neighbours, Kind::weights}) list.push_back({kind, 0});
        }
        for (ir::Array array : loaded_) list.push_back({Kind::load, array});
        for (const auto& [array, value] : stage_.stores) {
            if (!is_state(array)) list.push_back({Kind::store, array});
        }
        for (int axis : axes_) list.push_back({Kind::axis, axis});
        return list;
    }

    static std::string parameters(const KernelText& kernel) {
        std::string text;
        for (const Argument& argument : kernel.arguments) {
            text += text.empty() ? "" : ", ";
            switch (argument.kind) {
                case Argument::Kind::numbers:
                    text += "const Numbers numbers";
                    break;
                case Argument::Kind::shape:
                    text += "const Shape shape";
                    break;
                case Argument::Kind::states:
                    text += "const States* __restrict__ states";
                    break;
                case Argument::Kind::next_states:
                    text += "States* __restrict__ next_states";
                    break;
                case Argument::Kind::slices:
                    text += "const long long* __restrict__ slices";
                    break;
                case Argument::Kind::valences:
                    text += "const unsigned char* __restrict__ valences";
                    break;
                case Argument::Kind::neighbours:
                    text += "const int* __restrict__ neighbours";
                    break;
                case Argument::Kind::weights:
                    text += "const Weights* __restrict__ weights";
                    break;
                case Argument::Kind::load:
                    text += "const real* __restrict__ a" + str(argument.index);
                    break;
                case Argument::Kind::store:
                    text += "real* __restrict__ a" + str(argument.index) + "_next";
                    break;
                case Argument::Kind::axis:
                    text += "const real* __restrict__ axis_" + str(argument.index);
                    break;
            }
        }
        return text;
    }

    const ir::Program& program_;
    const MeshLayout& layout_;
    const ir::Stage& stage_;
    int states_;
    bool stores_states_ = false;
    std::set<ir::Array> loaded_;
    std::set<int> axes_;
};

}  // namespace

int MeshLayout::weight_of(int edge) const { return static_cast<int>(std::find(edges.begin(), edges.end(), edge) - edges.begin()); }

MeshLayout mesh_layout(const ir::Program& program) {
    std::set<int> edges;
    for (const ir::Stage& stage : program.step.stages) {
        for (const ir::Instruction& in : stage.code) {
            if (in.op == Op::edge) edges.insert(in.index);
        }
    }
    MeshLayout layout;
    layout.edges.assign(edges.begin(), edges.end());
    layout.weight_stride = stride_for(static_cast<int>(edges.size()));
    layout.state_stride = stride_for(program.state_count());
    return layout;
}

ModuleText emit_mesh(const ir::Program& program) {
    const MeshLayout layout = mesh_layout(program);
    ModuleText module;
    module.text = module_head(program, "one kernel per stage on a mesh, a thread per vertex", 1);
    auto aligned = [&](int stride) { return str(std::min(16, stride * (program.f64 ? 8 : 4))); };
    module.text += "struct Shape { int vertices; };\n";
    module.text += "struct __align__(" + aligned(layout.state_stride) + ") States { real f[" + str(layout.state_stride) + "]; };\n";
    module.text += "struct __align__(" + aligned(layout.weight_stride) + ") Weights { real e[" + str(layout.weight_stride) + "]; };\n";
    auto sweep = [&](const ir::Sweep& from, const std::string& name) {
        for (std::size_t s = 0; s < from.stages.size(); ++s)
            module.kernels.push_back(StageEmitter(program, layout, from.stages[s]).emit(name + str(static_cast<int>(s)), module.text));
    };
    sweep(program.step, "step");
    if (program.flush_step) sweep(*program.flush_step, "flush");
    return module;
}

}  // namespace mottle::backend::cuda
