// mottle/benchmarks/harness/kernel_run.cpp: lowering, noise and steps
#include "harness/kernel_run.h"

#include "mottle/run/settings/read_spec.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/ir/functions/philox.h"
#include "mottle/ir/lower/system.h"
#include "mottle/model/model.h"

#include <algorithm>
#include <span>

namespace mottle::benchmarks {

using core::Index;

Lowered lower(const std::string& model, const std::string& size, const std::string& mesh, const std::string& stencil, bool f64,
              core::ThreadTeam& team) {
    std::string flags = std::string("[method]\nprecision = \"") + (f64 ? "f64" : "f32") + "\"\n";
    if (mesh.empty()) flags += "[grid]\nsize = \"" + size + "\"\nstencil = \"" + stencil + "\"\n";
    const core::Node document = model.find('\n') == std::string::npos ? model::load_document(model) : core::parse_document(model, "model");
    Lowered result{run::read_spec(document, "benchmark", "", core::parse_document(flags, "flags")), {}};
    // six neighbours instead of four: a step that is stable on planes is not on volumes, and NaN equals nothing
    const auto* grid = std::get_if<domain::Grid>(&result.spec.domain);
    if (grid && grid->size[2] > 1 && result.spec.dt) result.spec.dt = *result.spec.dt / 2;
    if (!mesh.empty()) {
        result.spec.domain = domain::create_mesh(domain::load_surface({mesh, {}}, {}, team), 100, team);
    }
    result.program = ir::lower(ir::build(result.spec.model), result.spec.method, result.spec.domain);
    return result;
}

namespace {
constexpr Index kDrawnRows = 1021;  // then they repeat: a volume has a million rows, and drawing takes longer than what is timed
}

KernelRun::KernelRun(backend::Backend& device, const Lowered& lowered, const std::string& schedule, core::Context& context,
                     const std::vector<int>& members)
    : program_(lowered.program),
      kernel_(device.compile(lowered.program, lowered.spec.domain, backend::parse_schedule(schedule, device.family(lowered.spec.domain)),
                             context)) {
    for (const int number : members) members_.push_back(make_member(lowered, number));
}

KernelRun::Member KernelRun::make_member(const Lowered& lowered, int number) const {
    Member member{kernel_->create_state(), nullptr};
    const auto seed = static_cast<std::uint64_t>(number);
    const Index rows = domain::row_count(lowered.spec.domain), drawn = std::min(rows, kDrawnRows);
    const auto length = static_cast<std::size_t>(domain::row_length(lowered.spec.domain));
    for (ir::Array a = 0; a < static_cast<ir::Array>(program_.arrays.size()); ++a) {
        if (program_.arrays[static_cast<std::size_t>(a)].kind == ir::ArrayInfo::Kind::held) continue;
        std::vector<double> cells(static_cast<std::size_t>(drawn) * length);
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = 0.2 + 0.3 * ir::uniform_draw(static_cast<std::uint64_t>(a), i, seed, 0);
        for (Index y = 0; y < rows; ++y)
            kernel_->write_row(*member.state, a, y, std::span(cells).subspan(static_cast<std::size_t>(y % drawn) * length, length));
    }
    std::vector<double> inputs;
    const double dt = lowered.spec.dt.value_or(0.5), scale = 1 - 1e-4 * number;
    for (const std::string& name : program_.inputs) {
        double value = name == "dt" ? dt : 0;
        for (const model::Parameter& parameter : lowered.spec.model.parameters)
            value = parameter.name == name ? scale * parameter.value : value;
        inputs.push_back(value);
    }
    member.uniforms = std::make_unique<stepper::UniformRows>(program_, inputs, dt);
    return member;
}

void KernelRun::advance(Index steps) {
    std::vector<backend::Advance> advances;
    for (Member& member : members_) advances.push_back({member.state.get(), step_, steps, member.uniforms->rows(step_, steps)});
    kernel_->advance_all(advances);
    step_ += steps;
}

std::vector<double> KernelRun::cells(std::size_t which) const {
    std::vector<double> all, row(static_cast<std::size_t>(domain::row_length(kernel_->domain())));
    for (ir::Array a = 0; a < program_.state_count(); ++a) {
        for (Index y = 0; y < domain::row_count(kernel_->domain()); ++y) {
            kernel_->read_row(*members_[which].state, a, y, std::span<double>(row));
            all.insert(all.end(), row.begin(), row.end());
        }
    }
    return all;
}

}  // namespace mottle::benchmarks
