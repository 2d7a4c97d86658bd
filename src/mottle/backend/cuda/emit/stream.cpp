// mottle/backend/cuda/emit/stream.cpp: several steps in one pass over a plane: a warp marches down a strip of columns, rows in registers
#include "mottle/backend/cuda/emit/stream.h"

#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

using core::str;

// The strip and the chunk of a warp. Warps at borders skip the inner strips and chunks.
constexpr const char* kBorderWarp =
    "    if (warp >= shape.strips * shape.chunks) return;\n"
    "    const int strip = warp % shape.strips, chunk = warp / shape.strips;\n"
    "    const int inner_x = strip - shape.first_strip, inner_y = chunk - shape.first_chunk;\n"
    "    if (inner_x >= 0 && inner_x < shape.inner_strips && inner_y >= 0 && inner_y < shape.inner_chunks) return;\n";
constexpr const char* kInnerWarp =
    "    if (warp >= shape.inner_strips * shape.inner_chunks) return;\n"
    "    const int strip = shape.first_strip + warp % shape.inner_strips, chunk = shape.first_chunk + warp / "
    "shape.inner_strips;\n";

// Rows of a warp that are under way, in shared memory. A lane reads only what it has asked for itself, so nobody waits for others. While the levels
// of a row are computed, three rows come in: one takes about a microsecond from memory.
constexpr int kSlots = 4;                 // one of them is what has just been read; ring_loads counts on four
constexpr int kMostRingBytes = 48 << 10;  // of shared memory that a kernel may declare

bool has_ring(const StepPlan& plan) { return plan.states * kSlots * kStreamThreads * 16 <= kMostRingBytes; }

std::string ring_text(const FusedSteps& of) {
    const std::string cells = vector_type(of.f64()), warps = str(kStreamThreads / kLanes), slots = str(kSlots);
    std::string text = "\nstruct Slot { " + cells + " ";
    for (int a = 0; a < of.plan.states; ++a) text += (a ? ", a" : "a") + str(a) + "[" + str(kLanes) + "]";
    text += "; };\nstruct Ring { Slot of[" + warps + "][" + slots + R"cuda(]; };
#ifndef MOTTLE_EMULATED
#define MOTTLE_SHARED(type, name) __shared__ type name
template <class Value>
__device__ __forceinline__ void begin_copy(Value& to, const real* from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"((unsigned)__cvta_generic_to_shared(&to)), "l"(from));
#else
    to = *reinterpret_cast<const Value*>(from);
#endif
}
// A row ends; how many rows may still be under way.
__device__ __forceinline__ void end_row() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;");
#endif
}
template <int kRows>
__device__ __forceinline__ void wait_for_rows() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" :: "n"(kRows) : "memory");
#endif
}
#endif
)cuda";
    text += "__device__ __forceinline__ void ask_for(Slot& slot, const Where& where, const int lane, const int y" +
            state_parameters(of, "const real", "") + ") {\n    const long long at = y * where.pitch + where.column;\n";
    for (int a = 0; a < of.plan.states; ++a) text += "    begin_copy(slot.a" + str(a) + "[lane], a" + str(a) + " + at);\n";
    text += "    end_row();\n}\n__device__ __forceinline__ Cells arrived(const Slot& slot, const int lane) {\n    Cells row;\n";
    for (int a = 0; a < of.plan.states; ++a) text += vector_load(of, "row.a" + str(a), "&slot.a" + str(a) + "[lane]");
    return text + "    return row;\n}\n";
}

// The lines that take a row out of the ring and ask for the one that is three rows further on.
std::string ring_loads(const FusedSteps& of, int half, const std::string& place, const std::string& moves) {
    const std::string in = "            ", last = std::to_string(kSlots - 2);
    return in + "wait_for_rows<" + last + ">();\n" + in + "Cells row = arrived(ring.of[threadIdx.x >> 5][slot" + (half ? " + 1" : "") +
           "], lane), made;\n" + in + "ask_for(ring.of[threadIdx.x >> 5][slot" + (half ? "" : " ^ 3") + "], where, lane, " + place +
           state_names(of, "") + ");\n" + moves;
}

std::string stream_kernel(const FusedSteps& of, bool border, bool no_border) {
    const std::string halo = str(halo_lanes(of.f64(), of.reach())), reach = str(of.reach()), kind = kind_text(border);
    const bool ring = !border && has_ring(of.plan);  // ghosts are made of what a lane has loaded
    March march{.type = "Cells", .cells = "row", .along = "y", .keeps = "keeps && "};
    // Keeps the shuffles of this row behind its loads. If the compiler moves them up, 6 steps of Gray-Scott need 34 registers more, and 6 steps of
    // Cahn-Hilliard, without the second barrier, spill 116 bytes. With steps of one stage the second barrier would cost registers instead.
    const std::string wait = "            __syncwarp();\n";
    const std::string move = no_border ? "            at = at + 1 == shape.ny ? 0 : at + 1;\n" : "";
    for (int half : {0, 1}) {
        if (ring)
            march.loads[half] =
                ring_loads(of, half, no_border ? "at" : index_text(false, "y + " + str(half + kSlots - 1), "shape.ny"), move);
        else
            march.loads[half] = next_text(of, march, border, move, no_border ? "at" : "y + " + str(half + 1));
        if (half == 0 || of.plan.stages.size() > 1) march.loads[half] += wait;
    }
    march.prepare = [&](const Level& level, const std::string&) {
        return border ? "            ghosts" + std::to_string(level.stage) + "(where, " + numbers_of(level) + ", row);\n" : "";
    };
    march.beside = [](const Level&) { return ""; };
    // The few warps at borders take more registers instead of spilling, since they need not share a multiprocessor. Four blocks are there where the
    // compiler needs no more than 128 registers, but it is not forced to: some kernels would spill.
    const int blocks = border ? 1 : std::min(3, stream_warps(of.plan, of.steps));
    std::string text =
        "\nMOTTLE_KERNEL __launch_bounds__(" + str(kStreamThreads) + ", " + str(blocks) + ") " + kind +
        "(const Numbers numbers, const Shape shape" + pointers_text(of) + ") {\n" + (ring ? "    MOTTLE_SHARED(Ring, ring);\n" : "") +
        "    const int warp = (int)(blockIdx.x * " + str(kStreamThreads / kLanes) +
        " + (threadIdx.x >> 5)), lane = (int)(threadIdx.x & 31);\n" + (border ? kBorderWarp : kInnerWarp) +
        "    const int x = " + strip_text(of, no_border) + "    const bool keeps = lane >= " + halo + " && lane < " +
        str(kLanes - halo_lanes(of.f64(), of.reach())) + (no_border ? " && x < shape.nx;\n" : ";\n") +
        "    // two rows of every level that reads rows beside; p is the older one in the first half of the loop, q in the second\n" +
        march_variables(of, "Cells");
    if (no_border) text += "    int at = wrapped(first - " + reach + ", shape.ny);\n";  // the row that comes in
    const std::string first = no_border ? "at" : "first - " + reach;
    if (ring) {
        text += "    int slot = 0;\n";
        for (int row = 0; row + 1 < kSlots; ++row) {
            const std::string place = no_border ? "at" : index_text(false, first + " + " + str(row), "shape.ny");
            text += "    ask_for(ring.of[threadIdx.x >> 5][" + str(row) + "], where, lane, " + place + state_names(of, "") + ");\n" +
                    move.substr(std::min<std::size_t>(move.size(), 8));
        }
    } else {
        text += "    Cells next = load_" + kind + "(where, " + first + state_names(of, "") + ");\n";
    }
    text += "    for (int y = first - " + reach + "; y < end + " + reach + "; y += 2) {\n";
    for (int half : {0, 1}) text += march_text(of, march, border, half);
    return text + (ring ? "        slot ^= 2;\n    }\n    wait_for_rows<0>();\n}\n" : "    }\n}\n");
}

}  // namespace

int stream_registers(const StepPlan& plan, int steps) {
    const int row = stream_columns(plan.program.f64) * (plan.program.f64 ? 2 : 1), operations = plan.most_operations();
    // what comes in has no registers in a ring; stages hand rows to each other
    if (has_ring(plan) && plan.stages.size() == 1) return row * plan.kept_rows() * steps + 34 + operations;
    return row * (plan.kept_rows() * steps + plan.states) + 40 + operations;
}

int stream_warps(const StepPlan& plan, int steps) {
    const int registers = stream_registers(plan, steps);
    return registers <= kRegistersOfFour ? 4 : registers <= kRegistersOfThree ? 3 : 2;
}

ModuleText emit_stream(const StepPlan& plan, const domain::Grid& grid, int steps, bool flush) {
    const FusedSteps of{.plan = plan, .grid = grid, .steps = steps, .flush = flush};
    const bool no_border = has_no_border(plan, grid);
    ModuleText module{plane_head(of, str(steps) + " steps in one pass: a warp marches down a strip of columns"), {}};
    for (const bool border : {false, true}) {
        if (border && no_border) continue;
        module.text += plane_functions(of, border, no_border ? "y" : kClampedRow) + (!border && has_ring(plan) ? ring_text(of) : "") +
                       stream_kernel(of, border, no_border);
        module.kernels.push_back({kind_text(border), pass_arguments(plan)});
    }
    return module;
}

}  // namespace mottle::backend::cuda
