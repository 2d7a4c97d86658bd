// mottle/benchmarks/baseline/wavefront.cpp: many time steps per pass over memory, in place, with hand-written vectors; whole rows, or strips of rows
#include "baseline/gray_scott.h"
#include "baseline/lane_rows.h"
#include "baseline/machine.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace mottle::benchmarks {
namespace {

/// One pass of T levels over a band. Level t does `block` rows, one row behind level t - 1, so the rows in between are still in the first-level cache.
/// Ghost rows are stepped too, one fewer at each level.
class Pass {
   public:
    Pass(const Constants& constants, RowKernel (*kernels)(int), int block, int prefetch)
        : constants_(constants), block_(block), prefetch_(prefetch) {
        for (int rows = 1; rows <= kMaxRows; ++rows) kernels_[rows] = kernels(rows);
    }

    int block() const { return block_; }
    /// `before_block(row, level)` runs before level 1 .. T take their share of the block whose first level-1 row is `row`; `after_rows(first, last)` after
    /// the last level has written rows first .. last.
    template <class Before, class After>
    void run(Band& band, int levels, Before&& before_block, After&& after_rows) const {
        const LaneLayout& layout = band.layout();
        RowCall call{};
        call.columns = layout.columns;
        call.field = band.field();
        call.constants = &constants_;
        call.overlap_left = layout.overlap_left.data();
        call.overlap_right = layout.overlap_right.data();
        call.overlaps = layout.overlaps;
        for (int block = 1 - levels;; block += block_) {
            bool any = false;
            for (int level = 1; level <= levels; ++level) {
                before_block(block, level);
                const int behind = block - (level - 1), last_row = band.rows() - 1 + levels - level;
                const int first = std::max(behind, level - levels), last = std::min(behind + block_ - 1, last_row);
                any = any || behind <= last_row;
                if (first > last) continue;
                if (prefetch_ > 0) aim_prefetch(call, band, block, level, levels);
                for (int row = first; row <= last;) {
                    const int rows = std::min(last - row + 1, block_);
                    band.rows_from(row - 1 - (level - 1), rows + 2, call.in);
                    kernels_[rows](call);
                    row += rows;
                }
                if (level == levels) after_rows(first, last);
            }
            if (!any) break;
        }
        band.moved_up(levels);
    }

   private:
    /// Each level fetches its share of the rows that level 1 reads `prefetch_` blocks later. They lie one after the other, except where the band closes.
    void aim_prefetch(RowCall& call, const Band& band, int block, int level, int levels) const {
        const int first = block + prefetch_ * block_ + 1;
        call.prefetch = nullptr;
        if (first + block_ > band.rows() + levels) return;
        const std::int64_t share = static_cast<std::int64_t>(band.pitch()) * block_ * static_cast<std::int64_t>(sizeof(float)) / levels;
        call.prefetch = reinterpret_cast<const char*>(band.whole_row(first)) + (level - 1) * share;
        call.prefetch_step = share / call.columns;
    }

    Constants constants_;
    int block_;
    int prefetch_;
    RowKernel kernels_[kMaxRows + 1] = {};
};

/// The outermost `depth` own cells of every row of every strip, at the start of a pass: what the strips beside it take as their ghost cells.
/// Two copies: one is read while the next pass's is written.
class Edges {
   public:
    Edges(int strips, int height, int depth) : strips_(strips), height_(height), depth_(depth) {
        const std::size_t floats =
            static_cast<std::size_t>(strips) * static_cast<std::size_t>(height) * 4 * static_cast<std::size_t>(depth);
        for (HugeBuffer& copy : copies_) copy = HugeBuffer(floats);
    }

    /// u and v of the left edge, then of the right: 4 * depth floats.
    float* of(int copy, int strip, int y) const {
        const std::size_t row = static_cast<std::size_t>((strip + strips_) % strips_) * static_cast<std::size_t>(height_) +
                                static_cast<std::size_t>((y + height_) % height_);
        return copies_[copy].data() + row * 4 * static_cast<std::size_t>(depth_);
    }
    /// `at` is row y of the strip, wherever the pass has put it. A strip is wide enough for both edges to lie in one lane each.
    void put(int copy, int strip, int y, const Band& band, const float* at) const {
        const int lanes = band.layout().lanes, columns = band.layout().columns;
        float* out = of(copy, strip, y);
        for (int field = 0; field < 2; ++field, at += band.field(), out += depth_) {
            const float* left = at + depth_ * lanes;
            const float* right = at + (columns - 2 * depth_) * lanes + lanes - 1;
            for (int i = 0; i < depth_; ++i) {
                out[i] = left[i * lanes];
                out[2 * depth_ + i] = right[i * lanes];
            }
        }
    }
    void take(int copy, int strip, int y, const Band& band, float* at) const {
        const int lanes = band.layout().lanes, columns = band.layout().columns;
        const float* from_left = of(copy, strip - 1, y) + 2 * depth_;
        const float* from_right = of(copy, strip + 1, y);
        for (int field = 0; field < 2; ++field, at += band.field(), from_left += depth_, from_right += depth_) {
            float* right = at + (columns - depth_) * lanes + lanes - 1;
            for (int i = 0; i < depth_; ++i) {
                at[i * lanes] = from_left[i];
                right[i * lanes] = from_right[i];
            }
        }
        constexpr int rows_ahead = 8;
        for (int i = 0; i < 2 * depth_; i += 16) {
            __builtin_prefetch(from_left - 2 * depth_ + rows_ahead * 4 * depth_ + i);
            __builtin_prefetch(from_right - 2 * depth_ + rows_ahead * 4 * depth_ + i);
        }
    }

   private:
    int strips_, height_, depth_;
    HugeBuffer copies_[2];
};

class Wavefront final : public Contestant {
   public:
    Wavefront(const GrayScott& model, const Fields& start, int threads, const WavefrontOptions& options)
        : width_(start.width),
          height_(start.height),
          threads_(threads),
          depth_(options.steps),
          strips_(options.strip == 0 ? 1 : std::max(1, (start.width + options.strip / 2) / options.strip)),
          pass_(fold(model), options.vectors == Vectors::avx512 ? row_kernel_avx512 : row_kernel_avx2, options.rows, options.prefetch),
          workers_(static_cast<std::size_t>(threads)) {
        const int lanes = options.vectors == Vectors::avx512 ? 16 : 8;
        if (height_ / threads_ < depth_ || width_ < 2 * lanes)
            throw std::invalid_argument("the grid is too small for this many steps and threads");
        for (int strip = 0; strip < strips_; ++strip)
            layouts_.emplace_back(first_cell(strip + 1) - first_cell(strip) + 2 * ghost_cells(), lanes);
        if (strips_ > 1) {
            for (const LaneLayout& layout : layouts_) {
                if (layout.columns < 2 * depth_) throw std::invalid_argument("the strips are too narrow for this many steps");
            }
            edges_ = std::make_unique<Edges>(strips_, height_, depth_);
        }
        run_workers(threads_, [&](int worker) { fill(worker, start); });
    }

    void advance(int steps) override {
        Barrier barrier(threads_);
        run_workers(threads_, [&](int worker) {
            std::int64_t round = 0;
            int copy = copy_;
            for (int left = steps; left > 0;) {
                const int levels = std::min(left, depth_);
                take_ghost_rows(worker, levels);
                barrier.wait(round);
                for (int strip = 0; strip < strips_; ++strip) step(worker, strip, levels, copy);
                barrier.wait(round);
                left -= levels;
                copy ^= 1;
            }
        });
        copy_ = (copy_ + (steps + depth_ - 1) / depth_) % 2;
    }

    void read(Fields& fields) const override {
        std::vector<float> u(static_cast<std::size_t>(width_ + 2 * depth_)), v = u;
        for (int worker = 0; worker < threads_; ++worker) {
            for (int strip = 0; strip < strips_; ++strip) {
                const Band& band = bands(worker)[static_cast<std::size_t>(strip)];
                for (int y = 0; y < band.rows(); ++y) {
                    band.read(y, u.data(), v.data());
                    const std::size_t at = static_cast<std::size_t>(first_row(worker) + y) * static_cast<std::size_t>(width_);
                    const int first = first_cell(strip), count = first_cell(strip + 1) - first;
                    std::copy_n(u.data() + ghost_cells(), count, fields.u.data() + at + static_cast<std::size_t>(first));
                    std::copy_n(v.data() + ghost_cells(), count, fields.v.data() + at + static_cast<std::size_t>(first));
                }
            }
        }
    }

   private:
    int first_row(int worker) const { return static_cast<int>(static_cast<std::int64_t>(height_) * worker / threads_); }
    int first_cell(int strip) const { return static_cast<int>(static_cast<std::int64_t>(width_) * strip / strips_); }
    int ghost_cells() const { return strips_ > 1 ? depth_ : 0; }
    const std::vector<Band>& bands(int worker) const { return workers_[static_cast<std::size_t>((worker + threads_) % threads_)]; }

    void fill(int worker, const Fields& start) {
        std::vector<Band>& mine = workers_[static_cast<std::size_t>(worker)];
        const int rows = first_row(worker + 1) - first_row(worker);
        std::vector<float> u(static_cast<std::size_t>(width_ + 2 * depth_)), v = u;
        for (int strip = 0; strip < strips_; ++strip) {
            const LaneLayout& layout = layouts_[static_cast<std::size_t>(strip)];
            mine.emplace_back(layout, rows, depth_);
            for (int y = 0; y < rows; ++y) {
                const std::size_t row = static_cast<std::size_t>(first_row(worker) + y) * static_cast<std::size_t>(width_);
                for (int x = 0; x < layout.width; ++x) {
                    const std::size_t from = row + static_cast<std::size_t>((first_cell(strip) - ghost_cells() + x + width_) % width_);
                    u[static_cast<std::size_t>(x)] = start.u[from];
                    v[static_cast<std::size_t>(x)] = start.v[from];
                }
                mine.back().write(y, u.data(), v.data());
                if (edges_) edges_->put(copy_, strip, first_row(worker) + y, mine.back(), mine.back().row(y));
            }
        }
    }

    void take_ghost_rows(int worker, int levels) const {
        for (int strip = 0; strip < strips_; ++strip) {
            const std::size_t s = static_cast<std::size_t>(strip);
            const Band &band = bands(worker)[s], &above = bands(worker - 1)[s], &below = bands(worker + 1)[s];
            const std::size_t bytes = static_cast<std::size_t>(band.pitch()) * sizeof(float);
            for (int i = 0; i < levels; ++i) {
                std::memcpy(band.whole_row(i - levels), above.whole_row(above.rows() + i - levels), bytes);
                std::memcpy(band.whole_row(band.rows() + i), below.whole_row(i), bytes);
            }
        }
    }

    void step(int worker, int strip, int levels, int copy) {
        Band& band = workers_[static_cast<std::size_t>(worker)][static_cast<std::size_t>(strip)];
        if (!edges_) {
            pass_.run(
                band, levels, [](int, int) {}, [](int, int) {});
            return;
        }
        const int first = first_row(worker), block = pass_.block();
        int next = -levels;
        pass_.run(
            band, levels,
            [&](int row, int level) {  // the rows of the next block come in little by little, between the levels of this one
                const int until = std::min(row + block + 1 + level * block / levels, band.rows() + levels);
                for (; next < until; ++next) edges_->take(copy, strip, first + next, band, band.row(next));
            },
            [&](int from, int to) {
                for (int y = from; y <= to; ++y) edges_->put(copy ^ 1, strip, first + y, band, band.row(y - levels));
            });
    }

    int width_, height_, threads_, depth_, strips_, copy_ = 0;
    Pass pass_;
    std::vector<LaneLayout> layouts_;
    std::unique_ptr<Edges> edges_;
    std::vector<std::vector<Band>> workers_;
};

}  // namespace

bool available(Vectors vectors) {
#if defined(__x86_64__)
    if (vectors == Vectors::avx512) {
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512bw");
    }
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    (void)vectors;
    return false;
#endif
}

WavefrontOptions best_options(int width, int height, int threads, Vectors vectors) {
    WavefrontOptions options;
    options.vectors = vectors;
    options.rows = vectors == Vectors::avx512 ? 4 : 2;
    options.strip = width >= 2048 ? 768 : 0;  // six rows of a strip stay in the first-level cache; wider strips waste less on their edges
    const bool fits = static_cast<double>(width) * height / threads * 2 * sizeof(float) <= 1.5 * (1 << 20);
    options.prefetch = fits ? 0 : options.strip == 0 ? 1 : 2;
    return options;
}

std::unique_ptr<Contestant> make_wavefront(const GrayScott& model, const Fields& start, int threads, const WavefrontOptions& options) {
    if (!available(options.vectors)) return nullptr;
    return std::make_unique<Wavefront>(model, start, threads, options);
}

}  // namespace mottle::benchmarks
