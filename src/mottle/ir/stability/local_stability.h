// mottle/ir/stability/local_stability.h: whether a time step suits the state of one cell
#pragma once
#include "mottle/ir/method.h"
#include "mottle/ir/stability/wave_scales.h"

#include <span>
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

/// What the equations make of small waves about a state.
struct CellRates {
    double fastest = 0;  ///< of a uniform change, or of a wave that grows, by magnitude
    double growth = 0;   ///< of the wave that grows fastest
    double turning =
        0;  ///< the largest angular frequency of waves that grow, or whose decay Euler's method with the step `dt` gets wrong by a quarter or more
};

/// The equations linearised about states of cells, as they are met in a run; where a cell lies is left open.
class LocalStability {
   public:
    /// `model` outlives it.
    LocalStability(const model::Model& model, const Method& method, const domain::Domain& domain);
    StiffWave at(const CellState& cell, double dt);
    /// Of waves up to a share `stiffest` of the stiffest. What is not known counts as 0. Units: radians per unit of time, and 1 over time.
    CellRates rates_at(const CellState& cell, double dt, double stiffest = 1);

   private:
    struct Linearised {
        std::vector<std::vector<Wave>> waves;
        Drift drift;
    };
    Linearised linearise_at(const CellState& cell);
    /// Calls `take(rate, s)` with the decay of the waves of these shares s of the stiffest; 0 is a uniform change.
    template <class Take>
    void each_rate(const CellState& cell, std::span<const double> shares, Take take);

    const model::Model& model_;
    StabilityPolynomial polynomial_;
    WaveScales scales_;
};

}  // namespace mottle::ir
