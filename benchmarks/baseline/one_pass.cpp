// mottle/benchmarks/baseline/one_pass.cpp: a good loop over two grids, vectorised by the compiler, on threads: one pass over memory per step
#include "baseline/gray_scott.h"
#include "baseline/machine.h"

#include <algorithm>
#include <array>

namespace mottle::benchmarks {
namespace {

struct Row {
    const float *above, *here, *below;
    float* next;
};

inline __attribute__((always_inline)) void update_row(const Row& row_u, const Row& row_v, int width, const Constants& c) {
    const float *__restrict above_u = row_u.above, *__restrict u = row_u.here, *__restrict below_u = row_u.below;
    const float *__restrict above_v = row_v.above, *__restrict v = row_v.here, *__restrict below_v = row_v.below;
    float *__restrict next_u = row_u.next, *__restrict next_v = row_v.next;
    const float centre_u = c.centre_u, centre_v = c.centre_v, weight_u = c.weight_u, weight_v = c.weight_v, dt = c.dt, feed = c.feed;
    for (int x = 0; x < width; ++x) {
        const float sum_u = (above_u[x] + below_u[x]) + (u[x - 1] + u[x + 1]);
        const float sum_v = (above_v[x] + below_v[x]) + (v[x - 1] + v[x + 1]);
        const float rate = (dt * v[x]) * v[x];
        next_u[x] = __builtin_fmaf(-u[x], rate, __builtin_fmaf(weight_u, sum_u, __builtin_fmaf(centre_u, u[x], feed)));
        next_v[x] = __builtin_fmaf(u[x], rate, __builtin_fmaf(weight_v, sum_v, centre_v * v[x]));
    }
}

using UpdateRow = void (*)(const Row&, const Row&, int, const Constants&);
#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma,prefer-vector-width=512"))) void update_row_avx512(const Row& u, const Row& v, int width,
                                                                                                                const Constants& c) {
    update_row(u, v, width, c);
}
__attribute__((target("avx2,fma"))) void update_row_avx2(const Row& u, const Row& v, int width, const Constants& c) { update_row(u, v, width, c); }
UpdateRow best_update_row() { return available(Vectors::avx512) ? update_row_avx512 : update_row_avx2; }
#else
UpdateRow best_update_row() {
    return [](const Row& u, const Row& v, int width, const Constants& c) { update_row(u, v, width, c); };
}
#endif

/// One field with a ghost cell around; the pitch is a whole number of cache lines, but not of 4 KiB.
class Grid {
   public:
    Grid(int width, int height) : width_(width), height_(height), pitch_(static_cast<std::size_t>(width + 32 + 15) / 16 * 16) {
        if (pitch_ % 1024 == 0) pitch_ += 16;
        memory_ = HugeBuffer(pitch_ * static_cast<std::size_t>(height + 2));
    }
    float* row(int y) const { return memory_.data() + pitch_ * static_cast<std::size_t>(y + 1) + 16; }
    void close_row(int y) const {
        row(y)[-1] = row(y)[width_ - 1];
        row(y)[width_] = row(y)[0];
        if (y == 0) std::copy_n(row(0) - 1, width_ + 2, row(height_) - 1);
        if (y == height_ - 1) std::copy_n(row(height_ - 1) - 1, width_ + 2, row(-1) - 1);
    }

   private:
    int width_, height_;
    std::size_t pitch_;
    HugeBuffer memory_;
};

class OnePass final : public Contestant {
   public:
    OnePass(const GrayScott& model, const Fields& start, int threads)
        : constants_(fold(model)), width_(start.width), height_(start.height), threads_(threads), update_row_(best_update_row()) {
        for (Grid& grid : grids_) grid = Grid(width_, height_);
        for (int y = 0; y < height_; ++y) {
            const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width_);
            std::copy_n(start.u.data() + at, width_, grids_[0].row(y));
            std::copy_n(start.v.data() + at, width_, grids_[1].row(y));
            grids_[0].close_row(y);
            grids_[1].close_row(y);
        }
    }

    void advance(int steps) override {
        Barrier barrier(threads_);
        run_workers(threads_, [&](int worker) {
            const int first = static_cast<int>(static_cast<std::int64_t>(height_) * worker / threads_);
            const int last = static_cast<int>(static_cast<std::int64_t>(height_) * (worker + 1) / threads_);
            std::int64_t round = 0;
            for (int step = 0; step < steps; ++step) {
                const std::size_t now = static_cast<std::size_t>((parity_ + step) % 2 * 2), next = 2 - now;
                for (int y = first; y < last; ++y) {
                    const Row u{grids_[now].row(y - 1), grids_[now].row(y), grids_[now].row(y + 1), grids_[next].row(y)};
                    const Row v{grids_[now + 1].row(y - 1), grids_[now + 1].row(y), grids_[now + 1].row(y + 1), grids_[next + 1].row(y)};
                    update_row_(u, v, width_, constants_);
                    grids_[next].close_row(y);
                    grids_[next + 1].close_row(y);
                }
                barrier.wait(round);
            }
        });
        parity_ = (parity_ + steps) % 2;
    }
    void read(Fields& fields) const override {
        for (int y = 0; y < height_; ++y) {
            const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width_), now = static_cast<std::size_t>(parity_ * 2);
            std::copy_n(grids_[now].row(y), width_, fields.u.data() + at);
            std::copy_n(grids_[now + 1].row(y), width_, fields.v.data() + at);
        }
    }

   private:
    Constants constants_;
    int width_, height_, threads_, parity_ = 0;
    UpdateRow update_row_;
    std::array<Grid, 4> grids_{Grid(1, 1), Grid(1, 1), Grid(1, 1), Grid(1, 1)};  ///< u, v, then the other u, v
};

}  // namespace

std::unique_ptr<Contestant> make_one_pass(const GrayScott& model, const Fields& start, int threads) {
    return std::make_unique<OnePass>(model, start, threads);
}

}  // namespace mottle::benchmarks
