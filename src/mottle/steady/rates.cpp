// mottle/steady/rates.cpp: one step of the kernel, and the difference that it makes
#include "mottle/steady/rates.h"

#include "mottle/core/cancellation.h"

namespace mottle::steady {

Rates::Rates(field::Field& field, std::vector<double> inputs, double dt)
    : field_(field),
      uniforms_(field.kernel().program(), std::move(inputs), dt),
      dt_(dt),
      fields_(field.kernel().program().field_count()),
      cells_(domain::cell_count(field.kernel().domain())),
      row_(core::at(domain::row_length(field.kernel().domain()))) {}

void Rates::at(std::span<const double> y, std::span<double> rates) {
    core::cancellation_point();
    backend::Kernel& kernel = field_.kernel();
    const Index rows = domain::row_count(kernel.domain());
    const auto each_row = [&](const auto& work) {
        for (Index f = 0; f < fields_; ++f) {
            for (Index row = 0; row < rows; ++row) work(static_cast<ir::Array>(f), row, core::at((row * std::ssize(row_)) * fields_ + f));
        }
    };
    const auto stride = core::at(fields_);
    each_row([&](ir::Array array, Index row, std::size_t first) {
        for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = y[first + i * stride];
        kernel.write_row(field_.state(), array, row, row_);
    });
    kernel.advance(field_.state(), 0, 1, uniforms_.rows(0, 1));  // step 0 flushes nothing
    each_row([&](ir::Array array, Index row, std::size_t first) {
        kernel.read_row(field_.state(), array, row, std::span<double>(row_));
        for (std::size_t i = 0; i < row_.size(); ++i) rates[first + i * stride] = (row_[i] - y[first + i * stride]) / dt_;
    });
}

}  // namespace mottle::steady
