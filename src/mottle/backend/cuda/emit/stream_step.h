// mottle/backend/cuda/emit/stream_step.h: the body of one step for the cells of a thread through which rows, or planes, come one after another
#pragma once
#include "mottle/backend/cuda/emit/stream_text.h"
#include "mottle/backend/shift_classes.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace mottle::backend::cuda {

/// Row (plane) r of the result is made from r - 1 (n), r (c) and r + 1 (s) before it. A lane has the columns of 16 bytes; in a volume it has
/// `rows` rows of them, and takes the rows above and below from other warps. Ghosts beyond the ends of the march, and of those two rows, are
/// made here; those within rows stand there already.
class StepEmitter {
   public:
    /// Of a stage of the step, or of one that flushes; what it does not make and a later one reads goes through it. `rows`: of a thread in a plane of a
    /// volume; 0: the grid is a plane. `border`: columns may lie beyond the grid (in a plane: rows too). In a ring a lane takes columns from the lanes
    /// where.left and where.right.
    StepEmitter(const FusedSteps& of, std::size_t stage, bool flush, bool border, int rows = 0);

    /// A function of this name; once.
    std::string emit(const std::string& name);

   private:
    bool volume() const { return rows_ > 0; }
    int march() const { return volume() ? 2 : 1; }
    std::string cell(const std::string& where, int row, ir::Array array, int col) const;
    /// If `condition`: `to`, which lies beyond the first (`far`: the last) cell along axis d, from `rows` rows of c, as far as it is read.
    std::string ghosts_beyond(int d, const std::string& condition, bool far, const std::string& to, int first, int rows) const;
    const ShiftClass& klass_of(int klass) const { return classes_.classes[core::at(klass)]; }
    std::string define(ir::Type type, const std::string& text);
    std::string get(const Shifted& value, int row, int along, int col);
    std::string compute(int klass, int row, int along, int col);
    std::string load(const ir::Instruction& instruction, int row, int along, int col);
    std::string axis(const ir::Instruction& instruction, int row, int along, int col);

    const FusedSteps& of_;
    const StageUse use_;
    ShiftClasses classes_;
    bool border_;
    int rows_, next_ = 0;
    std::string body_;
    std::map<std::tuple<int, int, int, int>, std::string> known_;      ///< by class, row, offset along the march, column
    std::map<std::tuple<ir::Array, int, int>, std::string> map_rows_;  ///< by array, row, offset
    std::vector<std::pair<int, int>> reach_;  ///< by class: the columns that its loads span; a lane computes what has its middle there
    std::vector<ir::Array> carried_;          ///< that go through
};

}  // namespace mottle::backend::cuda
