// mottle/backend/cuda/backend.cpp: the CUDA backend
#include "mottle/backend/cuda/backend.h"

#include "mottle/backend/cuda/device/api.h"
#include "mottle/backend/cuda/device/compile.h"
#include "mottle/backend/cuda/grid/cut.h"
#include "mottle/backend/cuda/emit/unfused.h"
#include "mottle/backend/cuda/grid/kernel.h"
#include "mottle/backend/cuda/mesh/kernel.h"
#include "mottle/backend/cuda/mesh/plan.h"
#include "mottle/core/error.h"

#include <utility>

namespace mottle::backend {
namespace {

class CudaBackend final : public Backend {
   public:
    explicit CudaBackend(std::function<std::shared_ptr<cuda::Device>()> open) : open_(std::move(open)) {}

    std::string name() const override { return "cuda"; }
    bool on_card() const override { return true; }
    std::string description() const override { return device_ ? device_->traits().name : look_for_cuda().description; }

    std::unique_ptr<Kernel> compile(const ir::Program& program, const domain::Domain& domain, const Schedule& request,
                                    core::Context& context) override {
        const Schedule schedule = schedule_for(request, family(domain), program);
        if (!device_) device_ = open_();
        if (const auto* mesh = std::get_if<CardMeshSchedule>(&schedule))
            return std::make_unique<cuda::CudaMeshKernel>(program, domain, *mesh, device_, context);
        return std::make_unique<cuda::CudaKernel>(program, domain, schedule, device_, context);
    }

    Family family(const domain::Domain& domain) const override {
        const auto* grid = std::get_if<domain::Grid>(&domain);
        return !grid ? Family::card_mesh : grid->size[2] > 1 ? Family::card_volume : Family::card_plane;
    }

    std::string emit(const ir::Program& program, const domain::Domain& domain, const Schedule& request) override {
        const Schedule schedule = schedule_for(request, family(domain), program);
        const cuda::DeviceTraits traits = device_ ? device_->traits() : cuda::DeviceTraits{};
        if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) {
            core::ThreadTeam team(1);
            return cuda::plan_mesh(program, *mesh, std::get<CardMeshSchedule>(schedule), traits, team).text.text;
        }
        const auto& grid = std::get<domain::Grid>(domain);
        const StepPlan plan(program);
        const cuda::Cut cut = cuda::choose_cut(plan, grid, schedule, traits);
        if (cut.persistent.tile.warps > 0) return cuda::emit_persistent(plan, grid, cut.persistent.tile).text;
        if (!cut.fused) return cuda::emit_unfused(program, grid).text;
        return cuda::emit_pass(plan, grid, cut, cut.steps, program.flush_step.has_value()).text;
    }

   private:
    std::function<std::shared_ptr<cuda::Device>()> open_;
    std::shared_ptr<cuda::Device> device_;
};

}  // namespace

std::unique_ptr<Backend> create_cuda_backend(std::function<std::shared_ptr<cuda::Device>()> open) {
    return open ? std::make_unique<CudaBackend>(std::move(open)) : create_cuda_backend(0);
}

std::unique_ptr<Backend> create_cuda_backend(int number) {
    return create_cuda_backend([number] { return cuda::open_driver_device(number); });
}

bool has_cuda_driver() {
    static const bool found = cuda::look_for_driver().available;  // the loader looks into some thirty folders before it says no
    return found;
}

cuda::DriverReport look_for_cuda() {
    std::string compiler;
    bool compiles = true;
    try {
        compiler = cuda::compiler_version() + " found";
    } catch (const core::DeviceError& error) {
        compiles = false;
        compiler = error.message();
    }
    const cuda::DriverReport driver = cuda::look_for_driver();
    return {driver.available && compiles, driver.description + "; " + compiler};
}

}  // namespace mottle::backend
