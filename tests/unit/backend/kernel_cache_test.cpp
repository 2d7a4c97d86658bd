// tests/unit/backend/kernel_cache_test.cpp: only the sound kernel of the very key is taken from the disk
#include "mottle/backend/kernel_cache.h"

#include "mottle/core/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace kernel_cache_test {

using mottle::backend::CachedKernel;

class KernelCache : public testing::Test {
   protected:
    ~KernelCache() override { std::filesystem::remove_all(folder_); }
    const std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("mottle_kernel_cache_" + std::to_string(::getpid()));
};

TEST_F(KernelCache, GivesBackWhatWasKept) {
    const CachedKernel kernel(folder_, "a key\nof lines", ".o");
    EXPECT_FALSE(kernel.read());
    const std::string code("\0code\0", 6);
    kernel.write(code);
    EXPECT_EQ(kernel.read(), code);
    EXPECT_EQ(CachedKernel(folder_, "a key\nof lines", ".o").read(), code);
    EXPECT_FALSE(CachedKernel(folder_, "a key\nof lineS", ".o").read());
    EXPECT_FALSE(CachedKernel({}, "a key\nof lines", ".o").read());
    kernel.remove();
    EXPECT_FALSE(kernel.read());
}

TEST_F(KernelCache, AnotherKernelUnderThisNameIsNotTaken) {
    const CachedKernel mine(folder_, "mine", ".o"), other(folder_, "your", ".o");
    mine.write("mine's code");
    other.write("your code");
    std::filesystem::copy_file(other.path(), mine.path(), std::filesystem::copy_options::overwrite_existing);
    EXPECT_FALSE(mine.read());
    mine.write("mine's code");
    EXPECT_EQ(mine.read(), "mine's code");
}

TEST_F(KernelCache, EveryByteThatIsDamagedIsSeen) {
    const CachedKernel kernel(folder_, "key", ".o");
    kernel.write("code");
    const std::string stored = *mottle::core::read_file(kernel.path());
    for (std::size_t i = 0; i <= stored.size(); ++i) {
        std::string damaged = stored;
        if (i < stored.size()) damaged[i] = static_cast<char>(damaged[i] ^ 1);
        if (i == stored.size()) damaged += "x";
        std::ofstream(kernel.path(), std::ios::binary) << damaged;
        EXPECT_FALSE(kernel.read()) << i;
        std::ofstream(kernel.path(), std::ios::binary) << stored.substr(0, i);
        EXPECT_EQ(kernel.read().has_value(), i == stored.size()) << i;
    }
}

TEST_F(KernelCache, AbsurdSizesAreNotRead) {
    const CachedKernel kernel(folder_, "key", ".o");
    kernel.write("code");
    std::filesystem::resize_file(kernel.path(), std::uintmax_t{1} << 33);  // sparse
    EXPECT_FALSE(kernel.read());
    kernel.write("code");
    EXPECT_EQ(kernel.read(), "code");
}

}  // namespace kernel_cache_test
