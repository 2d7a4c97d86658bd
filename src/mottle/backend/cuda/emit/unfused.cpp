// mottle/backend/cuda/emit/unfused.cpp: one kernel per stage, a thread for some cells of a column; ghosts by index arithmetic
#include "mottle/backend/cuda/emit/unfused.h"

#include "mottle/backend/coordinates.h"

#include <algorithm>
#include <map>
#include <set>

namespace mottle::backend::cuda {
namespace {

using ir::Op;

constexpr const char* kCoordinates[] = {"x", "y", "z"};
constexpr const char* kShapeLengths[] = {"shape.nx", "shape.ny", "shape.nz"};

std::string offset_name(int offset) { return offset < 0 ? "m" + std::to_string(-offset) : "p" + std::to_string(offset); }

class StageEmitter {
   public:
    StageEmitter(const ir::Program& program, const domain::Grid& grid, const ir::Stage& stage)
        : program_(program), grid_(grid), stage_(stage) {}

    KernelText emit(const std::string& name, std::string& text) {
        for (std::size_t v = 0; v < stage_.code.size(); ++v) instruction(static_cast<ir::Value>(v));
        for (const auto& [array, value] : stage_.stores) {
            const std::string cell = place(array, {0, 0, 0});
            body_ += "    " + array_name(array) + "_next[" + cell + "] = " + value_name(value) + ";\n";
        }
        KernelText kernel{name, arguments()};
        auto indented = [](const std::string& lines) {
            std::string moved;
            for (std::size_t at = 0; at < lines.size();) {
                const std::size_t end = lines.find('\n', at) + 1;
                moved += "    " + lines.substr(at, end - at);
                at = end;
            }
            return moved;
        };
        text += "\n// " + stage_.name + "\nMOTTLE_KERNEL __launch_bounds__(" + std::to_string(kUnfusedThreads) + ", 4) " + name + "(" +
                parameters(kernel) +
                ") {\n"
                "    const int tile = (int)blockIdx.x, thread = (int)threadIdx.x;\n"
                "    const int x = ((tile % shape.tiles_x) << shape.width_bits) + (thread & ((1 << shape.width_bits) - 1));\n"
                "    const int top = ((tile / shape.tiles_x % shape.tiles_y << (8 - shape.width_bits)) + (thread >> shape.width_bits)) * " +
                std::to_string(kUnfusedRows) +
                ";\n    const int z = tile / shape.tiles_x / shape.tiles_y;\n    if (x >= shape.nx) return;\n" + places_ +
                "#pragma unroll\n    for (int row = 0; row < " + std::to_string(kUnfusedRows) +
                "; ++row) {\n        const int y = top + row;\n        if (y >= shape.ny) return;\n" + indented(row_places_ + body_) +
                "    }\n}\n";
        return kernel;
    }

   private:
    static std::string value_name(ir::Value value) { return "v" + std::to_string(value); }
    static std::string array_name(ir::Array array) { return "a" + std::to_string(array); }
    std::string number(int uniform) const { return "numbers.u[0][" + std::to_string(uniform) + "]"; }

    /// The index of the cell that stands `offset` cells away along axis `d`: wrapped or mirrored.
    std::string coordinate(int d, int offset, bool periodic) {
        const auto at = core::at(d);
        const std::string here = kCoordinates[at], n = kShapeLengths[at];
        if (offset == 0) return kCoordinates[at];
        std::string name = here + (periodic ? "w" : "r") + offset_name(offset);
        if (!known_.insert(name).second) return name;
        const std::string moved = here + (offset < 0 ? " - " : " + ") + std::to_string(std::abs(offset));
        std::string text;
        if (offset < 0)
            text = moved + " < 0 ? " + (periodic ? moved + " + " + n : std::to_string(-offset - 1) + " - " + here) + " : " + moved;
        if (offset > 0)
            text = moved + " >= " + n + " ? " + (periodic ? moved + " - " + n : "2 * " + n + " - 1 - (" + moved + ")") + " : " + moved;
        (d == 1 ? row_places_ : places_) += "    const int " + name + " = " + text + ";\n";
        return name;
    }

    /// The index of a cell of `array` as a text.
    std::string place(ir::Array array, const std::array<std::int8_t, 3>& offset) {
        const ir::GhostRule& rule = program_.ghosts_of(array);
        std::array<std::string, 3> at;
        for (int d = 0; d < 3; ++d) {
            const auto side = core::at(2 * d + (offset[core::at(d)] > 0 ? 1 : 0));
            at[core::at(d)] = coordinate(d, offset[core::at(d)], rule[side].rule == domain::Rule::periodic);
        }
        const std::string row = "row_" + at[1] + "_" + at[2];
        if (known_.insert(row).second)
            row_places_ += "    const long long " + row + " = ((long long)" + at[2] + " * shape.ny + " + at[1] + ") * shape.pitch;\n";
        return row + " + " + at[0];
    }

    void load(const ir::Instruction& instruction, const std::string& name) {
        std::string text = array_name(instruction.index) + "[" + place(instruction.index, instruction.offset) + "]";
        // A cell beyond several sides is a ghost of a ghost: first along x, then y, then z, in the order in which ghosts are filled.
        const ir::GhostRule& rule = program_.ghosts_of(instruction.index);
        std::string guards;
        int step = 0;
        for (int d = 0; d < 3; ++d) {
            const int offset = instruction.offset[core::at(d)];
            if (offset == 0) continue;
            const ir::Ghost& ghost = rule[core::at(2 * d + (offset > 0 ? 1 : 0))];
            if (ghost.alpha < 0) continue;
            const std::string inner = name + "_" + std::to_string(step++), here = kCoordinates[d];
            const std::string beyond = offset < 0 ? here + " < " + std::to_string(-offset)
                                                  : here + " >= " + std::string(kShapeLengths[d]) + " - " + std::to_string(offset);
            body_ += "    const real " + inner + " = " + text + ";\n";
            text = beyond + " ? " + fma_text(number(ghost.beta), inner, number(ghost.alpha), program_.f64) + " : " + inner;
        }
        body_ += "    const real " + name + " = " + text + ";\n";
        loaded_.insert(instruction.index);
    }

    void axis(const ir::Instruction& instruction, const std::string& name) {
        const int d = direction(static_cast<ir::Axis>(instruction.index));
        const bool periodic = domain::wraps(grid_, core::at(2 * d));
        const std::string at = coordinate(d, instruction.offset[core::at(d)], periodic);
        body_ += "    const real " + name + " = axis_" + kAxisNames[instruction.index] + "[" + at + "];\n";
        axes_.insert(instruction.index);
    }

    void instruction(ir::Value value) {
        const ir::Instruction& in = stage_.code[core::at(value)];
        const std::string name = value_name(value);
        if (in.op == Op::load) return load(in, name);
        if (in.op == Op::axis) return axis(in, name);
        std::vector<std::string> args;
        args.reserve(in.args.size());
        for (int i = 0; i < ir::arity(in.op); ++i) args.push_back(value_name(in.args[core::at(i)]));
        const std::string text = in.op == Op::uniform ? number(in.index) : expression(in, args, program_.f64);
        body_ += "    const " + std::string(type_name(ir::type_of(stage_.code, value))) + " " + name + " = " + text + ";\n";
    }

    std::vector<Argument> arguments() const {
        using Kind = Argument::Kind;
        std::vector<Argument> list = {{Kind::numbers, 0}, {Kind::shape, 0}};
        for (ir::Array array : loaded_) list.push_back({Kind::load, array});
        for (const auto& [array, value] : stage_.stores) list.push_back({Kind::store, array});
        for (int axis : axes_) list.push_back({Kind::axis, axis});
        return list;
    }

    bool in_place(ir::Array array) const {
        const bool stored =
            std::any_of(stage_.stores.begin(), stage_.stores.end(), [&](const auto& store) { return store.first == array; });
        return stored && !needs_copy(StageUse(stage_), array);
    }

    std::string parameters(const KernelText& kernel) const {
        std::string text = "const Numbers numbers, const Shape shape";
        for (const Argument& argument : kernel.arguments) {
            // An array that is updated in place has two names here.
            const std::string alone = argument.kind != Argument::Kind::axis && in_place(argument.index) ? " " : " __restrict__ ";
            if (argument.kind == Argument::Kind::load) text += ", const real*" + alone + array_name(argument.index);
            if (argument.kind == Argument::Kind::store) text += ", real*" + alone + array_name(argument.index) + "_next";
            if (argument.kind == Argument::Kind::axis) text += ", const real* __restrict__ axis_" + std::string(kAxisNames[argument.index]);
        }
        return text;
    }

    const ir::Program& program_;
    const domain::Grid& grid_;
    const ir::Stage& stage_;
    std::string places_, row_places_, body_;  // indices along x and z; along y; the arithmetic
    std::set<std::string> known_;
    std::set<ir::Array> loaded_;
    std::set<int> axes_;
};

}  // namespace

ModuleText emit_unfused(const ir::Program& program, const domain::Grid& grid) {
    ModuleText module;
    module.text = module_head(program.f64, "one kernel per stage, a thread for some cells of a column", 1, program.uniforms.size());
    module.text += "struct Shape { int nx, ny, nz, tiles_x, tiles_y, width_bits; long long pitch; };\n";
    auto sweep = [&](const ir::Sweep& from, const std::string& name) {
        for (std::size_t s = 0; s < from.stages.size(); ++s)
            module.kernels.push_back(StageEmitter(program, grid, from.stages[s]).emit(name + std::to_string(s), module.text));
    };
    sweep(program.step, "step");
    if (program.flush_step) sweep(*program.flush_step, "flush");
    return module;
}

}  // namespace mottle::backend::cuda
