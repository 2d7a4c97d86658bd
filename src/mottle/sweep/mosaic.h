// mottle/sweep/mosaic.h: many fields side by side, as one field that every output can draw
#pragma once
#include "mottle/field/field.h"

#include <span>
#include <vector>

namespace mottle::sweep {

using core::Index;

/// Where the members of a sweep stand: member i in column i % columns, rows from the bottom up.
struct Layout {
    Index columns = 1, rows = 1;
    Index width = 0, height = 0;  ///< cells of a tile; of surfaces 0
    Index gap = 0;                ///< cells between two tiles

    /// What members on `domain` with `columns` values along the first axis and `rows` along the second look like. A row of cells is repeated to be seen;
    /// a single axis of such rows runs up the page, without gaps.
    static Layout of(const domain::Domain& domain, Index columns, Index rows);
    Index member(Index column, Index row_from_top) const { return (rows - 1 - row_from_top) * columns + column; }
    std::array<Index, 2> size() const { return {columns * (width + gap) - gap, rows * (height + gap) - gap}; }
};

/// A member and whether it still has values to show.
struct Tile {
    const field::Field* field = nullptr;
    bool lost = false;
};

/// The plane that holds the tiles of a layout.
domain::Domain plane_of(const Layout& layout);
/// As many copies of a surface, side by side and one above the other as seen from `angles`. Throws: as domain::copies_of.
domain::Domain copies_of(const domain::Mesh& mesh, const Layout& layout, const std::array<double, 2>& angles);

/// A kernel whose one state is what the members' states are now: a plane with NaN between the tiles, or copies of their surface; NaN where a member is lost.
/// Of a volume the middle plane is seen. Ranges are those of the members together. It cannot be advanced or written.
class Mosaic final : public backend::Kernel {
   public:
    /// `tiles` as many as the layout has places; they outlive the mosaic. `domain`: the plane or the copies of that layout.
    Mosaic(std::span<const Tile> tiles, const Layout& layout, domain::Domain domain, core::Context& context);

    const ir::Program& program() const override { return member().program(); }
    const domain::Domain& domain() const override { return domain_; }
    const backend::Schedule& schedule() const override { return schedule_; }
    std::unique_ptr<backend::State> create_state() override { return std::make_unique<backend::State>(); }
    void advance(backend::State& state, Index first_step, Index n, backend::UniformTable uniforms) override;
    void read_row(const backend::State& state, ir::Array array, Index row, std::span<float> cells) const override;
    void read_row(const backend::State& state, ir::Array array, Index row, std::span<double> cells) const override;
    void write_row(backend::State& state, ir::Array array, Index row, std::span<const double> cells) override;
    backend::Range range(const backend::State& state, ir::Array array) const override;

   private:
    const backend::Kernel& member() const { return tiles_.front().field->kernel(); }
    template <class Real>
    void read(ir::Array array, Index row, std::span<Real> cells) const;
    template <class Real>
    void read_surfaces(ir::Array array, std::span<Real> cells) const;

    std::span<const Tile> tiles_;
    Layout layout_;
    domain::Domain domain_;
    backend::Schedule schedule_;
    Index first_row_ = 0;  ///< of a member, that its tile begins with
};

}  // namespace mottle::sweep
