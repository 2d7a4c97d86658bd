// mottle/backend/reference/ghosts.cpp: fills the ghost cells of an array from its interior
#include "mottle/backend/reference/ghosts.h"

#include <cmath>

namespace mottle::backend::reference {
namespace {

/// What stands in the ghost layers beyond one side: layer d = 0, 1, .. outwards.
template <class Real>
class GhostValue {
   public:
    GhostValue(const ir::Ghost& ghost, std::span<const Real> uniforms)
        : periodic_(ghost.rule == domain::Rule::periodic), copies_(ghost.alpha < 0) {
        if (copies_) return;
        alpha_ = uniforms[core::at(ghost.alpha)];
        beta_ = uniforms[core::at(ghost.beta)];
    }

    /// The interior cell behind ghost layer `layer` of an axis of `n` cells.
    Index source(bool low_side, Index layer, Index n) const {
        bool from_low_end = low_side != periodic_;
        return from_low_end ? layer : n - 1 - layer;
    }
    Real operator()(Real mirror) const { return copies_ ? mirror : std::fma(beta_, mirror, alpha_); }

   private:
    bool periodic_, copies_;
    Real alpha_ = 0, beta_ = 0;
};

}  // namespace

template <class Real>
void fill_ghosts(PaddedArray<Real>& array, const ir::GhostRule& rule, std::span<const Real> uniforms) {
    const auto [nx, ny, nz] = array.size();
    const auto [px, py, pz] = array.pad();
    for (Index side = 0; side < 6; ++side) {
        const GhostValue<Real> value(rule[core::at(side)], uniforms);
        const bool low = side % 2 == 0;
        const Index axis = side / 2;
        const Index n = array.size()[core::at(axis)];
        for (Index layer = 0; layer < array.pad()[core::at(axis)]; ++layer) {
            const Index to = low ? -1 - layer : n + layer, from = value.source(low, layer, n);
            if (axis == 0) {
                for (Index z = 0; z < nz; ++z) {
                    for (Index y = 0; y < ny; ++y) array.row(y, z)[to] = value(array.row(y, z)[from]);
                }
            } else if (axis == 1) {
                for (Index z = 0; z < nz; ++z) {
                    for (Index x = -px; x < nx + px; ++x) array.row(to, z)[x] = value(array.row(from, z)[x]);
                }
            } else {
                for (Index y = -py; y < ny + py; ++y) {
                    for (Index x = -px; x < nx + px; ++x) array.row(y, to)[x] = value(array.row(y, from)[x]);
                }
            }
        }
    }
}

template void fill_ghosts<float>(PaddedArray<float>&, const ir::GhostRule&, std::span<const float>);
template void fill_ghosts<double>(PaddedArray<double>&, const ir::GhostRule&, std::span<const double>);

}  // namespace mottle::backend::reference
