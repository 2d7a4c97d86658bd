// tests/cli/documents_test.cpp: every command block of README and docs, run in an empty folder, with the files that the text gives
#include "cli/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif

namespace documents_test {

using cli::Folder;
using cli::Result;

/// What a run says whose pictures end in one colour.
constexpr const char* kNothingLeft = "the picture is uniform";

struct Block {
    std::string language, text;
    int line = 0;
};

std::vector<Block> blocks_of(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::vector<Block> blocks;
    bool inside = false;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        const std::size_t mark = line.find_first_not_of(' ');
        if (mark != std::string::npos && line.compare(mark, 3, "```") == 0) {
            inside = !inside;
            if (inside) blocks.push_back({line.substr(mark + 3), "", number});
        } else if (inside) {
            blocks.back().text += line + "\n";
        }
    }
    return blocks;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// Whether a line says nothing of the machine: what ran, what was found, what the fields are.
bool is_alike_everywhere(const std::string& line) {
    const std::array<const char*, 7> words = {"ran ", "swept ", "over ", "ended ", "field ", "ok: ", "verdict "};
    return std::any_of(words.begin(), words.end(), [&line](const char* word) { return line.starts_with(word); });
}

/// A line of output without what differs between machines: numbers, paths, what stands in brackets, and the share of the machine's arithmetic, which is
/// there once a long run has measured the machine.
std::string shape_of(std::string line) {
    line = std::regex_replace(line, std::regex(R"(\([^)]*\))"), "()");
    line = std::regex_replace(line, std::regex(R"(/\S*/)"), "/");
    line = std::regex_replace(line, std::regex(R"([-+]?[0-9][0-9.,]*(e[-+]?[0-9]+)?)"), "#");
    line = std::regex_replace(line, std::regex(R"(# [kMGT]?cells/s)"), "# cells/s");
    line = std::regex_replace(line, std::regex(R"(# threads?\b)"), "# threads");
    line = std::regex_replace(line, std::regex(R"(, # % of the peak arithmetic throughput of .*)"), "");
    return std::regex_replace(line, std::regex(R"( +)"), " ");
}

/// A developer's commands need the repository; other tests run them.
bool is_for_developers(const std::string& text) {
    const std::vector<std::string> lines = lines_of(text);
    return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
        return line.starts_with("./dev") || line.starts_with("git ") || line.starts_with("cmake ") || line.starts_with("docker ") ||
               line.starts_with("apt-get ");
    });
}

/// "# name.toml" in the first line of a TOML block names the file that a reader saves it as.
std::string file_name_of(const Block& block) {
    std::smatch match;
    const std::string first = block.text.substr(0, block.text.find('\n'));
    return std::regex_match(first, match, std::regex(R"(# ([A-Za-z0-9_-]+\.toml))")) ? match[1].str() : "";
}

/// Beside other tests the threads of a small run wait for each other's turns most of the time. On one core it takes one thread; it is the one where this test is now.
void stay_on_this_core() {
#if defined(__linux__)
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &here);
    sched_setaffinity(0, sizeof here, &here);
#endif
}

/// Writes the files, runs the commands in order, and compares what they print with the text block that follows.
int run_document(const std::filesystem::path& path) {
    stay_on_this_core();
    const Folder folder;
    std::filesystem::create_directory_symlink(MOTTLE_SOURCE_DIR "/examples",
                                              folder.path() / "examples");  // as a reader has them in a clone
    const std::vector<Block> blocks = blocks_of(path);
    int commands = 0;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const Block& block = blocks[i];
        const std::string place = path.filename().string() + ":" + std::to_string(block.line);
        if (const std::string name = file_name_of(block); block.language == "toml" && !name.empty()) folder.write(name, block.text);
        if (block.language != "sh" || is_for_developers(block.text)) continue;
        ++commands;
        const Result result = folder.run("set -e\n" + block.text);
        EXPECT_EQ(result.code, 0) << place << "\n" << block.text << result.err;
        EXPECT_EQ(result.err.find(kNothingLeft), std::string::npos) << place << "\n" << block.text << result.err;
        if (i + 1 < blocks.size() && blocks[i + 1].language == "text") {
            const std::vector<std::string> expected = lines_of(blocks[i + 1].text), printed = lines_of(result.out);
            EXPECT_EQ(printed.size(), expected.size()) << place << "\n" << result.out;
            for (std::size_t k = 0; k < std::min(expected.size(), printed.size()); ++k) {
                const bool alike = is_alike_everywhere(expected[k]);
                EXPECT_EQ(alike ? printed[k] : shape_of(printed[k]), alike ? expected[k] : shape_of(expected[k]))
                    << place << ", line " << k + 1 << " of what is printed";
            }
        }
    }
    return commands;
}

TEST(Documents, ReadmeRunsFromAnEmptyFolder) {
    if (std::getenv("MOTTLE_TINY")) GTEST_SKIP() << "full-sized runs";
    if (!MOTTLE_HAVE_FFMPEG) GTEST_SKIP() << "its first command makes a video; built without FFmpeg";
    EXPECT_GE(run_document(MOTTLE_SOURCE_DIR "/README.md"), 7);
}

TEST(Documents, DocsRunFromAnEmptyFolder) {
    if (std::getenv("MOTTLE_TINY")) GTEST_SKIP() << "full-sized runs";
    if (!MOTTLE_HAVE_FFMPEG || !MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without FFmpeg or LLVM";
    for (const auto& entry : std::filesystem::directory_iterator(MOTTLE_SOURCE_DIR "/docs")) {
        if (entry.path().extension() == ".md") run_document(entry.path());
    }
}

// The commands of documents must not end in one colour: their test knows the words by which a run says so.
TEST(Documents, ARunThatFadesOutSaysSoInTheWordsThatAreLookedFor) {
    const Folder folder;
    folder.write("m.toml", "[equations]\nu = '2 - u'\n[initial]\nu = 'X'\n[time]\ndt = 0.1\nsteps = 1000\n");
    const Result result = folder.run("mottle run m.toml --mesh sphere:1 -o m.npy -o m.ply --device reference");
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_NE(result.err.find(kNothingLeft), std::string::npos) << result.err;
}

TEST(Documents, LinksOfReadmeLeadSomewhere) {
    std::ifstream file(MOTTLE_SOURCE_DIR "/README.md");
    std::ostringstream text;
    text << file.rdbuf();
    const std::string readme = text.str();
    const std::regex link(R"(\]\(([^)#:]+)\))");
    int count = 0;
    for (auto match = std::sregex_iterator(readme.begin(), readme.end(), link); match != std::sregex_iterator(); ++match, ++count) {
        EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(MOTTLE_SOURCE_DIR) / (*match)[1].str())) << (*match)[1];
    }
    EXPECT_GE(count, 5);
}

}  // namespace documents_test
