// mottle/backend/cuda/mesh/kernel.cpp: a Program on a mesh, run by a CUDA device: rows in slices, fields interleaved
#include "mottle/backend/cuda/mesh/kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cuda/device/launch_parameters.h"
#include "mottle/backend/cuda/mesh/plan.h"
#include "mottle/backend/edge_weights.h"
#include "mottle/backend/step_plan.h"
#include "mottle/core/numbers_in.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>

namespace mottle::backend::cuda {
namespace {

using core::at;

}  // namespace

CudaMeshKernel::CudaMeshKernel(const ir::Program& program, const domain::Domain& domain, const CardMeshSchedule& request,
                               std::shared_ptr<Device> device, core::Context& context)
    : DeviceKernel(program, domain, request, std::move(device), context), layout_(mesh_layout(program)) {
    MeshPlan plan = plan_mesh(program_, std::get<domain::Mesh>(domain_), request, device_->traits(), context.team);
    cut_ = plan.cut;
    order_ = std::move(plan.order);
    const std::size_t inputs = program_.arrays.size() - at(program_.state_count());
    check_memory(device_->traits(), order_.size() * (2 * at(layout_.state_stride) + inputs) * cell_bytes_);
    if (plan.patches) {
        patches_ = plan.patches->count();
        records_ = upload(device_, plan.patches->records());
        ghosts_ = upload(device_, plan.patches->ghosts());
    }
    upload_rows(plan.rows(), plan.wide);
    schedule_ = CardMeshSchedule{request.order, cut_.steps, cut_.threads};
    for (const int axis : StepPlan(program_).tables) {
        const std::vector<double> table = coordinate_table(std::get<domain::Mesh>(domain_), static_cast<ir::Axis>(axis));
        axes_[axis] = upload_numbers(ordered(table));
    }
    text_ = load(*device_, plan.text, context_.cache);
}

std::vector<double> CudaMeshKernel::ordered(std::span<const double> values) const {
    std::vector<double> list;
    for (const Vertex vertex : order_) list.push_back(values[at(vertex)]);
    return list;
}

void CudaMeshKernel::upload_rows(const MeshRows& rows, bool wide) {
    slices_ = upload(device_, rows.slices());
    valences_ = upload(device_, rows.valences());
    const std::vector<std::int32_t>& numbers = rows.numbers();
    neighbours_ = wide ? upload(device_, numbers) : upload(device_, std::vector<std::uint16_t>(numbers.begin(), numbers.end()));
    weights_ = core::in_precision(program_.f64, [&]<class Real>(Real) {
        std::vector<Real> weights(rows.edges().size() * at(layout_.weight_stride));
        for (std::size_t e = 0; e < layout_.edges.size(); ++e) {
            const std::vector<double>& source = edge_weights(std::get<domain::Mesh>(domain_), static_cast<ir::Edge>(layout_.edges[e]));
            for (std::size_t entry = 0; entry < rows.edges().size(); ++entry) {
                const Index edge = rows.edges()[entry];
                if (edge >= 0) weights[entry * at(layout_.weight_stride) + e] = ir::round_to<Real>(source[at(edge)]);
            }
        }
        return upload(device_, weights);
    });
}

std::unique_ptr<State> CudaMeshKernel::create_state() {
    auto state = std::make_unique<DeviceState>();
    state->arrays.emplace_back(device_, order_.size() * at(layout_.state_stride) * cell_bytes_, true, false);
    for (std::size_t a = at(program_.state_count()); a < program_.arrays.size(); ++a) {
        const bool map = program_.arrays[a].kind == ir::ArrayInfo::Kind::input;
        state->arrays.emplace_back(device_, order_.size() * cell_bytes_, false, map);
    }
    return state;
}

DeviceKernel::Places CudaMeshKernel::places_of(ir::Array array, Index) const {
    const int states = program_.state_count();
    if (array < states) return {0, at(array), at(layout_.state_stride), order_};
    return {at(array - states + 1), 0, 1, order_};
}

// ---- steps

const ir::Sweep& CudaMeshKernel::sweep_of(const Pass& pass) const { return pass.flush ? *program_.flush_step : program_.step; }

bool CudaMeshKernel::stores_states(const ir::Stage& stage) const {
    return std::any_of(stage.stores.begin(), stage.stores.end(), [&](const auto& store) { return store.first < program_.state_count(); });
}

void CudaMeshKernel::launch(std::size_t which, DeviceState& state, int size, Index blocks) {
    const auto array = [&](const Argument& argument) {
        const bool table = argument.kind == Argument::Kind::axis;
        return table ? axes_.at(argument.index).address() : state.arrays[places_of(argument.index, 0).array].now();
    };
    using Kind = Argument::Kind;
    const LaunchParameters parameters(text_.kernels[which].arguments, {.numbers = {numbers_.data(), numbers_.size()},
                                                                       .shape = {&size, sizeof size},
                                                                       .array = array,
                                                                       .others = {{Kind::states, state.arrays[0].now()},
                                                                                  {Kind::next_states, state.arrays[0].next()},
                                                                                  {Kind::slices, slices_.address()},
                                                                                  {Kind::valences, valences_.address()},
                                                                                  {Kind::neighbours, neighbours_.address()},
                                                                                  {Kind::weights, weights_.address()},
                                                                                  {Kind::patches, records_.address()},
                                                                                  {Kind::ghosts, ghosts_.address()}}});
    device_->launch(text_.kernels[which].function, static_cast<unsigned>(blocks), static_cast<unsigned>(cut_.threads), parameters.all());
}

void CudaMeshKernel::run_pass(DeviceState& state, const Pass& pass, const UniformTable& uniforms) {
    fill_numbers(program_, pass, cut_.steps, uniforms, numbers_);
    if (patches_ > 0) {
        launch(pass.flush ? 1 : 0, state, pass.steps, patches_);
        return state.arrays[0].flip();
    }
    const std::size_t first = pass.flush ? program_.step.stages.size() : 0;
    const auto count = static_cast<Index>(order_.size());
    for (std::size_t s = 0; s < sweep_of(pass).stages.size(); ++s) {
        launch(first + s, state, static_cast<int>(count), (count + cut_.threads - 1) / cut_.threads);
        if (stores_states(sweep_of(pass).stages[s])) state.arrays[0].flip();
    }
}

void CudaMeshKernel::flip(DeviceState& state, const Pass& pass) const {
    if (patches_ > 0) return state.arrays[0].flip();
    for (const ir::Stage& stage : sweep_of(pass).stages) {
        if (stores_states(stage)) state.arrays[0].flip();
    }
}

void CudaMeshKernel::launch_all(DeviceState& state, const Advance& advance) { run_passes(state, advance, 0, cut_.steps); }

// ---- what is read out

DeviceCells CudaMeshKernel::cells_of(const State& state, ir::Array array) const {
    const Places places = places_of(array, 0);
    MirroredArray& cells = array_of(state, places.array);
    cells.send();
    if (vertices_.address() == 0) {
        vertices_ = upload(device_, std::vector<std::int32_t>(order_.begin(), order_.end()));
        measures_ = upload(device_, ordered(domain::measures(domain_)));
    }
    return {cells.now() + places.first * cell_bytes_,
            1,
            static_cast<Index>(order_.size()),
            0,
            static_cast<Index>(places.stride),
            vertices_.address(),
            measures_.address()};
}

std::unique_ptr<SurfacePainter> CudaMeshKernel::create_surface_painter(const SurfaceSight& sight) const {
    std::vector<std::int32_t> place(order_.size());
    for (std::size_t p = 0; p < order_.size(); ++p) place[at(order_[p])] = static_cast<std::int32_t>(p);
    return std::make_unique<CudaSurfacePainter>(device_, program_.f64, context_.cache, sight, place,
                                                [this](const State& state, ir::Array array) { return cells_of(state, array); });
}

}  // namespace mottle::backend::cuda
