// mottle/ir/stability/local_stability.h: whether a time step suits the state of one cell
#pragma once
#include "mottle/ir/method.h"
#include "mottle/ir/stability/wave_scales.h"

#include <string>
#include <utility>
#include <vector>

namespace mottle::ir {

/// The numbers that the equations read in a cell.
struct CellState {
    std::vector<double> fields;                        ///< in the order of the model
    std::vector<std::pair<std::string, double>> maps;  ///< those that are known
    double time = 0;
};

/// A wave about a state, as if all cells were in it.
struct StiffWave {
    double growth = 0;   ///< by which a step changes it; the largest of all waves that decay by the equations
    double swing = 0;    ///< the same of those that hardly turn: what grows of them changes its sign in every step
    double longest = 0;  ///< step that lets none of those grow that do; infinity, if none does
};

/// The equations linearised about states of cells, as they are met in a run; where a cell lies is left open.
class LocalStability {
   public:
    /// `model` outlives it.
    LocalStability(const model::Model& model, const Method& method, const domain::Domain& domain);
    StiffWave at(const CellState& cell, double dt);

   private:
    const model::Model& model_;
    StabilityPolynomial polynomial_;
    WaveScales scales_;
};

}  // namespace mottle::ir
