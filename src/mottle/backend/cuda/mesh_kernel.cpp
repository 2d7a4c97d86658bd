// mottle/backend/cuda/mesh_kernel.cpp: a Program on a mesh, run by a CUDA device: rows in slices, fields interleaved
#include "mottle/backend/cuda/mesh_kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cuda/cut.h"
#include "mottle/backend/edge_weights.h"
#include "mottle/core/error.h"
#include "mottle/ir/evaluate.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace mottle::backend::cuda {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

constexpr Index kSlice = 32, kWindow = 1024;

Index valence(const domain::MeshOperators& rows, domain::Vertex vertex) { return rows.first[at(vertex) + 1] - rows.first[at(vertex)]; }

}  // namespace

std::vector<domain::Vertex> device_order(const domain::MeshOperators& rows) {
    const auto count = static_cast<domain::Vertex>(rows.first.size()) - 1;
    std::vector<domain::Vertex> order;
    order.reserve(at(count));
    std::vector<bool> seen(at(count));
    for (domain::Vertex start = 0; start < count; ++start) {
        if (seen[at(start)]) continue;
        seen[at(start)] = true;
        order.push_back(start);
        for (std::size_t next = order.size() - 1; next < order.size(); ++next) {
            const domain::Vertex vertex = order[next];
            for (Index e = rows.first[at(vertex)]; e < rows.first[at(vertex) + 1]; ++e) {
                const domain::Vertex there = rows.neighbour[at(e)];
                if (seen[at(there)]) continue;
                seen[at(there)] = true;
                order.push_back(there);
            }
        }
    }
    for (auto first = order.begin(); first < order.end(); first += std::min<Index>(kWindow, order.end() - first)) {
        std::stable_sort(first, first + std::min<Index>(kWindow, order.end() - first),
                         [&](domain::Vertex a, domain::Vertex b) { return valence(rows, a) > valence(rows, b); });
    }
    return order;
}

CudaMeshKernel::CudaMeshKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule,
                               std::shared_ptr<Device> device, core::Context& context)
    : Kernel(context),
      program_(program),
      domain_(domain),
      rows_(*std::get<domain::Mesh>(domain_).operators),
      schedule_(schedule),
      device_(std::move(device)),
      layout_(mesh_layout(program)),
      cell_bytes_(program.f64 ? 8 : 4),
      order_(device_order(rows_)),
      statistics_(device_, program.f64, context.cache),
      text_(emit_mesh(program)) {
    if (program.uniforms.size() * cell_bytes_ > kNumberBytes) {
        throw core::DeviceError("the model has " + std::to_string(program.uniforms.size()) + " uniform values, and a CUDA kernel takes " +
                                std::to_string(kNumberBytes / cell_bytes_) + "; use --device cpu");
    }
    program.f64 ? upload_rows<double>() : upload_rows<float>();
    program.f64 ? upload_axes<double>() : upload_axes<float>();
    module_ = device_->load(text_.text, context_.cache);
    for (const KernelText& kernel : text_.kernels) functions_.push_back(module_->function(kernel.name));
}

template <class Element>
Memory CudaMeshKernel::upload(const std::vector<Element>& elements) const {
    Memory memory(device_, elements.size() * sizeof(Element));
    device_->upload(memory.address(), elements.data(), elements.size() * sizeof(Element));
    return memory;
}

template <class Real>
void CudaMeshKernel::upload_rows() {
    const auto count = static_cast<Index>(order_.size());
    std::vector<int> position(at(count));
    for (Index p = 0; p < count; ++p) position[at(order_[at(p)])] = static_cast<int>(p);
    std::vector<long long> slices;
    std::vector<unsigned char> valences(at(count));
    long long entries = 0;
    for (Index first = 0; first < count; first += kSlice) {
        slices.push_back(entries);
        Index width = 0;
        for (Index p = first; p < std::min(first + kSlice, count); ++p) {
            const Index v = valence(rows_, order_[at(p)]);
            if (v > std::numeric_limits<unsigned char>::max()) {
                throw core::InputError("vertex " + std::to_string(order_[at(p)]) + " has " + std::to_string(v) +
                                       " neighbours, and the CUDA backend takes 255; remesh the surface, or use --device cpu");
            }
            valences[at(p)] = static_cast<unsigned char>(v);
            width = std::max(width, v);
        }
        entries += kSlice * width;
    }
    std::vector<int> neighbours(at(std::max<long long>(1, entries)));
    std::vector<Real> weights(neighbours.size() * at(layout_.weight_stride));
    std::vector<const std::vector<double>*> sources;
    for (const int edge : layout_.edges) sources.push_back(&edge_weights(std::get<domain::Mesh>(domain_), static_cast<ir::Edge>(edge)));
    for (Index p = 0; p < count; ++p) {
        const Index from = rows_.first[at(order_[at(p)])];
        for (Index k = 0; k < valences[at(p)]; ++k) {
            const std::size_t to = at(slices[at(p / kSlice)] + kSlice * k + p % kSlice);
            neighbours[to] = position[at(rows_.neighbour[at(from + k)])];
            for (std::size_t e = 0; e < sources.size(); ++e)
                weights[to * at(layout_.weight_stride) + e] = ir::round_to<Real>((*sources[e])[at(from + k)]);
        }
    }
    slices_ = upload(slices);
    valences_ = upload(valences);
    neighbours_ = upload(neighbours);
    weights_ = upload(weights);
}

template <class Real>
void CudaMeshKernel::upload_axes() {
    for (const ir::Stage& stage : program_.step.stages) {
        for (const ir::Instruction& in : stage.code) {
            if (in.op != ir::Op::axis || axes_.count(in.index)) continue;
            const std::vector<double> table = coordinate_table(std::get<domain::Mesh>(domain_), static_cast<ir::Axis>(in.index));
            std::vector<Real> rounded;
            for (domain::Vertex vertex : order_) rounded.push_back(ir::round_to<Real>(table[at(vertex)]));
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
    device_->launch(function, static_cast<unsigned>((order_.size() + kMeshThreads - 1) / kMeshThreads), kMeshThreads, values);
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
        for (domain::Vertex vertex : order_) {
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
