// mottle/stepper/implicit/rosenbrock_steps.cpp: the two stages of ROS2 between a kernel, which makes rates, and solvers for diffusion
#include "mottle/stepper/implicit/solved_fields.h"
#include "mottle/stepper/split_steps.h"

#include <numbers>

namespace mottle::stepper {
namespace {

constexpr double kShareSolved = 1 - 1 / std::numbers::sqrt2;  // g

class RosenbrockSteps final : public SplitSteps {
   public:
    explicit RosenbrockSteps(const backend::Kernel& kernel) : solved_(kernel), begin_(cells_of(kernel)), first_(begin_), second_(begin_) {}

    void advance(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n) override {
        const double h = uniforms.dt();
        core::ThreadTeam& team = kernel.team();
        const auto on_team = [&](const auto& work) { team.run([&](int worker) { work(worker, team.size()); }); };
        for (Index step = first_step; step < first_step + n; ++step) {
            solved_.prepare(kernel, uniforms.row_within(step, 0).row(0), kShareSolved, SolvedFields::Of::rate);
            on_team([&](Index part, Index parts) { read(kernel, state, begin_, part, parts); });
            kernel.advance(state, step, 1, uniforms.row_within(step, 0));
            on_team([&](Index part, Index parts) {
                read(kernel, state, first_, part, parts);
                solved_.solve(team, part, [&](std::size_t i) { return std::span(first_[i]); });
                write(kernel, state, part, parts, [&](std::size_t i, std::size_t c) { return begin_[i][c] + h * first_[i][c]; });
            });
            kernel.advance(state, step, 1, uniforms.row_within(step, 1));
            on_team([&](Index part, Index parts) {
                read(kernel, state, second_, part, parts);
                solved_.each_row(part, parts, [&](std::size_t i, Index, std::size_t begin, std::size_t length) {
                    for (std::size_t c = begin; c < begin + length; ++c) second_[i][c] -= 2 * first_[i][c];
                });
                solved_.solve(team, part, [&](std::size_t i) { return std::span(second_[i]); });
                write(kernel, state, part, parts, [&](std::size_t i, std::size_t c) {
                    return end_of_step(begin_[i][c] + h * (1.5 * first_[i][c] + 0.5 * second_[i][c]), solved_.what(i).clamp);
                });
            });
        }
    }

   private:
    using Cells = std::vector<std::vector<double>>;  // by field

    static Cells cells_of(const backend::Kernel& kernel) {
        return Cells(kernel.program().implicit.size(), std::vector<double>(core::at(domain::cell_count(kernel.domain()))));
    }
    void read(const backend::Kernel& kernel, const backend::State& state, Cells& into, Index part, Index parts) const {
        solved_.each_row(part, parts, [&](std::size_t i, Index row, std::size_t begin, std::size_t length) {
            kernel.read_row(state, solved_.what(i).field, row, std::span(into[i]).subspan(begin, length));
        });
    }
    /// Writes value(field, cell), by way of the cells of l.
    template <class Value>
    void write(backend::Kernel& kernel, backend::State& state, Index part, Index parts, const Value& value) {
        solved_.each_row(part, parts, [&](std::size_t i, Index row, std::size_t begin, std::size_t length) {
            for (std::size_t c = begin; c < begin + length; ++c) second_[i][c] = value(i, c);
            kernel.write_row(state, solved_.what(i).field, row, std::span(second_[i]).subspan(begin, length));
        });
    }

    SolvedFields solved_;
    Cells begin_, first_, second_;  ///< u, k and l
};

}  // namespace

std::unique_ptr<SplitSteps> create_rosenbrock_steps(const backend::Kernel& kernel) { return std::make_unique<RosenbrockSteps>(kernel); }

}  // namespace mottle::stepper
