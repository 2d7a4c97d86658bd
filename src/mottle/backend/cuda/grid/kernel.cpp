// mottle/backend/cuda/grid/kernel.cpp: a Program on a grid, run by a CUDA device: memory, passes and launches
#include "mottle/backend/cuda/grid/kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cuda/emit/stream.h"
#include "mottle/backend/cuda/emit/unfused.h"
#include "mottle/backend/cuda/emit/volume.h"
#include "mottle/backend/cuda/device/launch_parameters.h"
#include "mottle/core/error.h"

#include <algorithm>
#include <limits>

namespace mottle::backend::cuda {
namespace {

using core::at;

// Rows begin at multiples of 128 bytes; no multiple of a page, so that the rows of a stencil do not share cache sets.
Index pitch_for(const domain::Grid& grid, std::size_t cell_bytes) {
    const auto line = static_cast<Index>(128 / cell_bytes), page = static_cast<Index>(4096 / cell_bytes);
    Index pitch = (grid.size[0] + line - 1) / line * line;
    return pitch % page == 0 ? pitch + line : pitch;
}

void check_size(const domain::Grid& grid) {
    for (Index n : grid.size) {
        if (n > std::numeric_limits<int>::max() / 4) {
            throw core::InputError("the CUDA backend takes at most " + std::to_string(std::numeric_limits<int>::max() / 4) +
                                   " cells along an axis, not " + std::to_string(n) + "; use --device cpu");
        }
    }
}

UnfusedShape unfused_shape(const domain::Grid& grid, Index pitch) {
    UnfusedShape shape{};
    shape.nx = static_cast<int>(grid.size[0]), shape.ny = static_cast<int>(grid.size[1]), shape.nz = static_cast<int>(grid.size[2]);
    shape.width_bits = shape.ny == 1 ? 8 : 5;
    const int width = 1 << shape.width_bits, height = kUnfusedThreads / width * kUnfusedRows;
    shape.tiles_x = (shape.nx + width - 1) / width, shape.tiles_y = (shape.ny + height - 1) / height;
    shape.pitch = pitch;
    return shape;
}

// Seconds by which a launch of the persistent kernel takes longer to begin and to end than passes do.
constexpr double kStayStart = 25e-6;

Schedule schedule_of(const Cut& cut, const domain::Grid& grid) {
    const bool marches = cut.fused && cut.tile.rows == 0;
    if (grid.size[2] > 1) {
        CardVolumeSchedule volume{.steps = cut.steps};
        if (marches) volume.planes = cut.chunk;
        return volume;
    }
    CardPlaneSchedule plane{.steps = cut.steps};
    if (const PersistentTile& stays = cut.persistent.tile; stays.warps > 0)
        plane.strip = 0, plane.steps = stays.steps, plane.tile = stays.rows, plane.warps = stays.warps;
    else if (marches)
        plane.strip = cut.chunk;
    else if (cut.tile.rows > 0)
        plane.tile = cut.tile.rows, plane.warps = cut.tile.warps;
    return plane;
}

}  // namespace

CudaKernel::CudaKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& request, std::shared_ptr<Device> device,
                       core::Context& context)
    : DeviceKernel(program, domain, request, std::move(device), context),
      plan_(program_),
      grid_(std::get<domain::Grid>(domain)),
      cut_(choose_cut(plan_, grid_, request, device_->traits())),
      pitch_(pitch_for(grid_, cell_bytes_)),
      ensemble_(plan_, grid_, pitch_, device_, context.cache),
      persistent_(plan_, grid_, pitch_, cut_.persistent, device_, context.cache),
      asked_(!print(request).empty()),
      painter_(device_, program.f64, context.cache) {
    check_size(grid_);
    schedule_ = schedule_of(cut_, grid_);
    std::size_t bytes = persistent_.bytes();
    for (std::size_t a = 0; a < program_.arrays.size(); ++a) bytes += array_bytes() * copies_of(a);
    check_memory(device_->traits(), bytes);
    for (const int axis : plan_.tables) axes_[at(axis)] = upload_numbers(coordinate_table(grid_, static_cast<ir::Axis>(axis)));
    // what is wrong with the text or the compiler shows here
    if (cut_.asked_to_stay)
        persistent_.load();
    else
        text_for(cut_.fused ? cut_.steps : 0, false);
}

const LoadedText& CudaKernel::text_for(int steps, bool flush) {
    auto found = texts_.find({steps, flush});
    if (found == texts_.end()) {
        const ModuleText text = steps > 0 ? emit_pass(plan_, grid_, cut_, steps, flush) : emit_unfused(program_, grid_);
        found = texts_.emplace(std::pair(steps, flush), load(*device_, text, context_.cache)).first;
    }
    return found->second;
}

std::size_t CudaKernel::copies_of(std::size_t array) const {
    using Kind = ir::ArrayInfo::Kind;
    const Kind kind = program_.arrays[array].kind;
    if (persistent_.exists() && kind == Kind::state) return 2;
    if (cut_.fused) return kind == Kind::state ? 2 : kind == Kind::held ? 0 : 1;
    const auto copied = [array](const StageUse& stage) { return needs_copy(stage, static_cast<ir::Array>(array)); };
    return std::any_of(plan_.stages.begin(), plan_.stages.end(), copied) ? 2 : 1;
}

std::unique_ptr<State> CudaKernel::create_state() {
    auto state = std::make_unique<DeviceState>();
    for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
        const std::size_t copies = copies_of(a);
        const bool map = program_.arrays[a].kind == ir::ArrayInfo::Kind::input;
        state->arrays.emplace_back(device_, copies > 0 ? array_bytes() : 0, copies > 1, map);
    }
    return state;
}

// ---- steps

void CudaKernel::launch(const LoadedText::Kernel& kernel, DeviceState& state, Parameter shape, Index blocks, unsigned threads) {
    if (blocks > std::numeric_limits<int>::max()) {
        throw core::InputError("a " + domain::describe(domain_) + " is more than one launch of the CUDA backend takes; use --device cpu");
    }
    const LaunchParameters parameters(
        kernel.arguments, {.numbers = {numbers_.data(), numbers_.size()}, .shape = shape, .array = grid_arrays(&state.arrays, axes_)});
    device_->launch(kernel.function, static_cast<unsigned>(blocks), threads, parameters.all());
}

void CudaKernel::run_stages(DeviceState& state, const Pass& pass) {
    const LoadedText& text = text_for(0, false);
    const ir::Sweep& sweep = pass.flush ? *program_.flush_step : program_.step;
    const std::size_t first = pass.flush ? program_.step.stages.size() : 0;
    const UnfusedShape shape = unfused_shape(grid_, pitch_);
    const Index blocks = Index{1} * shape.tiles_x * shape.tiles_y * shape.nz;
    for (std::size_t s = 0; s < sweep.stages.size(); ++s) {
        launch(text.kernels[first + s], state, {&shape, sizeof shape}, blocks, kUnfusedThreads);
        for (const auto& [array, value] : sweep.stages[s].stores) {
            if (needs_copy(StageUse(sweep.stages[s]), array)) state.arrays[at(array)].flip();
        }
    }
}

void CudaKernel::flip(DeviceState& state, const Pass&) const {
    for (MirroredArray& array : state.arrays) array.flip();
}

void CudaKernel::run_pass(DeviceState& state, const Pass& pass, const UniformTable& uniforms) {
    fill_numbers(program_, pass, pass.steps, uniforms, numbers_);
    if (!cut_.fused) return run_stages(state, pass);
    const LoadedText& text = text_for(pass.steps, pass.flush);
    grid_.size[2] > 1 ? run_volume(state, text, pass.steps) : run_plane(state, text, pass.steps);
    flip(state, pass);
}

void CudaKernel::run_plane(DeviceState& state, const LoadedText& text, int steps) {
    const PlaneTile& tile = cut_.tile;
    const int reach = steps * plan_.reach(), rows = tile.rows > 0 ? tile.height() - 2 * reach : cut_.chunk;
    StreamShape shape = stream_shape(grid_, program_.f64, reach, rows, pitch_);
    if (has_no_border(plan_, grid_)) shape.lose_border();
    const Parameter parameter{&shape, sizeof shape};
    if (tile.rows > 0) {
        launch(text.kernels.front(), state, parameter, shape.all(), static_cast<unsigned>(tile.threads()));
    } else {
        const Index warps = kStreamThreads / 32;
        if (shape.inner() > 0) launch(text.kernels[0], state, parameter, (shape.inner() + warps - 1) / warps, kStreamThreads);
        if (shape.inner() < shape.all()) launch(text.kernels[1], state, parameter, (shape.all() + warps - 1) / warps, kStreamThreads);
    }
}

void CudaKernel::run_volume(DeviceState& state, const LoadedText& text, int steps) {
    const VolumeTile tile = volume_tile(plan_, steps);
    const VolumeShape shape = volume_shape(grid_, program_.f64, steps * plan_.reach(), tile, cut_.chunk, pitch_);
    const Index inner = shape.inner_strips, border = shape.strips - inner, blocks = Index{1} * shape.tiles * shape.chunks;
    const auto threads = static_cast<unsigned>(tile.threads());
    if (inner > 0) launch(text.kernels.front(), state, {&shape, sizeof shape}, inner * blocks, threads);
    if (border > 0) launch(text.kernels.back(), state, {&shape, sizeof shape}, border * blocks, threads);
}

void CudaKernel::launch_all(DeviceState& state, const Advance& advance) {
    Index made = 0;
    if (stays_for(advance.n)) {
        made = persistent_.advance(state.arrays, advance, axes_);
        if (made == advance.n) return;
        if (cut_.asked_to_stay) throw persistent_.in_vain(advance.first_step + made);
        waits_in_vain_ = true;  // others use the card: passes need none of its multiprocessors for themselves
    }
    run_passes(state, advance, made, cut_.steps);
}

bool CudaKernel::stays_for(Index steps) const {
    if (!persistent_.exists() || waits_in_vain_) return false;
    return cut_.asked_to_stay || static_cast<double>(steps) * (cut_.seconds - cut_.persistent_seconds) > kStayStart;
}

bool CudaKernel::together_is_faster(Index members) const {
    if (asked_ || (program_.staged && program_.flush_step) || ensemble_.plane().warps == 0 || members < 2) return false;
    return whole_seconds(plan_, ensemble_.plane(), members, device_->traits()) < static_cast<double>(members) * cut_.best_seconds();
}

void CudaKernel::advance_all(std::span<const Advance> members) {
    std::vector<Member> going;
    for (const Advance& advance : members) {
        if (advance.n > 0) going.push_back({&static_cast<DeviceState&>(*advance.state).arrays, &advance});
    }
    if (!together_is_faster(static_cast<Index>(going.size()))) return DeviceKernel::advance_all(members);
    ensemble_.advance(going, axes_);
    device_->wait();
}

// ---- what is read out

DeviceKernel::Places CudaKernel::places_of(ir::Array array, Index row) const { return {at(array), at(row * pitch_), 1}; }

DeviceCells CudaKernel::cells_of(const State& state, ir::Array array) const {
    MirroredArray& cells = array_of(state, at(array));
    cells.send();
    return {cells.now(), domain::row_count(domain_), grid_.size[0], pitch_, 1, 0, 0};
}

std::function<void()> CudaKernel::begin_draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const {
    if (FramePainter::can_draw(picture)) return painter_.begin(picture, grid_, cells_of(state, picture.array).first, pitch_, out);
    Kernel::draw(state, picture, out);  // by the host, from its copy of the state
    return {};
}

void CudaKernel::draw(const State& state, const Picture& picture, std::span<std::uint8_t> out) const {
    if (const auto finish = begin_draw(state, picture, out)) finish();
}

}  // namespace mottle::backend::cuda
