// mottle/benchmarks/baseline/volume.cpp: a good plain loop over a volume
#include "baseline/volume.h"

#include "baseline/machine.h"

#include <algorithm>
#include <array>

namespace mottle::benchmarks {
namespace {

// g++ trusts __restrict on parameters only, and takes an instruction set per function only.
#define MOTTLE_VOLUME_ROW(name, attribute)                                                                                        \
    attribute void name(const float* __restrict u, const float* __restrict u_up, const float* __restrict u_down,                  \
                        const float* __restrict u_front, const float* __restrict u_back, float* __restrict next_u,                \
                        const float* __restrict v, const float* __restrict v_up, const float* __restrict v_down,                  \
                        const float* __restrict v_front, const float* __restrict v_back, float* __restrict next_v, int width,     \
                        const Constants& constants) {                                                                             \
        const Constants c = constants;                                                                                            \
        for (int x = 0; x < width; ++x) {                                                                                         \
            const float sum_u = ((u_front[x] + u_back[x]) + (u_up[x] + u_down[x])) + (u[x - 1] + u[x + 1]);                       \
            const float sum_v = ((v_front[x] + v_back[x]) + (v_up[x] + v_down[x])) + (v[x - 1] + v[x + 1]);                       \
            const float rate = (c.dt * v[x]) * v[x];                                                                              \
            next_u[x] = __builtin_fmaf(-u[x], rate, __builtin_fmaf(c.weight_u, sum_u, __builtin_fmaf(c.centre_u, u[x], c.feed))); \
            next_v[x] = __builtin_fmaf(u[x], rate, __builtin_fmaf(c.weight_v, sum_v, c.centre_v * v[x]));                         \
        }                                                                                                                         \
    }
#if defined(__x86_64__)
MOTTLE_VOLUME_ROW(row_avx512, __attribute__((target("avx512f,avx512dq,avx512vl,avx512bw,fma,prefer-vector-width=512"))))
MOTTLE_VOLUME_ROW(row_avx2, __attribute__((target("avx2,fma"))))
#else
MOTTLE_VOLUME_ROW(row_avx512, )
constexpr auto row_avx2 = row_avx512;
#endif
#undef MOTTLE_VOLUME_ROW

Constants fold_volume(const GrayScott& model) {
    Constants constants = fold(model);
    const double decay_u = -(model.feed * model.dt), decay_v = -((model.feed + model.kill) * model.dt);
    constants.centre_u = static_cast<float>(1 + decay_u - 6 * static_cast<double>(constants.weight_u));
    constants.centre_v = static_cast<float>(1 + decay_v - 6 * static_cast<double>(constants.weight_v));
    return constants;
}

class VolumePass final : public Contestant {
   public:
    VolumePass(const GrayScott& model, const Fields& start, int rows, int threads)
        : constants_(fold_volume(model)),
          width_(start.width),
          rows_(rows),
          planes_(start.height / rows),
          threads_(threads),
          pitch_(static_cast<std::size_t>(width_ + 32 + 15) / 16 * 16 + 16) {
        for (HugeBuffer& grid : grids_) grid = HugeBuffer(pitch_ * static_cast<std::size_t>(start.height));
        for (int row = 0; row < start.height; ++row) {
            const std::size_t from = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_);
            std::copy_n(start.u.data() + from, width_, at(0, row % rows_, row / rows_));
            std::copy_n(start.v.data() + from, width_, at(1, row % rows_, row / rows_));
            close_row(at(0, row % rows_, row / rows_));
            close_row(at(1, row % rows_, row / rows_));
        }
    }

    void advance(int steps) override {
        Barrier barrier(threads_);
        run_workers(threads_, [&](int worker) {
            const int first = planes_ * worker / threads_, last = planes_ * (worker + 1) / threads_;
            std::int64_t round = 0;
            for (int step = 0; step < steps; ++step) {
                const int now = (parity_ + step) % 2 * 2;
                for (int z = first; z < last; ++z) {
                    for (int y = 0; y < rows_; ++y) update(now, 2 - now, y, z);
                }
                barrier.wait(round);
            }
        });
        parity_ = (parity_ + steps) % 2;
    }
    void read(Fields& fields) const override {
        for (int row = 0; row < fields.height; ++row) {
            const std::size_t to = static_cast<std::size_t>(row) * static_cast<std::size_t>(width_);
            std::copy_n(at(parity_ * 2, row % rows_, row / rows_), width_, fields.u.data() + to);
            std::copy_n(at(parity_ * 2 + 1, row % rows_, row / rows_), width_, fields.v.data() + to);
        }
    }

   private:
    float* at(int grid, int y, int z) const {
        const auto row = static_cast<std::size_t>((z + planes_) % planes_ * rows_ + (y + rows_) % rows_);
        return grids_[static_cast<std::size_t>(grid)].data() + row * pitch_ + 16;
    }
    void close_row(float* row) const {
        row[-1] = row[width_ - 1];
        row[width_] = row[0];
    }
    void update(int now, int next, int y, int z) const {
        float *u = at(next, y, z), *v = at(next + 1, y, z);
        const auto row = available(Vectors::avx512) ? row_avx512 : row_avx2;
        row(at(now, y, z), at(now, y - 1, z), at(now, y + 1, z), at(now, y, z - 1), at(now, y, z + 1), u, at(now + 1, y, z),
            at(now + 1, y - 1, z), at(now + 1, y + 1, z), at(now + 1, y, z - 1), at(now + 1, y, z + 1), v, width_, constants_);
        close_row(u);
        close_row(v);
    }

    Constants constants_;
    int width_, rows_, planes_, threads_, parity_ = 0;
    std::size_t pitch_;
    std::array<HugeBuffer, 4> grids_;  ///< u, v, then the other u, v
};

}  // namespace

std::unique_ptr<Contestant> make_volume_pass(const GrayScott& model, const Fields& start, int rows, int threads) {
    return std::make_unique<VolumePass>(model, start, rows, threads);
}

}  // namespace mottle::benchmarks
