// mottle/backend/reduce.cpp: exact sums, ranges and statistics over rows on all threads
#include "mottle/backend/reduce.h"

#include "mottle/backend/cell_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace mottle::backend {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Explicit vectors: the compiler may not reorder these sums by itself; we may, since each of them is exact. 16 bytes are what every
// 64-bit processor has; wider generic vectors are taken apart by compilers where the processor lacks them.
constexpr std::size_t kVectorBytes = 16;
typedef double Doubles __attribute__((vector_size(kVectorBytes)));
constexpr std::size_t kLanes = kVectorBytes / sizeof(double);

using core::at;

template <class Real>
class RowRange {
   public:
    void look(std::span<const Real> cells, Index first_cell) {
        typedef Real Vector __attribute__((vector_size(kVectorBytes)));
        constexpr std::size_t lanes = kVectorBytes / sizeof(Real), chains = 2;  // two chains hide the latency
        Vector low[chains], high[chains], nan[chains];
        for (std::size_t k = 0; k < chains; ++k) {
            low[k] = Vector{} + static_cast<Real>(min_);
            high[k] = Vector{} + static_cast<Real>(max_);
            nan[k] = Vector{};
        }
        std::size_t i = 0;
        for (; i + chains * lanes <= cells.size(); i += chains * lanes) {
            for (std::size_t k = 0; k < chains; ++k) {
                Vector x;
                std::memcpy(&x, &cells[i + k * lanes], sizeof x);
                low[k] = x < low[k] ? x : low[k];
                high[k] = x > high[k] ? x : high[k];
                nan[k] += x * Real{0};  // stays zero for finite numbers
            }
        }
        Real bad = 0;
        auto take = [&](Real lowest, Real highest) {
            if (lowest < min_) min_ = lowest;
            if (highest > max_) max_ = highest;
        };
        for (std::size_t k = 0; k < chains; ++k) {
            for (std::size_t lane = 0; lane < lanes; ++lane) {
                take(low[k][lane], high[k][lane]);
                bad += nan[k][lane];
            }
        }
        for (; i < cells.size(); ++i) {
            take(cells[i], cells[i]);
            bad += cells[i] * Real{0};
        }
        if (bad != Real{0} && first_bad_ < 0) {  // NaN is not equal to 0
            auto found = std::find_if(cells.begin(), cells.end(), [](Real x) { return !std::isfinite(x); });
            first_bad_ = first_cell + (found - cells.begin());
        }
    }

    void merge(const RowRange& other) {
        min_ = std::min(min_, other.min_);
        max_ = std::max(max_, other.max_);
        if (other.first_bad_ >= 0 && (first_bad_ < 0 || other.first_bad_ < first_bad_)) first_bad_ = other.first_bad_;
    }

    Range value() const {
        if (first_bad_ >= 0) return {kNaN, kNaN, first_bad_};
        return {min_ + 0.0, max_ + 0.0, -1};  // -0 becomes +0: which of the two comes first depends on the threads
    }

   private:
    double min_ = kInfinity, max_ = -kInfinity;
    Index first_bad_ = -1;
};

// Adds term(x), times the weight where there are weights, of all cells.
template <class Real, class Term>
void add_rows(Index rows, Index length, const RowReader<Real>& read, core::ThreadTeam& team, std::span<const double> weights, Term term,
              ExactSum& whole) {
    const int workers = team.size();
    std::vector<ExactSum> sums(at(workers), whole);
    team.run([&](int worker) {
        const auto [first_row, end_row] = core::share_of(rows, worker, workers);
        if (first_row == end_row) return;
        std::vector<Real> cells(at(length));
        std::array<double, 256> terms;
        CellSum sum(whole);  // its own cache line
        for (Index row = first_row; row < end_row; ++row) {
            read(row, cells);
            for (std::size_t first = 0; first < cells.size(); first += terms.size()) {
                const std::size_t count = std::min(terms.size(), cells.size() - first);
                for (std::size_t i = 0; i < count; ++i) terms[i] = term(static_cast<double>(cells[first + i]));
                if (!weights.empty()) {
                    const std::span<const double> own = weights.subspan(at(row * length) + first, count);
                    for (std::size_t i = 0; i < count; ++i) terms[i] *= own[i];
                }
                sum.add(std::span<const double>(terms.data(), count));
            }
        }
        sum.add_to(sums[at(worker)]);
    });
    for (const ExactSum& sum : sums) whole.merge(sum);
}

}  // namespace

ExactSum::ExactSum(double bound, Index count) : magic_{} {
    if (bound == 0) return;
    if (!std::isfinite(bound)) {
        valid_ = false;
        return;
    }
    int e = 0;
    std::frexp(bound, &e);  // 2^e > bound
    const int b = std::max(1, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<Index>(count, 1) - 1))));
    if (e + b > 1022) {
        valid_ = false;
        return;
    }
    int q = e + b - 52;
    for (double& magic : magic_) {
        magic = std::ldexp(1.5, q + 52);
        q += b - 53;
    }
}

void ExactSum::add(std::span<const double> values) {
    const Doubles magic0 = Doubles{} + magic_[0], magic1 = Doubles{} + magic_[1], magic2 = Doubles{} + magic_[2];
    Doubles sum[2][3] = {};
    auto take = [&](const double* from, std::size_t count, Doubles* into) {
        Doubles x{};
        std::memcpy(&x, from, count * sizeof(double));
        Doubles part = (x + magic0) - magic0;
        into[0] += part;
        x -= part;
        part = (x + magic1) - magic1;
        into[1] += part;
        x -= part;
        into[2] += (x + magic2) - magic2;
    };
    std::size_t i = 0;
    for (; i + 2 * kLanes <= values.size(); i += 2 * kLanes) {
        take(&values[i], kLanes, sum[0]);
        take(&values[i + kLanes], kLanes, sum[1]);
    }
    for (; i < values.size(); ++i) take(&values[i], 1, sum[0]);
    for (const auto& chain : sum) {
        for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t lane = 0; lane < kLanes; ++lane) parts_[k] += chain[k][lane];
        }
    }
}

void ExactSum::add_parts(std::span<const double, 3> parts) {
    for (std::size_t k = 0; k < 3; ++k) parts_[k] += parts[k];
}

void ExactSum::merge(const ExactSum& other) {
    valid_ = valid_ && other.valid_;
    add_parts(other.parts_);
}

double ExactSum::value() const { return valid_ ? (parts_[2] + parts_[1]) + parts_[0] : kNaN; }

template <class Real>
Range range_of_rows(Index rows, Index length, const RowReader<Real>& read, core::ThreadTeam& team) {
    const int workers = team.size();
    std::vector<RowRange<Real>> ranges(at(workers));
    team.run([&](int worker) {
        const auto [first_row, end_row] = core::share_of(rows, worker, workers);
        if (first_row == end_row) return;
        std::vector<Real> cells(at(length));
        RowRange<Real> range;
        for (Index row = first_row; row < end_row; ++row) {
            read(row, cells);
            range.look(cells, row * length);
        }
        ranges[at(worker)] = range;
    });
    for (std::size_t i = 1; i < ranges.size(); ++i) ranges[0].merge(ranges[i]);
    return ranges[0].value();
}

template <class Real>
Statistics statistics_of_rows(Index rows, Index length, const RowReader<Real>& read, core::ThreadTeam& team,
                              std::span<const double> weights) {
    return statistics_of(range_of_rows<Real>(rows, length, read, team), rows * length, weights,
                         [&](double mean, bool squares, ExactSum& sum) {
                             if (squares)
                                 add_rows<Real>(
                                     rows, length, read, team, weights, [mean](double x) { return (x - mean) * (x - mean); }, sum);
                             else
                                 add_rows<Real>(
                                     rows, length, read, team, weights, [](double x) { return x; }, sum);
                         });
}

double sum_of(const Range& range, Index count, std::span<const double> weights, const std::function<void(ExactSum& sum)>& add) {
    if (range.first_bad >= 0) return kNaN;
    const double heaviest = weights.empty() ? 1 : *std::max_element(weights.begin(), weights.end());
    ExactSum sum(std::max(std::abs(range.min), std::abs(range.max)) * heaviest, count);
    add(sum);
    return sum.value();
}

template <class Real>
double sum_of_rows(Index rows, Index length, const RowReader<Real>& read, core::ThreadTeam& team, std::span<const double> weights) {
    return sum_of(range_of_rows<Real>(rows, length, read, team), rows * length, weights, [&](ExactSum& sum) {
        add_rows<Real>(
            rows, length, read, team, weights, [](double x) { return x; }, sum);
    });
}

double whole_of(Index count, std::span<const double> weights) {
    if (weights.empty()) return static_cast<double>(count);
    ExactSum sum(*std::max_element(weights.begin(), weights.end()), count);
    sum.add(weights);
    return sum.value();
}

Statistics statistics_of(const Range& range, Index count, std::span<const double> weights,
                         const std::function<void(double mean, bool squares, ExactSum& sum)>& add) {
    Statistics result;
    result.count = count;
    result.first_bad = range.first_bad;
    result.min = range.min;
    result.max = range.max;
    if (range.first_bad >= 0) {
        result.sum = result.mean = result.std = kNaN;
        return result;
    }
    const double heaviest = weights.empty() ? 1 : *std::max_element(weights.begin(), weights.end());
    const double whole = whole_of(count, weights);
    result.sum = sum_of(range, count, weights, [&](ExactSum& sum) { add(0, false, sum); });
    result.mean = result.sum / whole;
    const double mean = result.mean, deviation = std::max(std::abs(range.min - mean), std::abs(range.max - mean));
    ExactSum squares(deviation * deviation * heaviest, count);
    add(mean, true, squares);
    result.std = std::sqrt(squares.value() / whole);
    return result;
}

template Range range_of_rows<float>(Index, Index, const RowReader<float>&, core::ThreadTeam&);
template Range range_of_rows<double>(Index, Index, const RowReader<double>&, core::ThreadTeam&);
template double sum_of_rows<float>(Index, Index, const RowReader<float>&, core::ThreadTeam&, std::span<const double>);
template double sum_of_rows<double>(Index, Index, const RowReader<double>&, core::ThreadTeam&, std::span<const double>);
template Statistics statistics_of_rows<float>(Index, Index, const RowReader<float>&, core::ThreadTeam&, std::span<const double>);
template Statistics statistics_of_rows<double>(Index, Index, const RowReader<double>&, core::ThreadTeam&, std::span<const double>);

}  // namespace mottle::backend
