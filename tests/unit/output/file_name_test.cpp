// tests/unit/output/file_name_test.cpp: kinds of files and number patterns
#include "mottle/output/file_name.h"

#include "mottle/core/error.h"

#include <gtest/gtest.h>

namespace file_name_test {

using namespace mottle;
using output::FileName;

TEST(FileName, FormatsByExtension) {
    EXPECT_EQ(FileName("a.mp4").format().extension, ".mp4");
    EXPECT_EQ(FileName("b/a.GIF").format().extension, ".gif");
    EXPECT_EQ(FileName("a.b.png").format().extension, ".png");
    EXPECT_EQ(FileName("/x/a.npy").format().extension, ".npy");
    for (const auto& [name, extension] :
         {std::pair{"a.ply", ".ply"}, {"a.vtp", ".vtp"}, {"a.VTU", ".vtu"}, {"a.pvd", ".pvd"}, {"a-%d.glb", ".glb"}}) {
        EXPECT_EQ(FileName(name).format().extension, extension);
        EXPECT_TRUE(FileName(name).data());
        EXPECT_FALSE(FileName(name).video());
    }
    EXPECT_FALSE(FileName("a.npy").data());
    EXPECT_TRUE(FileName("a.gif").video());
    EXPECT_FALSE(FileName("a.mp4").numbered());
    EXPECT_EQ(FileName("/x/../y/a.npy").at(3), "/y/a.npy");
    EXPECT_EQ(FileName("a.png").at(3), std::filesystem::current_path() / "a.png");
}

TEST(FileName, Numbers) {
    const FileName name("/x/a-%05d.png");
    EXPECT_TRUE(name.numbered());
    EXPECT_EQ(name.at(1), "/x/a-00001.png");
    EXPECT_EQ(name.at(1234567), "/x/a-1234567.png");
    EXPECT_EQ(FileName("/x/%d.npy").at(7), "/x/7.npy");
    EXPECT_EQ(FileName("/x/%3d.npy").at(7), "/x/  7.npy");
    EXPECT_EQ(FileName("/100%/a%02db.npy").at(7), "/100%/a07b.npy");
}

std::string refusal(const std::string& path) {
    try {
        FileName name(path);
    } catch (const core::InputError& error) {
        return error.message();
    }
    return "";
}

TEST(FileName, Refusals) {
    for (const char* path : {"a", "a.", "a.jpeg", ".mp4", "", "folder/"}) {
        EXPECT_NE(refusal(path).find("name-%05d.npy"), std::string::npos) << path << ": " << refusal(path);
    }
    for (const char* path :
         {"a%.png", "a%s.png", "a%05.png", "%d-%d.png", "a%%.npy", "%-5d.png", "a%99d.png", "a%999999999999999999999d.png", "a%"}) {
        EXPECT_NE(refusal(path), "") << path;
    }
    for (const char* path : {"a%.png", "%d-%d.png", "a%%.npy", "a%99d.png"})
        EXPECT_NE(refusal(path).find("one pattern like %05d"), std::string::npos) << path;
    EXPECT_NE(refusal("a%05d.mp4").find("leave %05d out"), std::string::npos);
    EXPECT_NE(refusal("a-%05d.pvd").find("name-%05d.vtu"), std::string::npos);
    EXPECT_NE(refusal("a%d.gif").find("leave %d out"), std::string::npos);
}

}  // namespace file_name_test
