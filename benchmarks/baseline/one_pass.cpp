// mottle/benchmarks/baseline/one_pass.cpp: a good loop over two grids, vectorised by the compiler, on threads: one pass over memory per step
#include "baseline/gray_scott.h"
#include "baseline/machine.h"
#include "baseline/row_kernel.h"

#include <algorithm>
#include <array>

namespace mottle::benchmarks {
namespace {

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
        : constants_(fold(model)),
          width_(start.width),
          height_(start.height),
          threads_(threads),
          update_row_(available(Vectors::avx512) ? one_pass_row_avx512() : one_pass_row_avx2()) {
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
                    update_row_({grids_[now].row(y - 1), grids_[now].row(y), grids_[now].row(y + 1), grids_[next].row(y)},
                                {grids_[now + 1].row(y - 1), grids_[now + 1].row(y), grids_[now + 1].row(y + 1), grids_[next + 1].row(y)},
                                width_, constants_);
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
            const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(width_),
                              now = static_cast<std::size_t>(parity_ * 2);
            std::copy_n(grids_[now].row(y), width_, fields.u.data() + at);
            std::copy_n(grids_[now + 1].row(y), width_, fields.v.data() + at);
        }
    }

   private:
    Constants constants_;
    int width_, height_, threads_, parity_ = 0;
    OnePassRow update_row_;
    std::array<Grid, 4> grids_{Grid(1, 1), Grid(1, 1), Grid(1, 1), Grid(1, 1)};  ///< u, v, then the other u, v
};

}  // namespace

std::unique_ptr<Contestant> make_one_pass(const GrayScott& model, const Fields& start, int threads) {
    return std::make_unique<OnePass>(model, start, threads);
}

}  // namespace mottle::benchmarks
