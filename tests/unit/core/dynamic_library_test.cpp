// tests/unit/core/dynamic_library_test.cpp: opening libraries and modules, and what a missing one says
#include "mottle/core/dynamic_library.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <string>

namespace dynamic_library_test {

using namespace mottle::core;

template <class Action>
std::string device_error_of(Action action) {
    try {
        action();
    } catch (const DeviceError& error) {
        return error.what();
    }
    return "no DeviceError";
}

#if defined(__linux__)
TEST(DynamicLibrary, FindsASymbolAndNamesAMissingOne) {
    const DynamicLibrary library("libm.so.6");
    const auto root = reinterpret_cast<double (*)(double)>(library.symbol("sqrt"));
    EXPECT_EQ(root(9.0), 3.0);
    const std::string message = device_error_of([&] { library.symbol("no_such_symbol"); });
    EXPECT_NE(message.find("libm.so.6 has no symbol 'no_such_symbol'"), std::string::npos) << message;
}
#endif

TEST(DynamicLibrary, AMissingLibraryIsADeviceErrorWithTheLoadersWords) {
    const std::string message = device_error_of([] { DynamicLibrary("libno_such_library.so.9"); });
    EXPECT_NE(message.find("cannot open the library libno_such_library.so.9: "), std::string::npos) << message;
}

TEST(Module, AMissingOneNamesItsPlaceAndThePackage) {
    const std::string message = device_error_of([] { open_module("mottle_absent", "llvm-19-dev"); });
    EXPECT_NE(message.find("the module mottle_absent is not installed"), std::string::npos) << message;
    EXPECT_NE(message.find("lib/mottle/mottle_absent.so"), std::string::npos) << message;
    EXPECT_NE(message.find("install llvm-19-dev"), std::string::npos) << message;
}

TEST(Module, TheBuiltOnesOpenAndCarryTheBuildId) {
    if (MOTTLE_HAVE_JIT) {
        EXPECT_NO_THROW(open_module("mottle_jit", "llvm-19-dev"));
    }
    if (MOTTLE_HAVE_FFMPEG) {
        EXPECT_NO_THROW(open_module("mottle_ffmpeg", "libavcodec-dev"));
    }
}

TEST(Module, OneOfAnotherBuildIsRefused) {
    const std::string message = device_error_of([] { open_module("../../tests/mottle_stale_module", "llvm-19-dev"); });
    EXPECT_NE(message.find("is of build 'another build'"), std::string::npos) << message;
    EXPECT_EQ(message.find("llvm-19-dev"), std::string::npos) << "that package is there: " << message;
}

TEST(Module, OneThatLacksALibraryNamesThePackage) {
    const std::string message = device_error_of([] { open_module("../../tests/mottle_orphaned_module", "llvm-19-dev"); });
    EXPECT_NE(message.find("mottle_gone.so: cannot open shared object file"), std::string::npos) << message;
    EXPECT_NE(message.find("needs llvm-19-dev"), std::string::npos) << message;
}

}  // namespace dynamic_library_test
