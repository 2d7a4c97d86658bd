// mottle/live/server/frame.h: the values of a field as bytes for a page, which gives them their colours
#pragma once
#include "mottle/field/field.h"
#include "mottle/live/server/messages.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace mottle::live {

/// What a page shows of a field, and on how many pixels.
struct View {
    ir::Array field = 0;
    std::array<Index, 4> region{};  ///< x0, y0, x1, y1 in cells of the plane, the ends outside
    std::array<int, 2> pixels{512, 512};
    int axis = 2;     ///< across which a volume is cut
    Index slice = 0;  ///< the plane along that axis
    int bytes = 2;    ///< of a value
    bool operator==(const View&) const = default;
};

/// Everything of that plane, seen across z in the middle.
View whole_view(const domain::Domain& domain, ir::Array field);
/// `view` with `change`, as far as the domain reaches. Throws: InputError (no such field).
View changed(const View& view, const ChangeView& change, const field::Field& field);

/// Which frame a message holds.
struct Stamp {
    std::uint32_t frame = 0, generation = 0;
    core::Moment moment;
};

inline constexpr std::size_t kHeaderBytes = 80;

/// A message, shared by all pages that it goes to.
using Bytes = std::shared_ptr<const std::vector<std::uint8_t>>;

/// Makes frames in memory that is used again: that of a message when no page holds it any more, from any thread and also after the maker.
class FrameMaker {
   public:
    explicit FrameMaker(core::ThreadTeam& team);
    /// A message with the values of `view`, on a surface those of its vertices: docs/live-protocol.md, "Values". Where a pixel covers several cells its value
    /// is their mean.
    Bytes make(const field::Field& field, const View& view, const Stamp& stamp);

   private:
    struct Pool;
    core::ThreadTeam& team_;
    std::shared_ptr<Pool> pool_;
    std::vector<float> values_;  ///< of the frame that is being made
};

/// A single frame.
inline std::vector<std::uint8_t> make_frame(const field::Field& field, const View& view, const Stamp& stamp, core::ThreadTeam& team) {
    return *FrameMaker(team).make(field, view, stamp);
}
/// A message with the vertices and faces of a surface.
std::vector<std::uint8_t> make_geometry(const domain::Mesh& mesh, std::uint32_t generation);

/// The same message, its values packed; for slow lines.
std::vector<std::uint8_t> packed(const std::vector<std::uint8_t>& message);

}  // namespace mottle::live
