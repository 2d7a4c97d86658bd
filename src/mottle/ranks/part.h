// mottle/ranks/part.h: what one rank has of a run: a kernel on its share of the cells and the halo around it
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ranks/file_piece.h"
#include "mottle/ranks/hiding.h"
#include "mottle/ranks/picture_share.h"
#include "mottle/ranks/transport.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mottle::ranks {

/// The share of one rank in a sum over all cells, to be added to an ExactSum of the same magic numbers.
struct SumShare {
    double largest = 0;  ///< of the magnitudes of the cells; infinity or NaN if one is
    std::array<double, 3> parts{};
};

/// What is summed: cells, or squares of their distances from a mean; on a surface, times their areas.
struct SumTerms {
    std::array<double, 3> magic{};
    bool squares = false;
    double mean = 0;
};

struct PartState {
    std::unique_ptr<backend::State> state;
    int good_steps = 0;  ///< that the halo is still right for
    /// Of the kernels of rims, made when halos are first hidden. Their maps are those of `state`; their fields are copied anew for each pass.
    std::vector<std::unique_ptr<backend::State>> rims;
};

/// Rows and numbers of cells are those of the whole domain, but for "own" ones, which count the cells that this rank owns.
class Part {
   public:
    virtual ~Part() = default;
    const backend::Kernel& kernel() const { return *kernel_; }
    /// Between two exchanges.
    int steps() const { return steps_; }
    /// As a schedule says it.
    virtual backend::Spread spread() const { return {steps_, {}}; }

    std::unique_ptr<PartState> create_state();
    /// With all other ranks, as Kernel::advance. Halos are exchanged where they are no longer right; `hides`: behind the middle, if there is one.
    void advance(PartState& state, Index first_step, Index n, backend::UniformTable uniforms, bool hides);
    /// Whether there is a middle to hide halos behind.
    virtual bool can_hide() const = 0;

    /// What of a row is to be written on `rank`, in the form that `write_row` takes there; empty: nothing.
    virtual std::vector<double> cells_for(int rank, Index row, std::span<const double> cells) const = 0;
    /// Sets cells of this part, those of the halo too.
    virtual void write_row(PartState& state, ir::Array array, Index row, std::span<const double> cells) = 0;
    /// Evaluates the cells of this part, those of the halo too. False: a value is not finite, or a picture is not seen.
    bool fill_array(PartState& state, ir::Array array, const ir::Expression& expression, std::uint64_t seed);

    /// Whether `rank` owns cells of rows first .. end - 1.
    virtual bool owns_of(Index first, Index end, int rank) const = 0;
    /// Those of this rank, row by row, in the precision of the Program.
    virtual Bytes read_rows(const PartState& state, ir::Array array, Index first, Index end) const = 0;
    /// Puts what the rank `from` has read into these rows.
    virtual void place_rows(int from, std::span<const std::byte> read, Index first, Index end, Bytes& rows) const = 0;

    /// Where own cells do not follow one another in files: what this rank writes instead, from all ranks, which ask at the same time.
    virtual std::optional<FilePiece> collect(const PartState&, ir::Array, const backend::CellFile&) const { return std::nullopt; }
    /// Own cells, or what was collected, to their places in a file of the whole array, and back; halos are exchanged before the next step.
    /// Throws: OutputError. `load` returns false where the file ends before.
    void save(const PartState& state, ir::Array array, const core::SharedFile& file, const backend::CellFile& to,
              const std::optional<FilePiece>& collected) const;
    virtual bool load(PartState& state, ir::Array array, const core::SharedFile& file, const backend::CellFile& from);

    /// What `rank` draws of these lines; of a surface nothing.
    virtual PixelBox pixels(int, const DrawRequest&, Lines) const { return {}; }
    virtual Bytes draw(const PartState&, const DrawRequest&, const PixelBox&) const { return {}; }

    /// Fields with their halos, or input arrays, of another state of this part.
    void copy(PartState& to, const PartState& from, ir::ArrayInfo::Kind kind) const;

    /// Of own cells; of the squares of their differences from those of `minus` where there is one.
    backend::Range range(const PartState& state, ir::Array array) const;
    SumShare sum(const PartState& state, ir::Array array, const SumTerms& terms, const PartState* minus = nullptr) const;

   protected:
    /// `steps`: between two exchanges.
    Part(int steps, core::Context& context, Transport& transport) : steps_(steps), context_(context), transport_(transport) {}
    /// Begins to send halos of `state` and to receive those of this part.
    virtual void begin_exchange(const PartState& state, Meanwhile meanwhile) = 0;
    /// Puts what was received around the part.
    virtual void place_halos(PartState& state) = 0;
    /// Copies the cells from which the rims are computed before a pass.
    virtual void begin_rims(PartState& state) = 0;
    /// Gives the rims what was received, computes the pass, and puts what they are right in into the part.
    virtual void finish_rims(PartState& state, Index first_step, Index n, const backend::UniformTable& uniforms) = 0;
    /// Own cells come in rows of equal length, ascending.
    struct OwnRows {
        Index count = 0, length = 0;
    };
    virtual OwnRows own_rows() const = 0;
    virtual void read_own(const PartState& state, ir::Array array, Index own_row, std::span<float> cells) const = 0;
    virtual void read_own(const PartState& state, ir::Array array, Index own_row, std::span<double> cells) const = 0;
    virtual void write_own(PartState& state, ir::Array array, Index own_row, std::span<const float> cells) = 0;
    virtual void write_own(PartState& state, ir::Array array, Index own_row, std::span<const double> cells) = 0;
    /// The numbers of an own row in some order, in the precision of the Program; in that of the areas where there are areas.
    virtual void read_raw_own(const PartState& state, ir::Array array, Index own_row, std::span<std::byte> numbers) const;
    /// The number of an own cell in the whole.
    virtual Index number_of(Index own_cell) const = 0;
    /// The areas of own cells; empty where all are alike.
    virtual std::span<const double> own_areas() const { return {}; }

    int steps_;
    core::Context& context_;
    Transport& transport_;
    std::unique_ptr<backend::Kernel> kernel_;

   private:
    /// Where own rows lie in a file of the whole.
    backend::RowsInFile rows_in_file() const;
    template <class Real>
    backend::Range own_range(const PartState& state, ir::Array array) const;
    template <class Real>
    SumShare own_sum(const PartState& state, ir::Array array, const SumTerms& terms, const PartState* minus) const;
};

}  // namespace mottle::ranks
