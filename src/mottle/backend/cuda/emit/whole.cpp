// mottle/backend/cuda/emit/whole.cpp: many small planes in one launch: a block keeps a whole plane in registers, for as many steps as are asked
#include "mottle/backend/cuda/emit/whole.h"

#include "mottle/backend/cuda/emit/rows_text.h"
#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

constexpr int kMostWarps = 16, kMostColumns = 16;
constexpr int kMostThreads = 2048;  // on a multiprocessor

using core::str;
using domain::wraps;

/// The number of columns of a lane with which the lanes of a warp hold rows of nx cells; 0 if none does.
int lane_columns(int nx, bool ring) {
    for (int columns = 1; columns <= kMostColumns; ++columns) {
        // In a ring the last lane is full. Otherwise there is a lane for the left ghost, and the last lane has room for the right one.
        if (ring ? nx % columns == 0 && nx / columns <= kLanes : nx + 1 <= (kLanes - 1) * columns) return columns;
    }
    return 0;
}

// Where y does not wrap, the row below the last one is computed from the last one, so only that row has to be known.
Meeting meeting_of(const domain::Grid& grid, const WholePlane& plane) {
    const int left = static_cast<int>(grid.size[1]) - (plane.warps - 1) * plane.rows;
    const bool ring = wraps(grid, domain::kTop);
    return {.rows = plane.rows, .warps = plane.warps, .ring = ring, .last_rows = ring ? left : plane.rows};
}

std::string member_text(const MemberLayout& layout) {
    std::string text = "struct Member { const Numbers* numbers; long long stride, steps, before; real ";
    for (std::size_t i = 0; i < layout.arrays.size(); ++i) text += (i ? ", *a" : "*a") + str(layout.arrays[i]);
    return text + "; };\n";
}

std::string whole_kernel(const FusedSteps& of, const WholePlane& plane, const Meeting& meeting, const MemberLayout& layout, bool border) {
    std::string text = "\nMOTTLE_KERNEL __launch_bounds__(" + str(plane.threads()) + ", " + str(plane.blocks) +
                       ") whole(const Shape shape, const Member* __restrict__ members" + axis_parameters(of.plan) + ") {\n";
    if (of.plan.exchanging_stages() > 0) text += "    MOTTLE_SHARED(Edges, edges);\n";
    text +=
        "    const Member member = members[blockIdx.x];\n    const int warp = (int)(threadIdx.x >> 5), lane = (int)(threadIdx.x & "
        "31);\n";
    for (const ir::Array array : layout.arrays) text += "    real* const a" + str(array) + " = member.a" + str(array) + ";\n";
    const std::string columns = str(plane.columns);
    text += plane.ring
                ? "    const int lanes = shape.nx / " + columns + ", x = lane * " + columns +
                      ";\n    const Where where = {shape.nx, shape.ny, x, lane > 0 ? lane - 1 : lanes - 1, "
                      "lane + 1 < lanes ? lane + 1 : 0, shape.pitch};\n"
                : "    const int x = (lane - 1) * " + columns + ";\n    const Where where = {shape.nx, shape.ny, x, 0, 0, shape.pitch};\n";
    text +=
        "    const Tables tables = " + table_values(of) + ";\n    const int y = warp * " + str(plane.rows) + ";\n" +
        rows_loaded(of, meeting, "border") +
        "    const Numbers* numbers = member.numbers;\n#pragma unroll 1\n"
        "    for (long long level = 0; level < member.steps; ++level, numbers += member.stride) {\n"
        "    const Numbers now = *numbers;  // once: behind a shuffle memory would be read anew\n"
        "    const real (&u)[kColumns] = now.u[0];\n" +
        rows_advance(of, meeting,
                     {.level = "level", .numbers = "u", .flushes = of.flush ? flush_test("member.before + level") : "", .border = border}) +
        "    }\n";
    for (int row = 0; row < plane.rows; ++row)
        text += "    if (x >= 0 && y + " + str(row) + " < where.ny) store_border(where, y + " + str(row) + ", " + row_cells(row) +
                state_names(of, "") + ");\n";
    return text + "}\n";
}

}  // namespace

int whole_registers(const StepPlan& plan, int columns, int rows, bool ring) {
    return row_registers(plan, columns) * (rows + (ring ? 5 : 3)) + 24 + stage_registers(plan);
}

WholePlane whole_plane(const StepPlan& plan, const domain::Grid& grid) {
    if (!stream_obstacle(plan, grid).empty()) return {};
    const domain::Index most = kLanes * kMostColumns;
    if (grid.size[0] > most || grid.size[1] > most) return {};
    const int ny = static_cast<int>(grid.size[1]);
    auto rounded = [](int registers) { return (registers + 7) / 8 * 8; };
    WholePlane best{.columns = lane_columns(static_cast<int>(grid.size[0]), wraps(grid, domain::kLeft)),
                    .ring = wraps(grid, domain::kLeft)};
    if (best.columns == 0) return {};
    int least = 0;  // number of rows for one of the four schedulers of a multiprocessor
    for (int rows = 1; rows <= ny; ++rows) {
        const int warps = (ny + rows - 1) / rows, work = (warps + 3) / 4 * rows;
        if (warps > kMostWarps || exchange_bytes(plan, rows, warps, best.columns) > kSharedBytes) continue;
        const int needed = whole_registers(plan, best.columns, rows, best.ring), here = kProcessorRegisters / (warps * kLanes) / 8 * 8;
        // With fewer spare registers the compiler spills: a tenth of the operations of a step become stores and loads.
        if (10 * needed > 9 * std::min(kThreadRegisters, here) || (best.warps > 0 && work >= least)) continue;
        least = work;
        best.rows = rows, best.warps = warps;
        // A block that shares the multiprocessor with others gets some registers more than it is expected to need.
        best.blocks = std::max(1, std::min(kMostThreads, kProcessorRegisters / rounded(needed + needed / 4)) / (warps * kLanes));
    }
    return best.warps > 0 ? best : WholePlane{};
}

MemberLayout member_layout(const StepPlan& plan) {
    MemberLayout layout;
    for (ir::Array a = 0; a < plan.states; ++a) layout.arrays.push_back(a);
    layout.arrays.insert(layout.arrays.end(), plan.maps.begin(), plan.maps.end());
    return layout;
}

ModuleText emit_whole(const StepPlan& plan, const domain::Grid& grid, const WholePlane& plane) {
    const bool flush = plan.program.flush_step.has_value();
    const FusedSteps of{.plan = plan, .grid = grid, .flush = flush, .columns = plane.columns, .ring = plane.ring};
    const Meeting meeting = meeting_of(grid, plane);
    const MemberLayout layout = member_layout(plan);
    // whether neighbouring rows or columns of a step may lie beyond the grid
    const bool border = !plane.ring || !of.wraps(1) || !plan.maps.empty() || !plan.tables.empty();
    ModuleText module;
    module.text =
        plane_head(
            of, "a whole plane in a block of " + str(plane.warps) + " warps of " + str(plane.rows) + " rows: as many steps as are asked",
            "struct Shape { int nx, ny; long long pitch; };\n"
            "struct Where { int nx, ny, x, left, right; long long pitch; };  // x: the first column of this lane; left, right: lanes\n") +
        member_text(layout) + rows_head(of, meeting) + stages_text(of, border) + load_rows(of, true) + store_rows(of, true) +
        (plane.ring ? "" : stage_ghosts_text(of)) + whole_kernel(of, plane, meeting, layout, border);
    module.kernels = {{"whole", {{Argument::Kind::shape, 0}, {Argument::Kind::table, 0}}}};
    for (const int axis : plan.tables) module.kernels[0].arguments.push_back({Argument::Kind::axis, axis});
    return module;
}

}  // namespace mottle::backend::cuda
