// mottle/ir/program/print.cpp: a Program as text that shows every bit of information that decides its result
#include "mottle/core/text.h"
#include "mottle/ir/program/program.h"

#include <charconv>

namespace mottle::ir {
namespace {

constexpr const char* kAxisNames[] = {"x",       "y",       "z",      "X",      "Y",      "Z",    "still_x",
                                      "still_y", "still_z", "cell_x", "cell_y", "cell_z", "loop", "noise_share"};
constexpr const char* kEdgeNames[4] = {"laplacian", "gradient_x", "gradient_y", "gradient_z"};

std::string edge_name(int edge) { return edge < kEdgeTensor ? kEdgeNames[edge] : "tensor_" + std::to_string(edge - kEdgeTensor); }

std::string hexadecimal(std::uint64_t bits) {
    char buffer[16];
    auto end = std::to_chars(buffer, buffer + sizeof buffer, bits, 16).ptr;
    return "0x" + std::string(buffer, end);
}

std::string place(const Instruction& instruction) {
    const auto& [dx, dy, dz] = instruction.offset;
    std::string text = "(" + std::to_string(dx) + "," + std::to_string(dy);
    return text + (dz == 0 ? ")" : "," + std::to_string(dz) + ")");
}

// Where it does not vary along all of them.
std::string axes_text(const std::array<bool, 3>& varies) {
    std::string text;
    for (std::size_t d = 0; d < varies.size(); ++d) text += varies[d] ? std::string(text.empty() ? "" : ", ") + kAxisNames[d] : "";
    return varies == std::array<bool, 3>{true, true, true} ? "" : ", varies along " + (text.empty() ? "no axis" : text);
}

bool is_moved(const Instruction& instruction) { return instruction.offset != std::array<std::int8_t, 3>{0, 0, 0}; }

std::string axis_text(const Instruction& instruction) {
    return std::string("axis ") + kAxisNames[instruction.index] + (is_moved(instruction) ? " " + place(instruction) : "");
}

/// A host expression in infix notation, evaluated as it is written: from left to right, parentheses where the order needs them.
class Formula {
   public:
    Formula(const Code& code, const std::vector<std::string>& inputs) : code_(code), inputs_(inputs), uses_(code.size(), 0) {
        for (const auto& instruction : code) {
            for (Value arg : instruction.args) {
                if (arg >= 0) ++uses_[core::at(arg)];
            }
        }
    }

    /// The value, and lines of the values that it shares with itself.
    std::string text(std::string& shared_lines) const {
        for (std::size_t v = 0; v + 1 < code_.size(); ++v) {
            if (is_shared(v)) shared_lines += "      %" + std::to_string(v) + " = " + written(v, kLowest) + "\n";
        }
        return written(code_.size() - 1, kLowest);
    }

    /// As somebody would write it: what is shared stands wherever it is used, and roundings of host code do not show.
    std::string for_readers() {
        uses_.assign(uses_.size(), 1);
        shows_roundings_ = false;
        return written(code_.size() - 1, kLowest);
    }

   private:
    // How tightly an operand is bound by what stands around it.
    static constexpr int kLowest = 0, kSum = 1, kProduct = 2, kAtom = 3;

    bool is_shared(std::size_t v) const { return uses_[v] > 1 && arity(code_[v].op) > 0; }

    std::string operand(Value value, int binding) const {
        auto v = core::at(value);
        return is_shared(v) ? "%" + std::to_string(v) : written(v, binding);
    }

    std::string binary(const Instruction& instruction, const char* sign, int level, int binding) const {
        std::string text = operand(instruction.args[0], level) + sign + operand(instruction.args[1], level + 1);
        return binding > level ? "(" + text + ")" : text;
    }

    std::string written(std::size_t v, int binding) const {
        const Instruction& instruction = code_[v];
        const auto signed_number = [&](const std::string& text) { return binding > kLowest ? "(" + text + ")" : text; };
        const Op op = instruction.op;
        if (op == Op::literal) {
            const std::string number = core::number_text(instruction.literal());
            return number.front() == '-' ? signed_number(number) : number;
        }
        if (op == Op::word) return hexadecimal(instruction.bits);
        if (op == Op::uniform) return inputs_[core::at(instruction.index)];
        if (op == Op::add) return binary(instruction, " + ", kSum, binding);
        if (op == Op::sub) return binary(instruction, " - ", kSum, binding);
        if (op == Op::mul) return binary(instruction, "*", kProduct, binding);
        if (op == Op::div) return binary(instruction, "/", kProduct, binding);
        if (op == Op::round_single && !shows_roundings_) return written(core::at(instruction.args[0]), binding);
        if (op == Op::neg) return signed_number("-" + operand(instruction.args[0], kAtom));
        std::string text = std::string(name(instruction.op)) + "(";
        for (int i = 0; i < arity(instruction.op); ++i) {
            text += (i > 0 ? ", " : "") + operand(instruction.args[core::at(i)], kLowest);
        }
        return text + ")";
    }

    const Code& code_;
    const std::vector<std::string>& inputs_;
    std::vector<int> uses_;
    bool shows_roundings_ = true;
};

class Printer {
   public:
    explicit Printer(const Program& program) : program_(program) {}

    std::string text() {
        out_ = program_.f64 ? "program f64\n" : "program f32\n";
        arrays();
        ghosts();
        uniforms();
        sweep(program_.step, "step");
        if (program_.flush_step) sweep(*program_.flush_step, "flush step");
        if (program_.phases) phases(*program_.phases);
        for (const LinearPart& part : program_.linear) {
            out_ += "rate of " + program_.arrays[core::at(part.field)].name + " adds";
            for (std::size_t m = 0; m < part.powers.size(); ++m) {
                if (part.powers[m] >= 0) out_ += " c" + std::to_string(part.powers[m]) + " lap^" + std::to_string(m);
            }
            out_ += "\n";
        }
        for (const ImplicitDiffusion& solved : program_.implicit) {
            if (solved.coefficient < 0) continue;
            out_ += "then " + program_.arrays[core::at(solved.field)].name + " solves (1 - c" + std::to_string(solved.coefficient) +
                    " lap) f' = f\n";
        }
        if (program_.staged)
            out_ += "a step of the run: stages of " +
                    std::string(program_.staged->factored ? "a method" : "Runge-Kutta-Legendre's method") + " of order " +
                    std::to_string(program_.staged->order) + (program_.staged->factored ? ", as steps of Euler's method\n" : "\n");
        return std::move(out_);
    }

   private:
    void arrays() {
        constexpr const char* kKinds[3] = {"state", "held", "input"};
        out_ += "arrays:\n";
        for (const auto& array : program_.arrays) {
            out_ += "  " + array.name + ": " + kKinds[static_cast<std::size_t>(array.kind)] + ", ghosts g" +
                    std::to_string(array.ghost_rule) + axes_text(array.varies) + "\n";
        }
    }

    void ghosts() {
        for (std::size_t i = 0; i < program_.ghosts.size(); ++i) {
            out_ += "ghosts g" + std::to_string(i) + ":";
            const GhostRule& rule = program_.ghosts[i];
            for (std::size_t side = 0; side < rule.size(); ++side) {
                const Ghost& ghost = rule[side];
                out_ += std::string(side > 0 ? "," : "") + " " + domain::kSideNames[side] + " " + domain::rule_name(ghost.rule);
                if (ghost.beta >= 0) out_ += " fma(" + uniform_name(ghost.beta) + ", mirror, " + uniform_name(ghost.alpha) + ")";
            }
            out_ += "\n";
        }
    }

    void uniforms() {
        out_ += "inputs:";
        for (const auto& input : program_.inputs) out_ += " " + input;
        out_ += "\nuniforms:\n";
        for (std::size_t i = 0; i < program_.uniforms.size(); ++i) {
            const Uniform& uniform = program_.uniforms[i];
            std::string shared_lines;
            std::string value = Formula(uniform.code, program_.inputs).text(shared_lines);
            out_ += shared_lines + "  " + uniform_name(static_cast<int>(i)) + " = " + value + (uniform.per_step ? "  [per step]\n" : "\n");
        }
    }

    void sweep(const Sweep& sweep, const char* title) {
        for (const auto& stage : sweep.stages) {
            out_ += std::string(title) + " stage \"" + stage.name + "\":\n";
            for (std::size_t v = 0; v < stage.code.size(); ++v) {
                if (!is_inline(stage.code[v])) out_ += "  %" + std::to_string(v) + " = " + operation(stage.code, v) + "\n";
            }
            for (const auto& [array, value] : stage.stores) {
                out_ += "  store " + program_.arrays[core::at(array)].name + " = " + operand(stage.code, value) + "\n";
            }
        }
    }

    void phases(const Phases& all) {
        out_ += "sums:\n";
        for (const Sum& sum : all.sums)
            out_ += "  " + program_.inputs[core::at(sum.input)] + ": " + (sum.integral ? "integral" : "mean") + " over " +
                    program_.arrays[core::at(sum.array)].name + "\n";
        if (all.begin) phase(all, *all.begin, "begin");
        for (const Phase& one : all.step) phase(all, one, "phase");
    }

    void phase(const Phases& all, const Phase& one, const char* title) {
        out_ += std::string(title) + ": t + " + core::number_text(one.time) + "*dt";
        if (all.differ) {
            out_ += ", held at t + " + core::number_text(one.held) + "*dt, next at " +
                    (one.ends ? "the next step" : "t + " + core::number_text(one.next) + "*dt") + ", switches";
            for (const double value : one.switches) out_ += " " + core::number_text(value);
        }
        for (const int sum : one.sums) out_ += ", " + program_.inputs[core::at(all.sums[core::at(sum)].input)];
        out_ += "\n";
    }

    // Constants and uniforms are written where they are used.
    static bool is_inline(const Instruction& instruction) {
        return instruction.op == Op::literal || instruction.op == Op::word || instruction.op == Op::uniform;
    }

    static std::string uniform_name(int index) { return "c" + std::to_string(index); }

    std::string operand(const Code& code, Value value) const {
        const Instruction& instruction = code[core::at(value)];
        if (instruction.op == Op::literal) return core::number_text(instruction.literal());
        if (instruction.op == Op::word) return hexadecimal(instruction.bits);
        if (instruction.op == Op::uniform) return uniform_name(instruction.index);
        return "%" + std::to_string(value);
    }

    std::string operation(const Code& code, std::size_t v) const {
        const Instruction& instruction = code[v];
        if (instruction.op == Op::neighbour) return "neighbour " + program_.arrays[core::at(instruction.index)].name;
        if (instruction.op == Op::edge) return "edge " + edge_name(instruction.index);
        if (instruction.op == Op::load) {
            return "load " + program_.arrays[core::at(instruction.index)].name + " " + place(instruction);
        }
        if (instruction.op == Op::axis) return axis_text(instruction);
        std::string text = name(instruction.op);
        for (int i = 0; i < arity(instruction.op); ++i) {
            text += (i > 0 ? ", " : " ") + operand(code, instruction.args[core::at(i)]);
        }
        return text;
    }

    const Program& program_;
    std::string out_;
};

}  // namespace

std::string formula(const Program& program, const Code& code) { return Formula(code, program.inputs).for_readers(); }

std::string print(const Program& program) { return Printer(program).text(); }

}  // namespace mottle::ir
