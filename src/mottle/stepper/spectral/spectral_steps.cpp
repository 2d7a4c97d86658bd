// mottle/stepper/spectral/spectral_steps.cpp: the stages of ETDRK4 between a kernel, which makes rates, and transforms of the fields
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/stepper/implicit/diffusion_solver.h"
#include "mottle/stepper/spectral/spectral_field.h"
#include "mottle/stepper/split_steps.h"

#include <algorithm>
#include <cmath>

namespace mottle::stepper {
namespace {

constexpr double kTimes[kEtdStages] = {0, 0.5, 0.5, 1};  // steps behind the beginning of a step, of the rates

class SpectralSteps final : public SplitSteps {
   public:
    explicit SpectralSteps(const backend::Kernel& kernel);

    void advance(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n) override;

   private:
    struct Part {
        ir::LinearPart what;
        SpectralField field;
        std::vector<double> powers;
    };

    void set_linear_parts(const backend::Kernel& kernel, std::span<const double> uniforms, double dt);
    void read_state(const backend::Kernel& kernel, const backend::State& state, Index part, Index parts);
    void run_stage(backend::Kernel& kernel, backend::State& state, int stage, Index part, Index parts);

    std::vector<Part> parts_;
};

SpectralSteps::SpectralSteps(const backend::Kernel& kernel) {
    const auto& grid = std::get<domain::Grid>(kernel.domain());
    const ir::LaplacianShape shape = ir::laplacian_shape(grid);
    for (const ir::LinearPart& what : kernel.program().linear) {
        const std::string& name = kernel.program().arrays[core::at(what.field)].name;
        parts_.push_back({what, SpectralField(grid, grid.sides_of(name), shape), std::vector<double>(what.powers.size())});
    }
}

void SpectralSteps::advance(backend::Kernel& kernel, backend::State& state, UniformRows& uniforms, Index first_step, Index n) {
    core::ThreadTeam& team = kernel.team();
    const auto on_team = [&](const auto& work) { team.run([&](int worker) { work(worker, team.size()); }); };
    for (Index step = first_step; step < first_step + n; ++step) {
        set_linear_parts(kernel, uniforms.row_within(step, 0).row(0), uniforms.dt());
        on_team([&](Index part, Index parts) { read_state(kernel, state, part, parts); });
        for (int stage = 0; stage < kEtdStages; ++stage) {
            kernel.advance(state, step, 1, uniforms.row_within(step, kTimes[stage]));
            on_team([&](Index part, Index parts) { run_stage(kernel, state, stage, part, parts); });
        }
    }
}

void SpectralSteps::set_linear_parts(const backend::Kernel& kernel, std::span<const double> uniforms, double dt) {
    for (Part& part : parts_) {
        for (std::size_t m = 0; m < part.powers.size(); ++m) {
            const int index = part.what.powers[m];
            part.powers[m] = index < 0 ? 0 : uniforms[core::at(index)];
            if (std::isfinite(part.powers[m])) continue;
            throw core::InputError("in the equation of " + kernel.program().arrays[core::at(part.what.field)].name +
                                   " the linear part has the coefficient " + core::number_text(part.powers[m]) + "; it must be finite");
        }
        part.field.set_linear_part(part.powers, dt);
    }
}

void SpectralSteps::read_state(const backend::Kernel& kernel, const backend::State& state, Index part, Index parts) {
    const auto [first, end] = core::share_of(domain::row_count(kernel.domain()), part, parts);
    int passes = 0;
    for (Part& own : parts_) {
        passes = std::max(passes, own.field.passes_of_state());
        for (Index row = first; row < end; ++row) {
            const std::span<double> cells = own.field.row_of_state(row);
            kernel.read_row(state, own.what.field, row, cells);
            for (double& cell : cells) cell *= own.field.scale();
        }
    }
    for (int pass = 0; pass < passes; ++pass) {
        kernel.team().barrier();
        for (Part& own : parts_) {
            if (pass < own.field.passes_of_state()) own.field.transform_state(pass, part, parts);
        }
    }
}

void SpectralSteps::run_stage(backend::Kernel& kernel, backend::State& state, int stage, Index part, Index parts) {
    const auto [first, end] = core::share_of(domain::row_count(kernel.domain()), part, parts);
    int passes = 0;
    for (Part& own : parts_) {
        passes = std::max(passes, own.field.passes());
        for (Index row = first; row < end; ++row) {
            const std::span<double> cells = own.field.row_of_rates(row);
            kernel.read_row(state, own.what.field, row, cells);
            for (double& cell : cells) cell *= own.field.scale();
        }
    }
    for (int pass = 0; pass < passes; ++pass) {
        kernel.team().barrier();
        for (Part& own : parts_) {
            if (pass < own.field.passes()) own.field.run(stage, pass, part, parts);
        }
    }
    kernel.team().barrier();
    for (Part& own : parts_) {
        for (Index row = first; row < end; ++row) {
            const std::span<double> cells = own.field.row_of_rates(row);
            if (stage + 1 == kEtdStages) {
                for (double& cell : cells) cell = end_of_step(cell, own.what.clamp);
            }
            kernel.write_row(state, own.what.field, row, cells);
        }
    }
}

}  // namespace

std::unique_ptr<SplitSteps> create_spectral_steps(const backend::Kernel& kernel) { return std::make_unique<SpectralSteps>(kernel); }

}  // namespace mottle::stepper
