// mottle/backend/cpu/plane/kernel.cpp: a Program compiled for the CPU, and the bands that hold its fields
#include "mottle/backend/cpu/plane/kernel.h"

#include "mottle/backend/cpu/plane/state.h"
#include "mottle/backend/flush_mode.h"

#include <cmath>

namespace mottle::backend::cpu {

PlaneKernel::PlaneKernel(const ir::Program& program, const domain::Domain& domain, const PlaneSchedule& request, const Isa& isa,
                         core::Context& context)
    : Kernel(context),
      program_(program),
      domain_(domain),
      grid_(std::get<domain::Grid>(domain_)),
      plan_(make_plan(program_)),
      number_table_(program.f64, program.uniforms.size(), plan_.constants),
      cut_(choose_cut(program_, plan_, grid_, request, isa, context.team.size())),
      variants_(program_, plan_, cut_.calls, emit_options(isa, cut_.strips), context.cache) {
    const Index strip = cut_.strips.whole() ? 0 : grid_.size[0] / cut_.strips.count();
    schedule_ = PlaneSchedule{cut_.steps, cut_.calls.block, static_cast<int>(strip), cut_.parts};
    make_axis_tables();
}

PlaneKernel::~PlaneKernel() {
    for (auto* memory : axis_memory_) free_rows(memory);
}

std::unique_ptr<State> PlaneKernel::create_state() {
    const Index height = grid_.size[1];
    auto state = std::make_unique<CpuState>(cut_.strips, height, static_cast<int>(program_.state_count()), program_.f64 ? 8 : 4);
    std::vector<MapRows> maps;
    for (const Strip& strip : cut_.strips.strips) {
        std::vector<Memory>& memory = state->maps.emplace_back();
        MapRows& rows = maps.emplace_back();
        for (const Group& group : plan_.groups) {
            const Index kept = group.along == Along::x ? 1 : height;
            memory.push_back(group.home == Home::map ? Memory(GroupRows::memory_bytes(group, strip.layout, kept)) : Memory());
            rows.push_back(memory.back().data());
        }
    }
    std::vector<BandShape> shapes;
    for (int p = 0; p < cut_.parts; ++p) {
        const Index first = height * p / cut_.parts, end = height * (p + 1) / cut_.parts;
        for (int strip = 0; strip < cut_.strips.count(); ++strip)
            shapes.push_back({first, end - first, height, strip, !plan_.all_wrap(), cut_.steps, cut_.calls.block});
    }
    state->bands.resize(shapes.size());
    context_.team.run([&](int worker) {  // each band's memory is first touched by the thread that will sweep it
        const auto [first, end] = share_of(worker, shapes.size());
        for (std::size_t b = first; b < end; ++b) {
            const auto strip = static_cast<std::size_t>(shapes[b].strip);
            state->bands[b] = std::make_unique<Band>(plan_, cut_.strips, shapes[b], axis_tables_[strip], maps[strip]);
        }
    });
    return state;
}

// Bands [first, end) are those of one worker.
std::pair<std::size_t, std::size_t> PlaneKernel::share_of(int worker, std::size_t bands) const {
    const auto team = static_cast<std::size_t>(context_.team.size()), w = static_cast<std::size_t>(worker);
    return {bands * w / team, bands * (w + 1) / team};
}

const ir::GhostRule& PlaneKernel::ghosts_of(ir::Array array) const {
    return program_.ghosts[static_cast<std::size_t>(program_.arrays[static_cast<std::size_t>(array)].ghost_rule)];
}

// ---- steps

// Side ghosts that depend on uniforms may be older than the parameters or the time of this launch.
template <class Real>
void PlaneKernel::refresh_side_ghosts(Band& band, const NumberRows& numbers) const {
    const auto* values = reinterpret_cast<const Real*>(numbers.row(0));
    const RowLayout& layout = band.strip().layout;
    for (ir::Array a = 0; a < program_.state_count(); ++a) {
        const auto& rule = ghosts_of(a);
        for (auto side : {domain::kLeft, domain::kRight}) {
            const ir::Ghost& ghost = rule[side];
            if (ghost.alpha < 0 || !(side == domain::kLeft ? band.strip().at_left_border() : band.strip().at_right_border())) continue;
            for (Index y = 0; y < band.shape().rows; ++y) {
                std::byte* row = band.row(a, y);
                bool left = side == domain::kLeft;
                Real inside = left ? layout.first<Real>(row) : layout.last<Real>(row);
                Real& outside = left ? layout.left_ghost<Real>(row) : layout.right_ghost<Real>(row);
                outside = std::fma(values[ghost.beta], inside, values[ghost.alpha]);
            }
        }
    }
}

// One pass over the bands of one worker in one strip of all rows. A band that needs more of the next than is there lets the others go on; only where
// none can does the worker wait, for the band after its last one, which is another's.
void PlaneKernel::advance_bands(CpuState& state, const Band::Launch& launch, const Band::Pass& pass, std::size_t strip, int worker) const {
    const std::size_t count = state.bands.size(), stride = state.strips;
    const auto [first, end] = share_of(worker, count);
    const std::size_t begin = first + (strip + stride - first % stride) % stride;
    const auto next = [&](std::size_t b) -> Heads& { return state.bands[(b + stride) % count]->heads(); };
    for (std::size_t b = begin; b < end; b += stride) state.bands[b]->begin_pass(launch, pass);
    for (bool done = false; !done;) {
        done = true;
        bool stuck = true;
        std::size_t last = begin;
        for (std::size_t b = begin; b < end; last = b, b += stride) {
            Band& band = *state.bands[b];
            if (band.done()) continue;
            const Band::Progress progress = band.go_on(launch, next(b));
            done = done && progress == Band::Progress::done;
            stuck = stuck && progress == Band::Progress::stuck;
        }
        if (!done && stuck) state.bands[last]->wait_for(launch, next(last));
    }
}

void PlaneKernel::advance(State& base, Index first_step, Index n, UniformTable uniforms) {
    if (n <= 0) return;
    CpuState& state = cast(base);
    numbers_ = number_table_.fill(n, uniforms);
    const KernelFunctions& functions = variants_.find(uniforms);
    const Index passes = (n + cut_.steps - 1) / cut_.steps;
    const std::size_t count = state.bands.size(), stride = state.strips;
    std::size_t largest = 0;
    for (const Strip& strip : cut_.strips.strips) largest += plan_.groups[0].arrays.size() * strip.layout.array_pitch();
    const bool prefetch = largest * static_cast<std::size_t>(grid_.size[1]) * stride / count > (std::size_t{3} << 19);
    // strips of one band on several threads trade their edges between two passes
    const bool meet = !cut_.strips.whole() && count / stride % static_cast<std::size_t>(context_.team.size()) != 0;
    const Band::Launch launch{numbers_, functions, state.edges, context_.team, prefetch, program_, uniforms.stages};
    for (const auto& band : state.bands) band->begin_launch();
    context_.team.run([&](int worker) {
        FlushMode mode(!program_.f64);
        const auto [begin, end] = share_of(worker, count);
        for (std::size_t b = begin; b < end; ++b) {
            Band& band = *state.bands[b];
            program_.f64 ? refresh_side_ghosts<double>(band, numbers_) : refresh_side_ghosts<float>(band, numbers_);
            if (!cut_.strips.whole() && !state.exported) band.export_edges(state.edges, state.parity);
        }
        for (Index number = 0; number < passes; ++number) {
            const Index first = n * number / passes;
            const int steps = static_cast<int>(n * (number + 1) / passes - first);
            const Band::Pass pass{number, steps, first, first_step + first, (state.parity + static_cast<int>(number % 2)) % 2};
            if (meet) context_.team.barrier();
            for (std::size_t strip = 0; strip < stride; ++strip) advance_bands(state, launch, pass, strip, worker);
        }
    });
    state.parity = (state.parity + static_cast<int>(passes % 2)) % 2;
    state.exported = true;
}

}  // namespace mottle::backend::cpu
