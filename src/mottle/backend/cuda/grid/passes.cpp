// mottle/backend/cuda/grid/passes.cpp: the stretches of steps that one launch makes, and the numbers it takes along
#include "mottle/backend/cuda/grid/passes.h"

#include "mottle/core/error.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <cstring>

namespace mottle::backend::cuda {
namespace {

using core::at;

std::size_t columns_of(const ir::Program& program) { return std::max<std::size_t>(1, program.uniforms.size()); }
std::size_t cell_bytes(const ir::Program& program) { return program.f64 ? 8 : 4; }

template <class Real>
void round_numbers(const ir::Program& program, const Pass& pass, const UniformTable& uniforms, std::byte* numbers) {
    for (int s = 0; s < pass.steps; ++s) {
        const auto row = uniforms.row(pass.first + s);
        for (std::size_t i = 0; i < program.uniforms.size(); ++i) {
            const Real value = ir::round_to<Real>(row[i]);
            std::memcpy(numbers + (at(s) * columns_of(program) + i) * sizeof(Real), &value, sizeof(Real));
        }
    }
}

}  // namespace

std::vector<Pass> passes_of(const ir::Program& program, Index first_step, Index n, int steps, int stages) {
    std::vector<Pass> passes;
    for (Index done = 0; done < n;) {
        Index length = n - done;
        bool flush = false;
        if (program.flush_step) {
            Index until = 1;
            while (until < length && !program.flushes(first_step + done + until - 1, stages)) ++until;
            length = until;
            flush = program.flushes(first_step + done + until - 1, stages);
        }
        const Index count = (length + steps - 1) / steps;
        for (Index p = 0; p < count; ++p) {
            const Index from = length * p / count, to = length * (p + 1) / count;
            passes.push_back({done + from, static_cast<int>(to - from), flush && p + 1 == count});
        }
        done += length;
    }
    return passes;
}

void fill_numbers(const ir::Program& program, const Pass& pass, int rows, const UniformTable& uniforms, std::vector<std::byte>& numbers) {
    numbers.assign(at(rows) * columns_of(program) * cell_bytes(program), {});
    program.f64 ? round_numbers<double>(program, pass, uniforms, numbers.data())
                : round_numbers<float>(program, pass, uniforms, numbers.data());
}

void check_numbers(const ir::Program& program) {
    if (program.uniforms.size() * cell_bytes(program) <= kNumberBytes) return;
    throw core::DeviceError("the model has " + std::to_string(program.uniforms.size()) + " uniform values, and a CUDA kernel takes " +
                            std::to_string(kNumberBytes / cell_bytes(program)) + "; use --device cpu");
}

int steps_of_numbers(const ir::Program& program, int most) {
    return static_cast<int>(std::min(kNumberBytes / (columns_of(program) * cell_bytes(program)), at(most)));
}

}  // namespace mottle::backend::cuda
