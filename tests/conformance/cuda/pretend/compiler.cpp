// tests/conformance/cuda/pretend/compiler.cpp: a libnvrtc whose "cubin" is the text itself, for the pretended driver
// As the real one does, it opens its builtins by name when it compiles. MOTTLE_PRETEND_COMPILER: the newest architecture that it knows ("90").
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace {

enum Status { kSuccess, kInvalidInput = 3, kInvalidProgram = 4, kInvalidOption = 5, kCompilation = 6, kNoBuiltins = 7 };
const std::string kMajor = std::to_string(MOTTLE_PRETENDED_MAJOR);

struct Program {
    std::string text, log, cubin, ptx;
};

std::vector<int> architectures() {
    std::vector<int> known = {75, 80, 86, 89, 90, 100, 120};
    const char* newest = std::getenv("MOTTLE_PRETEND_COMPILER");
    std::erase_if(known, [&](int each) { return each > (newest ? std::atoi(newest) : 90); });
    return known;
}

Status give(const std::string& from, std::size_t* size) {
    *size = from.size();
    return kSuccess;
}
Status give(const std::string& from, char* to) {
    std::memcpy(to, from.data(), from.size());
    return kSuccess;
}

}  // namespace

extern "C" {

Status nvrtcVersion(int* major, int* minor) {
    *major = MOTTLE_PRETENDED_MAJOR, *minor = 99;  // no cache takes its results for those of a real one
    return kSuccess;
}
const char* nvrtcGetErrorString(Status status) { return status == kSuccess ? "NVRTC_SUCCESS" : "NVRTC_ERROR"; }
Status nvrtcGetNumSupportedArchs(int* count) {
    *count = static_cast<int>(architectures().size());
    return kSuccess;
}
Status nvrtcGetSupportedArchs(int* list) {
    const std::vector<int> known = architectures();
    std::copy(known.begin(), known.end(), list);
    return kSuccess;
}
Status nvrtcCreateProgram(Program** program, const char* text, const char*, int headers, const char* const*, const char* const*) {
    if (headers != 0) return kInvalidInput;
    *program = new Program{text, {}, {}, {}};
    return kSuccess;
}
Status nvrtcDestroyProgram(Program** program) {
    delete *program;
    *program = nullptr;
    return kSuccess;
}
Status nvrtcCompileProgram(Program* program, int count, const char* const* words) {
    const std::vector<std::string> options(words, words + count);
    if (const std::string builtins = "libnvrtc-builtins.so." + kMajor + ".99"; !dlopen(builtins.c_str(), RTLD_NOW)) {
        program->log = "nvrtc: error: failed to open " + builtins;
        return kNoBuiltins;
    }
    auto has = [&](const std::string& option) { return std::find(options.begin(), options.end(), option) != options.end(); };
    if (!has("--fmad=false") || !has("--ftz=true") || !has("--prec-div=true") || !has("--prec-sqrt=true")) {
        program->log = "the options do not fix the arithmetic";
        return kCompilation;
    }
    for (const int known : architectures()) {
        const std::string number = std::to_string(known);
        if (has("--gpu-architecture=sm_" + number)) program->cubin = "pretended sm_" + number + " of " + kMajor + "\n" + program->text;
        if (has("--gpu-architecture=sm_" + number) || has("--gpu-architecture=compute_" + number))
            program->ptx = "pretended compute_" + number + " of " + kMajor + "\n" + program->text + '\0';
    }
    if (!program->ptx.empty()) return kSuccess;
    program->log = "nvrtc: error: invalid value for --gpu-architecture (-arch)";
    return kInvalidOption;
}
Status nvrtcGetProgramLogSize(Program* program, std::size_t* size) { return give(program->log, size); }
Status nvrtcGetProgramLog(Program* program, char* to) { return give(program->log, to); }
Status nvrtcGetCUBINSize(Program* program, std::size_t* size) { return give(program->cubin, size); }
Status nvrtcGetCUBIN(Program* program, char* to) { return give(program->cubin, to); }
Status nvrtcGetPTXSize(Program* program, std::size_t* size) { return give(program->ptx, size); }
Status nvrtcGetPTX(Program* program, char* to) { return give(program->ptx, to); }
}
