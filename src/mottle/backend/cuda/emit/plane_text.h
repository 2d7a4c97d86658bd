// mottle/backend/cuda/emit/plane_text.h: what the texts of kernels that make several steps in one pass over a plane have in common
#pragma once
#include "mottle/backend/cuda/emit/stream_text.h"

namespace mottle::backend::cuda {

/// What the kernels take as `Shape`; as the text declares it. A plane is cut into strips of columns, and those into chunks of `chunk_rows` rows. Who
/// updates a chunk reads the halo of the strip and `reach` rows more on each side. Strips and chunks that touch no border are inner ones: a
/// rectangle of them.
struct StreamShape {
    int nx, ny;
    int strips, chunks, chunk_rows;
    int first_strip, inner_strips, first_chunk, inner_chunks;
    long long pitch;  ///< cells from one row to the next

    core::Index inner() const { return core::Index{inner_strips} * inner_chunks; }
    core::Index all() const { return core::Index{strips} * chunks; }
    /// All strips and chunks become inner ones: there is no border.
    void lose_border() { first_strip = first_chunk = 0, inner_strips = strips, inner_chunks = chunks; }
};

/// The shape of a launch whose steps reach `reach` cells together; `chunk_rows` is taken as given.
StreamShape stream_shape(const domain::Grid& grid, bool f64, int reach, int chunk_rows, long long pitch);

/// "" if such a kernel can run the Program: on a plane, with stages that read neighbours at most one cell away, and all fields wrap along the same axes.
/// Else the reason why not.
std::string stream_obstacle(const StepPlan& plan, const domain::Grid& grid);

/// Whether no strip has a border: both axes wrap, rows end with the columns of a lane, and the steps read no maps and no coordinates, whose rows
/// have ghosts of their own. Then rows and columns of `inner` may lie beyond the sides.
bool has_no_border(const StepPlan& plan, const domain::Grid& grid);

// Pieces of the text of kernels `inner` and `border`.

/// The first lines, with the structs and the rows of maps. `places`: the structs Shape and Where, if others than those of a StreamShape: then lanes load
/// and store column by column.
std::string plane_head(const FusedSteps& of, const std::string& title, const std::string& places = {});
inline constexpr const char* kClampedRow = "clamped(y, where.ny)";
/// The functions of stages, load_KIND, store_KIND and, for the border, of stage_ghosts_text. `inner_row`: the row that load_inner reads, of y.
std::string plane_functions(const FusedSteps& of, bool border, const std::string& inner_row);
std::string load_rows(const FusedSteps& of, bool border, const std::string& inner_row = kClampedRow);
std::string store_rows(const FusedSteps& of, bool border);
/// From "const int x = " on: where a lane of a strip and a chunk stands, and the rows of the chunk.
std::string strip_text(const FusedSteps& of, bool no_border);

}  // namespace mottle::backend::cuda
