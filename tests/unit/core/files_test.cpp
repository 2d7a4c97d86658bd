// tests/unit/core/files_test.cpp: reading whole files, and writing that shows a file only when it is complete
#include "mottle/core/files.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace files_test {

/// What happens when the library waits for the disk, in place of waiting; none: it waits.
std::function<int(const std::filesystem::path& what)> disk;

namespace fs = std::filesystem;
using namespace mottle::core;

/// While it lives, `disk` may be set.
struct Disk {
    Disk() = default;
    Disk(const Disk&) = delete;
    Disk& operator=(const Disk&) = delete;
    ~Disk() { disk = nullptr; }
};

class Files : public testing::Test {
   protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "mottle_files_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }
    static void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

    fs::path folder_;
};

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

template <class Failure, class Action>
std::string message_of(Action action) {
    try {
        action();
    } catch (const Failure& error) {
        return error.what();
    }
    return "no error of this kind";
}

TEST_F(Files, ReadsEveryByte) {
    std::string content(200000, 'x');
    content[100] = '\0';
    content.back() = '\xFF';
    put(folder_ / "a", content);
    EXPECT_EQ(read_file(folder_ / "a"), content);
    put(folder_ / "empty", "");
    EXPECT_EQ(read_file(folder_ / "empty"), "");
}

TEST_F(Files, WhatIsNoRegularFileReadsAsNothing) {
    EXPECT_FALSE(read_file(folder_).has_value());
    EXPECT_FALSE(read_file(folder_ / "absent").has_value());
    ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
    EXPECT_FALSE(read_file(folder_ / "pipe").has_value());
}

TEST_F(Files, AppearsOnlyAfterCommitAndReplacesWhatWasThere) {
    put(folder_ / "a.txt", "old");
    AtomicFile file(folder_ / "a.txt");
    file.write(bytes_of("new "));
    file.write(bytes_of("text"));
    EXPECT_EQ(read_file(folder_ / "a.txt"), "old");
    EXPECT_EQ(file.temporary().parent_path(), folder_);
    file.commit();
    EXPECT_EQ(read_file(folder_ / "a.txt"), "new text");
    EXPECT_EQ(entries(), 1);
    EXPECT_THROW(file.write(bytes_of("x")), InternalError);
    EXPECT_THROW(file.commit(), InternalError);
}

TEST_F(Files, WithoutCommitNothingIsLeft) {
    {
        AtomicFile file(folder_ / "a.txt");
        file.write(bytes_of("half"));
        EXPECT_EQ(entries(), 1);
    }
    EXPECT_EQ(entries(), 0);
}

TEST_F(Files, TwoWritersOfOneNameDoNotShareATemporary) {
    AtomicFile first(folder_ / "a"), second(folder_ / "a");
    EXPECT_NE(first.temporary(), second.temporary());
    first.write(bytes_of("first"));
    second.write(bytes_of("second"));
    second.commit();
    first.commit();
    EXPECT_EQ(read_file(folder_ / "a"), "first");
}

TEST_F(Files, ALinkIsFollowed) {
    put(folder_ / "target", "old");
    fs::create_symlink(folder_ / "target", folder_ / "link");
    AtomicFile file(folder_ / "link");
    file.write(bytes_of("new"));
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_EQ(read_file(folder_ / "target"), "new");
}

TEST_F(Files, ALinkToAFileThatIsNotThereYetMakesIt) {
    fs::create_directory(folder_ / "disk");
    fs::create_symlink("disk/target", folder_ / "first");  // relative to the folder of the link
    fs::create_symlink(folder_ / "first", folder_ / "second");
    AtomicFile file(folder_ / "second");
    file.write(bytes_of("new"));
    file.commit();
    EXPECT_TRUE(fs::is_symlink(folder_ / "first"));
    EXPECT_EQ(read_file(folder_ / "disk" / "target"), "new");
}

TEST_F(Files, NeverRenamesOverAFolderOrADevice) {
    EXPECT_NE(message_of<OutputError>([&] { AtomicFile file(folder_); }).find("it is a folder"), std::string::npos);
    EXPECT_NE(message_of<OutputError>([] { AtomicFile file("/dev/null"); }).find("it is not a regular file"), std::string::npos);
    EXPECT_NE(message_of<OutputError>([&] { AtomicFile file(folder_.string() + "/"); }).find("it does not name a file"), std::string::npos);
}

TEST_F(Files, AFolderThatVanishesIsAnOutputError) {
    AtomicFile file(folder_ / "a");
    fs::remove_all(folder_);
    EXPECT_THROW(file.commit(), OutputError);
}

TEST_F(Files, AFullDiskIsAnOutputErrorAndLeavesNothing) {
    // A limit on the size of files stands in for the full disk: write() fails with EFBIG as it would with ENOSPC.
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto previous = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{4096, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    const std::string message = message_of<OutputError>([&] {
        AtomicFile file(folder_ / "a");
        const std::string block(100000, 'x');
        file.write(bytes_of(block));
        file.commit();
    });
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, previous);
    EXPECT_NE(message.find("cannot write " + (folder_ / "a").string() + ": "), std::string::npos) << message;
    EXPECT_EQ(entries(), 0);
}

TEST_F(Files, CheckWritableNamesTheMissingFolder) {
    EXPECT_NO_THROW(check_writable(folder_ / "a.mp4"));
    EXPECT_EQ(entries(), 0);
    const std::string message = message_of<InputError>([&] { check_writable(folder_ / "no" / "a.mp4"); });
    EXPECT_NE(message.find("the folder '" + (folder_ / "no").string() + "' does not exist"), std::string::npos) << message;
    put(folder_ / "file", "");
    EXPECT_NE(message_of<InputError>([&] { check_writable(folder_ / "file" / "a.mp4"); }).find("is not a folder"), std::string::npos);
    EXPECT_NE(message_of<InputError>([&] { check_writable(folder_); }).find("it is a folder"), std::string::npos);
    EXPECT_THROW(check_writable(folder_ / std::string(300, 'n')), InputError);
}

TEST_F(Files, CheckWritableOfABareNameMeansTheWorkingFolder) { EXPECT_NO_THROW(check_writable("mottle_bare_name.mp4")); }

// Written to the disk before the name has it, and the name itself afterwards: else a power failure leaves neither the old file nor the new one.
TEST_F(Files, TheDiskHasAFileBeforeItReplacesAnother) {
    const Disk unset;
    put(folder_ / "a", "old");
    std::vector<std::string> seen;
    disk = [&](const fs::path& what) {
        seen.push_back(what == folder_ ? "folder" : read_file(what).value_or(""));
        seen.push_back(read_file(folder_ / "a").value_or(""));
        return 0;
    };
    AtomicFile file(folder_ / "a");
    file.write(bytes_of("new"));
    file.commit(Survives::power_failures);
    EXPECT_EQ(seen, (std::vector<std::string>{"new", "old", "folder", "new"}));
    seen.clear();
    AtomicFile other(folder_ / "a");
    other.write(bytes_of("newer"));
    other.commit_copy(Survives::power_failures);
    EXPECT_EQ(seen, (std::vector<std::string>{"newer", "new", "folder", "newer"}));
    other.commit();
    EXPECT_EQ(seen.size(), 4U);
}

TEST_F(Files, AFileThatTheDiskRefusesReplacesNone) {
    const Disk unset;
    put(folder_ / "a", "old");
    int code = EIO;
    disk = [&](const fs::path& what) { return what == folder_ ? 0 : code; };
    const auto write = [&] {
        AtomicFile file(folder_ / "a");
        file.write(bytes_of("new"));
        file.commit(Survives::power_failures);
    };
    const std::string message = message_of<OutputError>(write);
    EXPECT_NE(message.find("cannot write " + (folder_ / "a").string() + ": Input/output error"), std::string::npos) << message;
    EXPECT_EQ(read_file(folder_ / "a"), "old");
    EXPECT_EQ(entries(), 1);
    EXPECT_NE(message_of<OutputError>([&] { bring_to_disk(folder_ / "a"); }).find("Input/output error"), std::string::npos);
    EXPECT_NO_THROW(bring_to_disk(folder_ / "gone"));
    code = EINVAL;  // a file system that does not know what is asked
    EXPECT_NO_THROW(write());
    EXPECT_EQ(read_file(folder_ / "a"), "new");
}

TEST_F(Files, MessagesTellTheNameThatATemporaryWillHave) {
    AtomicFile file(folder_ / "a.state");
    EXPECT_EQ(name_to_come(file.temporary()), folder_ / "a.state");
    for (const char* other : {"a.state", "a.tmp", "a.b.1.tmp", "1.2.tmp", ""}) EXPECT_EQ(name_to_come(folder_ / other), folder_ / other);
}

}  // namespace files_test

// In place of the system's.
extern "C" int fsync(int descriptor) {
    if (!files_test::disk) return static_cast<int>(syscall(SYS_fsync, descriptor));
    errno = files_test::disk(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor)));
    return errno == 0 ? 0 : -1;
}
