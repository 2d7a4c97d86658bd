// mottle/backend/cuda/emit/operations.h: operations of the IR as CUDA C++ text: each rounds as the contract says, none can be contracted
#pragma once
#include "mottle/ir/program/program.h"

#include <string>
#include <vector>

namespace mottle::backend::cuda {

inline constexpr const char* kAxisNames[ir::kGridAxes] = {"x",       "y",       "z",       "X",      "Y",      "Z",
                                                          "still_x", "still_y", "still_z", "cell_x", "cell_y", "cell_z"};  ///< by ir::Axis

inline constexpr int kSharedBytes = 48 * 1024;  ///< of a block: the amount that every card allows by default

/// A parameter of a kernel: the uniforms and the shape by value, then pointers.
struct Argument {
    /// On meshes: states, next_states: all fields, interleaved; slices, valences, neighbours, weights: the rows; patches, ghosts: what blocks own and read.
    /// Of ensembles: table: what their members are. Of persistent kernels: table: the numbers; packets: what blocks send; lost: whether one waited in vain.
    enum class Kind {
        numbers,
        shape,
        load,
        store,
        axis,
        table,
        packets,
        lost,
        states,
        next_states,
        slices,
        valences,
        neighbours,
        weights,
        patches,
        ghosts
    } kind;
    int index = 0;  ///< of an array, an ir::Axis
};
struct KernelText {
    std::string name;
    std::vector<Argument> arguments;
};
/// A text and the kernels in it.
struct ModuleText {
    std::string text;
    std::vector<KernelText> kernels;
};

/// The C++ type of values of a type: real, word or bool. `real` and `word` are names that every text defines.
const char* type_name(ir::Type type);

/// One operation as an expression; `args` are the texts of its operands. Not for load, axis and uniform.
std::string expression(const ir::Instruction& instruction, const std::vector<std::string>& args, bool f64);
/// A number, written as its bits, so that no conversion from decimal digits can change it.
std::string literal_text(double value, bool f64 = false);
/// fma(a, b, c).
std::string fma_text(const std::string& a, const std::string& b, const std::string& c, bool f64);

/// The condition that the step whose number is `step` is one of ir::is_flush_step.
std::string flush_test(const std::string& step);

/// What every text begins with: the kernel keyword, real and word, struct Numbers (`rows` rows of uniforms).
std::string module_head(bool f64, const std::string& title, int rows = 1, std::size_t uniforms = 0);

}  // namespace mottle::backend::cuda
