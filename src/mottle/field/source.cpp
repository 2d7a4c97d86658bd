// mottle/field/source.cpp: noise and spots on grids; images are in source_image.cpp, meshes in source_mesh.cpp
#include "mottle/field/source.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/piece.h"
#include "mottle/field/source_image.h"
#include "mottle/field/source_mesh.h"
#include "mottle/ir/functions/philox.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace mottle::field {

using core::Index;

namespace {

constexpr double kMostSpots = 100000;

using core::at;

void require(bool holds, const ir::SourceCall& call, const std::string& what) {
    if (!holds) throw core::ModelError(std::string(model::function_of(call.function).name) + ": " + what, call.span);
}

RowSource create_noise(const ir::SourceCall& call, const domain::Domain& domain, const InitialSpec& initial) {
    const double lo = call.args[0], hi = call.args[1];
    require(std::isfinite(lo) && std::isfinite(hi - lo), call,
            "the bounds " + core::number_text(lo) + " and " + core::number_text(hi) + " are not finite");
    require(lo <= hi, call,
            "the lower bound " + core::number_text(lo) + " is above the upper one, " + core::number_text(hi) +
                "; it is written noise(low, high)");
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) return create_mesh_noise(lo, hi - lo, initial.seed, call.draw, *mesh);
    return [lo, width = hi - lo, seed = initial.seed, draw = call.draw, length = domain::row_length(domain)](Index row, Index x,
                                                                                                             std::span<double> cells) {
        ir::uniform_draws(seed, static_cast<std::uint64_t>(row * length + x), ir::kInitialStep, draw, cells);
        for (double& value : cells) value = lo + width * value;
    };
}

class Spots {
   public:
    Spots(const ir::SourceCall& call, const domain::Grid& grid, const InitialSpec& initial) : grid_(grid), radius_(call.args[1]) {
        for (std::size_t d = 0; d < 3; ++d) {
            length_[d] = static_cast<double>(grid.size[d]) * grid.spacing[d];
            periodic_[d] = grid.sides[2 * d].rule == domain::Rule::periodic;
        }
        const auto count = static_cast<std::uint64_t>(call.args[0]);
        for (std::uint64_t spot = 0; spot < count; ++spot) {
            std::array<double, 3> centre;
            for (std::uint32_t d = 0; d < 3; ++d) {
                centre[d] = ir::uniform_draw(initial.seed, spot, ir::kInitialStep, call.draw + d) * length_[d];
                // an axis of one cell is no direction: all centres lie in its middle
                if (grid.size[d] == 1) centre[d] = 0.5 * grid.spacing[d];
            }
            centres_.push_back(centre);
        }
    }

    void operator()(Index row, Index x, std::span<double> cells) const {
        std::fill(cells.begin(), cells.end(), 0.0);
        const double y = position(1, row % grid_.size[1]), z = position(2, row / grid_.size[1]);
        for (const auto& centre : centres_) {
            const double dy = distance(1, y, centre[1]), dz = distance(2, z, centre[2]);
            if (dy <= radius_ && dz <= radius_) mark(centre[0], dy, dz, x, cells);
        }
    }

   private:
    double position(std::size_t d, Index i) const { return (static_cast<double>(i) + 0.5) * grid_.spacing[d]; }

    double distance(std::size_t d, double a, double b) const {
        double off = std::abs(a - b);
        return periodic_[d] ? std::min(off, length_[d] - off) : off;
    }

    // Only the cells near the centre are looked at, beyond both ends of the row too; a periodic axis wraps them.
    void mark(double centre, double dy, double dz, Index begin, std::span<double> cells) const {
        const Index n = grid_.size[0];
        const double h = grid_.spacing[0];
        const Index reach = static_cast<Index>(std::min(radius_ / h, static_cast<double>(n))) + 2;
        const Index middle = std::min(static_cast<Index>(centre / h), n - 1);
        Index first = middle - reach, last = middle + reach;
        if (!periodic_[0] || last - first >= n) {  // no wrapping, or the whole row
            const bool whole = periodic_[0];
            first = whole ? 0 : std::max<Index>(first, 0);
            last = whole ? n - 1 : std::min(last, n - 1);
        }
        for (Index i = first; i <= last; ++i) {
            const Index cell = i < 0 ? i + n : i >= n ? i - n : i;
            if (cell < begin || cell - begin >= std::ssize(cells)) continue;
            const double dx = distance(0, position(0, cell), centre);
            if (std::sqrt(dx * dx + dy * dy + dz * dz) <= radius_) cells[at(cell - begin)] = 1;
        }
    }

    domain::Grid grid_;
    double radius_;
    std::array<double, 3> length_{};
    std::array<bool, 3> periodic_{};
    std::vector<std::array<double, 3>> centres_;
};

RowSource create_spots(const ir::SourceCall& call, const domain::Domain& domain, const InitialSpec& initial) {
    require_spots(call);
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) return create_mesh_spots(call, *mesh, initial);
    return Spots(call, std::get<domain::Grid>(domain), initial);
}

RowSource create_given(const ir::SourceCall& call, const domain::Domain& domain, const InitialSpec& initial) {
    const auto found = initial.arrays.find(call.text);
    if (found == initial.arrays.end()) {
        std::vector<std::string> known;
        for (const auto& [name, values] : initial.arrays) known.push_back(name);
        throw core::InputError("no array '" + call.text + "' was given by the program" + core::did_you_mean(call.text, known) +
                                   "; given() is for programs that use the library, and image(\"file.png\") reads a file",
                               call.span);
    }
    const core::Index cells = domain::cell_count(domain);
    const std::vector<double>& values = *found->second;
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    const core::Index wanted = mesh ? std::ssize(mesh->surface->vertex_of) : cells;
    if (std::ssize(values) != wanted) {
        throw core::InputError("the array '" + call.text + "' has " + core::grouped(std::ssize(values)) + " numbers, and the " +
                                   domain::describe(domain) + " has room for " + core::grouped(wanted),
                               call.span);
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (call.args[0] <= values[i] && values[i] <= call.args[1]) continue;
        if (mesh && std::isnan(values[i]) && !mesh->surface->counts(i)) continue;  // nothing is there, or another one counts
        throw core::InputError("the array '" + call.text + "' contains " + core::number_text(values[i]) + " as number " +
                                   core::grouped(static_cast<long long>(i)) + ", which is not within " + core::number_text(call.args[0]) +
                                   " and " + core::number_text(call.args[1]),
                               call.span);
    }
    if (!mesh) {
        return [array = found->second, length = domain::row_length(domain)](Index row, Index x, std::span<double> out) {
            std::copy_n(array->begin() + row * length + x, out.size(), out.begin());
        };
    }
    return [array = found->second, surface = mesh->surface](Index, Index first, std::span<double> out) {
        for (std::size_t v = 0; v < out.size(); ++v) out[v] = (*array)[at(surface->original[at(first) + v])];
    };
}

}  // namespace

void require_spots(const ir::SourceCall& call) {
    const double count = call.args[0], radius = call.args[1];
    require(count >= 0 && count == std::floor(count), call,
            "the number of spots is " + core::number_text(count) + "; it must be a whole number of 0 or more");
    require(std::isfinite(radius) && radius >= 0, call,
            "the radius is " + core::number_text(radius) + "; it must be a length of 0 or more");
    if (count > kMostSpots) {
        throw core::InputError("spots: " + core::number_text(count) + " spots are requested; the maximum is " +
                                   core::grouped(static_cast<long long>(kMostSpots)) +
                                   "; where(noise(0, 1) < p, 1, 0) gives any number of random cells",
                               call.span);
    }
}

RowSource create_source(const ir::SourceCall& call, const domain::Domain& part, const InitialSpec& initial) {
    if (call.function == model::Callee::image) return create_image_source(call, part, initial);
    const domain::Domain domain = domain::whole_of(part);
    if (call.function == model::Callee::noise) return create_noise(call, domain, initial);
    if (call.function == model::Callee::spots) return create_spots(call, domain, initial);
    if (call.function == model::Callee::attr) return create_attribute(call, std::get<domain::Mesh>(domain));
    if (call.function == model::Callee::given) return create_given(call, domain, initial);
    throw core::InternalError(std::string(model::function_of(call.function).name) + " is a formula, no source");
}

}  // namespace mottle::field
