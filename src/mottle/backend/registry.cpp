// mottle/backend/registry.cpp: names of devices -> backends
#include "mottle/backend/registry.h"

#include "mottle/backend/cpu/backend.h"
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
constexpr const char* kNoCuda = "not in this version";

DeviceInfo describe(const CpuDevice& device) {
    try {
        const std::string level = create_cpu_backend(device.isa)->description();
        return {device.name, true, level + ", " + cpu_compiler_version()};
    } catch (const core::DeviceError& error) {
        return {device.name, false, error.message()};
    }
}

/// The CPU, and the interpreter where kernels can be neither compiled nor found in the cache. The compiler is not opened to find out:
/// a cached kernel starts without it.
class AutomaticBackend final : public Backend {
   public:
    std::string name() const override { return chosen_->name(); }
    std::string description() const override { return chosen_->description(); }

    std::unique_ptr<Kernel> compile(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule,
                                    core::Context& context) override {
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
    for (const CpuDevice& device : kCpuDevices) list.push_back(describe(device));
    list.push_back({"reference", true, create_reference_backend()->description()});
    list.push_back({"cuda", false, kNoCuda});
    return list;
}

std::unique_ptr<Backend> create_backend(const std::string& name) {
    if (name == "auto") return std::make_unique<AutomaticBackend>();
    if (name == "reference") return create_reference_backend();
    if (name == "cuda") throw core::DeviceError("the device 'cuda' is " + std::string(kNoCuda) + "; use --device cpu");
    auto found = std::find_if(kCpuDevices.begin(), kCpuDevices.end(), [&](const CpuDevice& device) { return name == device.name; });
    if (found != kCpuDevices.end()) return create_cpu_backend(found->isa);
    std::vector<std::string> known = {"auto", "reference", "cuda"};
    for (const CpuDevice& device : kCpuDevices) known.emplace_back(device.name);
    throw core::InputError("unknown device '" + name + "'" + core::did_you_mean(name, known) +
                           " (devices: auto, cpu, cpu:avx512, cpu:avx2, cpu:portable, reference)");
}

}  // namespace mottle::backend
