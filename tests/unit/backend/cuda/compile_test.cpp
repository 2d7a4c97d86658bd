// tests/unit/backend/cuda/compile_test.cpp: NVRTC's results on disk: kept, and made anew where an entry is damaged
#include "mottle/backend/cuda/device/compile.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"

#include <gtest/gtest.h>

#include <fstream>

namespace mottle::backend::cuda {
namespace compile_test {

constexpr const char* kText =
    "extern \"C\" __global__ void twice(float* x) { x[threadIdx.x] = __fadd_rn(x[threadIdx.x], x[threadIdx.x]); }\n";

class CudaCache : public testing::Test {
   protected:
    void SetUp() override {
        try {
            compiler_version();
        } catch (const core::DeviceError& error) {
            EXPECT_NE(error.message().find("--device cpu"), std::string::npos) << error.message();
            GTEST_SKIP() << error.message();
        }
        std::filesystem::remove_all(folder_);
    }
    const std::filesystem::path folder_ =  // one each: tests run side by side
        std::filesystem::path(MOTTLE_BUILD_DIR) / "tests" / "cuda-cache" / testing::UnitTest::GetInstance()->current_test_info()->name();
    const Architecture architecture_{9, 0};
};

TEST_F(CudaCache, AnEntryIsUsedUntilItIsDamaged) {
    const std::string cubin = image_of(kText, architecture_, folder_);
    const auto path = cached_image(kText, architecture_, folder_).path();
    EXPECT_EQ(cubin.substr(0, 4),
              "\x7f"
              "ELF");
    ASSERT_TRUE(core::read_file(path));
    const std::string stored = *core::read_file(path);
    EXPECT_TRUE(stored.ends_with(cubin));

    // the sound entry of another text is none of this one
    const std::string other = image_of("extern \"C\" __global__ void other(float* a) { a[0] = 1; }\n", architecture_, folder_);
    std::filesystem::copy_file(cached_image("extern \"C\" __global__ void other(float* a) { a[0] = 1; }\n", architecture_, folder_).path(),
                               path, std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(core::read_file(path)->ends_with(other));
    EXPECT_EQ(image_of(kText, architecture_, folder_), cubin);
    EXPECT_EQ(*core::read_file(path), stored);

    for (const std::string& damaged : {std::string(), stored.substr(0, 40), stored.substr(0, stored.size() - 1), "x" + stored.substr(1)}) {
        std::ofstream(path, std::ios::binary) << damaged;
        EXPECT_EQ(image_of(kText, architecture_, folder_), cubin) << damaged.size();
        EXPECT_EQ(*core::read_file(path), stored);
    }
    cached_image(kText, architecture_, folder_).remove();
    EXPECT_FALSE(core::read_file(path));
}

TEST_F(CudaCache, ArchitecturesAndTextsHaveEntriesOfTheirOwn) {
    EXPECT_NE(cached_image(kText, {8, 0}, folder_).path(), cached_image(kText, {9, 0}, folder_).path());
    EXPECT_NE(cached_image(kText, {9, 0}, folder_).path(), cached_image(std::string(kText) + " ", {9, 0}, folder_).path());
}

TEST_F(CudaCache, AFolderThatCannotBeWrittenCostsNothingButTime) {
    EXPECT_EQ(image_of(kText, architecture_, "/proc/none").substr(0, 4),
              "\x7f"
              "ELF");
}

// A card that NVRTC does not know gets PTX, which its driver translates.
TEST_F(CudaCache, CardsThatAreNewerThanTheCompilerGetPtx) {
    EXPECT_EQ(target_for(9, 0).name(), "sm_90");
    const Architecture newer = target_for(99, 9);
    EXPECT_FALSE(newer.machine_code);
    const std::string image = image_of(kText, newer, folder_);
    EXPECT_NE(image.find(".target " + std::string("sm_") + std::to_string(newer.major) + std::to_string(newer.minor)), std::string::npos);
    EXPECT_EQ(image_of(kText, newer, folder_), image);
    EXPECT_THROW(target_for(1, 0), core::DeviceError);
}

TEST_F(CudaCache, WhatDoesNotCompileShowsTheCompilersWords) {
    try {
        compile_text("this is no text\n", architecture_);
        FAIL();
    } catch (const core::InternalError& error) {
        EXPECT_NE(error.message().find("mottle.cu(1)"), std::string::npos) << error.message();
    }
    EXPECT_THROW(compile_text(kText, {1, 0}), core::DeviceError);
}

}  // namespace compile_test
}  // namespace mottle::backend::cuda
