// mottle/backend/cpu/mesh/plan.h: how the arrays of a Program on a mesh are stored: words of 8 bytes per vertex
#pragma once
#include "mottle/backend/cpu/emit/numbers.h"
#include "mottle/ir/program/program.h"

#include <array>
#include <vector>

namespace mottle::backend::cpu {

/// A number per vertex: an array of the Program, or one of its coordinate tables.
struct Column {
    ir::Array array = -1;
    int axis = -1;
    friend bool operator==(const Column&, const Column&) = default;
};

/// Columns that share a word: two f32 side by side, so that one gather fetches both, or one f64.
struct WordGroup {
    /// state: two buffers that alternate from step to step. held, input: one.
    enum class Home { state, held, input };
    Home home;
    std::vector<Column> columns;  ///< one or two
};

inline constexpr std::size_t kWordBytes = 8;

struct MeshPlan {
    explicit MeshPlan(const ir::Program& program);

    std::vector<WordGroup> groups;
    std::vector<ir::Edge> edges;  ///< weights in use, in the order in which they are stored
    Constants constants;
    int stages = 0;

    struct Place {
        int group, column;
    };
    Place place(const Column& column) const;
    int edge_place(ir::Edge edge) const;
    /// Bytes of the weights and the index of one neighbour of one vertex.
    std::size_t entry_bytes(bool f64) const { return edges.size() * (f64 ? 8 : 4) + 2; }

   private:
    void add(WordGroup::Home home, const std::vector<Column>& columns, std::size_t per_word);
};

}  // namespace mottle::backend::cpu
