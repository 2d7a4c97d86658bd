// mottle/backend/cuda/mesh_kernel.cpp: a Program on a mesh, run by a CUDA device: rows in slices, fields interleaved
#include "mottle/backend/cuda/mesh_kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cuda/cut.h"
#include "mottle/backend/edge_weights.h"
#include "mottle/core/error.h"
#include "mottle/ir/evaluate.h"

#include <algorithm>
#include <cstring>

namespace mottle::backend::cuda {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

int threads_of(const Schedule& schedule) {
    if (schedule.chunk <= 0) return kMeshThreads;
    return std::clamp((schedule.chunk + 31) / 32 * 32, 32, 1024);
}

}  // namespace

CudaMeshKernel::CudaMeshKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule,
                               std::shared_ptr<Device> device, core::Context& context)
    : Kernel(context),
      program_(program),
      domain_(domain),
      rows_(*std::get<domain::Mesh>(domain_).operators),
      schedule_(schedule),
      device_(std::move(device)),
      threads_(threads_of(schedule)),
      layout_(mesh_layout(program)),
      cell_bytes_(program.f64 ? 8 : 4),
      order_(device_order(std::get<domain::Mesh>(domain_), schedule.order, context.team)),
      statistics_(device_, program.f64, context.cache) {
    if (program.uniforms.size() * cell_bytes_ > kNumberBytes) {
        throw core::DeviceError("the model has " + std::to_string(program.uniforms.size()) + " uniform values, and a CUDA kernel takes " +
                                std::to_string(kNumberBytes / cell_bytes_) + "; use --device cpu");
    }
    schedule_.steps = 1;
    schedule_.chunk = threads_;
    text_ = emit_mesh(program, threads_, program.f64 ? upload_rows<double>() : upload_rows<float>());
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

template <class Real>
bool CudaMeshKernel::upload_rows() {
    std::vector<std::int32_t> position(order_.size());
    for (std::size_t p = 0; p < order_.size(); ++p) position[at(order_[p])] = static_cast<std::int32_t>(p);
    MeshRows rows;
    rows.add(rows_, order_, position);
    const bool wide = !rows.shorten();
    slices_ = upload(rows.slices());
    valences_ = upload(rows.valences());
    neighbours_ = wide ? upload(rows.numbers()) : upload(std::vector<std::uint16_t>(rows.numbers().begin(), rows.numbers().end()));
    std::vector<Real> weights(rows.edges().size() * at(layout_.weight_stride));
    for (std::size_t e = 0; e < layout_.edges.size(); ++e) {
        const std::vector<double>& source = edge_weights(std::get<domain::Mesh>(domain_), static_cast<ir::Edge>(layout_.edges[e]));
        for (std::size_t entry = 0; entry < rows.edges().size(); ++entry) {
            const Index edge = rows.edges()[entry];
            if (edge >= 0) weights[entry * at(layout_.weight_stride) + e] = ir::round_to<Real>(source[at(edge)]);
        }
    }
    weights_ = upload(weights);
    return wide;
}

template <class Real>
void CudaMeshKernel::upload_axes() {
    for (const ir::Stage& stage : program_.step.stages) {
        for (const ir::Instruction& in : stage.code) {
            if (in.op != ir::Op::axis || axes_.count(in.index)) continue;
            const std::vector<double> table = coordinate_table(std::get<domain::Mesh>(domain_), static_cast<ir::Axis>(in.index));
            std::vector<Real> rounded;
            for (Vertex vertex : order_) rounded.push_back(ir::round_to<Real>(table[at(vertex)]));
            axes_[in.index] = upload(rounded);
        }
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

template <class Real>
void CudaMeshKernel::fill_numbers(std::span<const double> row) {
    numbers_.resize(std::max<std::size_t>(1, program_.uniforms.size()) * sizeof(Real));
    for (std::size_t i = 0; i < program_.uniforms.size(); ++i) {
        const Real value = ir::round_to<Real>(row[i]);
        std::memcpy(numbers_.data() + i * sizeof value, &value, sizeof value);
    }
}

void CudaMeshKernel::run_stage(const KernelText& kernel, Function function, MeshState& state) {
    int vertices = static_cast<int>(order_.size());
    std::vector<Address> addresses(kernel.arguments.size());
    std::vector<Parameter> values;
    for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
        const Argument& argument = kernel.arguments[i];
        using Kind = Argument::Kind;
        switch (argument.kind) {
            case Kind::numbers:
                values.push_back({numbers_.data(), numbers_.size()});
                continue;
            case Kind::shape:
                values.push_back({&vertices, sizeof vertices});
                continue;
            case Kind::states:
                addresses[i] = state.arrays[0].now();
                break;
            case Kind::next_states:
                addresses[i] = state.arrays[0].next();
                break;
            case Kind::slices:
                addresses[i] = slices_.address();
                break;
            case Kind::valences:
                addresses[i] = valences_.address();
                break;
            case Kind::neighbours:
                addresses[i] = neighbours_.address();
                break;
            case Kind::weights:
                addresses[i] = weights_.address();
                break;
            case Kind::load:
            case Kind::store:
                addresses[i] = state.arrays[place_of(argument.index).array].now();
                break;
            case Kind::axis:
                addresses[i] = axes_.at(argument.index).address();
                break;
        }
        values.push_back({&addresses[i], sizeof addresses[i]});
    }
    device_->launch(function, static_cast<unsigned>((order_.size() + at(threads_) - 1) / at(threads_)), static_cast<unsigned>(threads_),
                    values);
}

void CudaMeshKernel::advance(State& base, Index first_step, Index n, UniformTable uniforms) {
    if (n <= 0) return;
    auto& state = static_cast<MeshState&>(base);
    state.arrays[0].send(true);
    for (std::size_t a = 1; a < state.arrays.size(); ++a)
        state.arrays[a].send(program_.arrays[a - 1 + at(program_.state_count())].kind != ir::ArrayInfo::Kind::input);
    for (Index step = 0; step < n; ++step) {
        program_.f64 ? fill_numbers<double>(uniforms.row(step)) : fill_numbers<float>(uniforms.row(step));
        const bool flush = program_.flush_step && (first_step + step + 1) % 8 == 0;
        const ir::Sweep& sweep = flush ? *program_.flush_step : program_.step;
        const std::size_t first = flush ? program_.step.stages.size() : 0;
        for (std::size_t s = 0; s < sweep.stages.size(); ++s) {
            run_stage(text_.kernels[first + s], functions_[first + s], state);
            const auto& stores = sweep.stages[s].stores;
            if (std::any_of(stores.begin(), stores.end(), [&](const auto& store) { return store.first < program_.state_count(); }))
                state.arrays[0].flip();
        }
    }
    device_->wait();
}

// ---- statistics

DeviceCells CudaMeshKernel::cells_of(const State& base, ir::Array array) const {
    // what a state holds does not change when it is looked at, but where a copy of it lies does
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
    // what a state holds does not change when it is read, but where a copy of it lies does
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

void CudaMeshKernel::read_row(const State& state, ir::Array array, Index, std::span<float> cells) const { copy_row(state, array, cells); }

void CudaMeshKernel::read_row(const State& state, ir::Array array, Index, std::span<double> cells) const { copy_row(state, array, cells); }

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
