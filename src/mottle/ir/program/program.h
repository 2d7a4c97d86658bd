// mottle/ir/program/program.h: the Program: arrays, uniforms, ghost rules and the stages of a step, in SSA over one cell
#pragma once
#include "mottle/core/index.h"
#include "mottle/domain/domain.h"
#include "mottle/ir/method.h"
#include "mottle/ir/program/phases.h"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mottle::ir {

using Value = std::int32_t;  ///< index into Code

/// The closed list of operations (operations.def), and those of them that every kernel computes.
enum class Op : std::uint8_t {
#define MOTTLE_OPERAND(id, arguments, type) id,
#define MOTTLE_ARITHMETIC(id, arguments, type) id,
#include "mottle/ir/program/operations.def"
};
enum class Arithmetic : std::uint8_t {
#define MOTTLE_OPERAND(id, arguments, type)
#define MOTTLE_ARITHMETIC(id, arguments, type) id,
#include "mottle/ir/program/operations.def"
};

/// Coordinate tables. x, y, z are lengths, X, Y, Z run over 0..1; kStill* is 1 on the first and last cell of an axis with a `still` side there, else 0;
/// kCell* count cells from 0. On a mesh the number of a vertex in its file is kCellX + kVertexBlock kCellY, kLoop is 1 + the number of the boundary loop
/// that a vertex lies on, else 0, and kNoiseShare is 1/sqrt(area) of a vertex.
enum Axis : std::int32_t {
    kAxisX,
    kAxisY,
    kAxisZ,
    kUnitX,
    kUnitY,
    kUnitZ,
    kStillX,
    kStillY,
    kStillZ,
    kCellX,
    kCellY,
    kCellZ,
    kLoop,
    kNoiseShare
};
inline constexpr std::size_t kGridAxes = kLoop;  ///< the tables of a grid are those before
inline constexpr std::int32_t kVertexBlock = 1 << 20;
/// Weights of the one-ring rows of a mesh: domain::MeshOperators::laplacian and gradient; kEdgeTensor + k is that of domain::Mesh::tensors[k].
enum Edge : std::int32_t { kEdgeLaplacian, kEdgeGradientX, kEdgeGradientY, kEdgeGradientZ, kEdgeTensor };

struct Instruction {
    Op op = Op::literal;
    std::array<Value, 3> args{-1, -1, -1};
    std::int32_t index = 0;
    std::array<std::int8_t, 3> offset{0, 0, 0};
    std::uint64_t bits = 0;

    double literal() const { return std::bit_cast<double>(bits); }
    friend bool operator==(const Instruction&, const Instruction&) = default;
};

using Code = std::vector<Instruction>;  ///< args always refer to earlier entries
enum class Type : std::uint8_t { real, mask, word };
Type type_of(const Code& code, Value value);
int arity(Op op);
/// Throws: InternalError if `op` is none.
Arithmetic arithmetic(Op op);
/// Instructions that compute something of others: all but numbers, loads and coordinates.
int operations(const Code& code);
const char* name(Op op);

/// Evaluates `code` for one cell and stores. Everything is loaded from the arrays as they were before the stage.
struct Stage {
    std::string name;
    Code code;
    std::vector<std::pair<Array, Value>> stores;
};

/// A chain of stages; fuses within itself and over time.
struct Sweep {
    std::vector<Stage> stages;
};

/// f64, on the host, before the launch. Code refers to Program::inputs by Op::uniform; its last instruction is the value.
struct Uniform {
    std::string name;
    Code code;
    bool per_step = false;  ///< depends on t or on the key of a step
};

/// What a cell outside one side holds. `copy`: the mirrored (periodic: wrapped) cell; `affine`: fma(beta, mirror, alpha); both uniforms.
struct Ghost {
    domain::Rule rule = domain::Rule::periodic;
    int alpha = -1, beta = -1;  ///< indices into Program::uniforms; -1: the ghost copies
};
using GhostRule = std::array<Ghost, 6>;  ///< in the order of domain::Side

struct ArrayInfo {
    std::string name;
    /// state: carried from step to step. held: written by one stage of the step and read by later ones. input: a map, never written.
    enum class Kind { state, held, input } kind = Kind::state;
    int ghost_rule = 0;  ///< index into Program::ghosts
    /// Of a map on a grid: the axes along which it varies. Along any other all cells hold the same bits, and a kernel may read one for all.
    std::array<bool, 3> varies{true, true, true};
};

/// f64: at the end of a step whose number is a multiple of kFlushPeriod, what is below this becomes 0 (docs/numerics.md).
inline constexpr double kFlushBelow = 0x1p-340;

/// Of the states that a step makes in f64, each whose number is a multiple of this has its tiny values flushed (docs/numerics.md, "Underflow").
inline constexpr core::Index kFlushPeriod = 8;
/// Whether that is so for step `number`, which makes state `number` + 1. For phases, and where steps are no stages.
constexpr bool is_flush_step(core::Index number) { return (number + 1) % kFlushPeriod == 0; }

/// Behind each step a kernel's field f (or rate f: stepper/implicit/rosenbrock_steps.cpp) becomes the solution of (1 - coefficient lap) f' = f, with the Laplacian and the borders of its domain.
struct ImplicitDiffusion {
    Array field;
    int coefficient;  ///< index into Program::uniforms: dt times the diffusion; -1 (where a step makes rates): none
    std::optional<std::array<double, 2>> clamp;  ///< of the solution
};

/// A field of a Program whose step makes rates, f' = N(fields): the rate of f is N + sum of powers[m] lap^m f, whose second part a method takes exactly.
struct LinearPart {
    Array field;
    std::vector<int> powers;                     ///< indices into Program::uniforms, -1: 0
    std::optional<std::array<double, 2>> clamp;  ///< of the field at the end of a step
};

struct Program {
    bool f64 = false;
    std::vector<ArrayInfo> arrays;  ///< states first, in model order
    std::vector<GhostRule> ghosts;
    /// What uniforms are computed from: "dt", "t", the parameters, then what phases set and the parts of a key (ir/functions/white_noise.h).
    std::vector<std::string> inputs;
    /// Inputs from this one on are no parameters; none: all but dt, t and the parts of a key are.
    std::optional<int> parameter_end;
    std::vector<Uniform> uniforms;
    Sweep step;
    /// What the steps are made by for which flushes() holds. It differs from `step` in its last stage: in f64 it flushes tiny values, and of a `staged` Program
    /// it begins and ends steps.
    std::optional<Sweep> flush_step;
    std::optional<Phases> phases;  ///< `step` is one of them
    /// `step` is a stage of this method (or a phase of one), which reads what differs between stages as inputs (ir/program/stage_inputs.h).
    std::optional<RungeKuttaLegendre> staged;
    /// Whether tiny values are flushed in step `number` of the kernel: every eighth, or the last stage of a step of the run (and the first, in order 2), which has
    /// `stages` of them.
    bool is_seam(core::Index number, int stages) const;
    /// Whether that step is made by flush_step.
    bool flushes(core::Index number, int stages) const;
    std::vector<ImplicitDiffusion> implicit;  ///< what is solved for behind each step (stepper/implicit/implicit_steps.cpp)
    std::vector<LinearPart> linear;           ///< every field, or none (stepper/spectral/spectral_steps.cpp)
    bool makes_rates = false;  ///< a step leaves the rates of the fields in their place; then one of these lists has every field
    /// The method that does more than the kernel between two of its steps, which needs the whole domain: "imex", "imex2", "etdrk4"; else empty.
    std::string_view solver() const { return !linear.empty() ? "etdrk4" : makes_rates ? "imex2" : !implicit.empty() ? "imex" : ""; }
    int beside = 0;  ///< so many states, the last ones, are no fields of the model but what stages or phases leave for each other

    Array find_array(const std::string& name) const;  ///< -1 if missing
    /// What the cells beyond the sides of an array hold.
    const GhostRule& ghosts_of(Array array) const { return ghosts[core::at(arrays[core::at(array)].ghost_rule)]; }
    int state_count() const;
    /// States that are fields of the model.
    int field_count() const { return state_count() - beside; }
};

/// Readable text, stable between versions of the same program: `mottle emit --what ir`.
std::string print(const Program& program);

/// An expression of Program::inputs as a formula for readers: "dt*k".
std::string formula(const Program& program, const Code& code);

/// Throws: InternalError if the program breaks a rule of this header (argument order, types, constant folding left undone).
void verify(const Program& program);

}  // namespace mottle::ir
