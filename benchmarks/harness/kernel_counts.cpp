// mottle/benchmarks/harness/kernel_counts.cpp: counting in LLVM text, line by line
#include "harness/kernel_counts.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace mottle::benchmarks {
namespace {

/// Elements and bytes of the first "<16 x float>" of a line; nothing where there is none.
struct Vector {
    int count = 0, bytes = 0;
};
Vector vector_of(const std::string& line) {
    const std::size_t open = line.find('<');
    if (open == std::string::npos) return {};
    const int count = std::atoi(line.c_str() + open + 1);
    constexpr std::array<std::pair<std::string_view, int>, 6> kTypes = {
        {{" x float>", 4}, {" x double>", 8}, {" x i16>", 2}, {" x i32>", 4}, {" x i64>", 8}, {" x i1>", 0}}};
    const std::size_t type = line.find(" x ", open);
    for (const auto& [name, bytes] : kTypes) {
        if (type != std::string::npos && line.compare(type, name.size(), name) == 0) return {count, count * bytes};
    }
    return {};
}

bool is_arithmetic(const std::string& operation) {
    constexpr std::array<std::string_view, 9> kOperations = {"fadd ", "fsub ", "fmul ", "fdiv ", "fcmp ", "select ", "xor ", "and ", "or "};
    return std::any_of(kOperations.begin(), kOperations.end(), [&](std::string_view name) { return operation.starts_with(name); });
}

void count(const std::string& line, KernelCounts& counts) {
    const std::size_t equals = line.find(" = ");
    const std::string operation =
        equals == std::string::npos ? line.substr(std::min(line.size(), std::size_t{2})) : line.substr(equals + 3);
    if (operation.find("@llvm.masked.gather") != std::string::npos) {
        counts.words += vector_of(operation.substr(operation.find("call "))).count;
        return;
    }
    if (operation.starts_with("load double, ")) counts.words += 1;
    if (operation.starts_with("load i64, ")) counts.loaded += 8;  // indices, several in one
    const Vector vector = vector_of(operation);
    if (vector.count == 0) return;
    if (operation.starts_with("load ")) counts.loaded += vector.bytes;
    if (operation.starts_with("store ")) counts.stored += vector.bytes;
    if (operation.starts_with("shufflevector ")) counts.shuffles += 1;
    if (is_arithmetic(operation) || operation.find("@llvm.fma") != std::string::npos || operation.find("@llvm.sqrt") != std::string::npos ||
        operation.find("@llvm.floor") != std::string::npos)
        counts.arithmetic += 1;
}

}  // namespace

KernelCounts& KernelCounts::operator+=(const KernelCounts& other) {
    loaded += other.loaded;
    stored += other.stored;
    arithmetic += other.arithmetic;
    words += other.words;
    shuffles += other.shuffles;
    return *this;
}

MeshKernelCounts count_mesh_kernel(const std::string& text) {
    MeshKernelCounts counts;
    std::istringstream lines(text);
    std::string function, block;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("define ")) function = line;
        const bool step = function.find("@mesh_stage") != std::string::npos;  // not the one that flushes
        if (!line.empty() && line.back() == ':') block = line.substr(0, line.size() - 1);
        if (line == "}") function.clear();
        if (!step) continue;
        if (block == "ring") count(line, counts.neighbour);
        if (block == "own" || block == "after") count(line, counts.vertex);
        if (block == "own" && counts.lanes == 0) counts.lanes = vector_of(line).count;
    }
    return counts;
}

}  // namespace mottle::benchmarks
