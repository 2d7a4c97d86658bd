// mottle/backend/cpu/compile/compile.cpp: LLVM IR text -> executable kernels, cached on disk
#include "mottle/backend/cpu/compile/compile.h"

#include "mottle/backend/cpu/compile/jit_module.h"
#include "mottle/backend/kernel_cache.h"
#include "mottle/core/cancellation.h"
#include "mottle/core/dynamic_library.h"
#include "mottle/core/error.h"
#include "mottle/core/provenance.h"

#include <optional>

namespace mottle::backend::cpu {
namespace {

core::DynamicLibrary open_compiler() { return core::open_module("mottle_jit", "libllvm19"); }

}  // namespace

std::unique_ptr<ObjectCode> compile_text(const std::string& text, const Isa& isa, const std::filesystem::path& cache) {
    const CachedKernel cached(cache, core::kernel_compiler_id() + "\n" + isa.features + "\n" + text, ".o");
    if (const std::optional<std::string> object = cached.read()) return std::make_unique<ObjectCode>(*object);
    const std::string result = core::compute_or_abandon([text, features = isa.features] {
        const auto compile = reinterpret_cast<decltype(&mottle_jit_compile)>(open_compiler().symbol("mottle_jit_compile"));
        std::string object;
        const JitRequest request{&text, &features, &object};
        if (compile(&request) != 0) throw core::InternalError(object);
        return object;
    });
    cached.write(result);
    return std::make_unique<ObjectCode>(result);
}

std::string compiler_version() { return reinterpret_cast<decltype(&mottle_jit_version)>(open_compiler().symbol("mottle_jit_version"))(); }

}  // namespace mottle::backend::cpu
