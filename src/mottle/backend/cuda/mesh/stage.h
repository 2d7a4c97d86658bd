// mottle/backend/cuda/mesh/stage.h: the text of one stage on a mesh, in the pieces that kernels put together
#pragma once
#include "mottle/backend/cuda/emit/operations.h"
#include "mottle/ir/program/ring.h"

#include <set>
#include <string>
#include <vector>

namespace mottle::backend::cuda {

/// How numbers lie on the device.
struct MeshLayout {
    std::vector<int> edges;  ///< ir::Edge kinds that the Program reads, ascending
    int weight_stride = 1;   ///< numbers per neighbour: edges, made up to 1, 2 or a multiple of 4, so that one load fetches up to 16 bytes
    int state_stride = 1;    ///< numbers per vertex: fields, made up in the same way

    int weight_of(int edge) const;  ///< its place among the numbers of a neighbour
};
MeshLayout mesh_layout(const ir::Program& program);

/// The head of a text on meshes: struct States (all fields of a vertex), struct Weights (of a neighbour), Neighbour (its number, of 16 or 32
/// bits).
std::string mesh_head(const ir::Program& program, const MeshLayout& layout, const std::string& title, int rows, bool wide);

/// The lines of a stage. They find `here`, the States of the vertex, `i`, its position, and `numbers`; for a neighbour `there`, `weight`, and
/// `j`, its position.
class MeshStage {
   public:
    /// `row`: of the table of uniforms, as a text.
    MeshStage(const ir::Program& program, const MeshLayout& layout, const ir::Stage& stage, const std::string& row);

    /// What the neighbours' part needs, and the sums, at 0.
    std::string before(int depth) const { return indented(before_, depth); }
    /// Adds one neighbour to the sums.
    std::string neighbour(int depth) const { return indented(neighbour_, depth); }
    /// What follows from the sums; stores in held arrays; `next`, the States that are to be stored, if has_next().
    std::string after(int depth) const { return indented(after_, depth); }

    bool has_sums() const { return has_sums_; }
    bool has_next() const { return has_next_; }
    /// Neighbours' numbers are read from arrays of their own, at `j`.
    bool looks_beside() const { return looks_beside_; }
    /// Loads, stores and coordinate tables.
    std::vector<Argument> arrays() const;

   private:
    using Lines = std::vector<std::string>;
    static std::string indented(const Lines& lines, int depth);
    std::string text_of(ir::Value value);
    std::string define(ir::Value value);
    std::string loaded(ir::Array array);
    void store();

    const ir::Program& program_;
    const MeshLayout& layout_;
    const ir::Stage& stage_;
    std::string row_;
    Lines before_, neighbour_, after_;
    bool has_sums_ = false, has_next_ = false, looks_beside_ = false;
    std::set<ir::Array> loaded_;
    std::set<int> axes_;
};

/// The parameters of a kernel on meshes, as text.
std::string mesh_parameters(const std::vector<Argument>& arguments);

}  // namespace mottle::backend::cuda
