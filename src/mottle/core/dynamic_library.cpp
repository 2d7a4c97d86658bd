// mottle/core/dynamic_library.cpp: dlopen, and the place and build id of Mottle's own modules
#include "mottle/core/dynamic_library.h"

#include "mottle/core/error.h"
#include "mottle/core/provenance.h"

#include <dlfcn.h>

#include <system_error>

namespace mottle::core {
namespace {

std::string loader_words() {
    const char* words = dlerror();
    return words ? words : "the loader gives no reason";
}

/// The folder of the library (or program) that holds this function.
std::filesystem::path own_folder() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || !info.dli_fname) {
        throw InternalError("the loader does not tell where the core library lies");
    }
    std::error_code error;
    std::filesystem::path path = std::filesystem::canonical(info.dli_fname, error);
    if (error)
        throw DeviceError("cannot find the core library's own folder from '" + std::string(info.dli_fname) + "': " + error.message());
    return path.parent_path();
}

}  // namespace

DynamicLibrary::DynamicLibrary(const std::filesystem::path& path)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)), path_(path.string()) {
    if (!handle_) throw DeviceError("cannot open the library " + path_ + ": " + loader_words());
}

void* DynamicLibrary::symbol(const char* name) const {
    dlerror();
    void* address = dlsym(handle_, name);
    if (!address) throw DeviceError("the library " + path_ + " has no symbol '" + name + "': " + loader_words());
    return address;
}

DynamicLibrary open_module(const std::string& name, const std::string& package) {
    const std::filesystem::path path = own_folder() / "mottle" / (name + ".so");
    std::error_code error;
    if (!std::filesystem::exists(path, error)) {
        throw DeviceError("the module " + name + " is not installed (" + path.string() + " does not exist); install " + package +
                          ", then configure, build and install Mottle again");
    }
    try {
        DynamicLibrary module(path);
        const auto module_build = reinterpret_cast<const char* (*)()>(module.symbol("mottle_module_build"));
        const std::string built = module_build();
        if (built != build_id()) {
            throw DeviceError("the module " + path.string() + " is of build '" + built + "', the library of build '" + build_id() +
                              "'; install both from one build");
        }
        return module;
    } catch (const DeviceError& failure) {
        // Words of the loader: a package helps where a file is missing, not where memory or rights are.
        const bool missing = failure.message().find("cannot open shared object file") != std::string::npos;
        throw DeviceError(failure.message() + (missing ? " (the module " + name + " needs " + package + ")" : ""));
    }
}

}  // namespace mottle::core
