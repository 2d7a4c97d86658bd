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
    std::vector<std::unique_ptr<Band>> bands;

    /// The band that holds grid row `row`, and the row within it.
    std::pair<Band*, Index> find(Index row) const {
        auto after = std::upper_bound(bands.begin(), bands.end(), row, [](Index r, const auto& band) { return r < band->shape().first; });
        Band* band = std::prev(after)->get();
        return {band, row - band->shape().first};
    }
};

CpuState& cast(State& state) {
    return static_cast<CpuState&>(state);
}
const CpuState& cast(const State& state) {
    return static_cast<const CpuState&>(state);
}

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

}  // namespace

CpuKernel::CpuKernel(const ir::Program& program, const domain::Domain& domain, const Schedule& request, const Isa& isa, core::Context& context)
    : Kernel(context), program_(program), domain_(domain), grid_(std::get<domain::Grid>(domain_)), isa_(isa), plan_(make_plan(program_)),
      layout_(layout_for(grid_, isa, program.f64)), number_table_(program.f64, program.uniforms.size(), plan_.constants) {
    EmitOptions options = emit_options(isa_, layout_);
    cut_ = choose_cut(program_, plan_, layout_, grid_, request, options, context.team.size());
    schedule_ = {cut_.steps, cut_.block, 0, cut_.parts};
    factors_ = uniform_factors(program_);
    variants_.push_back(compile_variant({}));
    make_axis_tables();
}

std::unique_ptr<CpuKernel::Variant> CpuKernel::compile_variant(std::vector<bool> ones) {
    auto variant = std::make_unique<Variant>();
    EmitOptions options = emit_options(isa_, layout_);
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
void CpuKernel::make_axis_tables() {
    for (ir::Axis axis : {ir::kAxisX, ir::kUnitX, ir::kStillX}) {
        bool used = std::any_of(plan_.stages.begin(), plan_.stages.end(), [&](const StagePlan& s) { return std::count(s.axes.begin(), s.axes.end(), axis) > 0; });
        if (!used) continue;
        std::byte* memory = allocate_rows(layout_.array_pitch() + 64);
        axis_memory_.push_back(memory);
        std::vector<double> table = coordinate_table(grid_, axis);
        auto outside = [&](Index i) { return table[static_cast<std::size_t>(inside_cell(grid_, 0, i))]; };
        auto scatter = [&]<class Real>(Real) {
            std::vector<Real> cells;
            for (double x : table) cells.push_back(ir::round_to<Real>(x));
            layout_.scatter<Real>(cells, ir::round_to<Real>(outside(-1)), ir::round_to<Real>(outside(layout_.width())), memory + layout_.vector_bytes());
        };
        program_.f64 ? scatter(double{}) : scatter(float{});
        x_tables_.table[static_cast<std::size_t>(axis)] = memory + layout_.vector_bytes();
    }
}

AxisTables CpuKernel::axis_tables(const BandShape& shape) {
    AxisTables tables = x_tables_;
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
    auto state = std::make_unique<CpuState>();
    Index height = grid_.size[1];
    bool wraps = grid_.sides[domain::kTop].rule == domain::Rule::periodic;
    std::vector<BandShape> shapes;
    std::vector<AxisTables> axes;
    for (int p = 0; p < cut_.parts; ++p) {
        Index first = height * p / cut_.parts, end = height * (p + 1) / cut_.parts;
        shapes.push_back({first, end - first, !wraps && p == 0, !wraps && p + 1 == cut_.parts, cut_.steps, cut_.block});
        axes.push_back(axis_tables(shapes.back()));
    }
    state->bands.resize(shapes.size());
    context_.team.run([&](int worker) {  // each band's memory is first touched by the thread that will sweep it
        for (std::size_t b = static_cast<std::size_t>(worker); b < shapes.size(); b += static_cast<std::size_t>(context_.team.size())) {
            state->bands[b] = std::make_unique<Band>(plan_, layout_, shapes[b], axes[b]);
        }
    });
    return state;
}

const ir::GhostRule& CpuKernel::ghosts_of(ir::Array array) const {
    return program_.ghosts[static_cast<std::size_t>(program_.arrays[static_cast<std::size_t>(array)].ghost_rule)];
}

// ---- steps

// Side ghosts that depend on uniforms may be older than the parameters or the time of this launch.
template <class Real>
void CpuKernel::refresh_side_ghosts(Band& band, const NumberRows& numbers) const {
    const auto* values = reinterpret_cast<const Real*>(numbers.row(0));
    for (ir::Array a = 0; a < program_.state_count(); ++a) {
        const auto& rule = ghosts_of(a);
        for (auto side : {domain::kLeft, domain::kRight}) {
            const ir::Ghost& ghost = rule[side];
            if (ghost.alpha < 0) continue;
            for (Index y = 0; y < band.shape().rows; ++y) {
                std::byte* row = band.row(a, y);
                bool left = side == domain::kLeft;
                Real inside = left ? layout_.first<Real>(row) : layout_.last<Real>(row);
                Real& outside = left ? layout_.left_ghost<Real>(row) : layout_.right_ghost<Real>(row);
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
    const std::size_t count = state.bands.size(), team = static_cast<std::size_t>(context_.team.size());
    const std::size_t most = plan_.groups[0].arrays.size() * layout_.array_pitch() * static_cast<std::size_t>(grid_.size[1]) / count;
    const bool prefetch = most > (std::size_t{3} << 19);
    context_.team.run([&](int worker) {
        FlushMode mode(!program_.f64);
        auto each_band = [&](auto&& work) {
            for (std::size_t b = static_cast<std::size_t>(worker); b < count; b += team) work(*state.bands[b], *state.bands[(b + count - 1) % count], *state.bands[(b + 1) % count]);
        };
        each_band([&](Band& band, const Band&, const Band&) { program_.f64 ? refresh_side_ghosts<double>(band, numbers_) : refresh_side_ghosts<float>(band, numbers_); });
        for (Index pass = 0; pass < passes; ++pass) {
            const Index first = n * pass / passes;
            const int steps = static_cast<int>(n * (pass + 1) / passes - first);
            if (count > 1) context_.team.barrier();
            each_band([&](Band& band, const Band& above, const Band& below) { band.fetch_ghost_rows(above, below, steps); });
            if (count > 1) context_.team.barrier();
            each_band([&](Band& band, const Band&, const Band&) { band.advance(steps, first, first_step + first, numbers_, functions, prefetch); });
        }
    });
}

// ---- rows of cells

void CpuKernel::read_row(const State& state, ir::Array array, Index row, std::span<float> cells) const {
    auto [band, y] = cast(state).find(row);
    if (!program_.f64) {
        layout_.gather<float>(band->row(array, y), cells);
        return;
    }
    std::vector<double> wide(cells.size());
    layout_.gather<double>(band->row(array, y), wide);
    std::transform(wide.begin(), wide.end(), cells.begin(), [](double x) { return ir::round_to<float>(x); });
}

void CpuKernel::read_row(const State& state, ir::Array array, Index row, std::span<double> cells) const {
    auto [band, y] = cast(state).find(row);
    if (program_.f64) {
        layout_.gather<double>(band->row(array, y), cells);
        return;
    }
    std::vector<float> narrow(cells.size());
    layout_.gather<float>(band->row(array, y), narrow);
    std::copy(narrow.begin(), narrow.end(), cells.begin());
}

template <class Real>
void CpuKernel::write(Band& band, ir::Array array, Index y, std::span<const double> cells) const {
    std::vector<Real> rounded(cells.size());
    std::transform(cells.begin(), cells.end(), rounded.begin(), [](double x) { return ir::round_to<Real>(x); });
    bool wraps = ghosts_of(array)[domain::kLeft].rule == domain::Rule::periodic;
    // ghosts that depend on uniforms are set again when a launch begins
    Real left = wraps ? rounded.back() : rounded.front(), right = wraps ? rounded.front() : rounded.back();
    layout_.scatter<Real>(rounded, left, right, band.row(array, y));
}

void CpuKernel::write_row(State& base, ir::Array array, Index row, std::span<const double> cells) {
    CpuState& state = cast(base);
    auto [band, y] = state.find(row);
    auto put = [&](Band& to, Index at) { program_.f64 ? write<double>(to, array, at, cells) : write<float>(to, array, at, cells); };
    put(*band, y);
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
