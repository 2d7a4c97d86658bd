// mottle/benchmarks/baseline/gray_scott.h: the one job every baseline does: periodic Gray-Scott on a square of cells
#pragma once
#include "baseline/constants.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mottle::benchmarks {

/// What the model is run with; chosen so that no factor is 1 and nothing can be left out.
struct GrayScott {
    double du = 0.16, dv = 0.08, feed = 0.035, kill = 0.065, dt = 0.98;
};

/// Formed in f64 from the rounded weights and rounded once, as Mottle does.
Constants fold(const GrayScott& model);

/// Two dense fields, row by row.
struct Fields {
    int width = 0, height = 0;
    std::vector<float> u, v;

    Fields(int width_, int height_) : width(width_), height(height_), u(count()), v(count()) {}
    std::size_t count() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
};

/// A noisy block of (0.5, 0.25) on (1, 0): patterns grow from it, and far away V decays towards the smallest numbers.
Fields initial_fields(int width, int height);

/// One way to run the job. `advance` may be called any number of times with any number of steps.
class Contestant {
   public:
    virtual ~Contestant() = default;
    virtual void advance(int steps) = 0;
    virtual void read(Fields& fields) const = 0;
};

/// As a first program is written: one cell after the other, every neighbour by modulo, one thread. The same operations in the same order as Mottle
/// (14 per cell), so all f32 contestants must equal it to the last bit.
std::unique_ptr<Contestant> make_naive(const GrayScott& model, const Fields& start);
/// A good loop: two grids with ghost cells, restrict pointers, threads on bands of rows, vectors made by the compiler; one pass over memory per step.
std::unique_ptr<Contestant> make_one_pass(const GrayScott& model, const Fields& start, int threads);
/// The Triton article's NumPy program: f64, one array operation after the other with a temporary for each, one thread.
std::unique_ptr<Contestant> make_array_operations(const GrayScott& model, const Fields& start);

/// Hand-written vectors, T steps per pass, in place (wavefront.h). Null where this CPU has no such vectors.
enum class Vectors { avx512, avx2 };
bool available(Vectors vectors);
struct WavefrontOptions {
    Vectors vectors = Vectors::avx512;
    int steps = 16;    ///< time steps per pass
    int rows = 4;      ///< rows per kernel call
    int strip = 0;     ///< cells of a row per strip, about; 0: whole rows
    int prefetch = 0;  ///< fetch rows this many blocks ahead of level 1; pays where a worker's rows do not fit its second-level cache
};
/// The best options known.
WavefrontOptions best_options(int width, int height, int threads, Vectors vectors);
std::unique_ptr<Contestant> make_wavefront(const GrayScott& model, const Fields& start, int threads, const WavefrontOptions& options);

/// The largest difference between two states, and whether the first is finite and varies.
struct Comparison {
    double difference = 0;
    bool bitwise = false, finite = false, varying = false;
};
Comparison compare(const Fields& got, const Fields& want);

}  // namespace mottle::benchmarks
