// mottle/backend/cuda/device/compile.cpp: CUDA text -> cubin by NVRTC, and the cache on disk
#include "mottle/backend/cuda/device/compile.h"

#include "mottle/backend/cuda/device/api.h"
#include "mottle/core/cancellation.h"
#include "mottle/core/dynamic_library.h"
#include "mottle/core/error.h"
#include "mottle/core/index.h"
#include "mottle/core/provenance.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

namespace mottle::backend::cuda {
namespace {

using Status = int;
using NvrtcProgram = void*;
constexpr Status kInvalidOption = 5,  // NVRTC_ERROR_INVALID_OPTION: also an architecture it does not know
    kNoBuiltins = 7;                  // NVRTC_ERROR_BUILTIN_OPERATION_FAILURE: also without libnvrtc-builtins

constexpr std::array kMajors = {13, 12, 11};

/// Its file name in a runtime package.
std::string library_name(int major) { return "libnvrtc.so." + (major == 11 ? "11.2" : std::to_string(major)); }

/// Folders of a toolkit that may contain libraries.
std::vector<std::filesystem::path> library_folders(const std::filesystem::path& toolkit) {
    return {toolkit / "lib64", toolkit / "lib", toolkit / "targets/x86_64-linux/lib", toolkit / "targets/sbsa-linux/lib"};
}

/// Folders named by environment variables.
std::vector<std::filesystem::path> named_folders() {
    std::vector<std::filesystem::path> folders;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* toolkit = std::getenv(name); toolkit && *toolkit) {
            for (auto& folder : library_folders(toolkit)) folders.push_back(std::move(folder));
        }
    }
    return folders;
}

/// Folders in which NVIDIA's installer and Linux distributions install it.
std::vector<std::filesystem::path> usual_folders(int major) {
    std::vector<std::filesystem::path> folders;
    for (const std::string toolkit : {"/usr/local/cuda", "/opt/cuda", "/usr/local/cuda-"}) {
        for (auto& folder : library_folders(toolkit.ends_with('-') ? toolkit + std::to_string(major) : toolkit))
            folders.push_back(std::move(folder));
    }
    return folders;
}

/// The library `name` in one of `folders`; none, if there is none that opens.
std::optional<core::DynamicLibrary> open_in(const std::vector<std::filesystem::path>& folders, const std::string& name) {
    for (const auto& folder : folders) {
        std::error_code error;
        if (!std::filesystem::exists(folder / name, error)) continue;
        try {
            // NVRTC opens this one by its name alone, and the loader looks for it where it looks for everything, not beside NVRTC
            for (const auto& file : std::filesystem::directory_iterator(folder, error)) {
                if (file.path().filename().string().starts_with("libnvrtc-builtins.so.")) core::DynamicLibrary{file.path()};
            }
            return core::DynamicLibrary(folder / name);
        } catch (const core::DeviceError&) {
            continue;  // of another machine, or half of it
        }
    }
    return std::nullopt;
}

// A version newer than the driver comes last, because the driver does not load code of a newer NVRTC.
core::DynamicLibrary open_library() {
    std::vector<int> majors(kMajors.begin(), kMajors.end());
    const int driver = driver_version() / 1000;
    std::stable_partition(majors.begin(), majors.end(), [driver](int major) { return driver == 0 || major <= driver; });
    std::string reason;
    const auto open = [&reason](const std::string& name) -> std::optional<core::DynamicLibrary> {
        try {
            return core::DynamicLibrary(name);
        } catch (const core::DeviceError& error) {
            if (reason.empty()) reason = error.message();
            return std::nullopt;
        }
    };
    for (const int major : majors) {
        const std::string name = library_name(major);
        if (auto library = open_in(named_folders(), name)) return *library;
        if (auto library = open(name)) return *library;
        if (auto library = open_in(usual_folders(major), name)) return *library;
    }
    // the unversioned name of a development installation
    if (auto library = open_in(named_folders(), "libnvrtc.so")) return *library;
    if (auto library = open("libnvrtc.so")) return *library;
    if (auto library = open_in(usual_folders(kMajors.front()), "libnvrtc.so")) return *library;
    throw core::DeviceError("the CUDA compiler NVRTC is not here (" + reason +
                            "); install the CUDA toolkit or its package cuda-nvrtc (11.4 or later), set CUDA_HOME to the folder of "
                            "one that is installed, or use --device cpu");
}

struct Nvrtc {
    core::DynamicLibrary library = open_library();
    Status (*version)(int*, int*) = library.function("nvrtcVersion");
    const char* (*error_text)(Status) = library.function("nvrtcGetErrorString");
    Status (*create)(NvrtcProgram*, const char*, const char*, int, const char* const*,
                     const char* const*) = library.function("nvrtcCreateProgram");
    Status (*count_architectures)(int*) = library.function("nvrtcGetNumSupportedArchs");
    Status (*architectures)(int*) = library.function("nvrtcGetSupportedArchs");
    Status (*destroy)(NvrtcProgram*) = library.function("nvrtcDestroyProgram");
    Status (*compile)(NvrtcProgram, int, const char* const*) = library.function("nvrtcCompileProgram");

    void check(Status status, const char* doing) const {
        if (status != 0) throw core::InternalError(std::string("NVRTC failed while ") + doing + ": " + error_text(status));
    }
    /// What nvrtcGet<what> gives: first its size, then its bytes.
    std::string get(NvrtcProgram program, const std::string& what) const {
        std::size_t size = 0;
        Status (*const ask)(NvrtcProgram, std::size_t*) = library.function(("nvrtcGet" + what + "Size").c_str());
        check(ask(program, &size), "asking for a size");
        std::string bytes(size, '\0');
        Status (*const hand_over)(NvrtcProgram, char*) = library.function(("nvrtcGet" + what).c_str());
        check(hand_over(program, bytes.data()), "handing over its result");
        return bytes;
    }
};

std::string text_of(std::string bytes) {
    while (!bytes.empty() && bytes.back() == '\0') bytes.pop_back();
    return bytes;
}

}  // namespace

const std::vector<std::string>& compile_options() {
    static const std::vector<std::string> kOptions = {"--fmad=false", "--ftz=true", "--prec-div=true", "--prec-sqrt=true", "--std=c++17"};
    return kOptions;
}

Architecture target_for(int major, int minor) {
    const Nvrtc nvrtc;
    int count = 0;
    nvrtc.check(nvrtc.count_architectures(&count), "counting its architectures");
    std::vector<int> known(core::at(std::max(count, 0)));
    nvrtc.check(nvrtc.architectures(known.data()), "listing its architectures");
    std::sort(known.begin(), known.end());
    const int card = 10 * major + minor;
    const auto newer = std::upper_bound(known.begin(), known.end(), card);
    if (newer == known.begin()) {
        throw core::DeviceError(compiler_version() + " does not compile for compute capability " + std::to_string(major) + "." +
                                std::to_string(minor) + ", which is too old for it; install a CUDA toolkit that knows this GPU, or use " +
                                "--device cpu");
    }
    const int newest = *std::prev(newer);
    return {newest / 10, newest % 10, newest == card};
}

Compiled compile_text(const std::string& text, const Architecture& architecture) {
    const Nvrtc nvrtc;
    NvrtcProgram program = nullptr;
    nvrtc.check(nvrtc.create(&program, text.c_str(), "mottle.cu", 0, nullptr, nullptr), "taking a text");
    struct Guard {
        const Nvrtc& nvrtc;
        NvrtcProgram& program;
        ~Guard() { nvrtc.destroy(&program); }
    } guard{nvrtc, program};
    const std::string target = "--gpu-architecture=" + architecture.name();
    std::vector<const char*> options = {target.c_str(), "--ptxas-options=-v"};
    for (const std::string& option : compile_options()) options.push_back(option.c_str());
    const Status status = nvrtc.compile(program, static_cast<int>(options.size()), options.data());
    Compiled result;
    result.log = text_of(nvrtc.get(program, "ProgramLog"));
    if (status == kInvalidOption) {
        throw core::DeviceError(compiler_version() + " does not compile for " + architecture.name() + " (" + result.log +
                                "); install a CUDA toolkit that knows this GPU, or use --device cpu");
    }
    if (status == kNoBuiltins) {
        throw core::DeviceError(compiler_version() + " is not whole (" + result.log +
                                "); install the CUDA toolkit or all of its package cuda-nvrtc, or use --device cpu");
    }
    if (status != 0) throw core::InternalError(std::string("NVRTC: ") + nvrtc.error_text(status) + "\n" + result.log);
    if (architecture.machine_code) result.cubin = nvrtc.get(program, "CUBIN");
    result.ptx = text_of(nvrtc.get(program, "PTX"));
    return result;
}

CachedKernel cached_image(const std::string& text, const Architecture& architecture, const std::filesystem::path& cache) {
    std::string key = core::build_id() + "\n" + architecture.name() + "\n" + compiler_version();
    for (const std::string& option : compile_options()) key += " " + option;
    return {cache, key + "\n" + text, ".cubin"};
}

std::string image_of(const std::string& text, const Architecture& architecture, const std::filesystem::path& cache) {
    const CachedKernel cached = cached_image(text, architecture, cache);
    if (std::optional<std::string> image = cached.read()) return std::move(*image);
    const Compiled compiled = core::compute_or_abandon([text, architecture] { return compile_text(text, architecture); });
    const std::string& image = architecture.machine_code ? compiled.cubin : compiled.ptx;
    cached.write(image);
    return image;
}

std::string compiler_version() {
    const Nvrtc nvrtc;
    int major = 0, minor = 0;
    nvrtc.check(nvrtc.version(&major, &minor), "telling its version");
    return "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace mottle::backend::cuda
