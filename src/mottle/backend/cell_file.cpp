// mottle/backend/cell_file.cpp: rows of cells in a file
#include "mottle/backend/cell_file.h"

#include "mottle/core/thread_team.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace mottle::backend {
namespace {

static_assert(std::endian::native == std::endian::little, "files hold numbers as they lie in memory");

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

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
bool load_rows(const core::SharedFile& file, const CellFile& from, const RowsInFile& rows,
               const std::function<void(Index row, std::span<const Real> cells)>& write, core::ThreadTeam& team) {
    const auto length = core::at(rows.length);
    const Index most = std::max<Index>(1, static_cast<Index>(kReadBytes / (length * sizeof(Real))));
    std::atomic<bool> whole = true;
    team.run([&](int worker) {
        const core::Share share = core::share_of(rows.count, worker, team.size());
        std::vector<Real> cells;
        for (Index row = share.first, end = row; row < share.end; row = end) {
            const Index first = rows.first_cell(row);
            for (++end; end < share.end && end - row < most && rows.first_cell(end) == first + (end - row) * rows.length;) ++end;
            cells.resize(core::at(end - row) * length);
            if (!file.read(place_of<Real>(from, first), std::as_writable_bytes(std::span(cells)))) {
                whole = false;
                return;
            }
            for (Index r = row; r < end; ++r) write(r, std::span<const Real>(cells).subspan(core::at(r - row) * length, length));
        }
    });
    return whole;
}

template void save_rows<float>(const core::SharedFile&, const CellFile&, const RowsInFile&, const RowReader<float>&, core::ThreadTeam&);
template void save_rows<double>(const core::SharedFile&, const CellFile&, const RowsInFile&, const RowReader<double>&, core::ThreadTeam&);
template bool load_rows<float>(const core::SharedFile&, const CellFile&, const RowsInFile&,
                               const std::function<void(Index, std::span<const float>)>&, core::ThreadTeam&);
template bool load_rows<double>(const core::SharedFile&, const CellFile&, const RowsInFile&,
                                const std::function<void(Index, std::span<const double>)>&, core::ThreadTeam&);

}  // namespace mottle::backend
