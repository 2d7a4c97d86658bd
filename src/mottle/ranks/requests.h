// mottle/ranks/requests.h: what rank 0 asks of the others
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ranks/answers.h"
#include "mottle/ranks/blocks.h"
#include "mottle/ranks/parcel.h"
#include "mottle/ranks/part.h"
#include "mottle/ranks/program_parcel.h"
#include "mottle/ranks/surface_share.h"

#include <optional>
#include <string>

namespace mottle::ranks {

/// The first number of each message on channel::command; the second is that of the kernel or the state. What follows is one of the structures below.
enum class Command : std::int32_t {
    compile,        ///< CompileRequest; answered by an Answer
    forget_kernel,  ///< nothing
    create_state,   ///< the number of the kernel; answered by an Answer
    forget_state,   ///< nothing
    advance,        ///< AdvanceRequest; no answer, or an Answer where it asks for one
    settle,         ///< nothing; answered by an Answer
    copy,           ///< CopyRequest; no answer
    write_row,      ///< RowRequest; no answer
    fill_array,     ///< FillRequest; answered by a FillAnswer
    read_rows,      ///< RowsRequest; answered by cells
    save_array,     ///< FileRequest; answered by a FileAnswer
    load_array,     ///< FileRequest; answered by a FileAnswer
    draw,           ///< DrawRequest; answered by a message for each parcel of lines of which the rank draws something (draw_box)
    range,          ///< an array; answered by a Range
    reduce,         ///< an array of a kernel for the whole domain; answered by Statistics
    total,          ///< the same; answered by Kernel::sum
    sum,            ///< SumRequest; answered by a SumShare
    end             ///< nothing; the rank ends
};

/// A grid and how it is cut.
struct GridCut {
    domain::Grid grid;
    Blocks blocks;  ///< one for each rank; or a single one, that of the rank that is asked
};
template <class Parcel>
void carry(Parcel& parcel, GridCut& cut) {
    carry_all(parcel, cut.grid, cut.blocks);
}

/// What one rank gets of a surface.
struct SurfaceCut {
    domain::Mesh piece;
    std::optional<domain::Mesh> rim;
    SurfaceShare share;
};
template <class Parcel>
void carry(Parcel& parcel, Trade& trade) {
    carry_all(parcel, trade.rank, trade.sent, trade.received);
}
template <class Parcel>
void carry(Parcel& parcel, SurfaceCut& cut) {
    SurfaceShare& share = cut.share;
    carry_all(parcel, cut.piece, cut.rim, share.whole, share.vertices, share.own, share.trades, share.steps, share.entries.count,
              share.entries.number, share.entries.own, share.rim.vertices, share.rim.good);
}

struct CompileRequest {
    std::string device, schedule, cache;
    std::int32_t family = 0;  ///< of the schedule: its place in backend::Schedule
    std::int32_t threads = 0;
    Hiding hiding = Hiding::never;
    ir::Program program;
    std::optional<GridCut> grid = {};
    std::optional<SurfaceCut> surface = {};
};
template <class Parcel>
void carry(Parcel& parcel, CompileRequest& request) {
    carry_all(parcel, request.device, request.schedule, request.cache, request.family, request.threads, request.hiding, request.program,
              request.grid, request.surface);
}

struct AdvanceRequest {
    Index first_step = 0, n = 0;
    std::vector<double> uniforms;
    std::int32_t columns = 0, stages = 1;
    bool hides = false;    ///< Part::advance
    bool answers = false;  ///< behind the last step
};
template <class Parcel>
void carry(Parcel& parcel, AdvanceRequest& request) {
    carry_all(parcel, request.first_step, request.n, request.uniforms, request.columns, request.stages, request.hides, request.answers);
}

struct RowRequest {
    ir::Array array = 0;
    Index row = 0;
    std::vector<double> cells;
};
template <class Parcel>
void carry(Parcel& parcel, RowRequest& request) {
    carry_all(parcel, request.array, request.row, request.cells);
}

/// Kernel::fill_array.
struct FillRequest {
    ir::Array array = 0;
    ir::Expression expression = {};
    std::uint64_t seed = 0;
};
template <class Parcel>
void carry(Parcel& parcel, FillRequest& request) {
    carry_all(parcel, request.array, request.expression, request.seed);
}

struct RowsRequest {
    ir::Array array = 0;
    Index first = 0, end = 0;
};

struct SumRequest {
    ir::Array array = 0;
    SumTerms terms;
    std::int32_t minus = -1;  ///< the number of the state whose cells are subtracted before they are squared; -1: none
};

/// Fields or input arrays from another state of the kernel.
struct CopyRequest {
    std::int32_t from = 0;
    ir::ArrayInfo::Kind kind = ir::ArrayInfo::Kind::state;
};

/// A file of an array of the whole, as rank 0 sees it.
struct FileRequest {
    ir::Array array = 0;
    core::FileIdentity file = {};
    backend::CellFile cells = {};  ///< its path is that of `file`
};
template <class Parcel>
void carry(Parcel& parcel, FileRequest& request) {
    carry_all(parcel, request.array, request.file, request.cells.first, request.cells.one_nan, request.cells.of_mesh_file,
              request.cells.colours);
}

/// A message of these values.
template <class... T>
Bytes pack_all(T... values) {
    Packer packer;
    carry_all(packer, values...);
    packer.begin_writing();
    carry_all(packer, values...);
    return std::move(packer.bytes);
}

/// The next value of a message.
template <class T>
T take(Unpacker& unpacker) {
    T value{};
    carry(unpacker, value);
    return value;
}

/// The value that a message holds.
template <class T>
T unpack_one(std::span<const std::byte> bytes) {
    Unpacker unpacker(bytes);
    return take<T>(unpacker);
}

}  // namespace mottle::ranks
