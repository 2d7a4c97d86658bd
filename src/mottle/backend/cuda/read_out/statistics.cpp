// mottle/backend/cuda/read_out/statistics.cpp: ranges and exact sums of arrays that lie on the device
#include "mottle/backend/cuda/read_out/statistics.h"

#include "mottle/backend/cuda/read_out/emit_statistics.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace mottle::backend::cuda {
namespace {

constexpr Index kWarps = kCellsThreads / 32;
constexpr Index kWarpsPerProcessor = 64;

CellsShape shape_of(const DeviceCells& cells, Index blocks) {
    const Index parts = (cells.length + kCellsPiece - 1) / kCellsPiece, warps = blocks * kWarps;
    return {cells.rows, cells.length, cells.pitch, cells.stride, parts, warps / parts, warps % parts};
}

}  // namespace

DeviceStatistics::DeviceStatistics(std::shared_ptr<Device> device, bool f64, std::filesystem::path cache)
    : device_(std::move(device)), f64_(f64), cache_(std::move(cache)) {}

Index DeviceStatistics::blocks_for(const DeviceCells& cells, std::size_t bytes) {
    if (!text_.module) text_ = load(*device_, emit_statistics(f64_), cache_);
    const Index pieces = cells.rows * ((cells.length + kCellsPiece - 1) / kCellsPiece);
    const Index wanted = std::min<Index>(pieces, kWarpsPerProcessor * device_->traits().processors);
    const Index blocks = (wanted + kWarps - 1) / kWarps;
    partials_.make_room(device_, core::at(blocks * kWarps) * bytes);
    return blocks;
}

template <class Real>
Range DeviceStatistics::range_of(const DeviceCells& cells) {
    using Partial = RangePartial<Real>;
    const Index blocks = blocks_for(cells, sizeof(Partial));
    std::vector<Partial> partials(core::at(blocks * kWarps));
    const CellsShape shape = shape_of(cells, blocks);
    device_->launch(text_.kernels[kRangeKernel].function, static_cast<unsigned>(blocks), kCellsThreads,
                    parameters_of(shape, cells.first, cells.order, partials_.address()));
    device_->download(partials.data(), partials_.address(), partials.size() * sizeof(Partial));
    Partial whole = partials[0];
    for (const Partial& partial : partials) {
        whole.low = std::min(whole.low, partial.low);
        whole.high = std::max(whole.high, partial.high);
        whole.bad = std::min(whole.bad, partial.bad);
    }
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    if (whole.bad != ~0ull) return {kNaN, kNaN, static_cast<Index>(whole.bad)};
    return {static_cast<double>(whole.low) + 0.0, static_cast<double>(whole.high) + 0.0, -1};  // -0 becomes +0, as on the host
}

Range DeviceStatistics::range(const DeviceCells& cells) { return f64_ ? range_of<double>(cells) : range_of<float>(cells); }

void DeviceStatistics::add(const DeviceCells& cells, double mean, bool squares, ExactSum& sum) {
    const Index blocks = blocks_for(cells, sizeof(SumPartial));
    std::vector<SumPartial> partials(core::at(blocks * kWarps));
    const CellsShape shape = shape_of(cells, blocks);
    SumRule rule{};
    std::copy_n(sum.magic().begin(), 3, rule.magic);
    rule.mean = mean, rule.squares = squares ? 1 : 0;
    device_->launch(text_.kernels[kSumsKernel].function, static_cast<unsigned>(blocks), kCellsThreads,
                    parameters_of(shape, rule, cells.first, cells.weights, partials_.address()));
    device_->download(partials.data(), partials_.address(), partials.size() * sizeof(SumPartial));
    for (const SumPartial& partial : partials) sum.add_parts(partial.parts);
}

double DeviceStatistics::sum(const DeviceCells& cells, std::span<const double> weights) {
    const auto add_all = [&](ExactSum& sum) { add(cells, 0, false, sum); };
    return sum_of(range(cells), cells.rows * cells.length, weights, add_all);
}

Statistics DeviceStatistics::statistics(const DeviceCells& cells, std::span<const double> weights) {
    return statistics_of(range(cells), cells.rows * cells.length, weights,
                         [&](double mean, bool squares, ExactSum& sum) { add(cells, mean, squares, sum); });
}

}  // namespace mottle::backend::cuda
