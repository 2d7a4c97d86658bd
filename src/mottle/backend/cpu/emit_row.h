// mottle/backend/cpu/emit_row.h: one row kernel as LLVM IR text
#pragma once
#include "mottle/backend/cpu/emit_grid.h"
#include "mottle/backend/cpu/shift_classes.h"

#include <map>
#include <string>
#include <tuple>

namespace mottle::backend::cpu {

/// Names of LLVM types and what every function of a module shares.
struct TextTypes {
    TextTypes(bool f64, const EmitOptions& options);
    std::string scalar, integer, real, word, mask;  ///< float i32, <16 x float> <16 x i32> <16 x i1>
    std::string suffix;                             ///< of intrinsics: v16f32
    int lanes, scalar_bytes, vector_bytes;

    std::string vector_of(const std::string& element) const;
};

/// Text of a function under construction: numbered values.
class TextBuilder {
   public:
    explicit TextBuilder(const TextTypes& types) : types_(types) {}
    std::string fresh() { return "%v" + std::to_string(next_++); }
    std::string assign(const std::string& expression);          ///< "%vN = expression"
    void line(const std::string& text) { text_ += "  " + text + "\n"; }
    void label(const std::string& name) { text_ += name + ":\n"; }
    std::string pointer(const std::string& base, const std::string& bytes);
    std::string load_real(const std::string& pointer);          ///< a whole aligned vector
    void store_real(const std::string& value, const std::string& pointer);
    std::string splat(const std::string& scalar_type, const std::string& scalar_value);
    const std::string& text() const { return text_; }

   private:
    const TextTypes& types_;
    std::string text_;
    int next_ = 0;
};

/// Loads a member of RowArguments.
std::string load_member(TextBuilder& out, std::size_t offset, const std::string& type);

class RowEmitter {
   public:
    RowEmitter(const ir::Program& program, const Plan& plan, int stage, bool flush, int rows, const EmitOptions& options);
    std::string emit(const std::string& name);

   private:
    using Slot = std::tuple<int, int, int>;  // class, row, dx
    void entry();
    void loop();
    void ghosts();
    std::string get(const Shifted& value, int row, int dx);
    std::string compute(int klass, int row, int dx);
    std::string operation(const ShiftClass& klass, int row, int dx);
    std::string load(const ir::Instruction& instruction, int row, int dx);
    std::string axis(const ir::Instruction& instruction, int row, int dx);
    std::string number(int index, bool word);
    std::string call_lanes(const std::string& function, const std::vector<std::string>& args, const std::string& pointer);
    std::string argument(const ShiftClass& klass, int i, int row, int dx);
    std::string row_pointer(ir::Array array, int row) const;
    std::string output_pointer(ir::Array array, int row) const;
    std::string array_offset(ir::Array array) const;
    std::string rotate(const std::string& pointer, int by);
    void ghost_pair(ir::Array array, const std::string& pointer);
    std::string outside(const ir::Ghost& ghost, const std::string& inside);
    std::string ghost_number(int uniform);
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
    std::map<int, std::string> uniforms_;        // by class
    std::map<std::pair<int, bool>, std::string> numbers_;
    std::map<std::pair<int, int>, std::string> row_values_;  // coordinates along y and z, by (class, row)
    std::map<int, std::string> ghost_numbers_;
    std::map<Slot, std::string> column_;
    std::map<Slot, std::string> carried_;        // phi names
    std::map<Slot, std::string> carried_first_;  // their values in column 0
    bool in_loop_ = false;
    std::string fma_, floor_;
};

}  // namespace mottle::backend::cpu
