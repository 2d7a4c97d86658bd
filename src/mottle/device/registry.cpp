// mottle/device/registry.cpp: names of devices -> backends
#include "mottle/device/registry.h"

#include "mottle/backend/cpu/backend.h"
#include "mottle/backend/cpu/compile/isa.h"
#include "mottle/backend/cpu/plane/row_layout.h"
#include "mottle/backend/cuda/backend.h"
#include "mottle/backend/reference/backend.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mottle::device {

using backend::Backend;
using backend::Kernel;
using backend::Schedule;

namespace {

struct CpuDevice {
    const char* name;
    const char* isa;  ///< "" takes the widest that the processor has
};
constexpr std::array kCpuDevices = {CpuDevice{"cpu", ""}, CpuDevice{"cpu:avx512", "avx512"}, CpuDevice{"cpu:avx2", "avx2"},
                                    CpuDevice{"cpu:portable", "portable"}};

constexpr std::string_view kCard = "cuda:";
constexpr long long kMostCards = 1024;

DeviceInfo describe(const CpuDevice& device) {
    try {
        const std::string level = backend::create_cpu_backend(device.isa)->description();
        return {device.name, true, level + ", " + backend::cpu_compiler_version()};
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
        // a fallback has the schedule of its own cost model, where the one that was asked for is of another family
        const auto fitting = [&](const Backend& backend) {
            return schedule.index() == static_cast<std::size_t>(backend.family(domain)) ? schedule : Schedule();
        };
        if (pays_on_card(domain)) {
            try {
                auto cuda = backend::create_cuda_backend();
                auto kernel = cuda->compile(program, domain, schedule, context);
                chosen_ = std::move(cuda);
                return kernel;
            } catch (const core::DeviceError& error) {
                context.observer.notice("running on the CPU: " + error.message());
            }
        }
        try {
            return chosen_->compile(program, domain, pays_on_card(domain) ? fitting(*chosen_) : schedule, context);
        } catch (const core::DeviceError& error) {
            context.observer.notice("running on the slow reference interpreter: " + error.message());
            chosen_ = backend::create_reference_backend("kernels cannot be compiled here");
        }
        return chosen_->compile(program, domain, fitting(*chosen_), context);
    }

    bool on_card() const override { return chosen_->on_card(); }

    backend::Family family(const domain::Domain& domain) const override {
        return pays_on_card(domain) ? backend::create_cuda_backend()->family(domain) : chosen_->family(domain);
    }

    std::string emit(const ir::Program& program, const domain::Domain& domain, const Schedule& schedule) override {
        return pays_on_card(domain) ? backend::create_cuda_backend()->emit(program, domain, schedule)
                                    : chosen_->emit(program, domain, schedule);
    }

   private:
    static bool pays_on_card(const domain::Domain& domain) {
        return domain::cell_count(domain) >= kCellsForCuda && backend::has_cuda_driver();
    }

    std::unique_ptr<Backend> chosen_ = backend::create_cpu_backend("");
};

}  // namespace

std::vector<DeviceInfo> devices() {
    std::vector<DeviceInfo> list;
    list.reserve(kCpuDevices.size() + 2);
    for (const CpuDevice& device : kCpuDevices) list.push_back(describe(device));
    list.push_back({"reference", true, backend::create_reference_backend()->description()});
    const auto cuda = backend::look_for_cuda();
    list.push_back({"cuda", cuda.available, cuda.description});
    return list;
}

std::unique_ptr<Backend> create_backend(const std::string& name) {
    if (name == "auto") return std::make_unique<AutomaticBackend>();
    if (name == "reference") return backend::create_reference_backend();
    if (name == "cuda") return backend::create_cuda_backend();
    long long card = 0;
    if (name.starts_with(kCard) && core::parse_integer(name.substr(kCard.size()), card) && card >= 0 && card <= kMostCards)
        return backend::create_cuda_backend(static_cast<int>(card));
    auto found = std::find_if(kCpuDevices.begin(), kCpuDevices.end(), [&](const CpuDevice& device) { return name == device.name; });
    if (found != kCpuDevices.end()) return backend::create_cpu_backend(found->isa);
    std::vector<std::string> known = {"auto", "reference", "cuda"};
    for (const CpuDevice& device : kCpuDevices) known.emplace_back(device.name);
    throw core::InputError("unknown device '" + name + "'" + core::did_you_mean(name, known) +
                           " (devices: auto, cpu, cpu:avx512, cpu:avx2, cpu:portable, reference, cuda, cuda:1)");
}

backend::Family schedule_family(const std::string& name, const domain::Domain& domain) { return create_backend(name)->family(domain); }

bool may_take_a_card(const std::string& name) { return name.starts_with("cuda") || (name == "auto" && backend::has_cuda_driver()); }

bool interprets(const std::string& name) { return name == "reference"; }

bool sweeps_in_place(const std::string& name) { return name == "auto" || name.starts_with("cpu"); }

double bytes_of_row(const std::string& name, const domain::Domain& domain, std::size_t arrays, bool f64) {
    constexpr double kLine = 64;      // rows begin at lines of the cache
    constexpr double kPointers = 16;  // of a row, in a vector that grows by doubling
    if (!sweeps_in_place(name) || !std::holds_alternative<domain::Grid>(domain)) return 0;
    const int scalar = f64 ? 8 : 4;
    const int lanes = backend::cpu::host_isa().register_bytes / scalar;
    const backend::cpu::RowLayout layout(domain::row_length(domain), lanes, core::at(scalar));
    return std::ceil(static_cast<double>(arrays) * static_cast<double>(layout.array_pitch()) / kLine) * kLine + kPointers;
}

}  // namespace mottle::device
