// mottle/backend/cuda/emit/persistent.cpp: all steps of a launch over a plane that the card's registers hold: blocks stay, and exchange their edges
#include "mottle/backend/cuda/emit/persistent.h"

#include "mottle/backend/cuda/emit/rows_text.h"
#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

constexpr int kMostRows = 16;  // of a warp: a lane notes in the bits of a word which rows it sends and receives
constexpr int kMostSlots = 12;

using core::str;

// The emulation has its own versions of these functions. A word and its epoch are 8 bytes, which the memory model of PTX reads and writes as a whole; it does
// not promise that for 16 bytes. So every word is checked with its own epoch, and packets may arrive in any order. These loads and stores go through the
// second-level cache. A thread that has waited in vain for some seconds sets `lost`, which all waiting threads read.
constexpr const char* kPackets = R"cuda(
#ifndef MOTTLE_EMULATED
struct __align__(16) Packet { unsigned a, epoch_a, b, epoch_b; };
__device__ __forceinline__ void send(Packet* to, unsigned a, unsigned b, unsigned epoch) {
    const unsigned long long above = (unsigned long long)epoch << 32;
    asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};"
                 :: "l"(__cvta_generic_to_global(to)), "l"(above | a), "l"(above | b) : "memory");
}
__device__ __forceinline__ Packet look(const Packet* from) {
    unsigned long long first, second;
    asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                 : "=l"(first), "=l"(second) : "l"(__cvta_generic_to_global(from)) : "memory");
    return {(unsigned)first, (unsigned)(first >> 32), (unsigned)second, (unsigned)(second >> 32)};
}
__device__ __forceinline__ unsigned look(const unsigned* from) {
    unsigned word;
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(from)) : "memory");
    return word;
}
__device__ __forceinline__ void tell(unsigned* to) {
    asm volatile("st.relaxed.gpu.global.b32 [%0], 1;" :: "l"(__cvta_generic_to_global(to)) : "memory");
}
// Receives all packets of an epoch, from kSlots places and kParts planes of packets; false if a thread waited in vain.
template <int kSlots, int kParts>
__device__ __forceinline__ bool arrive(Packet (&packets)[kSlots][kParts], const Packet* from, const int (&places)[kSlots], const int plane,
                                       const unsigned epoch, unsigned* lost) {
#pragma unroll 1
    for (int polls = 1; polls <= (1 << 22); ++polls) {
        bool all = true;
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
#pragma unroll
            for (int part = 0; part < kParts; ++part) packets[slot][part] = look(from + part * plane + places[slot]);
        }
#pragma unroll
        for (int slot = 0; slot < kSlots; ++slot) {
#pragma unroll
            for (int part = 0; part < kParts; ++part)
                all = all && packets[slot][part].epoch_a == epoch && packets[slot][part].epoch_b == epoch;
        }
        if (all) return true;
        if ((polls & 255) == 0 && look(lost) != 0) return false;
    }
    tell(lost);
    return false;
}
#endif
)cuda";

/// Word `index` of a cell; 0 beyond its last word.
std::string packet_word(const FusedSteps& of, int index, int col) {
    const int a = of.f64() ? index / 2 : index;
    if (a >= of.plan.states) return "0u";
    const std::string cell = "row.a" + str(a) + "[" + str(col) + "]";
    if (!of.f64()) return "__float_as_uint(" + cell + ")";
    return std::string("(unsigned)((word)__double_as_longlong(") + cell + ")" + (index % 2 ? " >> 32)" : ")");
}

// The slots of a block hold the cells of other blocks around it, corners included: the rows above, those below, then the cells on both sides of the rows of
// the block. The slots of a row are in the order of packets: the first column of all lanes, then the second, and so on.
std::string frame_text(const FusedSteps& of) {
    std::string text = R"cuda(
__device__ __forceinline__ int frame_cells(const Block& block) {
    return (2 * kReach * (block.lanes + 2 * kHalo) + 2 * kHalo * block.rows) * kLaneColumns;
}
__device__ __forceinline__ int slot_of(const Block& block, const int row, const int lane, const int column) {
    const int all = block.lanes + 2 * kHalo;
    if (row < kReach) return (row * kLaneColumns + column) * all + lane;
    if (row >= kReach + block.rows) return ((row - block.rows) * kLaneColumns + column) * all + lane;
    return 2 * kReach * kLaneColumns * all + ((row - kReach) * kLaneColumns + column) * (2 * kHalo) +
           (lane < kHalo ? lane : lane - block.lanes);
}
// The place of the packet for the cell of a slot.
__device__ __forceinline__ int place_of(const Shape& shape, const Block& block, int slot) {
    const int all = block.lanes + 2 * kHalo, ends = 2 * kReach * kLaneColumns * all;
    int row, column, lane;
    if (slot < ends) {
        row = slot / (kLaneColumns * all), slot -= row * (kLaneColumns * all);
        column = slot / all, lane = slot - column * all;
        row += row < kReach ? 0 : block.rows;
    } else {
        slot -= ends;
        row = slot / (kLaneColumns * 2 * kHalo), slot -= row * (kLaneColumns * 2 * kHalo);
        column = slot / (2 * kHalo), lane = slot - column * (2 * kHalo);
        row += kReach, lane += lane < kHalo ? 0 : block.lanes;
    }
)cuda";
    const ir::GhostRule& rule =
        of.ghosts_of(0);  // All fields wrap along the same axes, and cells beyond a side that does not wrap are never read.
    return text + "    const int x = " + index_text(wraps_along(rule, 0), "block.x + (lane - kHalo) * kLaneColumns + column", "shape.nx") +
           ", y = " + index_text(wraps_along(rule, 1), "block.y - kReach + row", "shape.ny") +
           ";\n    return (y * kLaneColumns + x % kLaneColumns) * (shape.nx / kLaneColumns) + x / kLaneColumns;\n}\n";
}

// Copies from cells to packets, from packets to the shared memory of the block, and from there to cells.
std::string exchange_blocks(const FusedSteps& of, const PersistentTile& tile) {
    const int parts = packets_of_cell(of.plan.program);
    std::string text = "\nstruct Halo { real ";
    for (int a = 0; a < of.plan.states; ++a) text += (a ? ", a" : "a") + str(a) + "[" + str(tile.frame()) + "]";
    text += "; };\nstruct Shared { Edges edges; Halo halo; };\n";
    if (of.columns > 1) {
        text +=
            "#ifndef MOTTLE_EMULATED\n__device__ __forceinline__ void give(real& to, const real& cell) { to = cell; }\n"
            "__device__ __forceinline__ real take(const real& from) { return from; }\n#endif\n";
    }
    text +=
        "__device__ __forceinline__ void send_row(const Shape& shape, Packet* to, const int x, const int y, const Cells& row, const "
        "unsigned epoch) {\n    const int apart = shape.nx / kLaneColumns, plane = shape.nx * shape.ny;\n    to += y * shape.nx + x / "
        "kLaneColumns;\n";
    for (int col = 0; col < of.columns; ++col) {
        for (int part = 0; part < parts; ++part) {
            text += "    send(to + " + str(part) + " * plane + " + str(col) + " * apart, " + packet_word(of, 2 * part, col) + ", " +
                    packet_word(of, 2 * part + 1, col) + ", epoch);\n";
        }
    }
    text += "}\n__device__ __forceinline__ void keep(Halo& halo, const int slot, const Packet (&packets)[kParts]) {\n";
    for (int a = 0; a < of.plan.states; ++a) {
        const std::string packet = "packets[" + str(of.f64() ? a : a / 2) + "].";
        text += "    give(halo.a" + str(a) + "[slot], " +
                (of.f64() ? "__longlong_as_double((long long)((word)" + packet + "b << 32 | " + packet + "a))"
                          : "__uint_as_float(" + packet + (a % 2 ? "b" : "a") + ")") +
                ");\n";
    }
    text +=
        "}\n__device__ __forceinline__ void take_row(const Halo& halo, const Block& block, const int r, const int lane, Cells& row) "
        "{\n";
    for (int col = 0; col < of.columns; ++col) {
        for (int a = 0; a < of.plan.states; ++a) {
            text += "    row.a" + str(a) + "[" + str(col) + "] = take(halo.a" + str(a) + "[slot_of(block, r, lane, " + str(col) + ")]);\n";
        }
    }
    return text + "}\n";
}

// Two sets of packets are used alternately. A block that sends into one of them again has received all packets of the other, which their senders sent only
// after they had received all of this one. So nothing is overwritten that has not been read.
std::string meet_blocks(const PersistentTile& tile) {
    std::string text = "    ++epoch;\n    Packet* const half = packets + (long long)(epoch & 1) * kParts * shape.nx * shape.ny;\n";
    for (int row = 0; row < tile.rows; ++row) {
        const std::string r = str(row);
        text += "    if (gives >> " + r + " & 1) send_row(shape, half, x, y + " + r + ", " + row_cells(row) + ", epoch);\n";
    }
    text += R"cuda(    Packet arrived[kSlots][kParts] = {};
    if (patient) patient = arrive(arrived, half, places, shape.nx * shape.ny, epoch, lost);
#pragma unroll
    for (int slot = 0; slot < kSlots; ++slot) {
        if (thread + slot * kThreads < cells) keep(shared.halo, thread + slot * kThreads, arrived[slot]);
    }
    __syncthreads();
)cuda";
    for (int row = 0; row < tile.rows; ++row) {
        const std::string r = str(row);
        text += "    if (takes >> " + r + " & 1) take_row(shared.halo, block, first + " + r + ", lane, " + row_cells(row) + ");\n";
    }
    return text;
}

std::string persistent_kernel(const FusedSteps& of, const PersistentTile& tile, bool border) {
    const Meeting meeting{.rows = tile.rows, .warps = tile.warps};
    std::string text =
        "\nMOTTLE_KERNEL __launch_bounds__(" + str(tile.threads()) +
        ", 1) persistent(const Shape shape, const Numbers* __restrict__ numbers, Packet* packets, unsigned* lost" + pointers_text(of) +
        ") {\n    MOTTLE_SHARED(Shared, shared);\n"
        "    const int thread = (int)threadIdx.x, warp = thread >> 5, lane = thread & 31;\n"
        "    const int strip = (int)blockIdx.x % shape.strips, chunk = (int)blockIdx.x / shape.strips;\n"
        "    const int left = strip * " +
        str(tile.width()) +
        ", top = chunk * shape.chunk_rows, wide = shape.nx - left, high = shape.ny - top;\n    const Block block = {left, top, "
        "(wide < " +
        str(tile.width()) + " ? wide : " + str(tile.width()) +
        ") / kLaneColumns, high < shape.chunk_rows ? high : shape.chunk_rows};\n"
        "    const int x = left + (lane - kHalo) * kLaneColumns, first = warp * kRows, y = top - kReach + first;\n"
        "    const Where where = {shape.nx, shape.ny, x, shape.pitch};\n    const Tables tables = " +
        table_values(of) + ";\n";
    text += R"cuda(    unsigned gives = 0, takes = 0;  // rows
    const bool own_lane = lane >= kHalo && lane < kHalo + block.lanes;
    for (int row = 0; row < kRows; ++row) {
        const int r = first + row;
        const bool edge = r < 2 * kReach || r >= block.rows || lane < 2 * kHalo || lane >= block.lanes;
        if (own_lane && r >= kReach && r < kReach + block.rows) {
            gives |= (edge ? 1u : 0u) << row;
        } else if (lane < block.lanes + 2 * kHalo && r < block.rows + 2 * kReach) {
            takes |= 1u << row;
        }
    }
    const int cells = frame_cells(block);
    int places[kSlots];
#pragma unroll
    for (int slot = 0; slot < kSlots; ++slot)
        places[slot] = place_of(shape, block, thread + slot * kThreads < cells ? thread + slot * kThreads : 0);
)cuda";
    text += rows_loaded(of, meeting, "border") +
            "    unsigned epoch = shape.epoch;\n    bool patient = true;\n#pragma unroll 1\n"
            "    for (long long done = 0; done < shape.steps;) {\n"
            "    const long long pause = done + kSteps < shape.steps ? done + kSteps : shape.steps;\n#pragma unroll 1\n"
            "    for (; done < pause; ++done, numbers += shape.stride) {\n"
            "    const Numbers now = *numbers;  // once: behind a shuffle memory would be read anew\n"
            "    const real (&u)[kColumns] = now.u[0];\n" +
            rows_advance(of, meeting,
                         {.level = "done",
                          .numbers = "u",
                          .edges = "shared.edges",
                          .flushes = of.flush ? flush_test("shape.before + done") : "",
                          .border = border}) +
            "    }\n    if (done == shape.steps) break;\n" + meet_blocks(tile) + "    }\n";
    for (int row = 0; row < tile.rows; ++row) {
        const std::string r = str(row);
        text += "    if (own_lane && first + " + r + " >= kReach && first + " + r + " < kReach + block.rows) store_border(where, y + " + r +
                ", " + row_cells(row) + state_names(of, "_next") + ");\n";
    }
    return text + "}\n";
}

/// Whether a tile fits the memory and the registers of a multiprocessor and of a thread.
bool fits(const StepPlan& plan, const PersistentTile& tile) {
    const int bytes = exchange_bytes(plan, tile.rows, tile.warps, tile.columns), halo = tile.frame() * plan.states * plan.cell_bytes();
    return bytes + halo <= kSharedBytes && tile.slots() * packets_of_cell(plan.program) <= kMostSlots &&
           persistent_registers(plan, tile) <= std::min(kThreadRegisters, kProcessorRegisters / tile.threads() / 8 * 8);
}

}  // namespace

int packets_of_cell(const ir::Program& program) { return program.f64 ? program.state_count() : (program.state_count() + 1) / 2; }

int persistent_registers(const StepPlan& plan, const PersistentTile& tile) {
    const int row = row_registers(plan, tile.columns), step = 3 * row + stage_registers(plan);
    const int packets = 4 * tile.slots() * packets_of_cell(plan.program);
    return row * tile.rows + std::max(step, packets) + tile.slots() + 28;
}

std::string persistent_obstacle(const StepPlan& plan, const domain::Grid& grid) {
    if (std::string obstacle = stream_obstacle(plan, grid); !obstacle.empty()) return obstacle;
    return exchange_bytes(plan, 1, 1) > 0 ? "" : "no field is read in rows beside";
}

std::vector<PersistentCut> persistent_cuts(const StepPlan& plan, const domain::Grid& grid, int steps, int processors) {
    std::vector<PersistentCut> cuts;
    if (!persistent_obstacle(plan, grid).empty()) return cuts;
    for (int columns = stream_columns(plan.program.f64); columns > 0; columns /= 2) {
        if (grid.size[0] % columns != 0) continue;  // A lane must not belong to two blocks.
        for (const int warps : {4, 8, 12, 16}) {
            for (int rows = 1; rows <= kMostRows; ++rows) {
                const PersistentTile tile{columns, rows, warps, steps, steps * plan.reach()};
                const int most = tile.most_rows();
                if (most < 1 || tile.width() < 1 || !fits(plan, tile)) continue;
                const core::Index strips = (grid.size[0] + tile.width() - 1) / tile.width(), chunks = (grid.size[1] + most - 1) / most;
                if (strips > processors || chunks > processors || strips * chunks > processors) continue;
                const core::Index chunk_rows = (grid.size[1] + chunks - 1) / chunks;
                cuts.push_back({tile, static_cast<int>(strips), static_cast<int>((grid.size[1] + chunk_rows - 1) / chunk_rows),
                                static_cast<int>(chunk_rows)});
            }
        }
    }
    return cuts;
}

ModuleText emit_persistent(const StepPlan& plan, const domain::Grid& grid, const PersistentTile& tile) {
    const FusedSteps of{.plan = plan, .grid = grid, .flush = plan.program.flush_step.has_value(), .columns = tile.columns};
    // whether neighbouring rows or columns of a step may lie beyond the grid
    const bool border = !of.wraps(0) || !of.wraps(1) || !plan.maps.empty() || !plan.tables.empty();
    const std::string title = "a plane in the registers of all multiprocessors: blocks of " + str(tile.height()) +
                              " rows exchange their edges every " + str(tile.steps) + " steps";
    ModuleText module;
    module.text =
        plane_head(
            of, title,
            "struct Shape { int nx, ny, strips, chunk_rows; unsigned epoch; long long pitch, steps, stride, before; };\n"
            "struct Where { int nx, ny, x; long long pitch; };  // x: the first column of this lane\n"
            "struct Block { int x, y, lanes, rows; };  // the first column and row that it owns, and how many lanes and rows of them\n") +
        "constexpr int kLaneColumns = " + str(tile.columns) + ", kHalo = " + str(tile.halo()) + ", kSteps = " + str(tile.steps) +
        ", kReach = " + str(tile.reach) + ", kRows = " + str(tile.rows) + ", kThreads = " + str(tile.threads()) +
        ", kSlots = " + str(tile.slots()) + ", kParts = " + str(packets_of_cell(plan.program)) + ";\n" + kPackets +
        rows_head(of, {.rows = tile.rows, .warps = tile.warps}) + stages_text(of, border) + load_rows(of, true) + store_rows(of, true) +
        (border ? stage_ghosts_text(of, true) : "") + frame_text(of) + exchange_blocks(of, tile) + persistent_kernel(of, tile, border);
    using Kind = Argument::Kind;
    std::vector<Argument> arguments = {{Kind::shape, 0}, {Kind::table, 0}, {Kind::packets, 0}, {Kind::lost, 0}};
    const std::vector<Argument> others = pass_arguments(plan);
    arguments.insert(arguments.end(), others.begin() + 2, others.end());
    module.kernels = {{"persistent", arguments}};
    return module;
}

}  // namespace mottle::backend::cuda
