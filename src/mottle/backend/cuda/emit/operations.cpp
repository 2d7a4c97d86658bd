// mottle/backend/cuda/emit/operations.cpp: operations of the IR as CUDA C++ text
#include "mottle/backend/cuda/emit/operations.h"

#include "mottle/core/error.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace mottle::backend::cuda {
namespace {

using ir::Op;

std::string hexadecimal(std::uint64_t bits, bool f64) {
    char text[32];
    std::snprintf(text, sizeof text, f64 ? "0x%016llxull" : "0x%08llxu", static_cast<unsigned long long>(bits));
    return text;
}

std::string call(const std::string& function, const std::vector<std::string>& args) {
    std::string text = function + "(";
    for (std::size_t i = 0; i < args.size(); ++i) text += (i ? ", " : "") + args[i];
    return text + ")";
}

const char* infix(Op op) {
    switch (op) {
        case Op::less:
            return " < ";
        case Op::less_equal:
            return " <= ";
        case Op::equal:
            return " == ";
        case Op::word_add:
            return " + ";
        case Op::word_sub:
            return " - ";
        case Op::word_mul:
            return " * ";
        case Op::word_and:
            return " & ";
        case Op::word_or:
            return " | ";
        case Op::word_xor:
            return " ^ ";
        case Op::word_shl:
            return " << ";
        case Op::word_shr:
            return " >> ";
        default:
            return nullptr;
    }
}

const char* rounded(Op op, bool f64) {
    switch (op) {
        case Op::add:
            return f64 ? "__dadd_rn" : "__fadd_rn";
        case Op::sub:
            return f64 ? "__dsub_rn" : "__fsub_rn";
        case Op::mul:
            return f64 ? "__dmul_rn" : "__fmul_rn";
        case Op::div:
            return f64 ? "__ddiv_rn" : "__fdiv_rn";
        case Op::sqrt:
            return f64 ? "__dsqrt_rn" : "__fsqrt_rn";
        case Op::fma:
            return f64 ? "__fma_rn" : "__fmaf_rn";
        case Op::floor:
            return f64 ? "floor" : "floorf";
        case Op::abs:
            return f64 ? "fabs" : "fabsf";
        default:
            return nullptr;
    }
}

}  // namespace

const char* type_name(ir::Type type) {
    switch (type) {
        case ir::Type::real:
            return "real";
        case ir::Type::word:
            return "word";
        case ir::Type::mask:
            return "bool";
    }
    throw core::InternalError("a type without a name");
}

std::string literal_text(double value, bool f64) {
    if (f64) return "__longlong_as_double((long long)" + hexadecimal(std::bit_cast<std::uint64_t>(value), true) + ")";
    return "__uint_as_float(" + hexadecimal(std::bit_cast<std::uint32_t>(ir::round_to<float>(value)), false) + ")";
}

std::string fma_text(const std::string& a, const std::string& b, const std::string& c, bool f64) {
    return call(rounded(Op::fma, f64), {a, b, c});
}

std::string flush_test(const std::string& step) {
    static_assert((ir::kFlushPeriod & (ir::kFlushPeriod - 1)) == 0);
    const std::string last = core::str(ir::kFlushPeriod - 1);
    return "((" + step + ") & " + last + ") == " + last;
}

std::string expression(const ir::Instruction& instruction, const std::vector<std::string>& args, bool f64) {
    const Op op = instruction.op;
    if (const char* sign = infix(op)) return args[0] + sign + args[1];
    if (const char* function = rounded(op, f64)) return call(function, args);
    switch (op) {
        case Op::literal:
            return literal_text(instruction.literal(), f64);
        case Op::word:
            return hexadecimal(f64 ? instruction.bits : instruction.bits & 0xffffffffu, f64);
        case Op::neg:
            return "-" + args[0];
        case Op::select:
            return args[0] + " ? " + args[1] + " : " + args[2];
        case Op::word_mul_high:
            return call(f64 ? "__umul64hi" : "__umulhi", args);
        case Op::to_word:
            return f64 ? "(word)__double_as_longlong(" + args[0] + ")" : "__float_as_uint(" + args[0] + ")";
        case Op::to_real:
            return f64 ? "__longlong_as_double((long long)" + args[0] + ")" : "__uint_as_float(" + args[0] + ")";
        default:
            throw core::InternalError(std::string("the CUDA backend has no operation '") + ir::name(op) + "'");
    }
}

std::string module_head(const ir::Program& program, const std::string& title, int rows) {
    const std::size_t columns = std::max<std::size_t>(1, program.uniforms.size());
    std::string text = "// " + title + "\n";
    text += "#ifndef MOTTLE_EMULATED\n#define MOTTLE_KERNEL extern \"C\" __global__ void\n#endif\n";
    text += program.f64 ? "typedef double real;\ntypedef unsigned long long word;\n" : "typedef float real;\ntypedef unsigned int word;\n";
    text += "struct Numbers { real u[" + std::to_string(rows) + "][" + std::to_string(columns) + "]; };\n";
    return text;
}

}  // namespace mottle::backend::cuda
