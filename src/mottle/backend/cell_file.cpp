// mottle/backend/cell_file.cpp: rows of cells in a file
#include "mottle/backend/cell_file.h"

#include "mottle/core/thread_team.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace mottle::backend {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold numbers as they lie in memory");

constexpr std::size_t kReadBytes = std::size_t{1} << 20, kPage = 4096;

template <class Real>
std::uint64_t place_of(const CellFile& file, Index cell) {
    return file.first + core::at(cell) * sizeof(Real);
}

}  // namespace

template <class Real>
void save_rows(const core::SharedFile& file, const CellFile& to, const RowsInFile& rows, const RowReader<Real>& read,
               core::ThreadTeam& team) {
    team.run([&](int worker) {
        const core::Share share = core::share_of(rows.count, worker, team.size());
        core::JoinedWrites writes(file);
        std::vector<Real> cells(core::at(share.first < share.end ? rows.length : 0));
        for (Index row = share.first; row < share.end; ++row) {
            read(row, std::span<Real>(cells));
            if (to.one_nan) {
                for (Real& x : cells) {
                    if (std::isnan(x)) x = std::numeric_limits<Real>::quiet_NaN();
                }
            }
            writes.add(place_of<Real>(to, rows.first_cell(row)), std::as_bytes(std::span(cells)));
        }
        writes.flush();
    });
}

template <class Real>
std::vector<Rgb> colours_of(const CellColours& colours, std::span<const Real> cells) {
    const std::vector<float> numbers(cells.begin(), cells.end());
    std::vector<std::uint8_t> indices(cells.size());
    map_to_indices(colours.picture, numbers, indices);
    std::vector<Rgb> all(cells.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::isfinite(cells[i]) ? colours.picture.palette[indices[i]] : colours.none;
    return all;
}

template <class Real>
std::vector<std::byte> entries_of(const CellFile& file, std::span<const Real> cells, std::span<const domain::Vertex> cell_of) {
    std::vector<std::byte> bytes(cell_of.size() * bytes_of_entry(file, std::is_same_v<Real, double>));
    const auto fill = [&]<class Entry>(std::span<const Entry> all, Entry none) {
        std::size_t place = 0;
        for (const domain::Vertex cell : cell_of) {
            Entry entry = cell < 0 ? none : all[core::at(cell)];
            if constexpr (std::is_floating_point_v<Entry>) {
                if (file.one_nan && std::isnan(entry)) entry = none;
            }
            std::memcpy(&bytes[place], &entry, sizeof entry);
            place += sizeof entry;
        }
    };
    if (file.colours)
        fill(std::span<const Rgb>(colours_of(*file.colours, cells)), file.colours->none);
    else
        fill(cells, std::numeric_limits<Real>::quiet_NaN());
    return bytes;
}

std::size_t bytes_of_entry(const CellFile& file, bool f64) { return file.colours ? sizeof(Rgb) : f64 ? sizeof(double) : sizeof(float); }

template <class Real>
bool load_rows(const core::SharedFile& file, const CellFile& from, const RowsInFile& rows,
               const std::function<void(Index row, std::span<const Real> cells)>& write, core::ThreadTeam& team) {
    const auto length = core::at(rows.length);
    const Index most = std::max(rows.length, static_cast<Index>(kReadBytes / sizeof(Real)));
    constexpr Index kGap = static_cast<Index>(kPage / sizeof(Real));  // which is read, too
    std::atomic<bool> whole = true;
    team.run([&](int worker) {
        const core::Share share = core::share_of(rows.count, worker, team.size());
        std::vector<Real> cells;
        for (Index row = share.first, end = row; row < share.end; row = end) {
            const Index first = rows.first_cell(row);
            Index last = first + rows.length;
            for (++end; end < share.end; ++end) {
                const Index next = rows.first_cell(end);
                if (next < last || next - last > kGap || next + rows.length - first > most) break;
                last = next + rows.length;
            }
            cells.resize(core::at(last - first));
            if (!file.read(place_of<Real>(from, first), std::as_writable_bytes(std::span(cells)))) {
                whole = false;
                return;
            }
            for (Index r = row; r < end; ++r) write(r, std::span<const Real>(cells).subspan(core::at(rows.first_cell(r) - first), length));
        }
    });
    return whole;
}

template std::vector<Rgb> colours_of<double>(const CellColours&, std::span<const double>);
template std::vector<std::byte> entries_of<float>(const CellFile&, std::span<const float>, std::span<const domain::Vertex>);
template std::vector<std::byte> entries_of<double>(const CellFile&, std::span<const double>, std::span<const domain::Vertex>);
template void save_rows<float>(const core::SharedFile&, const CellFile&, const RowsInFile&, const RowReader<float>&, core::ThreadTeam&);
template void save_rows<double>(const core::SharedFile&, const CellFile&, const RowsInFile&, const RowReader<double>&, core::ThreadTeam&);
template bool load_rows<float>(const core::SharedFile&, const CellFile&, const RowsInFile&,
                               const std::function<void(Index, std::span<const float>)>&, core::ThreadTeam&);
template bool load_rows<double>(const core::SharedFile&, const CellFile&, const RowsInFile&,
                                const std::function<void(Index, std::span<const double>)>&, core::ThreadTeam&);

}  // namespace mottle::backend
