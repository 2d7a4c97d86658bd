// tests/unit/core/shared_file_test.cpp: files that are written and read by places: gaps, joined pieces, and how one file is told from another
#include "mottle/core/shared_file.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"

#include <gtest/gtest.h>

#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

namespace shared_file_test {

namespace fs = std::filesystem;
using namespace mottle::core;
using Use = SharedFile::Use;

class SharedFiles : public testing::Test {
   protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "mottle_shared_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }
    static void put(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

    fs::path folder_;
};

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

TEST_F(SharedFiles, RoomOfAnAtomicFileIsFilledByPlaces) {
    const fs::path path = folder_ / "a";
    AtomicFile file(path);
    file.write(bytes_of("head"));
    const std::uint64_t place = file.leave_room(6);
    EXPECT_EQ(place, 4U);
    file.write(bytes_of("tail"));
    {
        SharedFile shared = SharedFile::open(file.temporary(), Use::writes);
        shared.write(place + 3, bytes_of("def"));
        shared.write(place, bytes_of("abc"));
        shared.close();
    }
    EXPECT_FALSE(fs::exists(path));
    file.commit();
    EXPECT_EQ(read_file(path), "headabcdeftail");
}

TEST_F(SharedFiles, JoinedWritesKeepEveryPieceAtItsPlace) {
    const fs::path path = folder_ / "a";
    constexpr std::size_t kPiece = 1000, kPieces = 5000;
    std::string expected(2 * kPiece * kPieces, '.');
    put(path, expected);
    SharedFile file = SharedFile::open(path, Use::writes);
    JoinedWrites writes(file);
    for (std::size_t i = 0; i < kPieces; ++i) {  // pieces that follow one another, but for a gap every now and then
        const std::size_t place = i * kPiece + i / 700 * 333;
        const std::string piece(kPiece, static_cast<char>('a' + i % 26));
        expected.replace(place, kPiece, piece);
        writes.add(place, bytes_of(piece));
    }
    writes.flush();
    file.close();
    EXPECT_TRUE(read_file(path) == expected);
}

TEST_F(SharedFiles, ReadsUpToTheEnd) {
    put(folder_ / "a", "0123456789");
    const SharedFile file = SharedFile::open(folder_ / "a", Use::reads);
    std::string text(4, ' ');
    EXPECT_TRUE(file.read(6, std::as_writable_bytes(std::span(text))));
    EXPECT_EQ(text, "6789");
    EXPECT_FALSE(file.read(7, std::as_writable_bytes(std::span(text))));
    EXPECT_THROW(SharedFile::open(folder_ / "none", Use::reads), OutputError);
}

TEST_F(SharedFiles, AFullDiskIsSaid) {
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no device that is full";
    const SharedFile full = SharedFile::open("/dev/full", Use::writes);
    try {
        full.write(0, bytes_of("abc"));
        FAIL() << "nothing can be written there";
    } catch (const OutputError& error) {
        EXPECT_NE(std::string(error.what()).find("cannot write /dev/full: No space left"), std::string::npos) << error.what();
    }
    JoinedWrites writes(full);
    writes.add(0, bytes_of("abc"));
    EXPECT_THROW(writes.flush(), OutputError);
}

// A file of the same name where the file system is another one: of another size, or with another head.
TEST_F(SharedFiles, AnotherFileOfTheSameNameIsNotOpened) {
    const fs::path path = folder_ / "a";
    put(path, "head of a file, and the rest");
    const FileIdentity identity = identify_file(path, 4);
    EXPECT_TRUE(fs::path(identity.path).is_absolute());
    EXPECT_TRUE(SharedFile::open(identity, Use::writes));
    put(path, "head of a file, and no  rest");
    EXPECT_TRUE(SharedFile::open(identity, Use::reads)) << "what is behind the head may change";
    put(path, "Head of a file, and the rest");
    EXPECT_FALSE(SharedFile::open(identity, Use::reads));
    put(path, "head of a file, and the rest, longer");
    EXPECT_FALSE(SharedFile::open(identity, Use::reads));
    fs::remove(path);
    EXPECT_FALSE(SharedFile::open(identity, Use::reads));
    EXPECT_THROW(identify_file(path, 4), OutputError);
}

// Nobody waits for a pipe to have something.
TEST_F(SharedFiles, APipeIsNoFile) {
    const fs::path path = folder_ / "pipe";
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_THROW(identify_file(path, 4), OutputError);
    EXPECT_FALSE(SharedFile::open(FileIdentity{path.string(), 0, 0, {}}, Use::reads));
    EXPECT_THROW(SharedFile::open(folder_, Use::reads), OutputError);
}

}  // namespace shared_file_test
