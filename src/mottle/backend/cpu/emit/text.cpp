// mottle/backend/cpu/emit/text.cpp: the arithmetic of the IR as LLVM IR text; no contraction, no reordering
#include "mottle/backend/cpu/emit/text.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <utility>

namespace mottle::backend::cpu {

using ir::Arithmetic;
using ir::Op;

namespace {

using core::str;

std::string splat_text(const TextTypes& types, const std::string& type, const std::string& value) {
    if (types.lanes == 1) return value;
    std::string text = "<";
    for (int i = 0; i < types.lanes; ++i) text += (i ? ", " : "") + type + " " + value;
    return text + ">";
}

std::string wide_words(const TextTypes& types) { return "<" + str(types.lanes / 2) + " x i64>"; }

/// In all lanes of 64 bits.
std::string wide_splat(const TextTypes& types, const std::string& value) {
    std::string text = "<";
    for (int i = 0; i < types.lanes / 2; ++i) text += (i > 0 ? ", i64 " : "i64 ") + value;
    return text + ">";
}

/// The halves of an operation on words that gives the same bits in lanes of 64 bits, `halved` of the halves of its arguments.
template <class Operation>
std::string in_halves(TextBuilder& out, std::span<const Operand> args, const Operation& halved) {
    const HalfWords a = out.halves_of(args[0].value), b = out.halves_of(args[1].value);
    const std::string even = halved(a.even, b.even);
    return out.join({even, a.even == a.odd && b.even == b.odd ? even : halved(a.odd, b.odd)});
}

/// A product of two words whose upper half is wanted if `upper`, in lanes of 64 bits.
std::string half_product(TextBuilder& out, const TextTypes& types, std::span<const Operand> args, bool upper) {
    const std::string wide = wide_words(types), low = wide_splat(types, "4294967295");
    const auto word = [&](const std::string& half) { return out.assign("and " + wide + " " + half + ", " + low); };
    return in_halves(out, args, [&](const std::string& a, const std::string& b) {
        const std::string first = word(a), product = out.assign("mul " + wide + " " + first + ", " + word(b));
        return upper ? out.assign("lshr " + wide + " " + product + ", " + wide_splat(types, "32")) : product;
    });
}

std::string call_lanes(TextBuilder& out, const TextTypes& types, const std::string& function, std::span<const Operand> args,
                       const std::string& pointer) {
    std::string text = "call " + types.real + " @" + function + "(";
    for (const Operand& arg : args) text += types.real + " " + arg.value + ", ";
    return out.assign(text + "ptr " + pointer + ")");
}

// A function on whole vectors that calls a scalar function for every lane.
std::string lanes_function(const TextTypes& types, const std::string& name, int arity) {
    std::string text = "define internal " + types.real + " @" + name + "(";
    for (int a = 0; a < arity; ++a) text += types.real + " %a" + str(a) + ", ";
    text += "ptr %function) #0 {\n";
    std::string result = "poison";
    for (int l = 0; l < types.lanes; ++l) {
        std::string args;
        for (int a = 0; a < arity; ++a) {
            std::string lane = "%a" + str(a);
            if (types.lanes > 1) {
                lane = "%x" + str(l) + "_" + str(a);
                text += "  " + lane + " = extractelement " + types.real + " %a" + str(a) + ", i32 " + str(l) + "\n";
            }
            args += (a ? ", " : "") + types.scalar + " " + lane;
        }
        text += "  %y" + str(l) + " = call " + types.scalar + " %function(" + args + ")\n";
        if (types.lanes == 1) {
            result = "%y0";
        } else {
            text += "  %r" + str(l) + " = insertelement " + types.real + " " + result + ", " + types.scalar + " %y" + str(l) + ", i32 " +
                    str(l) + "\n";
            result = "%r" + str(l);
        }
    }
    return text + "  ret " + types.real + " " + result + "\n}\n\n";
}

}  // namespace

TextTypes::TextTypes(bool f64, const Isa& isa, int count)
    : fma(isa.fma),
      half_products(isa.half_products && !f64 && count >= 4),
      lanes(count),
      scalar_bytes(f64 ? 8 : 4),
      vector_bytes(count * scalar_bytes) {
    scalar = f64 ? "double" : "float";
    integer = f64 ? "i64" : "i32";
    real = vector_of(scalar);
    word = vector_of(integer);
    mask = vector_of("i1");
    suffix = (lanes == 1 ? "" : "v" + str(lanes)) + (f64 ? "f64" : "f32");
}

std::string TextTypes::vector_of(const std::string& element) const {
    return lanes == 1 ? element : "<" + str(lanes) + " x " + element + ">";
}

std::string TextBuilder::assign(const std::string& expression) {
    std::string name = fresh();
    line(name + " = " + expression);
    return name;
}

std::string TextBuilder::pointer(const std::string& base, const std::string& bytes) {
    return bytes == "0" ? base : assign("getelementptr i8, ptr " + base + ", i64 " + bytes);
}

std::string TextBuilder::load_real(const std::string& from) {
    return assign("load " + types_.real + ", ptr " + from + ", align " + str(types_.vector_bytes));
}

void TextBuilder::store_real(const std::string& value, const std::string& to) {
    line("store " + types_.real + " " + value + ", ptr " + to + ", align " + str(types_.vector_bytes));
}

std::string TextBuilder::splat(const std::string& scalar_type, const std::string& scalar_value) {
    if (types_.lanes == 1) return scalar_value;
    std::string vector = types_.vector_of(scalar_type);
    std::string one = assign("insertelement " + vector + " poison, " + scalar_type + " " + scalar_value + ", i32 0");
    std::string all =
        assign("shufflevector " + vector + " " + one + ", " + vector + " poison, " + types_.vector_of("i32") + " zeroinitializer");
    mark_uniform(all);
    return all;
}

std::string TextBuilder::number(const std::string& numbers, int index, bool word) {
    const std::string& type = word ? types_.integer : types_.scalar;
    const std::string at = pointer(numbers, str(static_cast<long long>(index) * types_.scalar_bytes));
    return splat(type, assign("load " + type + ", ptr " + at + ", align " + str(types_.scalar_bytes)));
}

HalfWords TextBuilder::halves_of(const std::string& word) {
    if (const auto found = halves_.find(word); found != halves_.end()) return found->second;
    const std::string wide = wide_words(types_), even = assign("bitcast " + types_.word + " " + word + " to " + wide);
    return {even, is_uniform(word) ? even : assign("lshr " + wide + " " + even + ", " + wide_splat(types_, "32"))};
}

std::string TextBuilder::join(HalfWords halves) {
    const auto words = [&](const std::string& half) { return assign("bitcast " + wide_words(types_) + " " + half + " to " + types_.word); };
    const std::string even = words(halves.even), odd = words(halves.odd);
    std::string order;
    for (int lane = 0; lane < types_.lanes; ++lane) order += (lane > 0 ? ", i32 " : "i32 ") + str(lane / 2 * 2 + lane % 2 * types_.lanes);
    const std::string joined = assign("shufflevector " + types_.word + " " + even + ", " + types_.word + " " + odd + ", " +
                                      types_.vector_of("i32") + " <" + order + ">");
    if (halves.even == halves.odd) mark_uniform(joined);
    halves_.emplace(joined, std::move(halves));
    return joined;
}

std::string load_member(TextBuilder& out, std::size_t offset, const std::string& type, const std::string& name) {
    const std::string load = "load " + type + ", ptr " + out.pointer("%arguments", str(static_cast<long long>(offset))) + ", align 8";
    if (name.empty()) return out.assign(load);
    out.line(name + " = " + load);
    return name;
}

namespace {

std::string operation_text(TextBuilder& out, const TextTypes& types, Op op, std::span<const Operand> args, std::uint64_t shift,
                           const ScalarCalls& calls) {
    auto arg = [&](std::size_t i) -> const std::string& { return args[i].value; };
    const auto real = [&](const char* operation) {
        return out.assign(std::string(operation) + " " + types.real + " " + arg(0) + ", " + arg(1));
    };
    const auto word = [&](const char* operation) {
        return out.assign(std::string(operation) + " " + types.word + " " + arg(0) + ", " + arg(1));
    };
    const auto shifted = [&](const char* operation) {  // The count is an immediate operand, since the IR has a literal there.
        return out.assign(std::string(operation) + " " + types.word + " " + arg(0) + ", " +
                          splat_text(types, types.integer, str(static_cast<long long>(shift))));
    };
    const auto signed_by = [&](const char* operation) {
        const std::string bits = out.assign("bitcast " + types.real + " " + arg(0) + " to " + types.word);
        return out.assign("bitcast " + types.word + " " +
                          out.assign(std::string(operation) + " " + types.word + " " + bits + ", " + arg(1)) + " to " + types.real);
    };
    switch (ir::arithmetic(op)) {
        case Arithmetic::add:
            return real("fadd");
        case Arithmetic::sub:
            return real("fsub");
        case Arithmetic::mul:
            return real("fmul");
        case Arithmetic::div:
            return real("fdiv");
        case Arithmetic::fma: {
            if (!types.fma) return call_lanes(out, types, "fma_lanes", args, calls.fma);
            std::string list;
            for (const Operand& operand : args) {
                const std::string value = operand.negated ? out.assign("fneg " + types.real + " " + operand.value) : operand.value;
                list += (list.empty() ? "" : ", ") + types.real + " " + value;
            }
            return out.assign("call " + types.real + " @llvm.fma." + types.suffix + "(" + list + ")");
        }
        case Arithmetic::sqrt:
            return out.assign("call " + types.real + " @llvm.sqrt." + types.suffix + "(" + types.real + " " + arg(0) + ")");
        case Arithmetic::floor:
            if (!types.fma) return call_lanes(out, types, "floor_lanes", args, calls.floor);
            return out.assign("call " + types.real + " @llvm.floor." + types.suffix + "(" + types.real + " " + arg(0) + ")");
        case Arithmetic::less:
            return real("fcmp olt");
        case Arithmetic::less_equal:
            return real("fcmp ole");
        case Arithmetic::equal:
            return real("fcmp oeq");
        case Arithmetic::select:
            return out.assign("select " + types.mask + " " + arg(0) + ", " + types.real + " " + arg(1) + ", " + types.real + " " + arg(2));
        case Arithmetic::word_shl:
            return shifted("shl");
        case Arithmetic::word_shr:
            return shifted("lshr");
        case Arithmetic::word_mul_high: {
            if (types.half_products) return half_product(out, types, args, true);
            const std::string twice = types.vector_of(types.integer == "i32" ? "i64" : "i128");
            auto widened = [&](std::size_t i) { return out.assign("zext " + types.word + " " + arg(i) + " to " + twice); };
            const std::string a = widened(0), product = out.assign("mul " + twice + " " + a + ", " + widened(1));
            const std::string width = splat_text(types, types.integer == "i32" ? "i64" : "i128", types.integer.substr(1));
            return out.assign("trunc " + twice + " " + out.assign("lshr " + twice + " " + product + ", " + width) + " to " + types.word);
        }
        case Arithmetic::word_add:
            return word("add");
        case Arithmetic::word_sub:
            return word("sub");
        case Arithmetic::word_mul:
            return types.half_products ? half_product(out, types, args, false) : word("mul");
        case Arithmetic::word_and:
            return word("and");
        case Arithmetic::word_or:
            return word("or");
        case Arithmetic::word_xor:
            if (!out.has_halves(arg(0)) && !out.has_halves(arg(1))) return word("xor");
            return in_halves(out, args, [&](const std::string& a, const std::string& b) {
                return out.assign("xor " + wide_words(types) + " " + a + ", " + b);
            });
        case Arithmetic::to_word:
            return out.assign("bitcast " + types.real + " " + arg(0) + " to " + types.word);
        case Arithmetic::to_real:
            return out.assign("bitcast " + types.word + " " + arg(0) + " to " + types.real);
        case Arithmetic::neg:
            return signed_by("xor");
        case Arithmetic::abs:
            return signed_by("and");
    }
    throw core::InternalError("an operation without a text");
}

}  // namespace

std::string emit_arithmetic(TextBuilder& out, const TextTypes& types, Op op, std::span<const Operand> args, std::uint64_t shift,
                            const ScalarCalls& calls) {
    std::string value = operation_text(out, types, op, args, shift, calls);
    if (std::ranges::all_of(args, [&](const Operand& operand) { return out.is_uniform(operand.value); })) out.mark_uniform(value);
    return value;
}

std::string arithmetic_declarations(const TextTypes& types) {
    std::string real = types.real, text;
    if (types.fma) {
        text += "declare " + real + " @llvm.fma." + types.suffix + "(" + real + ", " + real + ", " + real + ")\n";
        text += "declare " + real + " @llvm.floor." + types.suffix + "(" + real + ")\n";
    }
    text += "declare " + real + " @llvm.sqrt." + types.suffix + "(" + real + ")\n";
    text += "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n\n";
    if (!types.fma) text += lanes_function(types, "fma_lanes", 3) + lanes_function(types, "floor_lanes", 1);
    return text;
}

std::string attributes(const TextTypes& types) {
    // Kernels in f32 run with subnormals flushed to zero, so the compiler may assume that.
    std::string text = "attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" \"min-legal-vector-width\"=\"512\"";
    if (types.scalar_bytes == 4) text += " \"denormal-fp-math\"=\"preserve-sign,preserve-sign\"";
    return text + " }\n";
}

}  // namespace mottle::backend::cpu
