// mottle/benchmarks/baseline/naive.cpp: the loop as first written, with modulo, one thread; also the oracle of the other f32 baselines
#include "baseline/gray_scott.h"
#include "baseline/machine.h"

// fma in hardware where the CPU may have it: a call of fmaf per operation would measure the C library.
#if defined(__x86_64__)
#define MOTTLE_TARGET_FMA __attribute__((target("avx2,fma")))
#else
#define MOTTLE_TARGET_FMA
#endif

namespace mottle::benchmarks {
namespace {

class Naive final : public Contestant {
   public:
    Naive(const GrayScott& model, const Fields& start) : constants_(fold(model)), now_(start), next_(start.width, start.height) {}

    void advance(int steps) override {
        const FlushSubnormals flush;
        run(steps);
    }
    void read(Fields& fields) const override { fields = now_; }

   private:
    MOTTLE_TARGET_FMA void run(int steps) {
        for (int step = 0; step < steps; ++step) {
            for (int y = 0; y < now_.height; ++y) {
                for (int x = 0; x < now_.width; ++x) update(x, y);
            }
            std::swap(now_, next_);
        }
    }
    std::size_t cell(int x, int y) const {
        const int wrapped_x = (x + now_.width) % now_.width, wrapped_y = (y + now_.height) % now_.height;
        return static_cast<std::size_t>(wrapped_y) * static_cast<std::size_t>(now_.width) + static_cast<std::size_t>(wrapped_x);
    }
    float sum(const std::vector<float>& f, int x, int y) const {
        return (f[cell(x, y - 1)] + f[cell(x, y + 1)]) + (f[cell(x - 1, y)] + f[cell(x + 1, y)]);
    }
    MOTTLE_TARGET_FMA void update(int x, int y) {
        const Constants& c = constants_;
        const std::size_t at = cell(x, y);
        const float u = now_.u[at], v = now_.v[at], rate = (c.dt * v) * v;
        next_.u[at] = __builtin_fmaf(-u, rate, __builtin_fmaf(c.weight_u, sum(now_.u, x, y), __builtin_fmaf(c.centre_u, u, c.feed)));
        next_.v[at] = __builtin_fmaf(u, rate, __builtin_fmaf(c.weight_v, sum(now_.v, x, y), c.centre_v * v));
    }

    Constants constants_;
    Fields now_, next_;
};

}  // namespace

std::unique_ptr<Contestant> make_naive(const GrayScott& model, const Fields& start) { return std::make_unique<Naive>(model, start); }

}  // namespace mottle::benchmarks
