// mottle/stepper/spectral/line_transform.h: Fourier and cosine transforms of lines of cells, many lines side by side
#pragma once
#include "mottle/core/index.h"
#include "mottle/core/vector_level.h"

#include <memory>
#include <vector>

namespace mottle::stepper {

/// Lines side by side in two arrays: cell i of line j is first[i * width + j], and cell i of line width + j is second[i * width + j]. A transform leaves its
/// result in these arrays or in the spare ones, which then change places.
struct LineBlock {
    core::Index width;
    double *first, *second;
    double *spare_first, *spare_second;
};

/// cos(2 pi i/n) and sin(2 pi i/n), the same bits on every machine, within a rounding of the true values.
struct RootOfUnity {
    double cosine, sine;
};
RootOfUnity root_of_unity(core::Index i, core::Index n);

/// One pass of Stockham's algorithm: transforms of radix * rest numbers each, which lie `stride` apart, become transforms of rest numbers.
struct TransformPass {
    core::Index radix, rest, stride;
    std::vector<RootOfUnity> twiddles;  ///< radix - 1 for each p < rest: exp(-2 pi i p k/(radix * rest)), k = 1 ..
};

/// The transform of lines of so many cells to the waves that the operators of a grid only multiply by a number: of a periodic line cosines and sines (coefficient
/// i < n/2 belongs to cos(2 pi i x/n), n - i to the sine), of one between no-flux borders cos(pi i (x + 1/2)/n).
/// The order of the operations depends on the number of cells alone, and nothing is contracted: the bits are the same on every processor.
/// Source: Stockham's self-sorting algorithm, radices 4, 2, 3 and 5 (Temperton 1983, J. Comput. Phys. 52, 1); two real lines are one of complex numbers; cosines by
/// Makhoul 1980, IEEE Trans. ASSP 28, 27.
class LineTransform {
   public:
    enum class Kind { fourier, cosine };
    /// Throws: InternalError (`cells` is not 2^a 3^b 5^c: ir::is_transformable).
    LineTransform(core::Index cells, Kind kind, core::VectorLevel level = core::widest_level());
    ~LineTransform();
    LineTransform(LineTransform&&) noexcept;

    core::Index cells() const;
    Kind kind() const;
    /// Line by line, or `mixed`: where all lines have the same numbers by which coefficients i and n - i will be multiplied, and go back by `inverse`, those of periodic
    /// lines need not be told apart. Coefficients are not normalised: `inverse` after `forward` multiplies by the number of cells.
    void forward(LineBlock& block, bool mixed = false) const;
    void inverse(LineBlock& block, bool mixed = false) const;

   private:
    struct Plan;
    std::unique_ptr<Plan> plan_;
};

}  // namespace mottle::stepper
