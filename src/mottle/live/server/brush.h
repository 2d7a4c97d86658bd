// mottle/live/server/brush.h: strokes of a brush on the cells of a grid or the vertices of a surface
#pragma once
#include "mottle/field/field.h"
#include "mottle/live/server/messages.h"
#include "mottle/live/server/frame.h"

#include <functional>
#include <map>
#include <span>
#include <vector>

namespace mottle::live {

/// One stroke, from where the button goes down to where it comes up, in any number of parts. A cell that several of them cover is painted as by the one that
/// covers it most. The distance of a cell is that of its centre, on a surface that of the vertex in space. Where a side of the grid wraps, so does the brush.
class Brush {
   public:
    /// Throws: InputError (no such field; a value that the run cannot hold).
    static void require_paintable(const field::Field& field, const Stroke& part);
    /// Hears what a row of a field holds just before it is painted over.
    using BeforeRow = std::function<void(ir::Array array, Index row, std::span<const double> values)>;
    /// Paints the next part. `view`: the plane that points of two coordinates lie in. Throws: InputError (no such field; a value that the run cannot hold).
    void paint(field::Field& field, const Stroke& part, const View& view, const BeforeRow& before_row);

   private:
    void paint_grid(field::Field& field, const domain::Grid& grid, const Stroke& part, const View& view, const BeforeRow& before_row);
    void paint_surface(field::Field& field, const domain::Mesh& mesh, const Stroke& part, const BeforeRow& before_row);
    /// The weights that row `row` has been painted with so far.
    std::vector<float>& row(Index row, std::size_t length);

    std::map<Index, std::vector<float>> weights_;  ///< by row of the domain
};

}  // namespace mottle::live
