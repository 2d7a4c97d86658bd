// mottle/benchmarks/baseline/lane_rows.cpp: lane-transposed rows and the circular band
#include "baseline/lane_rows.h"

namespace mottle::benchmarks {

LaneLayout::LaneLayout(int width_, int lanes_) : width(width_), lanes(lanes_), columns((width_ + lanes_ - 1) / lanes_) {
    constexpr std::uint32_t all = 0xffffffffU;
    for (int lane = 0; lane + 1 < lanes; ++lane) {
        if (first_cell(lane + 1) - first_cell(lane) != columns - 1) continue;
        overlap_right[static_cast<std::size_t>(lane)] = all;
        overlap_left[static_cast<std::size_t>(lane) + 1] = all;
        overlaps = true;
    }
}

Band::Band(const LaneLayout& layout, int rows, int depth)
    : layout_(layout),
      rows_(rows),
      depth_(depth),
      capacity_(rows + 2 * depth),
      field_((layout.columns + 2) * layout.lanes),
      pitch_(2 * field_) {
    if (pitch_ % 1024 == 0) pitch_ += kMaxLanes;  // rows 4 KiB apart would fight for the same cache sets
    memory_ = HugeBuffer(static_cast<std::size_t>(capacity_) * static_cast<std::size_t>(pitch_));
}

void Band::moved_up(int rows) {
    base_ -= rows;
    if (base_ < 0) base_ += capacity_;
}

void Band::rows_from(int y, int count, float** out) const {
    float* const end = memory_.data() + static_cast<std::size_t>(capacity_) * static_cast<std::size_t>(pitch_);
    float* at = row(y);
    for (int i = 0; i < count; ++i) {
        out[i] = at;
        at += pitch_;
        if (at >= end) at = memory_.data() + layout_.lanes;
    }
}

void Band::write(int y, const float* u, const float* v) const {
    float* to = row(y);
    for (int lane = 0; lane < layout_.lanes; ++lane) {
        const int first = layout_.first_cell(lane);
        for (int j = 0; j < layout_.columns; ++j) {
            to[j * layout_.lanes + lane] = u[first + j];
            to[j * layout_.lanes + lane + field_] = v[first + j];
        }
    }
    close(y);
}

void Band::read(int y, float* u, float* v) const {
    const float* from = row(y);
    for (int lane = 0; lane < layout_.lanes; ++lane) {
        const int first = layout_.first_cell(lane);
        for (int j = 0; j < layout_.columns; ++j) {
            u[first + j] = from[j * layout_.lanes + lane];
            v[first + j] = from[j * layout_.lanes + lane + field_];
        }
    }
}

void Band::close(int y) const {
    const int lanes = layout_.lanes, columns = layout_.columns, width = layout_.width;
    for (float* f : {row(y), row(y) + field_}) {
        const auto cell = [&](int x) {
            int lane = lanes - 1;
            while (layout_.first_cell(lane) > x) --lane;
            return f[(x - layout_.first_cell(lane)) * lanes + lane];
        };
        for (int lane = 0; lane < lanes; ++lane) {
            f[lane - lanes] = cell((layout_.first_cell(lane) + width - 1) % width);
            f[columns * lanes + lane] = cell((layout_.first_cell(lane) + columns) % width);
        }
    }
}

}  // namespace mottle::benchmarks
