// mottle/core/dynamic_library.h: shared libraries opened at run time, and Mottle's own modules in lib/mottle
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace mottle::core {

/// The address of a function, which becomes a pointer of the type that it is assigned to.
struct FunctionAddress {
    void* address;
    template <class Signature>
    operator Signature*() const {
        return reinterpret_cast<Signature*>(address);
    }
};

/// A shared library, opened on construction and never closed.
class DynamicLibrary {
   public:
    /// Throws: DeviceError with the loader's words.
    explicit DynamicLibrary(const std::filesystem::path& path);
    /// Throws: DeviceError if the symbol is missing.
    void* symbol(const char* name) const;
    FunctionAddress function(const char* name) const { return {symbol(name)}; }

   private:
    void* handle_;
    std::string path_;
};

/// Opens lib/mottle/<name>.so beside the core library and checks that `mottle_module_build()` equals the core's build id.
/// Throws: DeviceError that names `package`, what to install if the module is missing.
DynamicLibrary open_module(const std::string& name, const std::string& package);

}  // namespace mottle::core
