// mottle/backend/cuda/mesh/emit_mesh.cpp: one kernel per stage on a mesh, a thread per vertex over rows in slices of 32
#include "mottle/backend/cuda/mesh/emit_mesh.h"

namespace mottle::backend::cuda {
namespace {

// Every lane loops over its own neighbours only: except at the end, the rows of a slice have the same length.
std::string ring(const MeshStage& stage) {
    return "    const Slice slice = slices[i >> 5];\n"
           "    const long long row = slice.first + (i & 31);\n"
           "    const int valence = valences[i];\n"
           "    for (int k = 0; k < valence; ++k) {\n"
           "        const int j = slice.base + neighbours[row + 32 * k];\n"
           "        const Weights weight = weights[row + 32 * k];\n"
           "        const States there = states[j];\n" +
           stage.neighbour(2) + "    }\n";
}

KernelText emit_stage(const MeshStage& stage, const std::string& name, const std::string& title, int threads, std::string& text) {
    using Kind = Argument::Kind;
    KernelText kernel{name, {{Kind::numbers, 0}, {Kind::shape, 0}, {Kind::states, 0}}};
    if (stage.has_next()) kernel.arguments.push_back({Kind::next_states, 0});
    if (stage.has_sums()) {
        for (Kind kind : {Kind::slices, Kind::valences, Kind::neighbours, Kind::weights}) kernel.arguments.push_back({kind, 0});
    }
    for (const Argument& argument : stage.arrays()) kernel.arguments.push_back(argument);
    const std::string count = std::to_string(threads);
    text += "\n// " + title + "\nMOTTLE_KERNEL __launch_bounds__(" + count + ") " + name + "(" + mesh_parameters(kernel.arguments) +
            ") {\n    const int i = (int)(blockIdx.x * " + count +
            " + threadIdx.x);\n    if (i >= shape.vertices) return;\n    const States here = states[i];\n" + stage.before(1) +
            (stage.has_sums() ? ring(stage) : "") + stage.after(1) + (stage.has_next() ? "    next_states[i] = next;\n" : "") + "}\n";
    return kernel;
}

}  // namespace

ModuleText emit_mesh(const ir::Program& program, int threads, bool wide) {
    const MeshLayout layout = mesh_layout(program);
    ModuleText module;
    module.text = mesh_head(program, layout, "one kernel per stage on a mesh, a thread per vertex", 1, wide) +
                  "struct Shape { int vertices; };\n"
                  "// first: of its neighbours; base: what their numbers count from\n"
                  "struct __align__(16) Slice { long long first; int base; };\n";
    auto sweep = [&](const ir::Sweep& from, const std::string& name) {
        for (std::size_t s = 0; s < from.stages.size(); ++s) {
            const MeshStage stage(program, layout, from.stages[s], "0");
            module.kernels.push_back(emit_stage(stage, name + std::to_string(s), from.stages[s].name, threads, module.text));
        }
    };
    sweep(program.step, "step");
    if (program.flush_step) sweep(*program.flush_step, "flush");
    return module;
}

}  // namespace mottle::backend::cuda
