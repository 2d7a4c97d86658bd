// mottle/backend/cuda/mesh/emit_patches.cpp: several steps of a mesh in one pass
#include "mottle/backend/cuda/mesh/emit_patches.h"
#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

constexpr int kMostKept = 8;
// Registers of a thread in addition to the rows that it keeps, and for each sum; from the reports of ptxas for the models of the tests.
constexpr int kSingleWorking = 33, kSingleSum = 2, kDoubleWorking = 50, kDoubleSum = 4;

using core::str;
std::string indent(int depth) { return std::string(core::at(4 * depth), ' '); }

int state_bytes(const ir::Program& program) { return mesh_layout(program).state_stride * (program.f64 ? 8 : 4); }

class PatchEmitter {
   public:
    PatchEmitter(const ir::Program& program, const PatchShape& shape) : program_(program), layout_(mesh_layout(program)), shape_(shape) {}

    ModuleText emit() {
        ModuleText module;
        text_ = mesh_head(program_, layout_, "up to " + str(shape_.steps) + " steps in one pass over the patches of a mesh", shape_.steps,
                          false);
        head();
        const MeshStage step(program_, layout_, program_.step.stages[0], "level - 1");
        module.kernels.push_back({"pass", kernel("pass", step, nullptr)});
        if (program_.flush_step) {
            const MeshStage flush(program_, layout_, program_.flush_step->stages[0], "level - 1");
            module.kernels.push_back({"pass_flush", kernel("pass_flush", step, &flush)});
        }
        module.text = text_;
        return module;
    }

   private:
    void head() {
        text_ +=
            "struct Shape { int steps; };\n"
            "struct __align__(16) Slice { long long first; int base; };\n"
            "// first: position of the first vertex it owns; ghosts: place of its first ghost; slice: its first; within: slots up to so "
            "many hops away\n"
            "struct Patch { int first, ghosts, slice, within[" +
            str(shape_.steps + 1) + "]; };\nstruct Room { States of[2][" + str(shape_.slots) +
            "]; };\n"
            "#ifndef MOTTLE_EMULATED\n#define MOTTLE_SHARED(type, name) __shared__ type name\n"
            "__device__ __forceinline__ void give(States& to, const States& value) { to = value; }\n"
            "__device__ __forceinline__ States take(const States& from) { return from; }\n#endif\n"
            "__device__ __forceinline__ int position(const Patch& patch, const int* __restrict__ ghosts, const int slot) {\n"
            "    return slot < patch.within[0] ? patch.first + slot : ghosts[patch.ghosts + slot - patch.within[0]];\n}\n";
    }

    // Adds the neighbour whose number and weights are these texts.
    static std::string neighbour(const MeshStage& stage, const std::string& number, const std::string& weight, int depth) {
        const std::string in = indent(depth);
        return in + "const int slot = " + number + ";\n" + in + "const Weights weight = " + weight + ";\n" + in +
               "const States there = take(from[slot]);\n" +
               (stage.looks_beside() ? in + "const int j = position(patch, ghosts, slot);\n" : "") + stage.neighbour(depth);
    }

    std::string ring(const MeshStage& stage, int depth) const {
        const std::string in = indent(depth);
        std::string text;
        if (shape_.kept > 0) {
            text += in + "#pragma unroll\n" + in + "for (int k = 0; k < " + str(shape_.kept) + "; ++k) {\n" + in +
                    "    if (k < valence) {\n" + neighbour(stage, "numbers_kept[k]", "weights_kept[k]", depth + 2) + in + "    }\n" + in +
                    "}\n";
        }
        return text + in + "for (int k = " + str(shape_.kept) + "; k < valence; ++k) {\n" +
               neighbour(stage, "neighbours[row + 32 * k]", "weights[row + 32 * k]", depth + 1) + in + "}\n";
    }

    /// One step of one row; `store` is the text that stores its result.
    std::string level(const MeshStage& stage, const std::string& store, int depth) const {
        const std::string in = indent(depth);
        return in + "const States (&from)[" + str(shape_.slots) + "] = room.of[(level - 1) & 1];\n" + in +
               "const States here = take(from[self]);\n" + stage.before(depth) + (stage.has_sums() ? ring(stage, depth) : "") +
               stage.after(depth) + in + store + "\n";
    }

    std::vector<Argument> kernel(const std::string& name, const MeshStage& step, const MeshStage* flush) {
        using Kind = Argument::Kind;
        std::vector<Argument> arguments;
        for (Kind kind : {Kind::numbers, Kind::shape, Kind::states, Kind::next_states, Kind::patches, Kind::ghosts, Kind::slices,
                          Kind::valences, Kind::neighbours, Kind::weights})
            arguments.push_back({kind, 0});
        for (const Argument& argument : step.arrays()) arguments.push_back(argument);
        const int blocks = std::max(1, (program_.f64 ? kDoubleThreads : kSingleThreads) / shape_.threads);
        text_ += "\nMOTTLE_KERNEL __launch_bounds__(" + str(shape_.threads) + ", " + str(blocks) + ") " + name + "(" +
                 mesh_parameters(arguments) +
                 ") {\n"
                 "    MOTTLE_SHARED(Room, room);\n"
                 "    const Patch& patch = patches[blockIdx.x];\n"
                 "    const int self = (int)threadIdx.x, levels = shape.steps;\n"
                 "    // a pass of fewer steps than a patch has hops leaves the outermost of them alone\n"
                 "    for (int k = self; k < patch.within[levels]; k += " +
                 str(shape_.threads) +
                 ") give(room.of[0][k], states[position(patch, ghosts, k)]);\n"
                 "    int i = 0, valence = 0;\n    long long row = 0;\n";
        if (shape_.kept > 0)
            text_ += "    int numbers_kept[" + str(shape_.kept) + "] = {};\n    Weights weights_kept[" + str(shape_.kept) + "] = {};\n";
        text_ +=
            "    if (self < patch.within[levels - 1]) {\n"
            "        i = position(patch, ghosts, self);\n"
            "        row = slices[patch.slice + (self >> 5)].first + (self & 31);\n"
            "        valence = valences[32 * patch.slice + self];\n";
        if (shape_.kept > 0) {
            text_ += "        #pragma unroll\n        for (int k = 0; k < " + str(shape_.kept) +
                     "; ++k) {\n"
                     "            if (k < valence) numbers_kept[k] = neighbours[row + 32 * k], weights_kept[k] = weights[row + 32 * k];\n  "
                     "      }\n";
        }
        text_ += std::string("    }\n    __syncthreads();\n    for (int level = 1; level <= ") + (flush ? "levels - 1" : "levels") +
                 "; ++level) {\n        if (self < patch.within[levels - level]) {\n" +
                 level(step,
                       flush ? "give(room.of[level & 1][self], next);"
                             : "if (level == levels) next_states[i] = next; else give(room.of[level & 1][self], next);",
                       3) +
                 "        }\n        " + (flush ? "" : "if (level < levels) ") + "__syncthreads();\n    }\n";
        if (flush)
            text_ += "    const int level = levels;\n    if (self < patch.within[0]) {\n" + level(*flush, "next_states[i] = next;", 2) +
                     "    }\n";
        text_ += "}\n";
        return arguments;
    }

    const ir::Program& program_;
    MeshLayout layout_;
    PatchShape shape_;
    std::string text_;
};

}  // namespace

std::string patch_obstacle(const ir::Program& program) {
    if (program.step.stages.size() > 1) return "a step of several stages takes a launch for each";
    return "";
}

PatchShape patch_shape(const ir::Program& program, int steps, int threads) {
    int sums = 0;
    for (const ir::Instruction& in : program.step.stages[0].code) sums += in.op == ir::Op::row_sum ? 1 : 0;
    const int most = program.f64 ? kDoubleThreads : kSingleThreads;
    const int room = (1 << 16) / most - (program.f64 ? kDoubleWorking + kDoubleSum * sums : kSingleWorking + kSingleSum * sums);
    const int words = mesh_layout(program).weight_stride * (program.f64 ? 2 : 1) + 1;
    PatchShape shape{steps, std::min(threads, most), 0, std::clamp(room / words, 0, kMostKept)};
    shape.slots = std::min(2 * shape.threads, kSharedBytes / (2 * state_bytes(program)));
    return shape;
}

ModuleText emit_patches(const ir::Program& program, const PatchShape& shape) { return PatchEmitter(program, shape).emit(); }

}  // namespace mottle::backend::cuda
