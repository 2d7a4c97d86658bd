// tests/unit/image/lettering_test.cpp: letters stand where they should and stay inside the picture
#include "mottle/image/lettering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace lettering_test {

using namespace mottle::image;

Image paper(int width, int height, int channels) {
    return {width, height, channels, std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * channels), 255)};
}

std::string drawn(const Image& picture) {
    std::string text;
    for (int y = 0; y < picture.height; ++y) {
        for (int x = 0; x < picture.width; ++x)
            text += picture.pixels[static_cast<std::size_t>((y * picture.width + x) * picture.channels)] == 255 ? '.' : '#';
        text += '\n';
    }
    return text;
}

TEST(Lettering, DrawsLetters) {
    Image picture = paper(13, 9, 3);
    write_text(picture, 1, 1, "F4", 1, 0);
    EXPECT_EQ(drawn(picture),
              ".............\n"
              ".#####....#..\n"
              ".#.......##..\n"
              ".#......#.#..\n"
              ".####..#..#..\n"
              ".#.....#####.\n"
              ".#........#..\n"
              ".#........#..\n"
              ".............\n");
    EXPECT_EQ(text_width("F4", 1), 11);
    EXPECT_EQ(text_width("F4", 3), 33);
    EXPECT_EQ(text_width("", 2), 0);
}

TEST(Lettering, ScalesAndKeepsToThePicture) {
    Image picture = paper(4, 3, 1);
    write_text(picture, -1, -1, "-", 2, 7);
    EXPECT_EQ(drawn(picture), "....\n....\n....\n");
    write_text(picture, -1, -6, "-", 2, 7);
    EXPECT_EQ(drawn(picture), "####\n####\n....\n");
    write_text(picture, 2, -28, "W", 4, 7);
    write_text(picture, 100, 100, "W", 4, 7);
    EXPECT_EQ(drawn(picture), "####\n####\n....\n") << "what lies outside leaves it as it is";
}

TEST(Lettering, LeavesUnknownLettersBlankAndRgbaOpaque) {
    Image picture = paper(11, 7, 4);
    std::fill(picture.pixels.begin(), picture.pixels.end(), 0);
    write_text(picture, 0, 0, "\xC3\xA9", 1, 9);
    EXPECT_TRUE(std::all_of(picture.pixels.begin(), picture.pixels.end(), [](std::uint8_t byte) { return byte == 0; }));
    write_text(picture, 0, 0, "L", 1, 9);
    EXPECT_EQ(picture.pixels[0], 9);
    EXPECT_EQ(picture.pixels[3], 255);
}

TEST(Lettering, EveryLetterOfNamesAndNumbersIsThere) {
    std::vector<std::vector<std::uint8_t>> seen;
    for (const char letter : std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-/._=+,")) {
        Image picture = paper(5, 7, 1);
        write_text(picture, 0, 0, std::string(1, letter), 1, 0);
        EXPECT_EQ(std::find(seen.begin(), seen.end(), picture.pixels), seen.end()) << letter;
        EXPECT_GT(std::count(picture.pixels.begin(), picture.pixels.end(), 0), 1) << letter;
        seen.push_back(picture.pixels);
    }
}

}  // namespace lettering_test
