// mottle/backend/cpu/mesh/emit_mesh.cpp: one stage over slices of a mesh as LLVM IR text: gathers of whole words, one pass over the ring
#include "mottle/backend/cpu/mesh/emit_mesh.h"

#include "mottle/backend/cpu/emit/text.h"
#include "mottle/backend/cpu/mesh/slice_kernel.h"
#include "mottle/backend/step_plan.h"
#include "mottle/core/text.h"
#include "mottle/ir/program/ring.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace mottle::backend::cpu {
namespace {

using ir::Op;

using core::str;

/// The text of a constant vector, "<8 x i32> <i32 .., ..>"; `rule` gives the number for each lane.
std::string order_text(int count, const std::function<int(int)>& rule) {
    std::string text = "<" + str(count) + " x i32> <";
    for (int i = 0; i < count; ++i) text += (i ? ", i32 " : "i32 ") + str(rule(i));
    return text + ">";
}

class StageEmitter {
   public:
    StageEmitter(const ir::Program& program, const MeshPlan& plan, const ir::Stage& stage, const Isa& isa, Fetch fetch)
        : program_(program),
          plan_(plan),
          stage_(stage),
          split_(ir::split_ring(stage.code)),
          fetch_(fetch),
          types_(program.f64, isa, mesh_lanes(isa, program.f64)),
          out_(types_) {}

    std::string emit(const std::string& name) {
        entry();
        slice();
        ring();
        after();
        return "define void @" + name + "(ptr %arguments) #0 {\n" + out_.text() + "}\n\n";
    }

   private:
    const ir::Instruction& code(ir::Value v) const { return stage_.code[core::at(v)]; }
    int lanes() const { return types_.lanes; }
    int half() const { return lanes() / 2; }
    MeshPlan::Place place_of(const ir::Instruction& in) const {
        return plan_.place(in.op == Op::axis ? Column{-1, in.index} : Column{in.index, -1});
    }

    // ---- once per call

    void entry() {
        out_.label("entry");
        const std::string ins = load_member(out_, offsetof(SliceArguments, in), "ptr"),
                          outs = load_member(out_, offsetof(SliceArguments, out), "ptr");
        load_member(out_, offsetof(SliceArguments, first_byte), "i64", "%first_byte");
        const std::string ring = load_member(out_, offsetof(SliceArguments, ring_byte), "i64");
        load_member(out_, offsetof(SliceArguments, slices), "i64", "%slices");
        load_member(out_, offsetof(SliceArguments, entries), "ptr", "%entries");
        load_member(out_, offsetof(SliceArguments, weights), "ptr", "%weights");
        load_member(out_, offsetof(SliceArguments, indices), "ptr", "%indices");
        load_member(out_, offsetof(SliceArguments, numbers), "ptr", "%numbers");
        load_member(out_, offsetof(SliceArguments, prefetch), "ptr", "%prefetch");
        load_member(out_, offsetof(SliceArguments, prefetch_lines), "i64", "%lines");
        if (!types_.fma) {
            calls_.fma = load_member(out_, offsetof(SliceArguments, fma), "ptr");
            calls_.floor = load_member(out_, offsetof(SliceArguments, floor), "ptr");
        }
        const StageUse use(stage_);
        std::set<int> read, gathered, written;
        for (const auto& [array, window] : use.loads) read.insert(plan_.place({array, -1}).group);
        for (const int axis : use.tables) read.insert(plan_.place({-1, axis}).group);
        for (const ir::Array array : use.neighbours) gathered.insert(plan_.place({array, -1}).group);
        for (const ir::Array array : use.makes) written.insert(plan_.place({array, -1}).group);
        auto base = [&](const std::string& list, int group) {
            return out_.assign("load ptr, ptr " + out_.pointer(list, str(8LL * group)) + ", align 8");
        };
        for (const int g : read) in_[g] = base(ins, g);
        for (const int g : gathered) ring_[g] = out_.pointer(base(ins, g), ring);
        for (const int g : written) written_[g] = base(outs, g);
        for (std::size_t v = 0; v < stage_.code.size(); ++v) {
            const ir::Instruction& in = stage_.code[v];
            if (in.op == Op::uniform) values_[static_cast<ir::Value>(v)] = number(in.index, false);
            if (in.op == Op::literal) values_[static_cast<ir::Value>(v)] = number(plan_.constants.number({false, in.bits}), false);
            if (in.op == Op::word) values_[static_cast<ir::Value>(v)] = number(plan_.constants.number({true, in.bits}), true);
            if (in.op == Op::neg) number(plan_.constants.number(kSignWord), true);
            if (in.op == Op::abs) number(plan_.constants.number(kMagnitudeWord), true);
        }
        out_.line("br label %slice");
    }

    std::string number(int index, bool word) {
        auto [found, fresh] = numbers_.try_emplace({index, word});
        if (fresh) found->second = out_.number("%numbers", index, word);
        return found->second;
    }

    // ---- once per slice

    void slice() {
        out_.label("slice");
        out_.line("%s = phi i64 [ 0, %entry ], [ %s_next, %after ]");
        out_.line("%at = phi i64 [ %first_byte, %entry ], [ %at_next, %after ]");
        out_.line("%line = phi ptr [ %prefetch, %entry ], [ %line_end, %after ]");
        out_.line("%line_bytes = shl i64 %lines, 6");
        out_.line("%line_end = getelementptr i8, ptr %line, i64 %line_bytes");
        out_.line("%no_lines = icmp eq i64 %lines, 0");
        out_.line("br i1 %no_lines, label %own, label %fetch");
        out_.label("fetch");
        out_.line("%line_now = phi ptr [ %line, %slice ], [ %line_next, %fetch ]");
        out_.line("call void @llvm.prefetch.p0(ptr %line_now, i32 0, i32 2, i32 1)");
        out_.line("%line_next = getelementptr i8, ptr %line_now, i64 64");
        out_.line("%more_lines = icmp ult ptr %line_next, %line_end");
        out_.line("br i1 %more_lines, label %fetch, label %own");
        out_.label("own");
        for (const ir::Value v : split_.before) emit_value(v);
        out_.line("%entry_pointer = getelementptr i32, ptr %entries, i64 %s");
        out_.line("%first_short = load i32, ptr %entry_pointer, align 4");
        out_.line("%end_pointer = getelementptr i32, ptr %entry_pointer, i64 1");
        out_.line("%end_short = load i32, ptr %end_pointer, align 4");
        out_.line("%first_entry = zext i32 %first_short to i64");
        out_.line("%end_entry = zext i32 %end_short to i64");
        out_.line("%alone = icmp eq i64 %first_entry, %end_entry");
        out_.line("br i1 %alone, label %after, label %ring");
    }

    void emit_value(ir::Value v) {
        if (values_.contains(v)) return;
        const ir::Instruction& in = code(v);
        values_[v] = in.op == Op::load || in.op == Op::axis ? own(in)
                     : in.op == Op::neighbour               ? neighbour(in)
                     : in.op == Op::edge                    ? edge(in)
                                                            : arithmetic(in);
    }

    std::string arithmetic(const ir::Instruction& in) {
        const bool shifts = in.op == Op::word_shl || in.op == Op::word_shr;
        std::vector<Operand> args;
        args.reserve(in.args.size());
        for (int i = 0; i < (shifts ? 1 : ir::arity(in.op)); ++i) args.push_back(operand(in.op, in.args[core::at(i)]));
        if (in.op == Op::neg) args.push_back({number(plan_.constants.number(kSignWord), true)});
        if (in.op == Op::abs) args.push_back({number(plan_.constants.number(kMagnitudeWord), true)});
        return emit_arithmetic(out_, types_, in.op, args, shifts ? code(in.args[1]).bits : 0, calls_);
    }

    /// An argument of an fma: its negation costs nothing.
    Operand operand(Op op, ir::Value v) {
        if (op == Op::fma && types_.fma && code(v).op == Op::neg) return {value(code(v).args[0]), true};
        return {value(v)};
    }

    const std::string& value(ir::Value v) const { return values_.at(v); }

    std::string shuffle(const std::string& a, const std::string& b, const std::string& order) {
        return out_.assign("shufflevector " + types_.real + " " + a + ", " + types_.real + " " + b + ", " + order);
    }

    /// Column 0 or 1 of two vectors of words.
    std::string split(const std::string& low, const std::string& high, int column) {
        return shuffle(low, high,
                       order_text(lanes(), [&](int lane) { return lane / 4 * 4 + lane % 2 * 2 + (lane % 4 < 2 ? 0 : lanes()) + column; }));
    }

    std::string own(const ir::Instruction& in) {
        const auto [group, column] = place_of(in);
        auto [words, fresh] = own_words_.try_emplace(group);
        if (fresh) {
            const std::string at = out_.pointer(in_.at(group), "%at");
            words->second = {out_.load_real(at), program_.f64 ? "" : out_.load_real(out_.pointer(at, str(types_.vector_bytes)))};
        }
        return program_.f64 ? words->second.first : split(words->second.first, words->second.second, column);
    }

    // ---- once per neighbour

    void ring() {
        out_.label("ring");
        out_.line("%k = phi i64 [ %first_entry, %own ], [ %k_next, %ring ]");
        for (std::size_t i = 0; i < split_.sums.size(); ++i) {
            out_.line("%sum" + str(static_cast<long long>(i)) + " = phi " + types_.real + " [ " + zero() + ", %own ], [ %sum_next" +
                      str(static_cast<long long>(i)) + ", %ring ]");
        }
        const std::string index_offset = out_.assign("mul i64 %k, " + str(lanes() * index_bytes()));
        index_pointer_ = out_.pointer("%indices", index_offset);
        const std::string weight_offset =
            out_.assign("mul i64 %k, " + str(static_cast<long long>(plan_.edges.size()) * types_.vector_bytes));
        weight_pointer_ = out_.pointer("%weights", weight_offset);
        for (const ir::Value v : split_.body) emit_value(v);
        for (std::size_t i = 0; i < split_.sums.size(); ++i) {
            const ir::Instruction& in = code(split_.sums[i]);
            const Operand args[3] = {{value(in.args[0])}, {value(in.args[1])}, {"%sum" + str(static_cast<long long>(i))}};
            const std::string next = emit_arithmetic(out_, types_, Op::fma, args, 0, calls_);
            out_.line("%sum_next" + str(static_cast<long long>(i)) + " = bitcast " + types_.real + " " + next + " to " + types_.real);
        }
        out_.line("%k_next = add nuw nsw i64 %k, 1");
        out_.line("%more_neighbours = icmp ult i64 %k_next, %end_entry");
        out_.line("br i1 %more_neighbours, label %ring, label %after");
    }

    std::string zero() const { return "zeroinitializer"; }

    std::string edge(const ir::Instruction& in) {
        const int place = plan_.edge_place(static_cast<ir::Edge>(in.index));
        return out_.load_real(out_.pointer(weight_pointer_, str(static_cast<long long>(place) * types_.vector_bytes)));
    }

    int index_bytes() const { return fetch_.wide ? 4 : 2; }

    /// The words of `count` neighbours, from element `first` of the slice on.
    std::string fetched(int group, int first, int count) {
        return fetch_.gather ? gather(group, first, count) : loads(group, first, count);
    }

    /// One load for each word. Several indices are loaded together, 8 bytes at a time, because the number of loads limits such a kernel.
    std::string loads(int group, int first, int count) {
        const std::string n = str(count);
        std::string vector = "poison";
        for (int i = 0; i < count; ++i) {
            const std::string at = out_.assign("getelementptr double, ptr " + ring_.at(group) + ", i64 " + offset(first + i));
            const std::string word = out_.assign("load double, ptr " + at + ", align 8");
            vector = out_.assign("insertelement <" + n + " x double> " + vector + ", double " + word + ", i32 " + str(i));
        }
        return vector;
    }

    /// For the neighbour at `element` of the slice, counted from the start of the ring.
    std::string offset(int element) {
        auto [found, fresh] = offsets_.try_emplace(element);
        if (!fresh) return found->second;
        const int bits = 8 * index_bytes(), per_load = std::min(64 / bits, lanes()), place = element % per_load;
        const int bytes = per_load * index_bytes(), first_byte = element / per_load * bytes;
        auto [loaded, missing] = index_loads_.try_emplace(first_byte);
        if (missing) {
            const std::string type = "i" + str(8 * bytes), at = out_.pointer(index_pointer_, str(first_byte));
            loaded->second = out_.assign("load " + type + ", ptr " + at + ", align " + str(bytes));
            if (bytes < 8) loaded->second = out_.assign("zext " + type + " " + loaded->second + " to i64");
        }
        std::string index = loaded->second;
        if (place > 0) index = out_.assign("lshr i64 " + index + ", " + str(place * bits));
        if (place + 1 < 64 / bits) index = out_.assign("and i64 " + index + ", " + str((1LL << bits) - 1));
        return found->second = index;
    }

    std::string gather(int group, int first, int count) {
        const std::string narrow = "<" + str(count) + " x " + (fetch_.wide ? "i32" : "i16") + ">", n = str(count);
        auto [found, fresh] = offsets_.try_emplace(first);
        if (fresh) {
            const std::string index = out_.assign("load " + narrow + ", ptr " + out_.pointer(index_pointer_, str(first * index_bytes())) +
                                                  ", align " + str(index_bytes() * count));
            found->second = out_.assign("zext " + narrow + " " + index + " to <" + n + " x i64>");
        }
        const std::string pointers = out_.assign("getelementptr double, ptr " + ring_.at(group) + ", <" + n + " x i64> " + found->second);
        std::string all = "<";
        for (int i = 0; i < count; ++i) all += i ? ", i1 true" : "i1 true";
        return out_.assign("call <" + n + " x double> @llvm.masked.gather.v" + n + "f64.v" + n + "p0(<" + n + " x ptr> " + pointers +
                           ", i32 8, <" + n + " x i1> " + all + ">, <" + n + " x double> poison)");
    }

    /// The pairs of half() neighbours from element `first` of the slice on, as floats.
    std::string pairs(int group, int first) {
        return out_.assign("bitcast <" + str(half()) + " x double> " + fetched(group, first, half()) + " to " + types_.real);
    }

    std::string neighbour(const ir::Instruction& in) {
        const auto [group, column] = place_of(in);
        auto [words, fresh] = neighbour_words_.try_emplace(group);
        if (fresh) {
            if (program_.f64) {
                words->second = {fetched(group, 0, lanes()), ""};
            } else {
                words->second = {pairs(group, 0), pairs(group, half())};
            }
        }
        return program_.f64 ? words->second.first : split(words->second.first, words->second.second, column);
    }

    // ---- the end of a slice

    void after() {
        out_.label("after");
        for (std::size_t i = 0; i < split_.sums.size(); ++i) {
            const std::string name = "%total" + str(static_cast<long long>(i));
            out_.line(name + " = phi " + types_.real + " [ " + zero() + ", %own ], [ %sum_next" + str(static_cast<long long>(i)) +
                      ", %ring ]");
            values_[split_.sums[i]] = name;
        }
        for (const ir::Value v : split_.after) emit_value(v);
        std::map<int, std::array<std::string, 2>> stored;
        for (const auto& [array, v] : stage_.stores) {
            const auto [group, column] = plan_.place({array, -1});
            stored[group][core::at(column)] = value(v);
        }
        for (auto& [group, columns] : stored) store(group, columns);
        out_.line("%s_next = add nuw nsw i64 %s, 1");
        out_.line("%at_next = add nuw nsw i64 %at, " + str(lanes() * static_cast<long long>(kWordBytes)));
        out_.line("%more_slices = icmp ult i64 %s_next, %slices");
        out_.line("br i1 %more_slices, label %slice, label %done");
        out_.label("done");
        out_.line("ret void");
    }

    void store(int group, std::array<std::string, 2>& columns) {
        const std::string at = out_.pointer(written_.at(group), "%at");
        if (program_.f64) {
            out_.store_real(columns[0], at);
            return;
        }
        if (columns[1].empty()) columns[1] = zero();
        auto joined = [&](int first) {
            return shuffle(columns[0], columns[1],
                           order_text(lanes(), [&](int i) { return i / 4 * 4 + first + i % 4 / 2 + (i % 2 ? lanes() : 0); }));
        };
        out_.store_real(joined(0), at);
        const std::string behind = out_.pointer(at, str(types_.vector_bytes));
        out_.store_real(joined(2), behind);
    }

    const ir::Program& program_;
    const MeshPlan& plan_;
    const ir::Stage& stage_;
    ir::RingSplit split_;
    Fetch fetch_;
    TextTypes types_;
    TextBuilder out_;
    ScalarCalls calls_;
    std::map<int, std::string> in_, ring_, written_;  // pointers by group
    std::map<std::pair<int, bool>, std::string> numbers_;
    std::map<ir::Value, std::string> values_;
    std::map<int, std::pair<std::string, std::string>> own_words_, neighbour_words_;
    std::map<int, std::string> offsets_;      // of neighbours: one for each element, or a vector for each first element
    std::map<int, std::string> index_loads_;  // by first byte
    std::string index_pointer_, weight_pointer_;
};

}  // namespace

int mesh_lanes(const Isa& isa, bool f64) { return isa.register_bytes / (f64 ? 8 : 4); }

std::string mesh_function(int stage, bool flush) { return flush ? "mesh_flush" : "mesh_stage" + str(stage); }

std::string emit_mesh(const ir::Program& program, const MeshPlan& plan, const Isa& isa, Fetch fetch) {
    const TextTypes types(program.f64, isa, mesh_lanes(isa, program.f64));
    const int count = program.f64 ? types.lanes : types.lanes / 2;
    const std::string n = str(count);
    std::string text =
        "; mottle mesh kernels, " + isa.name + ", " + str(types.lanes) + " vertices a slice\n" + arithmetic_declarations(types);
    text += "declare <" + n + " x double> @llvm.masked.gather.v" + n + "f64.v" + n + "p0(<" + n + " x ptr>, i32, <" + n + " x i1>, <" + n +
            " x double>)\n\n";
    for (std::size_t s = 0; s < program.step.stages.size(); ++s) {
        text += StageEmitter(program, plan, program.step.stages[s], isa, fetch).emit(mesh_function(static_cast<int>(s), false));
    }
    if (program.flush_step) text += StageEmitter(program, plan, program.flush_step->stages.back(), isa, fetch).emit(mesh_function(0, true));
    return text + attributes(types);
}

}  // namespace mottle::backend::cpu
