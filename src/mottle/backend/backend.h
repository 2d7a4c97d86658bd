// mottle/backend/backend.h: one interface for everything that can run a Program
#pragma once
#include "mottle/backend/cell_file.h"
#include "mottle/backend/cell_sum.h"
#include "mottle/backend/draw.h"
#include "mottle/backend/reduce.h"
#include "mottle/backend/schedule.h"
#include "mottle/core/context.h"
#include "mottle/ir/program/program.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace mottle::ir {
struct Expression;
}

namespace mottle::backend {

/// Values of the uniforms. Shape: `columns` per step, for each step of a launch, or one row where nothing depends on t.
struct UniformTable {
    std::span<const double> values;
    int columns = 0;
    int stages = 1;  ///< of an ir::Program::staged: so many steps of the kernel make one of the run

    /// Whether each step has a row of its own.
    bool varies() const { return values.size() > core::at(columns); }
    std::span<const double> row(Index step) const {
        const std::size_t n = core::at(columns);
        return values.subspan(varies() ? core::at(step) * n : 0, n);
    }
};

struct SurfaceSight;
class SurfacePainter;

/// The fields of one simulation, in the layout of the kernel that made it and that must outlive it. Kernels that one backend compiled with the same Program,
/// Domain, Schedule and number of threads accept each other's states; CPU kernels also in several threads at once, each with its own kernel and state.
class State {
   public:
    virtual ~State() = default;
};

/// The work of one state if several advance together.
struct Advance {
    State* state = nullptr;
    Index first_step = 0, n = 0;
    UniformTable uniforms;
};

/// A compiled Program on a domain. Owns layout, variants and cuts. Rows of cells are dense, of the Program's precision.
class Kernel {
   public:
    virtual ~Kernel() = default;
    virtual const ir::Program& program() const = 0;
    virtual const domain::Domain& domain() const = 0;
    virtual const Schedule& schedule() const = 0;
    /// The threads that compute here, for what is to be done between two launches.
    core::ThreadTeam& team() const { return context_.team; }

    /// A state whose arrays are all zero.
    virtual std::unique_ptr<State> create_state() = 0;
    /// Advances by `n` >= 0 steps; the first makes state `first_step` + 1. `uniforms` has n rows or one.
    virtual void advance(State& state, Index first_step, Index n, UniformTable uniforms) = 0;
    /// Advances several states of this kernel, each listed once, with the same bits as `advance`. One after another, unless a device advances many
    /// small ones at once.
    virtual void advance_all(std::span<const Advance> members);

    /// Copies row `row` (domain::row_length cells) of a state or input array to or from `cells`; different rows may be copied from several
    /// threads at a time. Values are rounded once; subnormal f32 values become 0 with their sign.
    virtual void read_row(const State& state, ir::Array array, Index row, std::span<float> cells) const = 0;
    virtual void read_row(const State& state, ir::Array array, Index row, std::span<double> cells) const = 0;
    virtual void write_row(State& state, ir::Array array, Index row, std::span<const double> cells) = 0;
    /// The same of f32 among which none is subnormal: a kernel of that precision may take them as they are.
    virtual void write_row_f32(State& state, ir::Array array, Index row, std::span<const float> cells);

    /// A kernel may keep the cells of a row in another order than that of x, and takes less time to copy them as they stand. With L lanes, number j * L + l of
    /// n is cell l * n / L + j; with 1 they stand in the order of x.
    virtual int row_lanes() const { return 1; }
    /// Copies row `row` of a state or input array as it stands: domain::row_length numbers of the Program's precision. Several threads as above.
    virtual void read_raw_row(const State& state, ir::Array array, Index row, std::span<std::byte> numbers) const;
    /// Sets a row to what a kernel of that precision with so many lanes has read; none leaves subnormal numbers in f32.
    virtual void write_raw_row(State& state, ir::Array array, Index row, int lanes, std::span<const std::byte> numbers);

    /// Copies the values of a state array at some vertices of a surface, in the Program's precision.
    virtual void read_vertices(const State& state, ir::Array array, std::span<const domain::Vertex> vertices,
                               std::span<std::byte> numbers) const;
    /// Sets them to what a kernel of that precision has read.
    virtual void write_vertices(State& state, ir::Array array, std::span<const domain::Vertex> vertices,
                                std::span<const std::byte> numbers);

    /// Sets an array to an initial expression or a map that names no array and no attribute of a mesh; pictures are named by paths, random numbers are those of `seed`.
    /// Kernels whose cells are in other processes have them computed there. False: the caller has to do it row by row, since this is no such kernel, a value is not
    /// finite, or a process does not see a picture; some cells may be set then.
    virtual bool fill_array(State& state, ir::Array array, const ir::Expression& expression, std::uint64_t seed);

    /// Whether the cells are spread over several processes, each of which saves and loads its own. Else there is no reason not to go through read_row.
    virtual bool is_distributed() const { return false; }
    /// For whoever times launches: returns when all processes have made theirs. False while the kernel tries ways of making them, which give the same bits.
    virtual bool settle() const { return true; }
    /// Writes a state array into a file that has room for it (AtomicFile::leave_room). Throws: OutputError.
    virtual void save_array(const State& state, ir::Array array, const CellFile& to) const;
    /// Reads it back; false where the file cannot be read so far.
    virtual bool load_array(State& state, ir::Array array, const CellFile& from);

    /// Reductions and pictures; exact in any order. A backend on a device has its own. `range` costs a third of `reduce`.
    virtual Range range(const State& state, ir::Array array) const;
    virtual Statistics reduce(const State& state, ir::Array array) const;
    /// Only the sum of `reduce`. None of an array that only sums read (ir::Phases), where a kernel has not kept its cells and has expected a sum of another size;
    /// the next step, even if it is Phases::begin, makes its cells again, with the right expectation.
    virtual std::optional<double> sum(const State& state, ir::Array array) const;
    /// The mean over all cells, on a surface by their areas, of (a - b)^2: the bits of an exact sum, on any number of threads; NaN where a cell is not finite.
    virtual double mean_square_of_difference(const State& a, const State& b, ir::Array array) const;
    /// Copies the fields, to the same bits. What stages leave for each other is not copied: the copy stands where a step begins.
    void copy_fields(State& to, const State& from);
    /// Copies the input arrays.
    void copy_maps(State& to, const State& from);
    virtual void draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const;
    /// Begins to draw the current state. The picture is complete in `out` after the returned function was called, from any thread, while the state
    /// may advance; an empty function: it is complete already.
    virtual std::function<void()> begin_draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const;

    /// Draws a surface as a camera sees it, on the device, without copying values to the host; null if the kernel cannot.
    virtual std::unique_ptr<SurfacePainter> create_surface_painter(const SurfaceSight& sight) const;

    /// Vector operations per vector of cells and step: values that are equal up to a shift count once, a fused multiply-add counts as one. Nothing if that is
    /// not known: on surfaces, and on devices other than the CPU.
    virtual std::optional<int> operations_per_cell() const { return std::nullopt; }

   protected:
    explicit Kernel(core::Context& context) : context_(context) {}
    /// All fields, or all input arrays.
    virtual void copy(State& to, const State& from, ir::ArrayInfo::Kind kind);

    core::Context& context_;

   private:
    mutable CellSums differences_;  ///< of mean_square_of_difference
};

/// Writes what another kernel of the same precision has read, as it is: none leaves subnormal numbers in f32.
inline void write_cells(Kernel& kernel, State& state, ir::Array array, Index row, std::span<const float> cells) {
    kernel.write_row_f32(state, array, row, cells);
}
inline void write_cells(Kernel& kernel, State& state, ir::Array array, Index row, std::span<const double> cells) {
    kernel.write_row(state, array, row, cells);
}

class Backend {
   public:
    virtual ~Backend() = default;
    virtual std::string name() const = 0;         ///< "cpu", "reference"
    virtual std::string description() const = 0;  ///< "AVX-512, LLVM 19.1.7"
    virtual bool on_card() const { return false; }
    virtual std::unique_ptr<Kernel> compile(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule,
                                            core::Context& context) = 0;
    /// Which schedules its kernels on `domain` take.
    virtual Family family(const domain::Domain& domain) const = 0;
    /// The text of what would run: LLVM IR, CUDA C++.
    virtual std::string emit(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule) = 0;
};

}  // namespace mottle::backend
