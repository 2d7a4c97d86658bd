// mottle/backend/cuda/emit/operations.cpp: operations of the IR as CUDA C++ text
#include "mottle/backend/cuda/emit/operations.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace mottle::backend::cuda {
namespace {

using ir::Arithmetic;
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
    return call(f64 ? "__fma_rn" : "__fmaf_rn", {a, b, c});
}

std::string flush_test(const std::string& step) {
    static_assert((ir::kFlushPeriod & (ir::kFlushPeriod - 1)) == 0);
    const std::string last = core::str(ir::kFlushPeriod - 1);
    return "((" + step + ") & " + last + ") == " + last;
}

std::string expression(const ir::Instruction& instruction, const std::vector<std::string>& args, bool f64) {
    const auto infix = [&](const char* sign) { return args[0] + " " + sign + " " + args[1]; };
    const auto either = [&](const char* narrow, const char* wide) { return call(f64 ? wide : narrow, args); };
    if (instruction.op == Op::literal) return literal_text(instruction.literal(), f64);
    if (instruction.op == Op::word) return hexadecimal(f64 ? instruction.bits : instruction.bits & 0xffffffffu, f64);
    switch (ir::arithmetic(instruction.op)) {
        case Arithmetic::add:
            return either("__fadd_rn", "__dadd_rn");
        case Arithmetic::sub:
            return either("__fsub_rn", "__dsub_rn");
        case Arithmetic::mul:
            return either("__fmul_rn", "__dmul_rn");
        case Arithmetic::div:
            return either("__fdiv_rn", "__ddiv_rn");
        case Arithmetic::sqrt:
            return either("__fsqrt_rn", "__dsqrt_rn");
        case Arithmetic::fma:
            return fma_text(args[0], args[1], args[2], f64);
        case Arithmetic::neg:
            return "-" + args[0];
        case Arithmetic::abs:
            return either("fabsf", "fabs");
        case Arithmetic::floor:
            return either("floorf", "floor");
        case Arithmetic::less:
            return infix("<");
        case Arithmetic::less_equal:
            return infix("<=");
        case Arithmetic::equal:
            return infix("==");
        case Arithmetic::select:
            return args[0] + " ? " + args[1] + " : " + args[2];
        case Arithmetic::word_add:
            return infix("+");
        case Arithmetic::word_sub:
            return infix("-");
        case Arithmetic::word_mul:
            return infix("*");
        case Arithmetic::word_mul_high:
            return either("__umulhi", "__umul64hi");
        case Arithmetic::word_and:
            return infix("&");
        case Arithmetic::word_or:
            return infix("|");
        case Arithmetic::word_xor:
            return infix("^");
        case Arithmetic::word_shl:
            return infix("<<");
        case Arithmetic::word_shr:
            return infix(">>");
        case Arithmetic::to_word:
            return f64 ? "(word)__double_as_longlong(" + args[0] + ")" : "__float_as_uint(" + args[0] + ")";
        case Arithmetic::to_real:
            return f64 ? "__longlong_as_double((long long)" + args[0] + ")" : "__uint_as_float(" + args[0] + ")";
    }
    throw core::InternalError("an operation without a text");
}

std::string module_head(bool f64, const std::string& title, int rows, std::size_t uniforms) {
    std::string text = "// " + title + "\n";
    text += "#ifndef MOTTLE_EMULATED\n#define MOTTLE_KERNEL extern \"C\" __global__ void\n#endif\n";
    text += f64 ? "typedef double real;\ntypedef unsigned long long word;\n" : "typedef float real;\ntypedef unsigned int word;\n";
    text += "struct Numbers { real u[" + std::to_string(rows) + "][" + std::to_string(std::max<std::size_t>(1, uniforms)) + "]; };\n";
    return text;
}

}  // namespace mottle::backend::cuda
