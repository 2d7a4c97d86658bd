// mottle/ranks/regions.cpp: boxes of cells of a kernel's arrays as bytes, and back
#include "mottle/ranks/regions.h"

#include "mottle/core/error.h"
#include "mottle/core/numbers_in.h"
#include "mottle/ranks/part.h"

#include <algorithm>
#include <cstring>

namespace mottle::ranks {
namespace {

using core::at, core::numbers_in;

/// Calls work(array, row, first) for each row of `part`, on all threads: `row` of the kernel's grid, and the cell of the bytes that is the first of `part` in it.
template <class Work>
void for_rows_of(const domain::Grid& grid, std::span<const ir::Array> arrays, const CellBox& box, const CellBox& part,
                 core::ThreadTeam& team, const Work& work) {
    const Index rows = part.size[1] * part.size[2], count = std::ssize(arrays);
    const Index cells = box.size[0] * box.size[1] * box.size[2];
    team.run([&](int worker) {
        const core::Share share = core::share_of(rows * count, worker, team.size());
        for (Index i = share.first; i < share.end; ++i) {  // the rows of a kernel's arrays lie side by side
            const Index array = i % count, row = i / count;
            const Index y = part.first[1] + row % part.size[1], z = part.first[2] + row / part.size[1];
            const Index in_box = ((z - box.first[2]) * box.size[1] + y - box.first[1]) * box.size[0] + part.first[0] - box.first[0];
            work(arrays[at(array)], z * grid.size[1] + y, at(array * cells + in_box));
        }
    });
}

const domain::Grid& grid_of(const backend::Kernel& kernel) { return std::get<domain::Grid>(kernel.domain()); }

// Whole rows stand in the bytes as a kernel keeps them, parts of rows in the order of x; before them stands of how many lanes that order is.
constexpr std::size_t kBeforeCells = 64;

void set_lanes(std::span<std::byte> bytes, int lanes) { std::memcpy(bytes.data(), &lanes, sizeof lanes); }

int lanes_of(std::span<const std::byte> bytes) {
    int lanes = 1;
    std::memcpy(&lanes, bytes.data(), sizeof lanes);
    return lanes;
}

template <class Real>
void pack_cells(const backend::Kernel& kernel, const backend::State& state, std::span<const ir::Array> arrays, const CellBox& box,
                core::ThreadTeam& team, std::span<std::byte> bytes) {
    const std::span<Real> cells = numbers_in<Real>(bytes.subspan(kBeforeCells));
    const std::size_t width = at(box.size[0]), length = at(grid_of(kernel).size[0]);
    set_lanes(bytes, width == length ? kernel.row_lanes() : 1);
    for_rows_of(grid_of(kernel), arrays, box, box, team, [&](ir::Array array, Index row, std::size_t first) {
        const std::span<Real> to = cells.subspan(first, width);
        if (width == length) return kernel.read_raw_row(state, array, row, std::as_writable_bytes(to));
        std::vector<Real> whole(length);
        kernel.read_row(state, array, row, std::span<Real>(whole));
        std::copy_n(&whole[at(box.first[0])], width, to.begin());
    });
}

template <class Real>
void unpack_cells(backend::Kernel& kernel, backend::State& state, std::span<const ir::Array> arrays, const CellBox& box,
                  const CellBox& part, core::ThreadTeam& team, std::span<const std::byte> bytes) {
    const std::span<const Real> cells = numbers_in<Real>(bytes.subspan(kBeforeCells));
    const std::size_t width = at(part.size[0]), length = at(grid_of(kernel).size[0]);
    const int lanes = lanes_of(bytes);
    if (width != length && lanes != 1) throw core::InternalError("a part of rows that are not in the order of x");
    for_rows_of(grid_of(kernel), arrays, box, part, team, [&](ir::Array array, Index row, std::size_t first) {
        const std::span<const Real> from = cells.subspan(first, width);
        if (width == length) return kernel.write_raw_row(state, array, row, lanes, std::as_bytes(from));
        std::vector<Real> whole(length);
        kernel.read_row(state, array, row, std::span<Real>(whole));
        std::copy(from.begin(), from.end(), &whole[at(part.first[0])]);
        write_cells(kernel, state, array, row, std::span<const Real>(whole));
    });
}

std::vector<ir::Array> arrays_of(const ir::Program& program, ir::ArrayInfo::Kind kind) {
    std::vector<ir::Array> arrays;
    for (std::size_t a = 0; a < program.arrays.size(); ++a) {
        if (program.arrays[a].kind == kind) arrays.push_back(static_cast<ir::Array>(a));
    }
    return arrays;
}

}  // namespace

CellBox common_box(const CellBox& a, const CellBox& b) {
    CellBox common;
    for (std::size_t d = 0; d < 3; ++d) {
        common.first[d] = std::max(a.first[d], b.first[d]);
        common.size[d] = std::max<Index>(0, std::min(a.first[d] + a.size[d], b.first[d] + b.size[d]) - common.first[d]);
    }
    return common;
}

bool is_empty(const CellBox& box) { return box.size[0] == 0 || box.size[1] == 0 || box.size[2] == 0; }

CellBox seen_from(const domain::Triple& origin, CellBox box) {
    for (std::size_t d = 0; d < 3; ++d) box.first[d] -= origin[d];
    return box;
}

std::vector<ir::Array> states_of(const ir::Program& program) { return arrays_of(program, ir::ArrayInfo::Kind::state); }
std::vector<ir::Array> maps_of(const ir::Program& program) { return arrays_of(program, ir::ArrayInfo::Kind::input); }

std::size_t bytes_of_box(const ir::Program& program, std::size_t arrays, const CellBox& box) {
    return kBeforeCells + at(box.size[0] * box.size[1] * box.size[2]) * arrays * (program.f64 ? sizeof(double) : sizeof(float));
}

void pack_box(const backend::Kernel& kernel, const backend::State& state, std::span<const ir::Array> arrays, const CellBox& box,
              core::ThreadTeam& team, std::span<std::byte> bytes) {
    if (is_empty(box)) return;
    kernel.program().f64 ? pack_cells<double>(kernel, state, arrays, box, team, bytes)
                         : pack_cells<float>(kernel, state, arrays, box, team, bytes);
}

void pack_box(const backend::Kernel& kernel, const backend::State& state, std::span<const ir::Array> arrays, const CellBox& box,
              core::ThreadTeam& team, Bytes& bytes) {
    bytes.resize(bytes_of_box(kernel.program(), arrays.size(), box));
    pack_box(kernel, state, arrays, box, team, std::span<std::byte>(bytes));
}

void unpack_box(backend::Kernel& kernel, backend::State& state, std::span<const ir::Array> arrays, const CellBox& box, const CellBox& part,
                core::ThreadTeam& team, std::span<const std::byte> bytes) {
    if (is_empty(part)) return;
    kernel.program().f64 ? unpack_cells<double>(kernel, state, arrays, box, part, team, bytes)
                         : unpack_cells<float>(kernel, state, arrays, box, part, team, bytes);
}

}  // namespace mottle::ranks
