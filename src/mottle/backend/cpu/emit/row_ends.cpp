// mottle/backend/cpu/emit/row_ends.cpp: the ends of the rows that a kernel writes: their ghost vectors, and what two joined stages do there
#include "mottle/backend/cpu/emit/row.h"

#include "mottle/backend/cpu/emit/row_kernel.h"
#include "mottle/core/text.h"

#include <cstddef>

namespace mottle::backend::cpu {

using ir::Op;

namespace {

using core::str;

}  // namespace

// ---- after the loop: the ghost vectors at both ends of every row written

void RowEmitter::begin_ghosts() {
    load_member(out_, offsetof(RowArguments, ghost_numbers), "ptr", "%ghost_numbers");
    out_.line("%last = sub i64 %end, " + str(types_.vector_bytes));
    if (options_.overlap) {
        out_.line("%before_last = sub i64 %end, " + str(2LL * types_.vector_bytes));
        for (const char* side : {"left", "right"}) {
            bool left = side[0] == 'l';
            std::string masks =
                load_member(out_, left ? offsetof(RowArguments, left_overlap) : offsetof(RowArguments, right_overlap), "ptr");
            std::string words = out_.assign("load " + types_.word + ", ptr " + masks + ", align " + str(types_.vector_bytes));
            out_.line(std::string("%") + side + "_overlap = icmp slt " + types_.word + " " + words + ", zeroinitializer");
        }
    }
}

// For the stores first .. end - 1.
void RowEmitter::ghosts(std::size_t first, std::size_t end) {
    for (int row = 0; row < rows_; ++row) {
        for (std::size_t i = first; i < end; ++i) {
            const ir::Array array = classes_.stores[i].first;
            if (!plan_.beyond_rows[static_cast<std::size_t>(array)]) continue;
            ghost_pair(array, output_place(array, row + (i < ahead_ ? kAhead : 0)));
        }
    }
}

/// Whether a rotation by one lane is one instruction.
bool RowEmitter::rotates() const { return types_.lanes > 1 && (options_.isa.lane_rotate || program_.f64); }

/// Lane l of the result is lane l - by of `vector`, by = 1 or -1, cyclically.
std::string RowEmitter::rotate(const std::string& vector, int by) {
    std::string order;
    for (int l = 0; l < types_.lanes; ++l) order += (l ? ", i32 " : "i32 ") + str((l - by + types_.lanes) % types_.lanes);
    return out_.assign("shufflevector " + types_.real + " " + vector + ", " + types_.real + " poison, " + types_.vector_of("i32") + " <" +
                       order + ">");
}

// The ghosts of a held array are read in the step that makes it, those of a state in the next step.
std::string RowEmitter::ghost_number(int uniform, bool held) {
    auto [found, fresh] = ghost_numbers_.try_emplace({uniform, held});
    if (fresh) found->second = out_.number(held ? "%numbers" : "%ghost_numbers", uniform);
    return found->second;
}

std::string RowEmitter::outside(const ir::Ghost& ghost, bool held, const std::string& inside) {
    if (ghost.alpha < 0) return inside;
    std::string alpha = ghost_number(ghost.alpha, held), beta = ghost_number(ghost.beta, held);
    const Operand args[3] = {{beta}, {inside}, {alpha}};
    return emit_arithmetic(out_, types_, Op::fma, args, 0, calls_);
}

void RowEmitter::store_lane(const std::string& vector, int lane, const std::string& pointer) {
    const std::string cell =
        types_.lanes == 1 ? vector : out_.assign("extractelement " + types_.real + " " + vector + ", i32 " + str(lane));
    out_.line("store " + types_.scalar + " " + cell + ", ptr " + pointer + ", align " + str(types_.scalar_bytes));
}

std::string RowEmitter::where_overlapping(const char* side, const std::string& far, const std::string& near) {
    return out_.assign(std::string("select ") + types_.mask + " %" + side + "_overlap, " + types_.real + " " + far + ", " + types_.real +
                       " " + near);
}

// Where the segment of a lane begins one cell early, it shares that cell with the lane before. The cell before its first one is then the last but one of
// the lane before, and the cell after the last one of that lane is the second of this lane. Vectors that were just stored are loaded at the same addresses,
// because the processor forwards only such loads; any other load would wait until the store has reached the cache.
void RowEmitter::ghost_pair(ir::Array array, const std::string& pointer) {
    const ir::ArrayInfo& info = program_.arrays[core::at(array)];
    const ir::GhostRule& rule = program_.ghosts_of(array);
    const bool held = info.kind == ir::ArrayInfo::Kind::held;
    const bool periodic = wraps_along(rule, 0);
    const long long scalar = types_.scalar_bytes, vector = types_.vector_bytes;
    const std::string last = out_.pointer(pointer, "%last"), ghosts_right = out_.pointer(pointer, "%end"),
                      ghosts_left = out_.pointer(pointer, str(-vector));
    const std::string last_cells = out_.load_real(last), first_cells = out_.load_real(pointer);
    std::string before = last_cells, after = first_cells;
    if (options_.overlap) {
        before = where_overlapping("right", out_.load_real(out_.pointer(pointer, "%before_last")), before);
        after = where_overlapping("left", out_.load_real(out_.pointer(pointer, str(vector))), after);
    }
    const std::string right_lane = out_.pointer(ghosts_right, str(vector - scalar));
    if (rotates()) {
        before = rotate(before, 1);
        out_.store_real(before, ghosts_left);
        out_.store_real(rotate(after, -1), ghosts_right);
        if (periodic) return;
        store_lane(outside(rule[domain::kLeft], held, first_cells), 0, ghosts_left);
        store_lane(outside(rule[domain::kRight], held, before), 0, right_lane);  // the rotation has moved the last cell to lane 0
        return;
    }
    // Each vector is stored one lane further; the two cells that this overwrites are then written again.
    const int end = types_.lanes - 1;
    out_.line("store " + types_.real + " " + before + ", ptr " + out_.pointer(ghosts_left, str(scalar)) + ", align " + str(scalar));
    out_.line("store " + types_.real + " " + after + ", ptr " + out_.pointer(ghosts_right, str(-scalar)) + ", align " + str(scalar));
    store_lane(first_cells, 0, pointer);
    store_lane(last_cells, end, out_.pointer(ghosts_right, str(-scalar)));
    store_lane(periodic ? last_cells : outside(rule[domain::kLeft], held, first_cells), periodic ? end : 0, ghosts_left);
    store_lane(periodic ? first_cells : outside(rule[domain::kRight], held, last_cells), periodic ? 0 : end, right_lane);
}

// ---- two joined stages

// Before the loop, the first stage computes the columns at both ends of its rows and their ghosts: the second stage begins beside the ghosts on the left,
// which on a periodic axis are the last cells on the right.
void RowEmitter::ends_ahead() {
    begin_ghosts();
    for (const bool left : {true, false}) {
        base_ = left ? "" : "%last";
        column_.clear();
        for (int column = 0; column <= (options_.overlap ? 1 : 0); ++column) {
            const int dx = left ? column : -column;
            for (int row = 0; row < rows_; ++row) {
                for (std::size_t i = 0; i < ahead_; ++i) {
                    const auto& [array, value] = classes_.stores[i];
                    const std::string here = output_place(array, row + kAhead);
                    out_.store_real(get(value, row, dx - kAhead),
                                    out_.pointer(here, str(static_cast<long long>(dx) * types_.vector_bytes)));
                }
            }
        }
    }
    base_.clear();
    column_.clear();
    ghosts(0, ahead_);
}

// After the loop the first stage is complete, and the second one computes its last column, which reads the ghosts on the right.
void RowEmitter::last_column() {
    in_loop_ = in_last_column_ = true;
    column_.clear();
    out_.line("%last0 = freeze i64 %last");
    for (int i = 1; i < plan_.most_arrays(); ++i) out_.line("%last" + str(i) + " = add i64 %last, %array" + str(i));
    update(ahead_, classes_.stores.size());
    in_loop_ = in_last_column_ = false;
}

}  // namespace mottle::backend::cpu
