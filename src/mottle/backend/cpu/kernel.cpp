// mottle/backend/cpu/kernel.cpp: a Program compiled for the CPU, and the bands that hold its fields
#include "mottle/backend/cpu/kernel.h"

#include "mottle/backend/coordinates.h"
#include "mottle/backend/cpu/compile.h"
#include "mottle/backend/flush_mode.h"
#include "mottle/ir/evaluate.h"
#include "mottle/core/error.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace mottle::backend::cpu {
namespace {

class CpuState final : public State {
   public:
    CpuState(const Strips& row, Index rows, int arrays, std::size_t scalar_bytes)
        : strips(static_cast<std::size_t>(row.count())), edges(row, rows, arrays, scalar_bytes) {}

    const std::size_t strips;                  ///< of each band of rows
    std::vector<std::unique_ptr<Band>> bands;  ///< all strips of the first rows, then those of the next
    Edges edges;
    int parity = 0;         ///< the copy of the edges that the next pass reads
    bool exported = false;  ///< that copy stands for the present state

    /// The strips that hold grid row `row`, and the row within them.
    std::pair<std::span<const std::unique_ptr<Band>>, Index> find(Index row) const {
        std::size_t at = 0;
        while (at + strips < bands.size() && bands[at + strips]->shape().first <= row) at += strips;
        return {{bands.data() + at, strips}, row - bands[at]->shape().first};
    }
};

CpuState& cast(State& state) { return static_cast<CpuState&>(state); }
const CpuState& cast(const State& state) { return static_cast<const CpuState&>(state); }

std::vector<bool> uniform_factors(const ir::Program& program) {
    std::vector<bool> factors(program.uniforms.size());
    for (const auto& stage : program.step.stages) {
        for (const auto& instruction : stage.code) {
            if (instruction.op != ir::Op::mul) continue;
            for (const ir::Value arg : {instruction.args[0], instruction.args[1]}) {
                const auto& operand = stage.code[static_cast<std::size_t>(arg)];
                if (operand.op == ir::Op::uniform) factors[static_cast<std::size_t>(operand.index)] = true;
            }
        }
    }
    return factors;
}

/// The cell of the grid's row at place `i` of a strip, ghost cells and the cells beyond included: wrapped, or mirrored at a border.
Index cell_of(const domain::Grid& grid, const Strip& strip, Index i) {
    return std::clamp<Index>(inside_cell(grid, 0, strip.first - strip.left + i), 0, grid.size[0] - 1);
}

}  // namespace

CpuKernel::CpuKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& request, const Isa& isa,
                     core::Context& context)
    : Kernel(context),
      program_(program),
      domain_(domain),
      grid_(std::get<domain::Grid>(domain_)),
      isa_(isa),
      plan_(make_plan(program_)),
      number_table_(program.f64, program.uniforms.size(), plan_.constants),
      cut_(choose_cut(program_, plan_, grid_, request, isa, context.team.size())) {
    const Index chunk = cut_.strips.whole() ? 0 : grid_.size[0] / cut_.strips.count();
    schedule_ = {cut_.steps, cut_.block, static_cast<int>(chunk), cut_.parts};
    factors_ = uniform_factors(program_);
    variants_.push_back(compile_variant({}));
}

std::unique_ptr<CpuKernel::Variant> CpuKernel::compile_variant(std::vector<bool> ones) {
    auto variant = std::make_unique<Variant>();
    EmitOptions options = emit_options(isa_, cut_.strips);
    options.ones = ones;
    variant->ones = std::move(ones);
    variant->code = compile_text(kernel_text(program_, plan_, cut_, options), isa_, context_.cache);
    auto function = [&](const std::string& name) { return reinterpret_cast<RowFunction>(variant->code->symbol(name)); };
    KernelFunctions& functions = variant->functions;
    for (std::size_t s = 0; s < plan_.stages.size(); ++s) {
        StageFunctions stage;
        for (int rows : row_variants(cut_.rows[s])) {
            stage.variants.emplace_back(rows, function(stage_function(static_cast<int>(s), rows, false)));
            if (s + 1 == plan_.stages.size() && program_.flush_step) {
                functions.flush.variants.emplace_back(rows, function(stage_function(static_cast<int>(s), rows, true)));
            }
        }
        functions.stages.push_back(std::move(stage));
    }
    bool wraps = grid_.sides[domain::kTop].rule == domain::Rule::periodic;
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
        functions.border_top.push_back(wraps ? nullptr : function(border_function(true, static_cast<int>(g))));
        functions.border_bottom.push_back(wraps ? nullptr : function(border_function(false, static_cast<int>(g))));
    }
    const ScalarFunctions scalar(program_.f64);
    functions.fma = scalar.fma;
    functions.floor = scalar.floor;
    return variant;
}

// 1*x is x to the last bit, so a factor that is exactly 1 in all steps of a launch is left out; nothing else may be.
const KernelFunctions& CpuKernel::variant_for(const UniformTable& uniforms) {
    std::vector<bool> ones = factors_;
    const std::size_t columns = factors_.size();
    bool any = false;
    for (std::size_t i = 0; i < columns; ++i) {
        for (std::size_t at = i; ones[i] && at < uniforms.values.size(); at += columns) {
            ones[i] = uniforms.values[at] == 1;
        }
        any = any || ones[i];
    }
    if (!any) return variants_.front()->functions;
    for (const auto& variant : variants_) {
        if (variant->ones == ones) return variant->functions;
    }
    variants_.push_back(compile_variant(std::move(ones)));
    return variants_.back()->functions;
}

CpuKernel::~CpuKernel() {
    for (auto* memory : axis_memory_) free_rows(memory);
}

// x tables are lane-transposed rows whose ghosts hold the wrapped or mirrored cell.
void CpuKernel::add_x_tables(const Strip& strip, AxisTables& tables) {
    const RowLayout& layout = strip.layout;
    for (ir::Axis axis : {ir::kAxisX, ir::kUnitX, ir::kStillX}) {
        bool used = std::any_of(plan_.stages.begin(), plan_.stages.end(),
                                [&](const StagePlan& s) { return std::count(s.axes.begin(), s.axes.end(), axis) > 0; });
        if (!used) continue;
        std::byte* memory = allocate_rows(layout.array_pitch() + 64);
        axis_memory_.push_back(memory);
        const std::vector<double> table = coordinate_table(grid_, axis);
        auto scatter = [&]<class Real>(Real) {
            auto value = [&](Index i) { return ir::round_to<Real>(table[static_cast<std::size_t>(cell_of(grid_, strip, i))]); };
            std::vector<Real> cells;
            for (Index i = 0; i < layout.width(); ++i) cells.push_back(value(i));
            layout.scatter<Real>(cells, value(-1), value(layout.width()), memory + layout.vector_bytes());
        };
        program_.f64 ? scatter(double{}) : scatter(float{});
        tables.table[static_cast<std::size_t>(axis)] = memory + layout.vector_bytes();
    }
}

AxisTables CpuKernel::axis_tables(const BandShape& shape) {
    AxisTables tables;
    add_x_tables(cut_.strips.strips[static_cast<std::size_t>(shape.strip)], tables);
    Index ghosts = static_cast<Index>(plan_.radius) * shape.most_steps + 1;
    for (ir::Axis axis : {ir::kAxisY, ir::kAxisZ, ir::kUnitY, ir::kUnitZ, ir::kStillY, ir::kStillZ}) {
        std::vector<double> table = coordinate_table(grid_, axis);
        bool y = direction(axis) == 1;
        std::vector<std::byte>& bytes = y_tables_.emplace_back();
        auto fill = [&]<class Real>(Real) {
            Index count = y ? shape.rows + 2 * ghosts : 1;
            bytes.resize(static_cast<std::size_t>(count) * sizeof(Real));
            for (Index i = 0; i < count; ++i) {
                // ghosts beyond a border that does not wrap are never read; deep ones lie outside any mirror
                Index cell = y ? std::clamp<Index>(inside_cell(grid_, 1, shape.first + i - ghosts), 0, grid_.size[1] - 1) : 0;
                Real value = ir::round_to<Real>(table[static_cast<std::size_t>(cell)]);
                std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(Real), &value, sizeof(Real));
            }
        };
        program_.f64 ? fill(double{}) : fill(float{});
        tables.table[static_cast<std::size_t>(axis)] = bytes.data();
    }
    return tables;
}

std::unique_ptr<State> CpuKernel::create_state() {
    Index height = grid_.size[1];
    auto state = std::make_unique<CpuState>(cut_.strips, height, static_cast<int>(program_.state_count()), program_.f64 ? 8 : 4);
    bool wraps = grid_.sides[domain::kTop].rule == domain::Rule::periodic;
    std::vector<BandShape> shapes;
    std::vector<AxisTables> axes;
    for (int p = 0; p < cut_.parts; ++p) {
        Index first = height * p / cut_.parts, end = height * (p + 1) / cut_.parts;
        for (int strip = 0; strip < cut_.strips.count(); ++strip) {
            shapes.push_back({first, end - first, strip, !wraps && p == 0, !wraps && p + 1 == cut_.parts, cut_.steps, cut_.block});
            axes.push_back(axis_tables(shapes.back()));
        }
    }
    state->bands.resize(shapes.size());
    context_.team.run([&](int worker) {  // each band's memory is first touched by the thread that will sweep it
        const auto [first, end] = share_of(worker, shapes.size());
        for (std::size_t b = first; b < end; ++b) state->bands[b] = std::make_unique<Band>(plan_, cut_.strips, shapes[b], axes[b]);
    });
    return state;
}

// Bands [first, end) are those of one worker.
std::pair<std::size_t, std::size_t> CpuKernel::share_of(int worker, std::size_t bands) const {
    const auto team = static_cast<std::size_t>(context_.team.size()), w = static_cast<std::size_t>(worker);
    return {bands * w / team, bands * (w + 1) / team};
}

const ir::GhostRule& CpuKernel::ghosts_of(ir::Array array) const {
    return program_.ghosts[static_cast<std::size_t>(program_.arrays[static_cast<std::size_t>(array)].ghost_rule)];
}

// ---- steps

// Side ghosts that depend on uniforms may be older than the parameters or the time of this launch.
template <class Real>
void CpuKernel::refresh_side_ghosts(Band& band, const NumberRows& numbers) const {
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

void CpuKernel::advance(State& base, Index first_step, Index n, UniformTable uniforms) {
    if (n <= 0) return;
    CpuState& state = cast(base);
    numbers_ = number_table_.fill(n, uniforms);
    const KernelFunctions& functions = variant_for(uniforms);
    const Index passes = (n + cut_.steps - 1) / cut_.steps;
    const std::size_t count = state.bands.size(), stride = state.strips;
    std::size_t largest = 0;
    for (const Strip& strip : cut_.strips.strips) largest += plan_.groups[0].arrays.size() * strip.layout.array_pitch();
    const bool prefetch = largest * static_cast<std::size_t>(grid_.size[1]) * stride / count > (std::size_t{3} << 19);
    const Band::Launch launch{numbers_, functions, state.edges, grid_.size[1], prefetch};
    context_.team.run([&](int worker) {
        FlushMode mode(!program_.f64);
        const auto [first_band, end_band] = share_of(worker, count);
        auto each_band = [&](auto&& work) {
            for (std::size_t b = first_band; b < end_band; ++b)
                work(*state.bands[b], *state.bands[(b + count - stride) % count], *state.bands[(b + stride) % count]);
        };
        each_band([&](Band& band, const Band&, const Band&) {
            program_.f64 ? refresh_side_ghosts<double>(band, numbers_) : refresh_side_ghosts<float>(band, numbers_);
            if (!cut_.strips.whole() && !state.exported) band.export_edges(state.edges, state.parity);
        });
        for (Index pass = 0; pass < passes; ++pass) {
            const Index first = n * pass / passes;
            const int steps = static_cast<int>(n * (pass + 1) / passes - first), parity = (state.parity + static_cast<int>(pass % 2)) % 2;
            if (count > 1) context_.team.barrier();
            each_band([&](Band& band, const Band& above, const Band& below) { band.fetch_ghost_rows(above, below, steps); });
            if (count > 1) context_.team.barrier();
            each_band([&](Band& band, const Band&, const Band&) { band.advance(launch, steps, first, first_step + first, parity); });
        }
    });
    state.parity = (state.parity + static_cast<int>(passes % 2)) % 2;
    state.exported = true;
}

// ---- rows of cells

template <class Real>
void CpuKernel::read(const State& state, ir::Array array, Index row, std::span<Real> cells) const {
    const auto [strips, y] = cast(state).find(row);
    if (cut_.strips.whole()) return strips[0]->strip().layout.gather<Real>(strips[0]->row(array, y), cells);
    std::vector<Real> all;  // of a strip, ghosts included
    for (const auto& band : strips) {
        const Strip& strip = band->strip();
        all.resize(static_cast<std::size_t>(strip.layout.width()));
        strip.layout.gather<Real>(band->row(array, y), all);
        std::copy_n(all.begin() + strip.left, strip.cells, cells.begin() + strip.first);
    }
}

void CpuKernel::read_row(const State& state, ir::Array array, Index row, std::span<float> cells) const {
    if (!program_.f64) return read<float>(state, array, row, cells);
    std::vector<double> wide(cells.size());
    read<double>(state, array, row, wide);
    std::transform(wide.begin(), wide.end(), cells.begin(), [](double x) { return ir::round_to<float>(x); });
}

void CpuKernel::read_row(const State& state, ir::Array array, Index row, std::span<double> cells) const {
    if (program_.f64) return read<double>(state, array, row, cells);
    std::vector<float> narrow(cells.size());
    read<float>(state, array, row, narrow);
    std::copy(narrow.begin(), narrow.end(), cells.begin());
}

template <class Real>
void CpuKernel::write(Band& band, ir::Array array, Index y, std::span<const double> cells) const {
    const Strip& strip = band.strip();
    // ghosts that depend on uniforms are set again when a launch begins; until then they mirror
    auto value = [&](Index i) { return ir::round_to<Real>(cells[static_cast<std::size_t>(cell_of(grid_, strip, i))]); };
    std::vector<Real> rounded;
    rounded.reserve(static_cast<std::size_t>(strip.layout.width()));
    for (Index i = 0; i < strip.left; ++i) rounded.push_back(value(i));
    for (const double x : cells.subspan(static_cast<std::size_t>(strip.first), static_cast<std::size_t>(strip.cells)))
        rounded.push_back(ir::round_to<Real>(x));
    for (Index i = strip.left + strip.cells; i < strip.layout.width(); ++i) rounded.push_back(value(i));
    // beyond a border of the grid the rule of the array decides, and not that of the grid
    const bool wraps = ghosts_of(array)[domain::kLeft].rule == domain::Rule::periodic;
    const Real first = ir::round_to<Real>(cells.front()), last = ir::round_to<Real>(cells.back());
    const Real left = !strip.at_left_border() ? value(-1) : wraps ? last : first;
    const Real right = !strip.at_right_border() ? value(strip.layout.width()) : wraps ? first : last;
    strip.layout.scatter<Real>(rounded, left, right, band.row(array, y));
}

void CpuKernel::write_row(State& base, ir::Array array, Index row, std::span<const double> cells) {
    CpuState& state = cast(base);
    state.exported = false;
    const auto [strips, y] = state.find(row);
    auto put = [&](Band& to, Index at) { program_.f64 ? write<double>(to, array, at, cells) : write<float>(to, array, at, cells); };
    for (const auto& band : strips) put(*band, y);
    if (program_.arrays[static_cast<std::size_t>(array)].kind != ir::ArrayInfo::Kind::input) return;
    // maps are never exchanged, so a row goes wherever it is a ghost row too
    Index height = grid_.size[1];
    for (auto& other : state.bands) {
        const BandShape& shape = other->shape();
        Index ghosts = other->ghost_rows();
        for (Index ghost = -ghosts; ghost < shape.rows + ghosts; ++ghost) {
            bool beyond = (ghost < 0 && !shape.top) || (ghost >= shape.rows && !shape.bottom);
            if (beyond && ((shape.first + ghost) % height + height) % height == row) put(*other, ghost);
        }
    }
}

}  // namespace mottle::backend::cpu
