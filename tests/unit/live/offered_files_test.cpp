// tests/unit/live/offered_files_test.cpp: folders of killed programs go, and no others
#include "mottle/live/server/offered_files.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace offered_files_test {

namespace fs = std::filesystem;
using mottle::live::OfferedFiles;

/// TMPDIR is a folder of its own until this ends.
class Temporary {
   public:
    Temporary() : folder_(fs::temp_directory_path() / ("mottle_offered_" + std::to_string(getpid()))) {
        if (const char* before = std::getenv("TMPDIR")) before_ = before;
        fs::create_directories(folder_);
        setenv("TMPDIR", folder_.c_str(), 1);
    }
    ~Temporary() {
        if (before_)
            setenv("TMPDIR", before_->c_str(), 1);
        else
            unsetenv("TMPDIR");
        fs::remove_all(folder_);
    }
    const fs::path& folder() const { return folder_; }

   private:
    fs::path folder_;
    std::optional<std::string> before_;
};

/// The number of a process that has ended.
pid_t ended_process() {
    const pid_t process = fork();
    if (process == 0) _exit(0);
    waitpid(process, nullptr, 0);
    return process;
}

TEST(OfferedFiles, RemoveTheFoldersOfKilledProgramsAndNoOthers) {
    const Temporary temporary;
    std::string name;
    {
        const OfferedFiles own;
        name = own.folder().filename().string();
        EXPECT_TRUE(fs::is_directory(own.folder()));
    }
    EXPECT_FALSE(fs::exists(temporary.folder() / name)) << "it goes with what made it";
    const std::string number = std::to_string(getpid()), dead = std::to_string(ended_process());
    const std::size_t at = name.find(number);
    ASSERT_NE(at, std::string::npos);
    const std::string before = name.substr(0, at), end = name.substr(at + number.size());
    const auto make = [&](const std::string& folder) {
        fs::create_directory(temporary.folder() / folder);
        std::ofstream(temporary.folder() / folder / "kept.txt") << "text";
        return temporary.folder() / folder;
    };
    const fs::path left = make(before + dead + end), running = make(before + number + end);
    std::vector<fs::path> others;
    for (const std::string& other :
         {before + dead, before + dead + end + "7", before + dead + "L2A", before + "x" + dead + end, "mottle-live-" + dead + "L2A"})
        others.push_back(make(other));
    const fs::path link = temporary.folder() / (before + dead + "-linked");
    fs::create_directory_symlink(others[0], link);
    const OfferedFiles next;
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(running / "kept.txt"));
    for (const fs::path& other : others) EXPECT_TRUE(fs::exists(other / "kept.txt")) << other;
    EXPECT_TRUE(fs::is_symlink(link));
}

}  // namespace offered_files_test
