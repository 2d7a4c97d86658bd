// mottle/ir/program/verify.cpp: the rules of ir/program/program.h, checked on a finished Program
#include "mottle/core/error.h"
#include "mottle/ir/functions/white_noise.h"
#include "mottle/ir/program/program.h"
#include "mottle/ir/program/ring.h"

#include <set>

namespace mottle::ir {
namespace {

class Verifier {
   public:
    explicit Verifier(const Program& program) : program_(program) {}

    void run() {
        arrays();
        ghosts();
        for (std::size_t i = 0; i < program_.uniforms.size(); ++i) uniform(i);
        sweep(program_.step, "step");
        phases();
        if (!program_.flush_step) return;
        require(program_.f64 || program_.staged, "flush_step", "an f32 program flushes every result already");
        sweep(*program_.flush_step, "flush_step");
    }

   private:
    static void require(bool holds, const std::string& where, const std::string& what) {
        if (!holds) throw core::InternalError("the program breaks a rule of the IR in " + where + ": " + what);
    }

    void arrays() const {
        std::set<std::string> names;
        bool states_over = false;
        for (const auto& array : program_.arrays) {
            std::string where = "array '" + array.name + "'";
            require(names.insert(array.name).second, where, "its name is not unique");
            bool state = array.kind == ArrayInfo::Kind::state;
            require(!state || !states_over, where, "states come first");
            states_over = !state;
            require(array.ghost_rule >= 0 && array.ghost_rule < static_cast<int>(program_.ghosts.size()), where,
                    "its ghost rule is missing");
        }
        require(program_.state_count() > 0, "arrays", "there is no state");
        require(program_.beside >= 0 && program_.field_count() > 0, "arrays", std::to_string(program_.beside) + " states are no fields");
    }

    void phases() const {
        if (!program_.phases) return;
        const Phases& all = *program_.phases;
        const auto is_input = [this](int input) { return input >= 0 && input < static_cast<int>(program_.inputs.size()); };
        require(!program_.flush_step, "phases", "a step of phases has no flush step of its own");
        for (const Sum& sum : all.sums)
            require(is_array(sum.array) && sum.array < program_.state_count() && is_input(sum.input), "phases",
                    "a sum is of no state, or no input");
        require(!all.step.empty() && all.step.back().ends, "phases", "the last phase does not end the step");
        for (const Phase& phase : all.step) {
            for (const int sum : phase.sums) require(sum >= 0 && sum < static_cast<int>(all.sums.size()), "phases", "a sum is missing");
            require(
                phase.switches.empty() || (all.differ && is_input(all.differ->first_switch + static_cast<int>(phase.switches.size()) - 1)),
                "phases", "the input of a switch is missing");
        }
    }

    void ghosts() const {
        for (std::size_t i = 0; i < program_.ghosts.size(); ++i) {
            const GhostRule& rule = program_.ghosts[i];
            for (std::size_t side = 0; side < rule.size(); ++side) {
                std::string where = "ghosts g" + std::to_string(i) + " side " + std::to_string(side);
                const Ghost& ghost = rule[side];
                bool copies = ghost.alpha < 0 && ghost.beta < 0;
                bool affine = ghost.rule == domain::Rule::value || ghost.rule == domain::Rule::outside ||
                              ghost.rule == domain::Rule::flux || ghost.rule == domain::Rule::robin;
                require(copies != affine, where, "value, outside, flux and robin are affine, every other rule copies");
                if (affine) require(is_uniform(ghost.alpha) && is_uniform(ghost.beta), where, "alpha or beta is no uniform");
                bool periodic = ghost.rule == domain::Rule::periodic;
                require(periodic == (rule[side ^ 1].rule == domain::Rule::periodic), where, "opposite sides are both periodic or neither");
            }
        }
    }

    bool is_uniform(int index) const { return index >= 0 && index < static_cast<int>(program_.uniforms.size()); }

    void uniform(std::size_t index) const {
        const Uniform& uniform = program_.uniforms[index];
        std::string where = "uniform '" + uniform.name + "'";
        require(!uniform.code.empty(), where, "it has no code");
        bool reads_step = false;
        for (std::size_t i = 0; i < uniform.code.size(); ++i) {
            const Instruction& instruction = uniform.code[i];
            operation(uniform.code, i, true, where);
            const bool local = instruction.op == Op::load || instruction.op == Op::axis || instruction.op == Op::neighbour ||
                               instruction.op == Op::edge || instruction.op == Op::row_sum;
            require(!local, where, "it depends on the cell");
            if (instruction.op != Op::uniform) continue;
            bool known = instruction.index >= 0 && instruction.index < static_cast<int>(program_.inputs.size());
            require(known, where, "input " + std::to_string(instruction.index) + " is missing");
            reads_step = reads_step || is_input_of_step(program_.inputs[core::at(instruction.index)]);
        }
        require(type_of(uniform.code, static_cast<Value>(uniform.code.size()) - 1) == Type::real, where, "its value is no real");
        require(!reads_step || uniform.per_step, where, "it changes with the steps and is not marked per step");
    }

    void sweep(const Sweep& sweep, const std::string& name) const {
        std::set<Array> stored;
        for (const Stage& stage : sweep.stages) {
            std::string where = name + ", stage '" + stage.name + "'";
            for (std::size_t i = 0; i < stage.code.size(); ++i) {
                operation(stage.code, i, program_.f64, where);
                place(stage.code[i], stored, where + ", %" + std::to_string(i));
            }
            rings(stage, where);
            for (const auto& [array, value] : stage.stores) store(stage, array, value, where);
            for (const auto& [array, value] : stage.stores) {
                require(stored.insert(array).second, where, "array '" + array_name(array) + "' is stored twice in a step");
            }
        }
        for (std::size_t i = 0; i < program_.arrays.size(); ++i) {
            if (program_.arrays[i].kind == ArrayInfo::Kind::input) continue;
            require(stored.count(static_cast<Array>(i)) == 1, name, "array '" + program_.arrays[i].name + "' is never stored");
        }
    }

    // The ring is gone round once: its body reads no row sum, and nothing but row sums reads the body.
    static void rings(const Stage& stage, const std::string& where) {
        const std::vector<bool> body = body_of(stage.code);
        std::vector<bool> summed(stage.code.size());  // depends on a row sum
        for (std::size_t v = 0; v < stage.code.size(); ++v) {
            const Instruction& instruction = stage.code[v];
            const bool sum = instruction.op == Op::row_sum;
            bool reads_body = false;
            for (Value arg : instruction.args) {
                if (arg < 0) continue;
                summed[v] = summed[v] || summed[core::at(arg)];
                reads_body = reads_body || body[core::at(arg)];
            }
            const std::string at = where + ", %" + std::to_string(v);
            require(!summed[v] || (!body[v] && !sum), at, "the body of a row sum depends on a row sum");
            require(!sum || reads_body, at, "a row sum of what does not vary over the ring");
            summed[v] = summed[v] || sum;
        }
        for (const auto& [array, value] : stage.stores) {
            (void)array;
            require(value < 0 || value >= static_cast<Value>(body.size()) || !body[core::at(value)], where,
                    "it stores a value of one neighbour");
        }
    }

    bool is_array(Array array) const { return array >= 0 && array < static_cast<Array>(program_.arrays.size()); }
    const std::string& array_name(Array array) const { return program_.arrays[core::at(array)].name; }

    void store(const Stage& stage, Array array, Value value, const std::string& where) const {
        require(is_array(array), where, "it stores to array " + std::to_string(array) + ", which is missing");
        require(program_.arrays[core::at(array)].kind != ArrayInfo::Kind::input, where,
                "it stores to the input '" + array_name(array) + "'");
        bool known = value >= 0 && value < static_cast<Value>(stage.code.size());
        require(known && type_of(stage.code, value) == Type::real, where, "what it stores to '" + array_name(array) + "' is no real value");
    }

    void place(const Instruction& instruction, const std::set<Array>& stored, const std::string& where) const {
        if (instruction.op == Op::uniform) require(is_uniform(instruction.index), where, "the uniform is missing");
        if (instruction.op == Op::axis)
            require(instruction.index >= kAxisX && instruction.index <= kNoiseShare, where, "there is no such coordinate table");
        if (instruction.op == Op::edge) require(instruction.index >= kEdgeLaplacian, where, "there is no such edge weight");
        if (instruction.op == Op::load || instruction.op == Op::neighbour) {
            require(is_array(instruction.index), where, "the array is missing");
            bool held = program_.arrays[core::at(instruction.index)].kind == ArrayInfo::Kind::held;
            require(!held || stored.count(instruction.index) == 1, where,
                    "'" + array_name(instruction.index) + "' is read before an earlier stage has written it");
        }
        require(instruction.op != Op::round_single, where, "round_single belongs to host code");
    }

    // Arguments, their types, and nothing left to fold.
    static void operation(const Code& code, std::size_t at, bool f64, const std::string& stage) {
        const Instruction& instruction = code[at];
        std::string where = stage + ", %" + std::to_string(at) + " = " + name(instruction.op);
        const auto operands = core::at(arity(instruction.op));
        bool constant = operands > 0;
        std::array<Type, 3> types{};
        for (std::size_t i = 0; i < 3; ++i) {
            Value arg = instruction.args[i];
            if (i >= operands) {
                require(arg == -1, where, "it has more arguments than the operation takes");
                continue;
            }
            require(arg >= 0 && arg < static_cast<Value>(at), where, "argument " + std::to_string(i) + " is no earlier value");
            types[i] = type_of(code, arg);
            const Op made = code[core::at(arg)].op;
            constant = constant && (made == Op::literal || made == Op::word);
        }
        require(right_types(instruction.op, types), where, "an argument has the wrong type");
        bool comparison = instruction.op == Op::less || instruction.op == Op::less_equal || instruction.op == Op::equal;
        require(!constant || comparison, where, "all its operands are constants; it should have been folded");
        if (instruction.op == Op::select) {
            const Instruction& mask = code[core::at(instruction.args[0])];
            bool decided = mask.op != Op::select;
            for (std::size_t i = 0; i < 2 && decided; ++i) decided = code[core::at(mask.args[i])].op == Op::literal;
            require(!decided, where, "its mask compares constants; it should have been folded");
        }
        const std::uint64_t width = f64 ? 64 : 32;
        if (instruction.op == Op::word) require(f64 || instruction.bits >> 32 == 0, where, "the word is wider than 32 bits");
        if (instruction.op == Op::word_shl || instruction.op == Op::word_shr) {
            const Instruction& count = code[core::at(instruction.args[1])];
            require(count.op == Op::word && count.bits < width, where, "the count of a shift is a constant below " + std::to_string(width));
        }
    }

    static bool right_types(Op op, const std::array<Type, 3>& types) {
        if (op == Op::select) return types[0] == Type::mask && types[1] == types[2] && types[1] != Type::mask;
        bool words = (op >= Op::word_add && op <= Op::word_shr) || op == Op::to_real;
        for (std::size_t i = 0; i < core::at(arity(op)); ++i) {
            if (types[i] != (words ? Type::word : Type::real)) return false;
        }
        return true;
    }

    const Program& program_;
};

}  // namespace

void verify(const Program& program) { Verifier(program).run(); }

}  // namespace mottle::ir
