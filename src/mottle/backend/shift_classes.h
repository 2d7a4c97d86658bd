// mottle/backend/shift_classes.h: which values of a stage are the same value in another column or row, so that each is computed once
#pragma once
#include "mottle/ir/program/program.h"

#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace mottle::backend {

/// A value of a stage, as a class and the cell offset at which it is taken: load u(-1,0) and load u(1,0) are one class. In a volume dy counts
/// planes, the rows of one call; rows beside in y are classes of their own.
struct Shifted {
    int klass = -1;
    int dx = 0, dy = 0;
};

/// One class: an operation on classes, taken at offsets relative to its own.
struct ShiftClass {
    ir::Instruction instruction;  ///< args and the offsets dx and dy are meaningless; see `args`
    std::array<Shifted, 3> args;
    ir::Type type = ir::Type::real;
    bool uniform = false;  ///< the same in every cell
};

/// The classes of a stage. A class's arguments have smaller numbers.
struct ShiftClasses {
    std::vector<ShiftClass> classes;
    std::vector<Shifted> of_value;  ///< by ir::Value
    std::vector<std::pair<ir::Array, Shifted>> stores;
};
ShiftClasses find_shift_classes(const ir::Stage& stage, bool volume = false);

/// The most operations of a cell of which each waits for the one before it.
int longest_chain(const ShiftClasses& classes);

/// What one column of a block of `rows` rows has to compute. A carried (class, row) is computed at its largest dx only; at smaller dx it is
/// the value of an earlier column.
struct ColumnDemand {
    struct Range {
        int low = 0, high = 0;
        bool carried = false;
        std::set<int> columns;  ///< dx demanded
    };
    std::map<std::pair<int, int>, Range> ranges;  ///< by (class, row)

    int carried_values() const;  ///< registers that live from column to column
};
ColumnDemand find_demand(const ShiftClasses& classes, int rows);

}  // namespace mottle::backend
