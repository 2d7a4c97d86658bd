// mottle/live/server/brush.cpp: distances to a line of points -> weights -> cells
#include "mottle/live/server/brush.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/field/cell_kinds.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mottle::live {

using core::at;

namespace {

double squared(const Place& a) { return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]; }
Place minus(const Place& a, const Place& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

struct Segment {
    Place a{}, b{};
};

/// The lines from each point to the next; of a single point one without length.
std::vector<Segment> segments_of(const std::vector<Place>& points) {
    std::vector<Segment> segments;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) segments.push_back({points[i], points[i + 1]});
    if (points.size() == 1) segments.push_back({points[0], points[0]});
    return segments;
}

/// Those that may come within `radius` of `value` along axis `k`.
std::vector<Segment> segments_near(const std::vector<Segment>& segments, std::size_t k, double value, double radius) {
    std::vector<Segment> near;
    std::copy_if(segments.begin(), segments.end(), std::back_inserter(near), [&](const Segment& each) {
        const auto [lo, hi] = std::minmax(each.a[k], each.b[k]);
        return lo - radius <= value && value <= hi + radius;
    });
    return near;
}

double squared_distance(const Place& point, const Segment& segment) {
    const Place &a = segment.a, along = minus(segment.b, a), from = minus(point, a);
    const double length = squared(along);
    const double share = length > 0 ? std::clamp((along[0] * from[0] + along[1] * from[1] + along[2] * from[2]) / length, 0.0, 1.0) : 0.0;
    return squared(minus(from, {share * along[0], share * along[1], share * along[2]}));
}

/// 1 inside, 0 from the radius on, and a smooth step over the soft share of it.
double weight_at(double distance, const Stroke& part) {
    const double hard = part.radius * (1 - part.soft);
    if (distance <= hard) return 1;
    if (distance >= part.radius) return 0;
    const double s = (part.radius - distance) / (part.radius - hard);
    return s * s * (3 - 2 * s);
}

double weight_at(const Place& point, const std::vector<Segment>& segments, const Stroke& part) {
    const double hard = part.radius * (1 - part.soft);
    double nearest = HUGE_VAL;
    for (std::size_t i = 0; i < segments.size() && !(nearest < hard * hard); ++i)
        nearest = std::min(nearest, squared_distance(point, segments[i]));
    return weight_at(std::sqrt(nearest), part);
}

/// Moves a cell that has been painted with `before` to what painting it with `now` would have made of it.
double painted(double cell, double before, double now, const Stroke& part) {
    if (part.adds) return cell + (now - before) * part.value;
    return before < 1 ? cell + (now - before) / (1 - before) * (part.value - cell) : cell;
}

struct Box {
    Place lo{HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
};

Box box_of(const std::vector<Place>& line, double radius) {
    Box box;
    for (const Place& point : line) {
        for (std::size_t k = 0; k < 3; ++k) {
            box.lo[k] = std::min(box.lo[k], point[k] - radius);
            box.hi[k] = std::max(box.hi[k], point[k] + radius);
        }
    }
    return box;
}

/// Points of a plane of a volume, where they have two coordinates.
std::vector<Place> in_space(const std::vector<Place>& points, const View& view, bool volume) {
    if (!volume) return points;
    std::vector<Place> moved = points;
    for (Place& point : moved) {
        const double depth = static_cast<double>(view.slice) + 0.5;
        if (view.axis == 2) point = {point[0], point[1], depth};
        if (view.axis == 1) point = {point[0], depth, point[1]};
        if (view.axis == 0) point = {depth, point[0], point[1]};
    }
    return moved;
}

/// Cells first to last - 1 of an axis; of one that wraps numbers go on beyond its ends, and a cell may come several times.
std::array<Index, 2> cells_of(double lo, double hi, Index size, bool wraps) {
    const auto whole = [&](double x) {
        return static_cast<Index>(std::clamp(x, -static_cast<double>(size), 2.0 * static_cast<double>(size)));
    };
    std::array<Index, 2> cells{whole(std::floor(lo)), whole(std::ceil(hi))};
    if (!wraps) return {std::clamp<Index>(cells[0], 0, size), std::clamp<Index>(cells[1], 0, size)};
    return cells;
}

Index wrapped(Index cell, Index size) { return ((cell % size) + size) % size; }

void require_finite(double value, bool f64) {
    if (f64 || std::abs(value) < field::bound_of(false)) return;
    throw core::InputError("a brush cannot paint " + core::number_text(value) + " in f32");
}

}  // namespace

std::vector<float>& Brush::row(Index row, std::size_t length) {
    std::vector<float>& weights = weights_[row];
    weights.resize(length, 0.0F);
    return weights;
}

void Brush::require_paintable(const field::Field& field, const Stroke& part) {
    static_cast<void>(field.find(part.field));
    require_finite(part.value, field.kernel().program().f64);
}

void Brush::paint(field::Field& field, const Stroke& part, const View& view, const BeforeRow& before_row) {
    require_paintable(field, part);
    const domain::Domain& domain = field.kernel().domain();
    if (const auto* grid = std::get_if<domain::Grid>(&domain))
        paint_grid(field, *grid, part, view, before_row);
    else
        paint_surface(field, std::get<domain::Mesh>(domain), part, before_row);
}

void Brush::paint_grid(field::Field& field, const domain::Grid& grid, const Stroke& part, const View& view, const BeforeRow& before_row) {
    const ir::Array array = field.find(part.field);
    const bool volume = grid.size[2] > 1;
    const std::vector<Place> line = in_space(part.points, view, volume);
    std::array<std::array<Index, 2>, 3> cells{};
    for (std::size_t k = 0; k < 3; ++k) {
        const bool wraps = domain::wraps(grid, 2 * k);
        // Beyond half a period from all points a cell is nearer to each of them once more.
        const double reach = wraps ? std::min(part.radius, 0.5 * static_cast<double>(grid.size[k]) + 1) : part.radius;
        const Box box = box_of(line, reach);
        cells[k] = cells_of(box.lo[k], box.hi[k], grid.size[k], wraps);
    }
    if (!volume) cells[2] = {0, 1};
    std::vector<double> values(at(grid.size[0]));
    const std::vector<Segment> all = segments_of(line);
    for (Index z = cells[2][0]; z < cells[2][1]; ++z) {
        const std::vector<Segment> of_plane = volume ? segments_near(all, 2, static_cast<double>(z) + 0.5, part.radius) : all;
        for (Index y = cells[1][0]; y < cells[1][1]; ++y) {
            core::cancellation_point();
            const std::vector<Segment> segments = segments_near(of_plane, 1, static_cast<double>(y) + 0.5, part.radius);
            if (segments.empty()) continue;
            const Index number = wrapped(z, grid.size[2]) * grid.size[1] + wrapped(y, grid.size[1]);
            bool read = false;
            for (Index x = cells[0][0]; x < cells[0][1]; ++x) {
                const Place centre{static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5, volume ? static_cast<double>(z) + 0.5 : 0.0};
                const auto now = static_cast<float>(weight_at(centre, segments, part));
                if (now <= 0) continue;
                if (!read) {
                    field.kernel().read_row(field.state(), array, number, std::span<double>(values));
                    before_row(array, number, values);
                    read = true;
                }
                const std::size_t cell = at(wrapped(x, grid.size[0]));
                float& before = row(number, values.size())[cell];
                if (now <= before) continue;
                values[cell] = painted(values[cell], before, now, part);
                before = now;
            }
            if (read) field.kernel().write_row(field.state(), array, number, values);
        }
    }
}

void Brush::paint_surface(field::Field& field, const domain::Mesh& mesh, const Stroke& part, const BeforeRow& before_row) {
    const ir::Array array = field.find(part.field);
    const Box box = box_of(part.points, part.radius);
    std::vector<double> values(at(mesh.vertex_count()));
    field.kernel().read_row(field.state(), array, 0, std::span<double>(values));
    before_row(array, 0, values);
    std::vector<float>& weights = row(0, values.size());
    const std::vector<Segment> segments = segments_of(part.points);
    for (std::size_t vertex = 0; vertex < values.size(); ++vertex) {
        const domain::Point& point = mesh.surface->position[vertex];
        bool inside = true;
        for (std::size_t k = 0; k < 3; ++k) inside = inside && point[k] >= box.lo[k] && point[k] <= box.hi[k];
        if (!inside) continue;
        const auto now = static_cast<float>(weight_at(point, segments, part));
        if (now <= weights[vertex]) continue;
        values[vertex] = painted(values[vertex], weights[vertex], now, part);
        weights[vertex] = now;
    }
    field.kernel().write_row(field.state(), array, 0, values);
}

}  // namespace mottle::live
