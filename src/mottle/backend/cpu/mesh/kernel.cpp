// mottle/backend/cpu/mesh/kernel.cpp: advances the parts of a mesh ring by ring
#include "mottle/backend/cpu/mesh/kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cpu/compile/compile.h"
#include "mottle/backend/edge_weights.h"
#include "mottle/backend/flush_mode.h"
#include "mottle/backend/mesh_order.h"
#include "mottle/core/error.h"
#include "mottle/core/numbers_in.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <array>
#include <atomic>

namespace mottle::backend::cpu {
namespace {

constexpr double kMostGhosts = 0.2;  ///< per owned vertex; beyond it a pass gets fewer steps
constexpr int kShallowLevels = 4;

struct ByteRange {
    std::size_t begin, end;
};

using core::at;

std::vector<const std::vector<double>*> weights_of(const MeshPlan& plan, const domain::Mesh& mesh) {
    std::vector<const std::vector<double>*> weights;
    for (const ir::Edge edge : plan.edges) weights.push_back(&edge_weights(mesh, edge));
    return weights;
}

}  // namespace

/// Words of every group for every part; states in two buffers.
class MeshKernel::MeshState final : public State {
   public:
    struct PartMemory {
        std::vector<Memory> memory;
        std::array<std::vector<std::byte*>, 2> words;  ///< by buffer, by group
    };
    std::vector<PartMemory> parts;
    int current = 0;  ///< the buffer of the states as they stand
};

/// One stage of one step for one part: what its calls have in common.
struct MeshKernel::Level {
    SliceFunction function;
    const std::byte* const* in;
    std::byte* const* out;
    const std::byte* numbers;
};

/// Part `index` of `count` parts of whole lines; the last has what is left over.
struct MeshKernel::Share {
    int index, count;

    ByteRange of(ByteRange all) const {
        const std::size_t share = (all.end - all.begin) / at(count) / kLine * kLine, begin = all.begin + at(index) * share;
        return {begin, index + 1 == count ? all.end : begin + share};
    }
};

MeshKernel::MeshKernel(const ir::Program& program, const domain::Domain& domain, const MeshSchedule& request, const Isa& isa,
                       core::Context& context)
    : ProgramKernel(program, domain, request, context),
      rows_(*std::get<domain::Mesh>(domain_).operators),
      isa_(isa),
      plan_(program_),
      lanes_(mesh_lanes(isa, program.f64)),
      number_table_(program.f64, program.uniforms.size(), plan_.constants),
      scalar_(program.f64) {
    cut_ = choose_mesh_cut(program_, plan_, std::get<domain::Mesh>(domain_), request, context.team.size());
    pack(cut_);
    if (!cut_.shared && !request.steps && cut_.steps * plan_.stages > kShallowLevels && ghost_share() > kMostGhosts) {
        cut_.steps = std::max(1, kShallowLevels / plan_.stages);
        pack(cut_);
    }
    MeshSchedule used{.steps = cut_.steps, .parts = static_cast<int>(parts_.size())};
    if (cut_.order != VertexOrder::rings) used.order = cut_.order;
    const bool gather = gathers(request, isa_);
    if (gather != isa_.gather) used.gather = request.gather;
    schedule_ = used;
    code_ = compile_text(emit_mesh(program_, plan_, isa_, {wide_, gather}), isa_, context.cache);
    for (int s = 0; s < plan_.stages; ++s) stages_.push_back(reinterpret_cast<SliceFunction>(code_->symbol(mesh_function(s, false))));
    if (program_.flush_step) flush_ = reinterpret_cast<SliceFunction>(code_->symbol(mesh_function(0, true)));
}

MeshKernel::~MeshKernel() = default;

// ---- cutting and packing

void MeshKernel::pack(const MeshCut& cut) {
    const domain::Graph graph(rows_);
    const Index vertices = graph.vertex_count();
    const Index unbounded = vertices + 1;
    const std::vector<Vertex> order = given_order(*std::get<domain::Mesh>(domain_).surface, cut.order, context_.team);
    std::vector<domain::MeshPart> sets;
    if (!order.empty())
        sets.push_back({0, order.front(), order});
    else
        sets = domain::bisect(graph, cut.shared ? 1 : cut.parts, cut.shared || cut.widest == 0 ? unbounded : cut.widest, context_.team);
    const auto weights = weights_of(plan_, std::get<domain::Mesh>(domain_));
    Packing packing{lanes_, program_.f64, false, cut.shared || sets.size() == 1 ? 0 : cut.steps * plan_.stages, cut.ring, !order.empty()};
    const int team = context_.team.size();
    parts_ = std::vector<PartLayout>(sets.size());
    thread_of_.clear();
    for (std::size_t p = 0; p < sets.size(); ++p) thread_of_.push_back(static_cast<int>(p) * team / static_cast<int>(sets.size()));
    if (cut.parts == team) {
        for (std::size_t p = 0; p < sets.size(); ++p) thread_of_[p] = sets[p].thread;
    }
    wide_ = false;
    for (std::atomic<bool> retry = true; retry.exchange(false);) {
        packing.wide = wide_;
        context_.team.run([&](int worker) {
            domain::PartScratch scratch(vertices);
            for (std::size_t p = 0; p < sets.size(); ++p) {
                if (thread_of_[p] == worker && !pack_part(graph, weights, sets[p], packing, scratch, parts_[p])) retry = true;
            }
        });
        wide_ = wide_ || retry;
    }
    connect_ghosts();
    levels_.resize(parts_.size());
    if (!cut.shared) return;
    // Slices are distributed by their numbers of neighbours, plus a constant for the other work of a slice.
    const PartLayout& part = parts_.front();
    shares_.assign(1, 0);
    auto work = [&](std::int32_t slice) { return static_cast<double>(part.entries[at(slice)]) + slice; };
    for (int worker = 1; worker <= team; ++worker) {
        std::int32_t slice = shares_.back();
        while (slice < part.slices() && (cut.alone || worker == team || work(slice) < work(part.slices()) * worker / team)) ++slice;
        shares_.push_back(slice);
    }
}

void MeshKernel::connect_ghosts() {
    part_of_.assign(at(domain::cell_count(domain_)), -1);
    slot_of_.assign(part_of_.size(), -1);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        std::vector<std::uint8_t> ghost(parts_[p].vertex.size());
        for (const GhostSlot& g : parts_[p].ghosts) ghost[at(g.slot)] = 1;
        for (std::size_t slot = 0; slot < ghost.size(); ++slot) {
            const Vertex v = parts_[p].vertex[slot];
            if (v < 0 || ghost[slot]) continue;
            part_of_[at(v)] = static_cast<std::int32_t>(p);
            slot_of_[at(v)] = static_cast<std::int32_t>(slot);
        }
    }
    for (PartLayout& part : parts_) {
        for (GhostSlot& g : part.ghosts) {
            const Vertex v = part.vertex[at(g.slot)];
            g.part = part_of_[at(v)];
            g.source = slot_of_[at(v)];
        }
    }
}

double MeshKernel::ghost_share() const {
    double ghosts = 0;
    for (const PartLayout& part : parts_) ghosts += static_cast<double>(part.ghosts.size());
    return ghosts / static_cast<double>(domain::cell_count(domain_));
}

// ---- states

std::unique_ptr<State> MeshKernel::create_state() {
    auto state = std::make_unique<MeshState>();
    state->parts.resize(parts_.size());
    context_.team.run([&](int worker) {  // memory is first touched by the thread that will sweep it
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            if (thread_of_[p] != worker) continue;
            MeshState::PartMemory& part = state->parts[p];
            for (const WordGroup& group : plan_.groups) {
                for (int buffer = 0; buffer < 2; ++buffer) {
                    const bool own = buffer == 0 || group.home == WordGroup::Home::state;
                    if (own) part.memory.emplace_back(at(parts_[p].slots()) * kWordBytes + 64);
                    part.words[at(buffer)].push_back(own ? part.memory.back().data() : part.words[0][part.words[1].size()]);
                }
            }
        }
    });
    for (const WordGroup& group : plan_.groups) {
        for (const Column& column : group.columns) {
            if (column.axis < 0) continue;
            const std::vector<double> table = coordinate_table(std::get<domain::Mesh>(domain_), static_cast<ir::Axis>(column.axis));
            program_.f64 ? write<double>(*state, column, table) : write<float>(*state, column, table);
        }
    }
    return state;
}

template <class Real>
void MeshKernel::write(MeshState& state, Column column, std::span<const double> cells) const {
    const auto [group, place] = plan_.place(column);
    constexpr std::size_t per_word = kWordBytes / sizeof(Real);
    for (std::size_t p = 0; p < parts_.size(); ++p) {  // ghosts too: maps are never exchanged
        auto* words = reinterpret_cast<Real*>(state.parts[p].words[at(state.current)][at(group)]);
        for (std::size_t slot = 0; slot < parts_[p].vertex.size(); ++slot) {
            const Vertex v = parts_[p].vertex[slot];
            if (v >= 0) words[slot * per_word + at(place)] = ir::round_to<Real>(cells[at(v)]);
        }
    }
}

void MeshKernel::write_row(State& state, ir::Array array, Index, std::span<const double> cells) {
    auto& mine = static_cast<MeshState&>(state);
    program_.f64 ? write<double>(mine, {array, -1}, cells) : write<float>(mine, {array, -1}, cells);
}

template <class Real>
Real& MeshKernel::value(const MeshState& state, MeshPlan::Place place, std::size_t vertex) const {
    std::byte* const words = state.parts[at(part_of_[vertex])].words[at(state.current)][at(place.group)];
    return reinterpret_cast<Real*>(words)[at(slot_of_[vertex]) * (kWordBytes / sizeof(Real)) + at(place.column)];
}

template <class Real, class Out>
void MeshKernel::read(const MeshState& state, ir::Array array, std::span<Out> cells) const {
    const auto place = plan_.place({array, -1});
    for (std::size_t v = 0; v < cells.size(); ++v) cells[v] = ir::round_to<Out>(value<Real>(state, place, v));
}

void MeshKernel::read_vertices(const State& state, ir::Array array, std::span<const Vertex> vertices, std::span<std::byte> numbers) const {
    core::in_precision(program_.f64, [&]<class Real>(Real) {
        const std::span<Real> to = core::numbers_in<Real>(numbers);
        const auto& mine = static_cast<const MeshState&>(state);
        const auto place = plan_.place({array, -1});
        for (std::size_t i = 0; i < vertices.size(); ++i) to[i] = value<Real>(mine, place, at(vertices[i]));
    });
}

// Ghosts in other parts take theirs when a pass begins.
void MeshKernel::write_vertices(State& state, ir::Array array, std::span<const Vertex> vertices, std::span<const std::byte> numbers) {
    core::in_precision(program_.f64, [&]<class Real>(Real) {
        const std::span<const Real> from = core::numbers_in<Real>(numbers);
        const auto& mine = static_cast<MeshState&>(state);
        const auto place = plan_.place({array, -1});
        for (std::size_t i = 0; i < vertices.size(); ++i) value<Real>(mine, place, at(vertices[i])) = from[i];
    });
}

void MeshKernel::read_cells(const State& state, ir::Array array, Index, ReadCells cells) const {
    const auto& mine = static_cast<const MeshState&>(state);
    std::visit([&](auto out) { program_.f64 ? read<double>(mine, array, out) : read<float>(mine, array, out); }, cells);
}

template <class Real>
void MeshKernel::sum_share(const MeshState& state, ir::Array array, int worker, CellSum& sum) const {
    const auto place = plan_.place({array, -1});
    const std::span<const double> weights = rows_.mass;
    const auto team = at(context_.team.size()), end = weights.size() * (at(worker) + 1) / team;
    std::array<double, 256> cells;
    for (std::size_t first = weights.size() * at(worker) / team; first < end; first += cells.size()) {
        const std::size_t count = std::min(cells.size(), end - first);
        for (std::size_t i = 0; i < count; ++i) cells[i] = static_cast<double>(value<Real>(state, place, first + i));
        sum.add_weighted(std::span<const double>(cells).first(count), weights.subspan(first, count));
    }
}

std::optional<double> MeshKernel::sum(const State& state, ir::Array array) const {
    const auto& mine = static_cast<const MeshState&>(state);
    const double heaviest = *std::max_element(rows_.mass.begin(), rows_.mass.end());
    return sums_.sum(at(array), domain::cell_count(domain_), heaviest, context_.team, [&](int worker, CellSum& sum) {
        program_.f64 ? sum_share<double>(mine, array, worker, sum) : sum_share<float>(mine, array, worker, sum);
    });
}

// ---- steps

void MeshKernel::advance(State& base, Index first_step, Index n, UniformTable uniforms) {
    if (n <= 0) return;
    auto& state = static_cast<MeshState&>(base);
    numbers_ = number_table_.fill(n, uniforms);
    numbers_stages_ = uniforms.stages;
    context_.team.run([&](int worker) {
        const FlushMode mode(!program_.f64);
        cut_.shared ? advance_shared(state, worker, first_step, n) : advance_parts(state, worker, first_step, n);
    });
    state.current ^= static_cast<int>(n & 1);
}

/// `done`: steps of the launch before this one; `parity`: the buffer that its states are read from.
MeshKernel::Level MeshKernel::level(const MeshState& state, std::size_t part, Index done, Index first_step, int stage, int parity) const {
    const auto& words = state.parts[part].words;
    const bool flushes = flush_ && stage + 1 == plan_.stages && program_.flushes(first_step + done, numbers_stages_);
    return {flushes ? flush_ : stages_[at(stage)], words[at(parity)].data(),
            words[at(stage + 1 == plan_.stages ? parity ^ 1 : parity)].data(), numbers_.row(done)};
}

void MeshKernel::run(const Level& level, const PartLayout& part, std::int32_t ring, std::int32_t first, std::int32_t slices,
                     const char* prefetch, std::int64_t lines) const {
    if (slices <= 0) return;
    const std::int64_t slice_bytes = static_cast<std::int64_t>(lanes_) * static_cast<std::int64_t>(kWordBytes);
    SliceArguments arguments{};
    arguments.in = level.in;
    arguments.out = level.out;
    arguments.first_byte = first * slice_bytes;
    arguments.ring_byte = part.ring_first[at(std::max(ring - 1, 0))] * slice_bytes;
    arguments.slices = slices;
    arguments.entries = part.entries.data() + first;
    arguments.weights = part.weights.data();
    arguments.indices = part.indices.data();
    arguments.numbers = level.numbers;
    arguments.prefetch = prefetch;
    arguments.prefetch_lines = (lines + slices - 1) / slices;
    arguments.fma = scalar_.fma;
    arguments.floor = scalar_.floor;
    level.function(&arguments);
}

// One part for all threads: every stage of every step is distributed over them by slices.
void MeshKernel::advance_shared(MeshState& state, int worker, Index first_step, Index n) {
    const PartLayout& part = parts_.front();
    const std::int32_t begin = shares_[at(worker)], end = shares_[at(worker) + 1];
    if (cut_.alone && worker > 0) return;
    const auto first_ring = std::upper_bound(part.ring_first.begin(), part.ring_first.end(), begin) - part.ring_first.begin() - 1;
    for (Index step = 0; step < n; ++step) {
        for (int stage = 0; stage < plan_.stages; ++stage) {
            const Level now = level(state, 0, step, first_step, stage, (state.current + static_cast<int>(step)) & 1);
            for (auto ring = static_cast<std::int32_t>(first_ring); ring < part.rings() && part.ring_first[at(ring)] < end; ++ring) {
                const std::int32_t from = std::max(begin, part.ring_first[at(ring)]), to = std::min(end, part.ring_first[at(ring) + 1]);
                run(now, part, ring, from, to - from, nullptr, 0);
            }
            if (!cut_.alone) context_.team.barrier();
        }
    }
}

// Passes of up to cut_.steps steps; between them the ghosts are fetched from their owners.
void MeshKernel::advance_parts(MeshState& state, int worker, Index first_step, Index n) {
    const Index passes = (n + cut_.steps - 1) / cut_.steps;
    const bool alone = parts_.size() == 1;
    auto each_part = [&](auto&& work) {
        for (std::size_t p = 0; p < parts_.size(); ++p) {
            if (thread_of_[p] == worker) work(p);
        }
    };
    for (Index pass = 0; pass < passes; ++pass) {
        const Index first = n * pass / passes;
        const int steps = static_cast<int>(n * (pass + 1) / passes - first);
        if (!alone) {
            context_.team.barrier();
            each_part([&](std::size_t p) { exchange(state, p, static_cast<int>((state.current + first) & 1)); });
            context_.team.barrier();
        }
        each_part([&](std::size_t p) { sweep(state, p, first, first_step, steps); });
    }
}

void MeshKernel::exchange(MeshState& state, std::size_t part, int parity) const {
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
        if (plan_.groups[g].home != WordGroup::Home::state) continue;
        auto* words = reinterpret_cast<std::uint64_t*>(state.parts[part].words[at(parity)][g]);
        for (const GhostSlot& ghost : parts_[part].ghosts) {
            words[ghost.slot] = reinterpret_cast<const std::uint64_t*>(state.parts[at(ghost.part)].words[at(parity)][g])[ghost.source];
        }
    }
}

// What the first level reads and writes next, beside weights: the indices of ring s+1, and the states of ring s+2, where the neighbours of that ring lie.
void MeshKernel::fetch_ahead(const PartLayout& part, const Level& level, int s, Share share) const {
    const auto fetch = [&](const std::byte* base, ByteRange bytes) {
        const ByteRange own = share.of(bytes);
        for (std::size_t line = own.begin; line < own.end; line += kLine) __builtin_prefetch(base + line, 0, 2);
    };
    const auto slices = [&](int ring) { return ByteRange{at(part.ring_first[at(ring)]), at(part.ring_first[at(ring + 1)])}; };
    if (s + 1 < part.rings()) {
        const std::size_t bytes = at(lanes_) * (wide_ ? 4 : 2);
        const ByteRange ring = slices(s + 1);
        fetch(part.indices.data(), {at(part.entries[ring.begin]) * bytes, at(part.entries[ring.end]) * bytes});
    }
    if (s + 2 < part.rings()) {
        const std::size_t bytes = at(lanes_) * kWordBytes;
        const ByteRange ring = slices(s + 2);
        for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
            for (const std::byte* words : {level.in[g], static_cast<const std::byte*>(level.out[g])})
                fetch(words, {ring.begin * bytes, ring.end * bytes});
        }
    }
}

// Level l computes ring r right after level l-1 has computed ring r+1, so the data that it reads has just been written.
void MeshKernel::sweep(MeshState& state, std::size_t p, Index first, Index first_step, int steps) {
    const PartLayout& part = parts_[p];
    const int levels = steps * plan_.stages, all = cut_.steps * plan_.stages, columns = static_cast<int>(part.needed.size()) / part.rings();
    std::vector<Level>& list = levels_[p];
    list.clear();
    for (int l = 0; l < levels; ++l) {
        const Index done = first + l / plan_.stages;
        list.push_back(level(state, p, done, first_step, l % plan_.stages, static_cast<int>((state.current + done) & 1)));
    }
    // A pass of fewer levels than planned runs the last levels of a longer one.
    auto needed = [&](int ring, int l) { return part.needed[at(ring) * at(columns) + at(columns > 1 ? l + 1 + all - levels : 0)]; };
    for (int s = 0; s < part.rings() + levels - 1; ++s) {
        for (int l = std::max(0, s - part.rings() + 1); l < std::min(levels, s + 1); ++l) {
            const int ring = s - l;
            const char* prefetch = nullptr;
            std::int64_t lines = 0;
            if (l > 0 && s + 1 < part.rings()) {  // the weights of the ring that the first level does next, a share per level
                const std::int32_t front = part.ring_first[at(s + 1)];
                const ByteRange weights = Share{l - 1, levels - 1}.of(
                    {at(part.entries[at(front)]) * part.weight_bytes, at(part.entries[at(front + needed(s + 1, 0))]) * part.weight_bytes});
                prefetch = reinterpret_cast<const char*>(part.weights.data()) + weights.begin;
                lines = static_cast<std::int64_t>((weights.end - weights.begin) / kLine);
            }
            if (l > 0) fetch_ahead(part, list.front(), s, {l - 1, levels - 1});
            run(list[at(l)], part, ring, part.ring_first[at(ring)], needed(ring, l), prefetch, lines);
        }
    }
}

}  // namespace mottle::backend::cpu
