// mottle/backend/cpu/compile.cpp: LLVM IR text -> executable kernels, cached on disk
#include "mottle/backend/cpu/compile.h"

#include "mottle/backend/cpu/jit_module.h"
#include "mottle/core/dynamic_library.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/hash.h"
#include "mottle/core/provenance.h"

#include <optional>
#include <span>

namespace mottle::backend::cpu {
namespace {

constexpr std::size_t kChecksumLength = 32;

std::filesystem::path cache_path(const std::filesystem::path& cache, const std::string& text, const Isa& isa) {
    return cache / "kernels" / (core::hash_hex(core::hash_text(core::build_id() + "\n" + isa.features + "\n" + text)) + ".o");
}

// The file is the checksum of the object, then the object.
std::optional<std::string> read_cached(const std::filesystem::path& path) {
    std::optional<std::string> file = core::read_file(path);
    if (!file || file->size() <= kChecksumLength) return std::nullopt;
    std::string object = file->substr(kChecksumLength);
    if (core::hash_hex(core::hash_text(object)) != file->substr(0, kChecksumLength)) return std::nullopt;
    return object;
}

// A cache that cannot be written costs time at the next start, never a run.
void write_cached(const std::filesystem::path& path, const std::string& object) {
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    std::filesystem::permissions(path.parent_path(), std::filesystem::perms::owner_all, ignored);
    try {
        std::string bytes = core::hash_hex(core::hash_text(object)) + object;
        core::AtomicFile file(path);
        file.write(std::as_bytes(std::span(bytes)));
        file.commit();
    } catch (const core::OutputError&) {
    }
}

core::DynamicLibrary open_compiler() { return core::open_module("mottle_jit", "libllvm19"); }

}  // namespace

std::unique_ptr<ObjectCode> compile_text(const std::string& text, const Isa& isa, const std::filesystem::path& cache) {
    if (!cache.empty()) {
        if (auto object = read_cached(cache_path(cache, text, isa))) return std::make_unique<ObjectCode>(*object);
    }
    auto compile = reinterpret_cast<decltype(&mottle_jit_compile)>(open_compiler().symbol("mottle_jit_compile"));
    std::string result;
    JitRequest request{&text, &isa.features, &result};
    if (compile(&request) != 0) throw core::InternalError(result);
    if (!cache.empty()) write_cached(cache_path(cache, text, isa), result);
    return std::make_unique<ObjectCode>(result);
}

std::string compiler_version() { return reinterpret_cast<decltype(&mottle_jit_version)>(open_compiler().symbol("mottle_jit_version"))(); }

}  // namespace mottle::backend::cpu
