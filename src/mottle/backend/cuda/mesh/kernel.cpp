// mottle/backend/cuda/mesh/kernel.cpp: a Program on a mesh, run by a CUDA device: rows in slices, fields interleaved
#include "mottle/backend/cuda/mesh/kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cuda/device/launch_parameters.h"
#include "mottle/backend/cuda/mesh/plan.h"
#include "mottle/backend/edge_weights.h"
#include "mottle/backend/step_plan.h"
#include "mottle/core/error.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <cstring>

namespace mottle::backend::cuda {
namespace {

using core::at;

}  // namespace

CudaMeshKernel::CudaMeshKernel(const ir::Program& program, const domain::Domain& domain, const CardMeshSchedule& request,
                               std::shared_ptr<Device> device, core::Context& context)
    : ProgramKernel(program, domain, request, context),
      device_(std::move(device)),
      layout_(mesh_layout(program)),
      cell_bytes_(program.f64 ? 8 : 4),
      statistics_(device_, program.f64, context.cache),
      recordings_(device_) {
    check_numbers(program);
    MeshPlan plan = plan_mesh(program_, std::get<domain::Mesh>(domain_), request, device_->traits(), context.team);
    cut_ = plan.cut;
    order_ = std::move(plan.order);
    text_ = std::move(plan.text);
    const std::size_t inputs = program_.arrays.size() - at(program_.state_count());
    check_memory(device_->traits(), order_.size() * (2 * at(layout_.state_stride) + inputs) * cell_bytes_);
    if (plan.patches) {
        patches_ = plan.patches->count();
        records_ = upload(plan.patches->records());
        ghosts_ = upload(plan.patches->ghosts());
    }
    upload_rows(plan.rows(), plan.wide);
    schedule_ = CardMeshSchedule{request.order, cut_.steps, cut_.threads};
    program.f64 ? upload_axes<double>() : upload_axes<float>();
    module_ = device_->load(text_.text, context_.cache);
    for (const KernelText& kernel : text_.kernels) functions_.push_back(module_->function(kernel.name));
}

template <class Element>
Memory CudaMeshKernel::upload(const std::vector<Element>& elements) const {
    Memory memory(device_, std::max<std::size_t>(1, elements.size() * sizeof(Element)));
    device_->upload(memory.address(), elements.data(), elements.size() * sizeof(Element));
    return memory;
}

void CudaMeshKernel::upload_rows(const MeshRows& rows, bool wide) {
    slices_ = upload(rows.slices());
    valences_ = upload(rows.valences());
    neighbours_ = wide ? upload(rows.numbers()) : upload(std::vector<std::uint16_t>(rows.numbers().begin(), rows.numbers().end()));
    program_.f64 ? upload_weights<double>(rows) : upload_weights<float>(rows);
}

template <class Real>
void CudaMeshKernel::upload_weights(const MeshRows& rows) {
    std::vector<Real> weights(rows.edges().size() * at(layout_.weight_stride));
    for (std::size_t e = 0; e < layout_.edges.size(); ++e) {
        const std::vector<double>& source = edge_weights(std::get<domain::Mesh>(domain_), static_cast<ir::Edge>(layout_.edges[e]));
        for (std::size_t entry = 0; entry < rows.edges().size(); ++entry) {
            const Index edge = rows.edges()[entry];
            if (edge >= 0) weights[entry * at(layout_.weight_stride) + e] = ir::round_to<Real>(source[at(edge)]);
        }
    }
    weights_ = upload(weights);
}

template <class Real>
void CudaMeshKernel::upload_axes() {
    for (const int axis : StepPlan(program_).tables) {
        const std::vector<double> table = coordinate_table(std::get<domain::Mesh>(domain_), static_cast<ir::Axis>(axis));
        std::vector<Real> rounded;
        for (Vertex vertex : order_) rounded.push_back(ir::round_to<Real>(table[at(vertex)]));
        axes_[axis] = upload(rounded);
    }
}

std::unique_ptr<State> CudaMeshKernel::create_state() {
    auto state = std::make_unique<MeshState>();
    state->arrays.emplace_back(device_, order_.size() * at(layout_.state_stride) * cell_bytes_, true);
    for (std::size_t a = at(program_.state_count()); a < program_.arrays.size(); ++a)
        state->arrays.emplace_back(device_, order_.size() * cell_bytes_, false);
    return state;
}

CudaMeshKernel::Place CudaMeshKernel::place_of(ir::Array array) const {
    const int states = program_.state_count();
    if (array < states) return {0, at(layout_.state_stride), at(array)};
    return {at(array - states + 1), 1, 0};
}

// ---- steps

const ir::Sweep& CudaMeshKernel::sweep_of(const Pass& pass) const { return pass.flush ? *program_.flush_step : program_.step; }

bool CudaMeshKernel::stores_states(const ir::Stage& stage) const {
    return std::any_of(stage.stores.begin(), stage.stores.end(), [&](const auto& store) { return store.first < program_.state_count(); });
}

void CudaMeshKernel::launch(std::size_t which, MeshState& state, int size, Index blocks) {
    const auto array = [&](const Argument& argument) {
        const bool table = argument.kind == Argument::Kind::axis;
        return table ? axes_.at(argument.index).address() : state.arrays[place_of(argument.index).array].now();
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
    device_->launch(functions_[which], static_cast<unsigned>(blocks), static_cast<unsigned>(cut_.threads), parameters.all());
}

void CudaMeshKernel::run_pass(MeshState& state, const Pass& pass) {
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

// Swaps the copies of the states as a pass does.
void CudaMeshKernel::flip(MeshState& state, const Pass& pass) const {
    if (patches_ > 0) return state.arrays[0].flip();
    for (const ir::Stage& stage : sweep_of(pass).stages) {
        if (stores_states(stage)) state.arrays[0].flip();
    }
}

void CudaMeshKernel::advance(State& state, Index first_step, Index n, UniformTable uniforms) {
    const Advance alone{&state, first_step, n, uniforms};
    advance_all({&alone, 1});
}

void CudaMeshKernel::advance_all(std::span<const Advance> members) {
    for (const Advance& member : members) {
        if (member.n > 0) launch_all(member);
    }
    device_->wait();
}

void CudaMeshKernel::launch_all(const Advance& advance) {
    auto& state = static_cast<MeshState&>(*advance.state);
    state.arrays[0].send(true);
    for (std::size_t a = 1; a < state.arrays.size(); ++a)
        state.arrays[a].send(program_.arrays[a - 1 + at(program_.state_count())].kind != ir::ArrayInfo::Kind::input);
    auto run = [&](const Pass& pass) {
        fill_numbers(program_, pass, cut_.steps, advance.uniforms, numbers_);
        run_pass(state, pass);
    };
    recordings_.make(program_, domain::cell_count(domain_),
                     passes_of(program_, advance.first_step, advance.n, cut_.steps, advance.uniforms.stages), advance.uniforms,
                     state.arrays, run, [&](const Pass& pass) { flip(state, pass); });
}

// ---- statistics

DeviceCells CudaMeshKernel::cells_of(const State& base, ir::Array array) const {
    // statistics do not change the values of a state, but they may move its current copy
    auto& state = const_cast<MeshState&>(static_cast<const MeshState&>(base));
    const Place place = place_of(array);
    state.arrays[place.array].send(false);
    if (vertices_.address() == 0) {
        const std::span<const double> measures = domain::measures(domain_);
        std::vector<std::int32_t> vertices;
        std::vector<double> ordered;
        for (Vertex vertex : order_) {
            vertices.push_back(static_cast<std::int32_t>(vertex));
            ordered.push_back(measures[at(vertex)]);
        }
        vertices_ = upload(vertices);
        measures_ = upload(ordered);
    }
    return {state.arrays[place.array].now() + place.first * cell_bytes_,
            1,
            static_cast<Index>(order_.size()),
            0,
            static_cast<Index>(place.stride),
            vertices_.address(),
            measures_.address()};
}

Range CudaMeshKernel::range(const State& state, ir::Array array) const { return statistics_.range(cells_of(state, array)); }

std::optional<double> CudaMeshKernel::sum(const State& state, ir::Array array) const {
    return statistics_.sum(cells_of(state, array), domain::measures(domain_));
}

Statistics CudaMeshKernel::reduce(const State& state, ir::Array array) const {
    return statistics_.statistics(cells_of(state, array), domain::measures(domain_));
}

std::unique_ptr<SurfacePainter> CudaMeshKernel::create_surface_painter(const SurfaceSight& sight) const {
    std::vector<std::int32_t> place(order_.size());
    for (std::size_t p = 0; p < order_.size(); ++p) place[at(order_[p])] = static_cast<std::int32_t>(p);
    return std::make_unique<CudaSurfacePainter>(device_, program_.f64, context_.cache, sight, place,
                                                [this](const State& state, ir::Array array) { return cells_of(state, array); });
}

// ---- rows of cells

template <class Out>
void CudaMeshKernel::copy_row(const State& base, ir::Array array, std::span<Out> cells) const {
    // reading does not change the values of a state, but it may move its current copy
    auto& state = const_cast<MeshState&>(static_cast<const MeshState&>(base));
    const Place place = place_of(array);
    const std::byte* from = state.arrays[place.array].read();
    for (std::size_t p = 0; p < order_.size(); ++p) {
        const std::byte* cell = from + (p * place.stride + place.first) * cell_bytes_;
        Out& to = cells[at(order_[p])];
        if (program_.f64) {
            double value;
            std::memcpy(&value, cell, sizeof value);
            to = ir::round_to<Out>(value);
        } else {
            float value;
            std::memcpy(&value, cell, sizeof value);
            to = static_cast<Out>(value);
        }
    }
}

void CudaMeshKernel::read_cells(const State& state, ir::Array array, Index, ReadCells cells) const {
    std::visit([&](auto out) { copy_row(state, array, out); }, cells);
}

void CudaMeshKernel::write_row(State& base, ir::Array array, Index, std::span<const double> cells) {
    const Place place = place_of(array);
    std::byte* to = static_cast<MeshState&>(base).arrays[place.array].write();
    for (std::size_t p = 0; p < order_.size(); ++p) {
        const double wide = cells[at(order_[p])];
        const float narrow = ir::round_to<float>(wide);
        std::memcpy(to + (p * place.stride + place.first) * cell_bytes_, program_.f64 ? static_cast<const void*>(&wide) : &narrow,
                    cell_bytes_);
    }
}

}  // namespace mottle::backend::cuda
