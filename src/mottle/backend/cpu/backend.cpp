// mottle/backend/cpu/backend.cpp: the CPU backend
#include "mottle/backend/cpu/backend.h"

#include "mottle/backend/cpu/compile/compile.h"
#include "mottle/backend/cpu/plane/kernel.h"
#include "mottle/backend/cpu/mesh/kernel.h"
#include "mottle/backend/cpu/volume/cut.h"
#include "mottle/backend/cpu/volume/kernel.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <vector>

namespace mottle::backend {
namespace {

constexpr Index kWideRow = 1 << 14;    // cells: what neighbouring rows share may have left the cache
constexpr Index kSharedRow = 1 << 12;  // cells: of a few such rows threads share each
constexpr Index kFewRows = 64;

/// Strips are for passes of several steps, which phases do not take; wide rows keep them, and grids of a few rows, which threads share by them.
Schedule request_of(const Schedule& schedule, Family family, const ir::Program& program, const domain::Domain& domain) {
    Schedule request = schedule_for(schedule, family, program);
    if (auto* plane = std::get_if<PlaneSchedule>(&request); plane && program.phases) {
        const auto& grid = std::get<domain::Grid>(domain);
        const bool whole = grid.size[0] <= kWideRow && (grid.size[1] >= kFewRows || grid.size[0] < kSharedRow);
        if (whole && !plane->strip) plane->strip = 0;
        if (!plane->steps) plane->steps = 1;
    }
    return request;
}

class CpuBackend final : public Backend {
   public:
    explicit CpuBackend(const cpu::Isa& isa) : isa_(isa) {}
    std::string name() const override { return "cpu"; }
    std::string description() const override { return isa_.name; }

    std::unique_ptr<Kernel> compile(const ir::Program& program, const domain::Domain& domain, const Schedule& request,
                                    core::Context& context) override {
        const Schedule schedule = request_of(request, family(domain), program, domain);
        if (const auto* mesh = std::get_if<MeshSchedule>(&schedule))
            return std::make_unique<cpu::MeshKernel>(program, domain, *mesh, isa_, context);
        if (const auto* volume = std::get_if<VolumeSchedule>(&schedule))
            return std::make_unique<cpu::VolumeKernel>(program, domain, *volume, isa_, context);
        return std::make_unique<cpu::PlaneKernel>(program, domain, std::get<PlaneSchedule>(schedule), isa_, context);
    }

    Family family(const domain::Domain& domain) const override {
        const auto* grid = std::get_if<domain::Grid>(&domain);
        return !grid ? Family::mesh : grid->size[2] > 1 ? Family::volume : Family::plane;
    }

    std::string emit(const ir::Program& program, const domain::Domain& domain, const Schedule& request) override {
        const Schedule schedule = request_of(request, family(domain), program, domain);
        if (const auto* mesh = std::get_if<MeshSchedule>(&schedule))
            return cpu::emit_mesh(program, cpu::MeshPlan(program), isa_, {false, cpu::gathers(*mesh, isa_)});
        const auto& grid = std::get<domain::Grid>(domain);
        const auto* volume = std::get_if<VolumeSchedule>(&schedule);
        const auto* plane = std::get_if<PlaneSchedule>(&schedule);
        const cpu::Plan plan = cpu::make_plan(program, volume != nullptr, plane ? cpu::terms_of(program, grid, *plane) : cpu::Terms::kept);
        const int threads = core::available_cores();
        const cpu::Cut cut = volume ? cpu::choose_volume_cut(program, plan, grid, *volume, isa_, threads)
                                    : cpu::choose_cut(program, plan, grid, std::get<PlaneSchedule>(schedule), isa_, threads);
        return cpu::emit_grid(program, plan, cut.calls, cpu::emit_options(isa_, cut.strips));
    }

   private:
    cpu::Isa isa_;
};

}  // namespace

std::unique_ptr<Backend> create_cpu_backend(const std::string& name) {
    if (name.empty()) return std::make_unique<CpuBackend>(cpu::host_isa());
    std::vector<std::string> known;
    for (const cpu::Isa& isa : cpu::isa_levels()) {
        known.push_back(isa.name);
        if (isa.name != name) continue;
        if (!cpu::runs_here(isa)) throw core::DeviceError("this processor has no " + name + "; use --device cpu");
        return std::make_unique<CpuBackend>(isa);
    }
    throw core::InputError("unknown CPU level '" + name + "'" + core::did_you_mean(name, known));
}

std::string cpu_compiler_version() { return cpu::compiler_version(); }

}  // namespace mottle::backend
