// mottle/ranks/picture_share.cpp: what one rank draws of a picture, and how rank 0 puts it together
#include "mottle/ranks/picture_share.h"

#include "mottle/core/error.h"

#include <algorithm>
#include <cstring>

namespace mottle::ranks {

using core::at;

namespace {

constexpr Index kParcelPixels = Index{1} << 20;

/// Lines of a parcel.
Index lines_of_parcel(const DrawRequest& request) {
    return std::max<Index>(kParcelPixels / std::max<Index>(request.lines.length, 1) / 2 * 2, 2);
}

}  // namespace

DrawRequest::DrawRequest(const backend::Picture& picture, const domain::Grid& whole)
    : array(picture.array),
      lo(picture.lo),
      hi(picture.hi),
      curve(picture.curve),
      cells(picture.cells),
      lines(backend::picture_lines(picture, whole)) {}

backend::Picture DrawRequest::picture() const {
    backend::Picture picture;
    picture.array = array;
    picture.lo = lo;
    picture.hi = hi;
    picture.curve = curve;
    picture.format = backend::Picture::Format::index;
    return picture;
}

Index parcels_of(const DrawRequest& request) {
    const Index each = lines_of_parcel(request);
    return (request.lines.count + each - 1) / each;
}

Lines lines_of(const DrawRequest& request, Index parcel) {
    const Index each = lines_of_parcel(request);
    return {parcel * each, std::min((parcel + 1) * each, request.lines.count)};
}

PixelBox pixels_of(const domain::CellBox& own, const domain::Grid& whole, const DrawRequest& request, Lines lines) {
    const Index plane = whole.size[2] / 2, side = request.cells;
    if (plane < own.first[2] || plane >= own.first[2] + own.size[2]) return {};
    const auto behind = [side](Index cell) { return (cell + side - 1) / side; };
    return {{std::max(lines.first, own.first[1] / side), std::min(lines.end, behind(own.first[1] + own.size[1]))},
            own.first[0] / side,
            std::min(request.lines.length, behind(own.first[0] + own.size[0]))};
}

Bytes draw_box(const DrawRequest& request, const domain::CellBox& own, const PixelBox& box, const backend::RowReader<float>& read,
               core::ThreadTeam& team) {
    const backend::Picture picture = request.picture();
    const Index side = request.cells, width = box.width();
    const std::size_t pixel = side > 1 ? sizeof(std::uint32_t) : 1;
    Bytes pixels(box.count() * pixel);
    team.run([&](int worker) {
        const core::Share share = core::share_of(box.lines.end - box.lines.first, worker, team.size());
        std::vector<float> cells(at(own.size[0]));
        std::vector<std::uint8_t> indices(cells.size());
        std::vector<std::uint32_t> sums(side > 1 ? at(width) : 0);
        for (Index l = share.first; l < share.end; ++l) {
            const Index line = box.lines.first + l;
            std::byte* const to = &pixels[at(l * width) * pixel];
            std::fill(sums.begin(), sums.end(), 0);
            for (Index y = std::max(line * side, own.first[1]); y < std::min((line + 1) * side, own.first[1] + own.size[1]); ++y) {
                read(y - own.first[1], std::span<float>(cells));
                backend::map_to_indices(picture, cells, indices);
                if (side == 1) {
                    std::memcpy(to, indices.data(), at(width));
                    continue;
                }
                for (Index x = 0; x < own.size[0]; ++x) {
                    const Index at_pixel = (own.first[0] + x) / side - box.first;
                    if (at_pixel < width) sums[at(at_pixel)] += indices[at(x)];
                }
            }
            if (side > 1) std::memcpy(to, sums.data(), sums.size() * sizeof sums[0]);
        }
    });
    return pixels;
}

void GatheredLines::begin(Lines lines) {
    lines_ = lines;
    const std::size_t pixels = at((lines.end - lines.first) * request_.lines.length);
    if (request_.cells == 1)
        indices_.resize(pixels);
    else
        sums_.assign(pixels, 0);
}

void GatheredLines::add(const PixelBox& box, std::span<const std::byte> pixels) {
    const bool sums = request_.cells > 1;
    if (pixels.size() != box.count() * (sums ? sizeof(std::uint32_t) : 1))
        throw core::InternalError("a rank has sent another number of pixels than it draws");
    const std::size_t width = at(box.width());
    for (Index line = box.lines.first; line < box.lines.end; ++line) {
        const std::size_t to = at((line - lines_.first) * request_.lines.length + box.first), from = at(line - box.lines.first) * width;
        if (!sums) {
            std::memcpy(&indices_[to], &pixels[from], width);
            continue;
        }
        for (std::size_t i = 0; i < width; ++i) {
            std::uint32_t sum = 0;
            std::memcpy(&sum, &pixels[(from + i) * sizeof sum], sizeof sum);
            sums_[to + i] += sum;
        }
    }
}

void GatheredLines::read(Index line, std::span<std::uint8_t> indices) const {
    const std::size_t first = at(line - lines_.first) * indices.size();
    if (request_.cells == 1) {
        std::memcpy(indices.data(), &indices_[first], indices.size());
        return;
    }
    const auto count = static_cast<std::uint32_t>(request_.cells) * static_cast<std::uint32_t>(request_.cells);
    for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = backend::mean_index(sums_[first + i], count);
}

}  // namespace mottle::ranks
