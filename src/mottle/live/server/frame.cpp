// mottle/live/server/frame.cpp: rows of a state -> means of boxes -> 8 or 16 bits
#include "mottle/live/server/frame.h"

#include "mottle/core/error.h"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>

namespace mottle::live {

using core::at;

namespace {

static_assert(std::endian::native == std::endian::little, "messages are little-endian");

enum class Kind : std::uint8_t { grid = 1, surface = 2, geometry = 3 };

/// The plane of a grid that a view shows: its columns run along one axis, its lines along another.
struct Plane {
    std::size_t column_axis = 0, line_axis = 1;
    Index columns = 1, lines = 1;
};

Plane plane_of(const domain::Grid& grid, int axis) {
    const std::size_t across = axis == 0 ? 1 : 0, down = axis == 2 ? 1 : 2;
    return {across, down, grid.size[across], grid.size[down]};
}

/// Values of a plane, one line at a time.
class LineReader {
   public:
    LineReader(const field::Field& field, const domain::Grid& grid, const View& view)
        : field_(field), grid_(grid), view_(view), row_(at(grid.size[0])) {}

    /// Cells `first` to `last` - 1 of line `line`; valid until the next call.
    std::span<const float> read(Index line, Index first, Index last) {
        if (view_.axis != 0) {
            const Index row = view_.axis == 2 ? view_.slice * grid_.size[1] + line : line * grid_.size[1] + view_.slice;
            read_row(row);
            return std::span<const float>(row_).subspan(at(first), at(last - first));
        }
        line_.resize(at(last - first));
        for (Index y = first; y < last; ++y) {
            read_row(line * grid_.size[1] + y);
            line_[at(y - first)] = row_[at(view_.slice)];
        }
        return line_;
    }

   private:
    void read_row(Index row) { field_.kernel().read_row(field_.state(), view_.field, row, std::span<float>(row_)); }

    const field::Field& field_;
    const domain::Grid& grid_;
    const View& view_;
    std::vector<float> row_, line_;
};

/// Values, row by row, with their least and largest.
struct Picture {
    Index width = 0, height = 0;
    std::span<const float> values;
    float lo = 0, hi = 0;
};

using Range = std::array<float, 2>;
constexpr Range kNoRange{std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};

Range both(const Range& a, const Range& b) { return {std::min(a[0], b[0]), std::max(a[1], b[1])}; }

/// Calls work(worker, first, last) for the parts of `count` things.
template <class Work>
void in_parts(core::ThreadTeam& team, Index count, const Work& work) {
    const Index workers = team.size();
    team.run([&](int worker) {
        const auto [first, end] = core::share_of(count, worker, workers);
        work(worker, first, end);
    });
}

/// The least and the largest of `values`; infinities the wrong way round where there is none. NaN counts as nothing.
Range range_of(std::span<const float> values) {
    constexpr std::size_t kLanes = 16;  // ranges side by side, so that vectors hold them
    std::array<float, kLanes> lows, highs;
    lows.fill(kNoRange[0]);
    highs.fill(kNoRange[1]);
    const auto take = [&](std::size_t lane, float value) {
        lows[lane] = value < lows[lane] ? value : lows[lane];
        highs[lane] = value > highs[lane] ? value : highs[lane];
    };
    std::size_t i = 0;
    for (; i + kLanes <= values.size(); i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) take(lane, values[i + lane]);
    }
    for (; i < values.size(); ++i) take(0, values[i]);
    return {*std::min_element(lows.begin(), lows.end()), *std::max_element(highs.begin(), highs.end())};
}

/// `ranges`: of the parts.
Picture picture_of(Index width, Index height, std::span<const float> values, std::span<const Range> ranges) {
    Range range = kNoRange;
    for (const Range& part : ranges) range = both(range, part);
    if (!std::isfinite(range[0]) || !std::isfinite(range[1])) range = {0, 0};  // of a run that has just diverged
    return {width, height, values, range[0], range[1]};
}

/// pixels[i] = share * (columns[i box] + ... + columns[i box + box - 1]). A box known beforehand (not 0) lets the compiler make vectors of it.
template <std::size_t kBox>
void add_groups(std::span<const float> columns, std::size_t box, float share, std::span<float> pixels) {
    const std::size_t each = kBox > 0 ? kBox : box;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
        float sum = 0;
        for (std::size_t k = 0; k < each; ++k) sum += columns[i * each + k];
        pixels[i] = sum * share;
    }
}

void add_groups(std::span<const float> columns, std::size_t box, float share, std::span<float> pixels) {
    if (box == 2) return add_groups<2>(columns, box, share, pixels);
    if (box == 3) return add_groups<3>(columns, box, share, pixels);
    if (box == 4) return add_groups<4>(columns, box, share, pixels);
    add_groups<0>(columns, box, share, pixels);
}

/// The lines `line` to `line` + `lines` - 1 of the view: each pixel the mean of the cells that it covers. Columns are added up first, whole rows at a time.
void reduce_lines(Index line, Index lines, LineReader& reader, const View& view, Index box, std::span<float> pixels,
                  std::vector<float>& columns) {
    const Index x0 = view.region[0], x1 = view.region[2];
    std::span<const float> cells = reader.read(line, x0, x1);
    if (box == 1) {
        std::copy(cells.begin(), cells.end(), pixels.begin());
        return;
    }
    columns.assign(cells.begin(), cells.end());
    for (Index y = line + 1; y < line + lines; ++y) {
        cells = reader.read(y, x0, x1);
        for (std::size_t x = 0; x < columns.size(); ++x) columns[x] += cells[x];
    }
    const std::size_t whole = columns.size() / at(box);
    add_groups(columns, at(box), 1 / static_cast<float>(box * lines), pixels.first(whole));
    if (whole < pixels.size()) {
        float sum = 0;
        for (std::size_t x = whole * at(box); x < columns.size(); ++x) sum += columns[x];
        pixels[whole] = sum / static_cast<float>((columns.size() - whole * at(box)) * at(lines));
    }
}

Picture picture_of_grid(const field::Field& field, const domain::Grid& grid, const View& view, std::vector<float>& values,
                        core::ThreadTeam& team) {
    const auto [x0, y0, x1, y1] = view.region;
    const auto box_of = [](Index cells, int pixels) { return (cells + pixels - 1) / std::max(pixels, 1); };
    // Square boxes, so that the picture keeps its proportions.
    const Index box = std::max({Index{1}, box_of(x1 - x0, view.pixels[0]), box_of(y1 - y0, view.pixels[1])});
    const Index width = (x1 - x0 + box - 1) / box, height = (y1 - y0 + box - 1) / box;
    values.resize(at(width * height));
    std::vector<Range> ranges(at(team.size()), kNoRange);
    in_parts(team, height, [&](int worker, Index first, Index last) {
        if (first == last) return;
        LineReader reader(field, grid, view);
        std::vector<float> columns;
        Range range = kNoRange;
        for (Index j = first; j < last; ++j) {
            const std::span<float> pixels = std::span(values).subspan(at(j * width), at(width));
            const Index line = view.region[1] + j * box;
            reduce_lines(line, std::min(box, view.region[3] - line), reader, view, box, pixels, columns);
            range = both(range, range_of(pixels));
        }
        ranges[at(worker)] = range;
    });
    return picture_of(width, height, values, ranges);
}

Picture picture_of_surface(const field::Field& field, const View& view, std::vector<float>& values, core::ThreadTeam& team) {
    values.resize(at(domain::cell_count(field.kernel().domain())));
    field.kernel().read_row(field.state(), view.field, 0, std::span<float>(values));
    std::vector<Range> ranges(at(team.size()), kNoRange);
    in_parts(team, static_cast<Index>(values.size()), [&](int worker, Index first, Index last) {
        ranges[at(worker)] = range_of(std::span<const float>(values).subspan(at(first), at(last - first)));
    });
    return picture_of(static_cast<Index>(values.size()), 1, values, ranges);
}

template <class Whole>
void quantise(const Picture& picture, std::span<std::uint8_t> bytes, core::ThreadTeam& team) {
    constexpr float kMost = std::numeric_limits<Whole>::max();
    const float lo = picture.lo, extent = picture.hi - lo;
    const float gain = extent > 0 && std::isfinite(kMost / extent) ? kMost / extent : 0.0F;
    in_parts(team, static_cast<Index>(picture.values.size()), [&](int, Index first, Index last) {
        constexpr std::size_t kBlock = 256;
        std::array<std::int32_t, kBlock> levels;
        std::array<Whole, kBlock> wholes;
        for (std::size_t begin = at(first); begin < at(last); begin += kBlock) {
            const std::size_t count = std::min(kBlock, at(last) - begin);
            const float* values = picture.values.data() + begin;
            for (std::size_t i = 0; i < count; ++i) {
                float level = (values[i] - lo) * gain + 0.5F;
                level = level > 0 ? level : 0;  // and so is what is no number
                level = level < kMost ? level : kMost;
                levels[i] = static_cast<std::int32_t>(level);
            }
            for (std::size_t i = 0; i < count; ++i) wholes[i] = static_cast<Whole>(levels[i]);
            std::memcpy(bytes.data() + begin * sizeof(Whole), wholes.data(), count * sizeof(Whole));
        }
    });
}

template <class Value>
void put(std::span<std::uint8_t> message, std::size_t offset, Value value) {
    std::memcpy(message.data() + offset, &value, sizeof value);
}

void put_header(std::span<std::uint8_t> message, Kind kind, const Stamp& stamp, Index width, Index height) {
    std::memcpy(message.data(), "MTL1", 4);
    put(message, 4, static_cast<std::uint8_t>(kind));
    put(message, 8, stamp.frame);
    put(message, 12, stamp.generation);
    put(message, 16, stamp.moment.time);
    put(message, 24, static_cast<double>(stamp.moment.step));
    put(message, 32, static_cast<std::uint32_t>(width));
    put(message, 36, static_cast<std::uint32_t>(height));
    put(message, 72, static_cast<std::uint32_t>(message.size() - kHeaderBytes));
}

}  // namespace

View whole_view(const domain::Domain& domain, ir::Array field) {
    View view;
    view.field = field;
    if (const auto* grid = std::get_if<domain::Grid>(&domain)) {
        view.region = {0, 0, grid->size[0], grid->size[1]};
        view.slice = grid->size[2] / 2;
    }
    return view;
}

View changed(const View& view, const ChangeView& change, const field::Field& field) {
    View now = view;
    if (change.field) now.field = field.find(*change.field);
    if (change.pixels) now.pixels = *change.pixels;
    if (change.bytes) now.bytes = *change.bytes;
    const auto* grid = std::get_if<domain::Grid>(&field.kernel().domain());
    if (!grid) return now;
    if (change.axis) now.axis = *change.axis;
    const Plane plane = plane_of(*grid, now.axis);
    if (change.axis && now.axis != view.axis) now.slice = grid->size[at(now.axis)] / 2;
    if (change.slice) now.slice = std::clamp<Index>(*change.slice, 0, grid->size[at(now.axis)] - 1);
    if (change.whole || (now.axis != view.axis && !change.region)) now.region = {0, 0, plane.columns, plane.lines};
    if (change.region) {
        const std::array<Index, 2> cells{plane.columns, plane.lines};
        for (std::size_t k = 0; k < 2; ++k) {
            const double most = static_cast<double>(cells[k]);
            const double low = std::clamp(std::floor((*change.region)[k]), 0.0, most - 1);
            now.region[k] = static_cast<Index>(low);
            now.region[k + 2] = static_cast<Index>(std::clamp(std::ceil((*change.region)[k + 2]), low + 1, most));
        }
    }
    return now;
}

/// Messages that nobody holds any more. Any thread uses it.
struct FrameMaker::Pool {
    std::mutex mutex;
    std::vector<std::unique_ptr<std::vector<std::uint8_t>>> free;

    std::unique_ptr<std::vector<std::uint8_t>> take() {
        const std::lock_guard lock(mutex);
        if (free.empty()) return std::make_unique<std::vector<std::uint8_t>>();
        std::unique_ptr<std::vector<std::uint8_t>> message = std::move(free.back());
        free.pop_back();
        return message;
    }
    void give_back(std::unique_ptr<std::vector<std::uint8_t>> message) {
        constexpr std::size_t kMost = 4;
        const std::lock_guard lock(mutex);
        if (free.size() < kMost) free.push_back(std::move(message));
    }
};

FrameMaker::FrameMaker(core::ThreadTeam& team) : team_(team), pool_(std::make_shared<Pool>()) {}

Bytes FrameMaker::make(const field::Field& field, const View& view, const Stamp& stamp) {
    const auto* grid = std::get_if<domain::Grid>(&field.kernel().domain());
    const Picture picture = grid ? picture_of_grid(field, *grid, view, values_, team_) : picture_of_surface(field, view, values_, team_);
    std::unique_ptr<std::vector<std::uint8_t>> owned = pool_->take();
    std::vector<std::uint8_t>& message = *owned;
    message.resize(kHeaderBytes + picture.values.size() * at(view.bytes));  // sets what it adds alone
    std::fill_n(message.begin(), kHeaderBytes, std::uint8_t{0});
    put_header(message, grid ? Kind::grid : Kind::surface, stamp, picture.width, picture.height);
    put(message, 6, static_cast<std::uint8_t>(view.bytes));
    put(message, 7, static_cast<std::uint8_t>(view.axis));
    for (std::size_t k = 0; k < 4; ++k) put(message, 40 + 4 * k, static_cast<std::int32_t>(view.region[k]));
    put(message, 56, picture.lo);
    put(message, 60, picture.hi);
    put(message, 64, static_cast<std::uint32_t>(view.field));
    put(message, 68, static_cast<std::uint32_t>(view.slice));
    const std::span<std::uint8_t> values = std::span(message).subspan(kHeaderBytes);
    view.bytes == 2 ? quantise<std::uint16_t>(picture, values, team_) : quantise<std::uint8_t>(picture, values, team_);
    const auto give_back = [pool = pool_](std::vector<std::uint8_t>* done) {
        pool->give_back(std::unique_ptr<std::vector<std::uint8_t>>(done));
    };
    return {owned.release(), give_back};
}

std::vector<std::uint8_t> make_geometry(const domain::Mesh& mesh, std::uint32_t generation) {
    const domain::Surface& surface = *mesh.surface;
    std::vector<std::uint8_t> message(kHeaderBytes + 8 + 12 * (surface.position.size() + surface.faces.size()));
    put_header(message, Kind::geometry, {.frame = 0, .generation = generation, .moment = {}}, static_cast<Index>(surface.position.size()),
               static_cast<Index>(surface.faces.size()));
    put(message, kHeaderBytes, static_cast<std::uint32_t>(surface.position.size()));
    put(message, kHeaderBytes + 4, static_cast<std::uint32_t>(surface.faces.size()));
    std::size_t offset = kHeaderBytes + 8;
    for (const domain::Point& point : surface.position) {
        for (const double coordinate : point) {
            put(message, offset, static_cast<float>(coordinate));
            offset += 4;
        }
    }
    for (const domain::Triangle& face : surface.faces) {
        for (const domain::Vertex vertex : face) {
            put(message, offset, static_cast<std::uint32_t>(vertex));
            offset += 4;
        }
    }
    return message;
}

std::vector<std::uint8_t> packed(const std::vector<std::uint8_t>& message) {
    const std::size_t each = message[6] == 2 ? 2 : 1, count = (message.size() - kHeaderBytes) / each;
    std::vector<std::uint8_t> planes(count * each);
    for (std::size_t plane = 0; plane < each; ++plane) {
        std::uint8_t before = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t byte = message[kHeaderBytes + i * each + plane];
            planes[plane * count + i] = static_cast<std::uint8_t>(byte - before);
            before = byte;
        }
    }
    uLongf bytes = compressBound(planes.size());
    std::vector<std::uint8_t> out(kHeaderBytes + bytes);
    if (compress2(out.data() + kHeaderBytes, &bytes, planes.data(), planes.size(), Z_BEST_SPEED) != Z_OK)
        throw core::InternalError("zlib does not pack a frame");
    out.resize(kHeaderBytes + bytes);
    std::copy_n(message.begin(), kHeaderBytes, out.begin());
    out[5] = 1;
    return out;
}

}  // namespace mottle::live
