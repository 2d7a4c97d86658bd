// mottle/backend/cpu/compile/jit_module.h: the C interface of the module that holds LLVM (lib/mottle/mottle_jit.so)
#pragma once
#include <string>

namespace mottle::backend::cpu {

struct JitRequest {
    const std::string* text;      ///< LLVM IR
    const std::string* features;  ///< "+avx2,+fma"
    std::string* result;          ///< object bytes, or the reason of a failure
};

}  // namespace mottle::backend::cpu

extern "C" {
/// 0: `result` holds a relocatable object file; else the reason.
int mottle_jit_compile(const mottle::backend::cpu::JitRequest* request);
const char* mottle_jit_version();
}
