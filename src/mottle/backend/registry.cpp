// mottle/backend/registry.cpp: names of devices -> backends
#include "mottle/backend/registry.h"

#include "mottle/backend/cpu/backend.h"
#include "mottle/backend/cuda/backend.h"
#include "mottle/backend/reference/backend.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <array>

namespace mottle::backend {
namespace {

struct CpuDevice {
    const char* name;
    const char* isa;  ///< "" takes the widest that the processor has
};
constexpr std::array kCpuDevices = {CpuDevice{"cpu", ""}, CpuDevice{"cpu:avx512", "avx512"}, CpuDevice{"cpu:avx2", "avx2"},
                                    CpuDevice{"cpu:portable", "portable"}};

DeviceInfo describe(const CpuDevice& device) {
    try {
        const std::string level = create_cpu_backend(device.isa)->description();
        return {device.name, true, level + ", " + cpu_compiler_version()};
    } catch (const core::DeviceError& error) {
        return {device.name, false, error.message()};
    }
}

// Below, a launch per step takes a card longer than the CPU needs for the step.
constexpr domain::Index kCellsForCuda = 256 * 256;

/// A card where there is one and it pays; else the CPU, and the interpreter where kernels can be neither compiled nor found in the cache. The
/// compilers are not opened to find out: a cached kernel starts without them.
class AutomaticBackend final : public Backend {
   public:
    std::string name() const override { return chosen_->name(); }
    std::string description() const override { return chosen_->description(); }

    std::unique_ptr<Kernel> compile(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule,
                                    core::Context& context) override {
        if (domain::cell_count(domain) >= kCellsForCuda && has_cuda_driver()) {
            try {
                auto cuda = create_cuda_backend();
                auto kernel = cuda->compile(program, domain, schedule, context);
                chosen_ = std::move(cuda);
                return kernel;
            } catch (const core::DeviceError& error) {
                context.observer.notice("running on the CPU: " + error.message());
            }
        }
        try {
            return chosen_->compile(program, domain, schedule, context);
        } catch (const core::DeviceError& error) {
            context.observer.notice("running on the slow reference interpreter: " + error.message());
            chosen_ = create_reference_backend("kernels cannot be compiled here");
        }
        return chosen_->compile(program, domain, schedule, context);
    }

    std::string emit(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule) override {
        return chosen_->emit(program, domain, schedule);
    }

   private:
    std::unique_ptr<Backend> chosen_ = create_cpu_backend("");
};

}  // namespace

std::vector<DeviceInfo> devices() {
    std::vector<DeviceInfo> list;
    list.reserve(kCpuDevices.size() + 2);
    for (const CpuDevice& device : kCpuDevices) list.push_back(describe(device));
    list.push_back({"reference", true, create_reference_backend()->description()});
    const CudaReport cuda = look_for_cuda();
    list.push_back({"cuda", cuda.available, cuda.description});
    return list;
}

std::unique_ptr<Backend> create_backend(const std::string& name) {
    if (name == "auto") return std::make_unique<AutomaticBackend>();
    if (name == "reference") return create_reference_backend();
    if (name == "cuda") return create_cuda_backend();
    auto found = std::find_if(kCpuDevices.begin(), kCpuDevices.end(), [&](const CpuDevice& device) { return name == device.name; });
    if (found != kCpuDevices.end()) return create_cpu_backend(found->isa);
    std::vector<std::string> known = {"auto", "reference", "cuda"};
    for (const CpuDevice& device : kCpuDevices) known.emplace_back(device.name);
    throw core::InputError("unknown device '" + name + "'" + core::did_you_mean(name, known) +
                           " (devices: auto, cpu, cpu:avx512, cpu:avx2, cpu:portable, reference, cuda)");
}

}  // namespace mottle::backend
