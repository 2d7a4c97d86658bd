// mottle/benchmarks/row_rate.cpp: the emitted row kernel of Gray-Scott beside the one written by hand, on rows that stay in the first-level cache
#include "baseline/machine.h"
#include "baseline/gray_scott.h"
#include "baseline/row_kernel.h"
#include "harness/mottle_run.h"
#include "harness/race.h"
#include "harness/report.h"
#include "mottle/backend/cpu/compile/compile.h"
#include "mottle/backend/cpu/emit/grid.h"
#include "mottle/backend/cpu/emit/row_kernel.h"
#include "mottle/backend/cpu/plane/row_layout.h"
#include "mottle/core/error.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace mottle::benchmarks {
namespace {

namespace cpu = backend::cpu;

constexpr int kOperations = 14;

/// Rows of u and v in the layout that both kernels share: 16 (8) lanes, a ghost vector at each end, v behind u.
class Rows {
   public:
    Rows(int columns, int lanes, int count)
        : pitch_(2 * (columns + 2) * lanes), lanes_(lanes), count_(count), memory_(static_cast<std::size_t>(pitch_ * count)) {
        const Fields start = initial_fields(columns * lanes + 2 * lanes, 3 * count);
        for (int y = 0; y < count; ++y) {
            const std::size_t from = static_cast<std::size_t>(y + count / 2) * static_cast<std::size_t>(start.width);
            std::copy_n(start.u.data() + from, start.width, memory_.data() + y * pitch_);
            std::copy_n(start.v.data() + from, start.width, memory_.data() + y * pitch_ + pitch_ / 2);
        }
    }
    float* row(int y) const { return memory_.data() + y * pitch_ + lanes_; }
    int field() const { return pitch_ / 2; }
    bool same(const Rows& other) const {
        return std::memcmp(memory_.data(), other.memory_.data(), static_cast<std::size_t>(pitch_ * count_) * sizeof(float)) == 0;
    }
    bool alive() const {
        const auto [low, high] = std::minmax_element(memory_.data(), memory_.data() + pitch_ * count_);
        return *low >= 0 && *high <= 2 && *high - *low > 0.1F;
    }

   private:
    int pitch_, lanes_, count_;
    HugeBuffer memory_;
};

/// The kernel as the CPU backend emits and compiles it.
class Emitted {
   public:
    Emitted(const ir::Program& program, const std::vector<double>& uniforms, const cpu::Isa& isa, int rows, int columns)
        : plan_(cpu::make_plan(program)),
          layout_(static_cast<core::Index>(columns) * (isa.register_bytes / 4), isa.register_bytes / 4, 4),
          rows_(rows) {
        cpu::EmitOptions options;
        options.isa = isa;
        options.lanes = layout_.lanes();
        code_ = cpu::compile_text(cpu::emit_grid(program, plan_, {{rows}, rows, {}}, options), isa, {});
        function_ = reinterpret_cast<cpu::RowFunction>(code_->symbol(cpu::stage_function(0, rows, false)));
        for (const double value : uniforms) numbers_.push_back(ir::round_to<float>(value));
        for (const cpu::Constant& constant : plan_.constants.list())
            numbers_.push_back(static_cast<float>(std::bit_cast<double>(constant.bits)));
        arguments_.numbers = arguments_.ghost_numbers = numbers_.data();
        arguments_.row_bytes = static_cast<std::int64_t>(layout_.row_bytes());
        arguments_.array_pitch = static_cast<std::int64_t>(layout_.array_pitch());
        arguments_.left_overlap = layout_.left_overlap();
        arguments_.right_overlap = layout_.right_overlap();
    }
    void aim(const Rows& rows) {
        pointers_.clear();
        for (int y = 0; y < rows_ + 2; ++y) pointers_.push_back(rows.row(y));
        lists_ = {pointers_.data(), pointers_.data()};  // results go where the rows are
        arguments_.lists = lists_.data();
        arguments_.prefetch = reinterpret_cast<const char*>(rows.row(0));
    }
    void operator()() const { function_(&arguments_); }

   private:
    cpu::Plan plan_;
    cpu::RowLayout layout_;
    int rows_;
    std::unique_ptr<cpu::ObjectCode> code_;
    cpu::RowFunction function_ = nullptr;
    std::vector<float> numbers_;
    std::vector<void*> pointers_;
    std::array<const void*, 2> lists_{};
    cpu::RowArguments arguments_{};
};

RowCall by_hand(const Rows& rows, const Constants& constants, int count, int columns) {
    RowCall call{};
    for (int y = 0; y < count + 2; ++y) call.in[y] = rows.row(y);
    call.columns = columns;
    call.field = rows.field();
    call.constants = &constants;
    return call;
}

template <class Kernel>
Entry entry(std::string name, Kernel kernel) {
    return {std::move(name),
            1,
            64,
            [kernel](int calls) {
                const Pinned pinned(0);
                const FlushSubnormals flush;
                for (int i = 0; i < calls; ++i) kernel();
            },
            {}};
}

int run(int count, char** words) {
    const Options options(count, words,
                          "Gray-Scott row kernels on rows in the first-level cache, 1 thread: emitted by Mottle beside intrinsics.",
                          {{"widths", "256,512,768"}, {"rounds", "15"}, {"seconds", "0.02"}, {"clock", "wall"}});
    const GrayScott model;
    const Constants constants = fold(model);
    Json results = Json::array();
    Table table({"instruction set", "rows", "width", "by hand Gcell/s", "emitted Gcell/s", "ratio", "emitted Gop/s"});
    MottleRun run(Job{.model = gray_scott_text(model), .settings = square(64)});
    const ir::Program& program = run.simulation().kernel().program();
    std::vector<double> inputs;
    for (const std::string& name : program.inputs) {
        inputs.push_back(name == "dt"   ? model.dt
                         : name == "Du" ? model.du
                         : name == "Dv" ? model.dv
                         : name == "F"  ? model.feed
                         : name == "k"  ? model.kill
                                        : 0);
    }
    const std::vector<double> uniforms = ir::evaluate_uniforms(program, inputs);
    for (const cpu::Isa& isa : cpu::isa_levels()) {
        const bool wide = isa.name == "avx512";
        if ((!wide && isa.name != "avx2") || !available(wide ? Vectors::avx512 : Vectors::avx2)) continue;
        for (const int rows : {4, 3, 2, 1}) {
            for (const int width : options.integers("widths")) {
                const int lanes = wide ? 16 : 8, columns = width / lanes;
                Rows mine(columns, lanes, rows + 2), theirs(columns, lanes, rows + 2);
                const RowCall call = by_hand(mine, constants, rows, columns);
                const RowKernel kernel = wide ? row_kernel_avx512(rows) : row_kernel_avx2(rows);
                Emitted emitted(program, uniforms, isa, rows, columns);
                emitted.aim(theirs);
                {
                    const FlushSubnormals flush;
                    for (int i = 0; i < 100; ++i) {
                        kernel(call);
                        emitted();
                    }
                }
                if (!mine.same(theirs) || !mine.alive()) {
                    std::fprintf(stderr, "verification failed: %s, %d rows, width %d: the emitted kernel and the one by hand differ\n",
                                 isa.name.c_str(), rows, width);
                    return 1;
                }
                std::vector<Entry> entries = {entry("by hand", [&] { kernel(call); }), entry("emitted", [&] { emitted(); })};
                race(entries, static_cast<int>(options.number("rounds")), options.number("seconds"),
                     options.text("clock") == "processor" ? Clock::processor : Clock::wall);
                const double cells = static_cast<double>(columns) * lanes * rows, hand = cells / seconds_per_step(entries[0]),
                             own = cells / seconds_per_step(entries[1]);
                table.add({isa.name, std::to_string(rows), std::to_string(width), format("%.2f", hand / 1e9), format("%.2f", own / 1e9),
                           format("%.3f", own / hand), format("%.0f", own * kOperations / 1e9)});
                results.add(Json::object()
                                .set("isa", isa.name)
                                .set("rows", rows)
                                .set("width", width)
                                .set("by_hand", hand)
                                .set("emitted", own)
                                .set("ratio", own / hand));
            }
        }
    }
    table.print();
    options.write(provenance("row_rate", "cpu", 1).set("results", results));
    return 0;
}

}  // namespace

int benchmark(int count, char** words) { return guarded(run, count, words); }

}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::benchmark(count, words); }
