// mottle/ranks/picture_share.h: what one rank draws of a picture: palette indices of its own cells, which rank 0 puts together line by line
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/domain/piece.h"
#include "mottle/ranks/transport.h"

#include <algorithm>
#include <span>
#include <vector>

namespace mottle::ranks {

/// The rule of a backend::Picture by which cells become lines of indices.
struct DrawRequest {
    ir::Array array = 0;
    double lo = 0, hi = 1;
    backend::Picture::Curve curve = backend::Picture::Curve::linear;
    std::int32_t cells = 1;
    backend::PictureLines lines = {};

    DrawRequest() = default;
    DrawRequest(const backend::Picture& picture, const domain::Grid& whole);
    backend::Picture picture() const;
};

/// Lines first .. end - 1 of a picture.
struct Lines {
    Index first = 0, end = 0;
};

/// A picture comes some lines at a time, which all ranks count alike: an even number, as 4:2:0 takes two.
Index parcels_of(const DrawRequest& request);
Lines lines_of(const DrawRequest& request, Index parcel);

/// Pixels of some lines to which a rank has something to give: those that its own cells touch.
struct PixelBox {
    Lines lines;
    Index first = 0, end = 0;  ///< pixels of each line

    bool empty() const { return lines.first >= lines.end || first >= end; }
    Index width() const { return end - first; }
    std::size_t count() const { return empty() ? 0 : core::at((lines.end - lines.first) * width()); }
};
/// `own`: cells of a rank.
PixelBox pixels_of(const domain::CellBox& own, const domain::Grid& whole, const DrawRequest& request, Lines lines);

/// The pixels of `box`, whose cells in `own` are read by `read` (a row of the plane that is drawn, counted from the first of `own`): an index each, or with several
/// cells per pixel the sum (u32) of the indices of own ones.
Bytes draw_box(const DrawRequest& request, const domain::CellBox& own, const PixelBox& box, const backend::RowReader<float>& read,
               core::ThreadTeam& team);

/// Lines of a picture that are put together.
class GatheredLines {
   public:
    explicit GatheredLines(const DrawRequest& request) : request_(request) {}
    void begin(Lines lines);
    /// Throws: InternalError (a message of another size).
    void add(const PixelBox& box, std::span<const std::byte> pixels);
    void read(Index line, std::span<std::uint8_t> indices) const;

   private:
    DrawRequest request_;
    Lines lines_;
    std::vector<std::uint8_t> indices_;  ///< with a cell per pixel
    std::vector<std::uint32_t> sums_;    ///< with several
};

}  // namespace mottle::ranks
