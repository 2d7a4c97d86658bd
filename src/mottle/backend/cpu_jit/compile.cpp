// mottle/backend/cpu_jit/compile.cpp: LLVM IR text -> object bytes, through LLVM's C API (module mottle_jit)
#include "mottle/backend/cpu/compile/jit_module.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct Message {
    char* text = nullptr;
    ~Message() { LLVMDisposeMessage(text); }
    std::string str() const { return text ? text : "no reason given"; }
};

template <auto Dispose, class Handle>
auto own(Handle* handle) {
    return std::unique_ptr<Handle, decltype([](Handle* h) { Dispose(h); })>(handle);
}

void initialize_target() {
    static const bool done = [] {
        return LLVMInitializeNativeTarget() == 0 && LLVMInitializeNativeAsmPrinter() == 0 && LLVMInitializeNativeAsmParser() == 0;
    }();
    if (!done) throw std::runtime_error("LLVM has no target for this processor");
}

std::string compile(const std::string& text, const std::string& features) {
    initialize_target();
    auto context = own<LLVMContextDispose>(LLVMContextCreate());
    // LLVM takes the buffer over, also when it fails
    LLVMMemoryBufferRef source = LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data(), text.size(), "kernel");
    LLVMModuleRef parsed = nullptr;
    Message message;
    if (LLVMParseIRInContext(context.get(), source, &parsed, &message.text))
        throw std::runtime_error("the kernel's text is not valid IR: " + message.str());
    auto module = own<LLVMDisposeModule>(parsed);

    Message triple{LLVMGetDefaultTargetTriple()}, error;
    LLVMTargetRef target = nullptr;
    if (LLVMGetTargetFromTriple(triple.text, &target, &error.text))
        throw std::runtime_error("LLVM does not know this processor: " + error.str());
    auto machine = own<LLVMDisposeTargetMachine>(
        LLVMCreateTargetMachine(target, triple.text, "", features.c_str(), LLVMCodeGenLevelAggressive, LLVMRelocPIC, LLVMCodeModelSmall));
    LLVMSetTarget(module.get(), triple.text);
    auto layout = own<LLVMDisposeTargetData>(LLVMCreateTargetDataLayout(machine.get()));
    LLVMSetModuleDataLayout(module.get(), layout.get());

    LLVMMemoryBufferRef object = nullptr;
    Message failure;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine.get(), module.get(), LLVMObjectFile, &failure.text, &object)) {
        throw std::runtime_error("LLVM could not compile the kernel: " + failure.str());
    }
    auto bytes = own<LLVMDisposeMemoryBuffer>(object);
    return {LLVMGetBufferStart(object), LLVMGetBufferSize(object)};
}

}  // namespace

extern "C" int mottle_jit_compile(const mottle::backend::cpu::JitRequest* request) {
    try {
        std::string object = compile(*request->text, *request->features);
        request->result->swap(object);
        return 0;
    } catch (const std::exception& error) {
        *request->result = error.what();
        return 1;
    }
}

extern "C" const char* mottle_jit_version() {
    static const std::string version = [] {
        unsigned major = 0, minor = 0, patch = 0;
        LLVMGetVersion(&major, &minor, &patch);
        return "LLVM " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
    }();
    return version.c_str();
}
