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

/// Row (in a volume: plane) r of the result is computed from the rows r - 1 (n), r (c) and r + 1 (s) of the level before. A lane has 16 bytes of a row; in a
/// volume it has `rows` such rows, and receives the rows above and below from other warps. This class computes the ghosts beyond the ends of the march,
/// and those of the two received rows; ghosts within rows have been computed before.
class StepEmitter {
   public:
    /// For a stage of the step, or of flush_step. Arrays that it does not compute and a later stage reads are passed on. `rows`: rows of a thread in a plane
    /// of a volume; 0 if the grid is a plane. `border`: columns may lie beyond the grid (in a plane: rows, too). In a ring a lane receives columns from the
    /// lanes where.left and where.right.
    StepEmitter(const FusedSteps& of, std::size_t stage, bool flush, bool border, int rows = 0);

    /// The text of the function, under this name. May be called once.
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
    std::vector<std::pair<int, int>>
        reach_;  ///< by class: the columns that its loads span; the lane that has the middle of them computes the value
    std::vector<ir::Array> carried_;  ///< arrays that a stage passes on unchanged to later stages
};

}  // namespace mottle::backend::cuda
