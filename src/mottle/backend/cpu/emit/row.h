// mottle/backend/cpu/emit/row.h: one row kernel as LLVM IR text
#pragma once
#include "mottle/backend/cpu/emit/grid.h"
#include "mottle/backend/cpu/emit/text.h"
#include "mottle/backend/shift_classes.h"

#include <map>
#include <string>
#include <tuple>

namespace mottle::backend::cpu {

constexpr int kFewestWorkingRegisters =
    5;  ///< registers for intermediate values of a column; uniforms and constants stay in memory if they would take these

/// When a chain of dependent operations is at least this long, the queue of waiting instructions of a core fills up. Rows are then computed side by side:
/// each operation for all rows before the next operation.
constexpr int kLongChain = 16;

/// What a row kernel computes.
struct RowCode {
    const ir::Stage& stage;
    const StagePlan& plan;
    std::size_t ahead = 0;  ///< as JoinedStages::ahead
};

class RowEmitter {
   public:
    RowEmitter(const ir::Program& program, const Plan& plan, const RowCode& code, int rows, const EmitOptions& options);
    std::string emit(const std::string& name);

   private:
    using Slot = std::tuple<int, int, int>;  // class, row, dx
    void entry();
    void load_rows();
    void keep_in_memory();
    void loop();
    void update(std::size_t first, std::size_t end);
    void last_column();
    void ends_ahead();
    void begin_ghosts();
    void ghosts(std::size_t first, std::size_t end);
    void compute_side_by_side();
    std::string get(const Shifted& value, int row, int dx);
    std::string compute(int klass, int row, int dx);
    std::string operation(const ShiftClass& klass, int row, int dx);
    std::string load(const ir::Instruction& instruction, int row, int dx);
    std::string left_of_piece(ir::Array array, int row, int dx, const std::string& memory);
    void leave_piece();
    std::string axis(const ir::Instruction& instruction, int row, int dx);
    std::string number(int index, bool word);
    std::string arithmetic(const ShiftClass& klass, int row, int dx);
    std::string argument(const ShiftClass& klass, int i, int row, int dx);
    std::string row_pointer(ir::Array array, int row) const;
    std::string output_pointer(ir::Array array, int row) const;
    std::string array_offset(ir::Array array) const;
    std::string index(ir::Array array, int beside) const;
    std::string place(const std::string& row, ir::Array array, int beside);
    std::vector<int> besides_of(std::size_t input) const;
    std::string output_place(ir::Array array, int row);
    std::string store_place(std::size_t store, int row);
    std::string rotate(const std::string& vector, int by);
    std::string where_overlapping(const char* side, const std::string& far, const std::string& near);
    bool rotates() const;
    void store_lane(const std::string& vector, int lane, const std::string& pointer);
    void ghost_pair(ir::Array array, const std::string& pointer);
    std::string outside(const ir::Ghost& ghost, bool held, const std::string& inside);
    std::string ghost_number(int uniform, bool held);
    bool is_one(const Shifted& value) const;

    const ir::Program& program_;
    const Plan& plan_;
    const StagePlan& stage_plan_;
    const EmitOptions& options_;
    int rows_;
    TextTypes types_;
    ShiftClasses classes_;
    ColumnDemand demand_;
    TextBuilder out_;
    std::map<int, std::string> uniforms_;   // by class
    std::map<int, std::string> in_memory_;  // by class: the place of a uniform for which there is no register
    std::map<std::pair<int, bool>, std::string> numbers_;
    std::map<std::pair<int, int>, std::string> row_values_;      // coordinates along y and z, by (class, row)
    std::map<std::pair<int, bool>, std::string> ghost_numbers_;  // of held arrays, or of states
    std::map<Slot, std::string> column_;
    std::map<Slot, std::string> carried_;        // phi names
    std::map<Slot, std::string> carried_first_;  // their values in column 0
    std::map<std::tuple<ir::Array, int, int>, std::string>
        edges_;          // by array, row, dx: where a piece of a row leaves a value for the next piece
    std::size_t ahead_;  // number of stores of the first of two joined stages, which runs ahead of the second
    std::string base_;   // outside of the loop: bytes from the start of the row to the current column
    bool in_loop_ = false, in_last_column_ = false;
    ScalarCalls calls_;
};

}  // namespace mottle::backend::cpu
