// tests/architecture/architecture_test.cpp: the rules of the source tree: floors, file sizes, no printing, no foreign types, first lines
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace architecture_test {

namespace fs = std::filesystem;

const fs::path kRoot = MOTTLE_SOURCE_DIR;

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

/// The text with comments, and on request the insides of literals, turned into blanks; line breaks stay.
std::string code_of(const std::string& text, bool keep_literals = false) {
    std::string code = text;
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < std::min(to, code.size()); ++i) {
            if (code[i] != '\n') code[i] = ' ';
        }
    };
    const auto ends = [&](std::size_t found, std::size_t length) { return found == std::string::npos ? text.size() : found + length; };
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t start = i;
        if (text.compare(i, 2, "//") == 0) {
            i = ends(text.find('\n', i), 0);
            blank(start, i);
        } else if (text.compare(i, 2, "/*") == 0) {
            i = ends(text.find("*/", i + 2), 2);
            blank(start, i);
        } else if (text.compare(i, 2, "R\"") == 0 && (i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0)) {
            const std::size_t open = text.find('(', i);
            if (open == std::string::npos) break;
            const std::string close = ")" + text.substr(i + 2, open - i - 2) + "\"";
            i = ends(text.find(close, open), close.size());
            if (!keep_literals) blank(start, i);
        } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0))) {
            for (++i; i < text.size() && text[i] != text[start] && text[i] != '\n'; ++i) {
                if (text[i] == '\\') ++i;
            }
            ++i;
            if (!keep_literals) blank(start + 1, i - 1);
        } else {
            ++i;
        }
    }
    return code;
}

std::string name_in_tree(const fs::path& path) { return fs::relative(path, kRoot).generic_string(); }

/// All files below `folder` with one of the extensions, in order of their names.
std::vector<fs::path> files_below(const fs::path& folder, const std::set<std::string>& extensions) {
    std::vector<fs::path> files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && extensions.count(entry.path().extension().string()) > 0) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

const std::set<std::string> kCode = {".h", ".cpp", ".inc"};

std::vector<fs::path> library_files() { return files_below(kRoot / "src/mottle", kCode); }

std::vector<fs::path> all_code_files() {
    std::vector<fs::path> all;
    for (const char* folder : {"src", "apps", "tests", "benchmarks", "examples"}) {
        const auto files = files_below(kRoot / folder, kCode);
        all.insert(all.end(), files.begin(), files.end());
    }
    return all;
}

struct Include {
    std::string name;
    bool quoted = false;
    std::size_t line = 0;
};

std::vector<Include> includes_of(const std::string& text) {
    static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^">]+)[">])");
    std::vector<Include> includes;
    std::size_t number = 0;
    for (const std::string& line : lines_of(code_of(text, true))) {
        ++number;
        std::smatch match;
        if (std::regex_search(line, match, pattern)) includes.push_back({match[2], match[1] == "\"", number});
    }
    return includes;
}

/// Of "src/mottle/<floor>/..." or "mottle/<floor>/...": a folder inside a floor is one of its own where floors.txt lists it.
std::string floor_of(const std::string& path, const std::vector<std::string>& listed) {
    static const std::regex pattern(R"(^(?:src/)?mottle/([^/]+)/(?:([^/]+)/)?.*)");
    std::smatch match;
    if (!std::regex_match(path, match, pattern)) return "";
    const std::string inner = match[1].str() + "/" + match[2].str();
    return std::find(listed.begin(), listed.end(), inner) != listed.end() ? inner : match[1].str();
}

struct Floors {
    std::vector<std::string> order;
    std::map<std::string, std::set<std::string>> granted;
};

Floors read_floors() {
    Floors floors;
    for (const std::string& line : lines_of(read(kRoot / "src/mottle/floors.txt"))) {
        const std::size_t colon = line.find(':');
        if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
        const std::string floor = line.substr(0, colon);
        floors.order.push_back(floor);
        std::istringstream grants(line.substr(colon + 1));
        floors.granted[floor] = {};
        for (std::string grant; grants >> grant;) floors.granted[floor].insert(grant);
    }
    return floors;
}

TEST(Scanner, BlanksCommentsAndLiteralsAndKeepsLines) {
    EXPECT_EQ(code_of("a // b\nc /* d\n e */ f"), "a     \nc     \n      f");
    EXPECT_EQ(code_of("x = \"// \\\" y\"; z"), "x = \"       \"; z");
    EXPECT_EQ(code_of("x = R\"q(a)\" // )q\" + 1'000; // n"), "x =                + 1'000;     ");
    EXPECT_EQ(code_of("c = '\"'; d // e"), "c = ' '; d     ");
}

TEST(Floors, EachGrantsOnlyFloorsListedBeforeIt) {
    const Floors floors = read_floors();
    ASSERT_FALSE(floors.order.empty());
    std::set<std::string> before;
    for (const std::string& floor : floors.order) {
        for (const std::string& grant : floors.granted.at(floor))
            EXPECT_TRUE(before.count(grant) > 0) << floor << " may not include " << grant;
        before.insert(floor);
    }
}

TEST(Floors, EveryIncludeStaysWithinItsGrant) {
    const Floors floors = read_floors();
    std::size_t checked = 0;
    for (const fs::path& path : library_files()) {
        const std::string floor = floor_of(name_in_tree(path), floors.order);
        if (floor.empty()) continue;  // mottle/mottle.h, the whole library in one include
        ASSERT_TRUE(floors.granted.count(floor) > 0) << name_in_tree(path) << ": the folder is not in floors.txt";
        for (const Include& include : includes_of(read(path))) {
            const std::string target = floor_of(include.name, floors.order);
            const std::string place = name_in_tree(path) + ":" + std::to_string(include.line) + ": ";
            if (include.quoted && include.name != "mottle_build_id.h") {
                EXPECT_FALSE(target.empty()) << place << "a quoted include is \"mottle/<floor>/...\", not " << include.name;
            }
            if (target.empty() || target == floor) continue;
            EXPECT_TRUE(floors.granted.at(floor).count(target) > 0) << place << floor << " may not include " << include.name;
            ++checked;
        }
    }
    EXPECT_GT(checked, 20u);
}

TEST(Floors, NothingOutsideAModuleIncludesItsHeaders) {
    for (const std::string module :
         {"mottle/backend/cpu_jit/", "mottle/output/ffmpeg/", "mottle/frame/embree/", "mottle/live/server/", "mottle/ranks/mpi/"}) {
        for (const fs::path& path : library_files()) {
            if (name_in_tree(path).rfind("src/" + module, 0) == 0) continue;
            for (const Include& include : includes_of(read(path)))
                EXPECT_NE(include.name.rfind(module, 0), 0u) << name_in_tree(path) << ": " << include.name;
        }
    }
}

TEST(Includes, ForeignLibrariesStayInTheirFiles) {
    const std::vector<std::pair<std::regex, std::regex>> homes = {
        {std::regex("toml\\+\\+/.*"), std::regex("src/mottle/core/document\\.cpp")},
        {std::regex("fmt/.*"), std::regex("src/mottle/core/text\\.cpp")},
        {std::regex("png\\.h"), std::regex("src/mottle/image/png\\.cpp")},
        {std::regex("zlib\\.h"), std::regex("src/mottle/(image/png|live/server/frame)\\.cpp")},
        {std::regex("(civetweb\\.h|nlohmann/.*)"), std::regex("src/mottle/live/server/.*\\.cpp")},
        {std::regex("llvm(-c)?/.*"), std::regex("src/mottle/backend/cpu_jit/.*\\.cpp")},
        {std::regex("mpi\\.h"), std::regex("src/mottle/ranks/mpi/.*\\.cpp")},
        {std::regex("lib(av|sw)[a-z]+/.*"), std::regex("src/mottle/output/ffmpeg/.*\\.(cpp|h)")},
        {std::regex("embree[0-9]/.*"), std::regex("src/mottle/frame/embree/.*\\.cpp")},
        {std::regex("CLI/.*"), std::regex("apps/cli/.*")},
    };
    for (const char* folder : {"src", "apps"}) {
        for (const fs::path& path : files_below(kRoot / folder, kCode)) {
            for (const Include& include : includes_of(read(path))) {
                for (const auto& [library, home] : homes) {
                    if (!std::regex_match(include.name, library)) continue;
                    EXPECT_TRUE(std::regex_match(name_in_tree(path), home))
                        << name_in_tree(path) << ":" << include.line << ": " << include.name;
                }
            }
        }
    }
}

TEST(Includes, AnInstalledHeaderNamesOnlyMottleAndTheStandardLibrary) {
    for (const fs::path& path : files_below(kRoot / "src/mottle", {".h"})) {
        const std::string name = name_in_tree(path);
        if (name.find("/cpu_jit/") != std::string::npos || name.find("/ffmpeg/") != std::string::npos) continue;
        for (const Include& include : includes_of(read(path))) {
            if (include.quoted) continue;
            EXPECT_TRUE(std::regex_match(include.name, std::regex("[a-z_0-9]+|immintrin\\.h|stdint\\.h")))
                << name << ":" << include.line << ": <" << include.name << ">";
        }
        const std::string code = code_of(read(path));
        EXPECT_TRUE(std::regex_search(code, std::regex("#pragma once"))) << name;
        EXPECT_FALSE(std::regex_search(code, std::regex("\\busing\\s+namespace\\b"))) << name << ": using namespace in a header";
    }
}

TEST(Includes, ASourceIncludesItsOwnHeaderFirst) {
    for (const fs::path& path : files_below(kRoot / "src", {".cpp"})) {
        fs::path header = path;
        header.replace_extension(".h");
        if (!fs::exists(header)) continue;
        const auto includes = includes_of(read(path));
        ASSERT_FALSE(includes.empty()) << name_in_tree(path);
        EXPECT_EQ("src/" + includes.front().name, name_in_tree(header))
            << name_in_tree(path) << ": its own header comes first, so that it needs no other";
    }
}

TEST(Files, StayWithinTheirBudget) {
    for (const fs::path& path : all_code_files()) {
        const std::string name = name_in_tree(path);
        if (name.size() > 10 && name.compare(name.size() - 10, 10, "_table.inc") == 0) continue;
        const auto lines = lines_of(code_of(read(path)));
        const auto count = std::count_if(lines.begin(), lines.end(),
                                         [](const std::string& line) { return line.find_first_not_of(" \t\r") != std::string::npos; });
        EXPECT_LE(count, path.extension() == ".h" && name.rfind("src/", 0) == 0 ? 150 : 500)
            << name << " has " << count << " lines of code";
    }
}

TEST(Files, SayInLineOneWhatTheyAreFor) {
    for (const fs::path& path : all_code_files()) {
        std::string name = name_in_tree(path);
        if (name.rfind("src/", 0) == 0) name = name.substr(4);
        const auto lines = lines_of(read(path));
        ASSERT_FALSE(lines.empty()) << name;
        const std::size_t colon = lines[0].find(": ");
        ASSERT_NE(colon, std::string::npos) << name << ": " << lines[0];
        const std::string start = lines[0].substr(0, colon);
        EXPECT_TRUE(start == "// " + name || start == "// mottle/" + name) << name << ": " << lines[0];
        EXPECT_GT(lines[0].size(), colon + 10) << name;
    }
}

TEST(Files, HaveNoDrawerNames) {
    const std::regex drawer("(utils?|common|helpers?|misc|internal|stuff)");
    for (const fs::path& path : all_code_files()) EXPECT_FALSE(std::regex_match(path.stem().string(), drawer)) << name_in_tree(path);
}

TEST(Files, EveryTestIsInAFileThatTheBuildTakes) {
    for (const fs::path& path : files_below(kRoot / "tests", {".cpp"})) {
        const std::string name = name_in_tree(path);
        if (!std::regex_search(code_of(read(path)), std::regex("(^|\\n)(TEST|TEST_F|TEST_P|TYPED_TEST)\\("))) continue;
        EXPECT_TRUE(std::regex_match(
            name, std::regex("tests/(unit/[^/]+|conformance|oracle|physics|golden|cli|errors|ranks|architecture)/.*_test\\.cpp")))
            << name;
    }
}

TEST(Library, NeitherPrintsNorEndsTheProgram) {
    const std::regex forbidden(
        R"(\bstd::(cout|cerr|clog)\b|\b(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|perror|exit|_exit|_Exit|quick_exit|abort|terminate)\s*\()");
    for (const fs::path& path : library_files()) {
        std::size_t number = 0;
        for (const std::string& line : lines_of(code_of(read(path)))) {
            ++number;
            EXPECT_FALSE(std::regex_search(line, forbidden)) << name_in_tree(path) << ":" << number << ": " << line;
        }
    }
}

/// Every text file of the tree, build products and version control aside.
std::vector<fs::path> text_files() {
    std::vector<fs::path> files;
    const std::set<std::string> skipped = {".git", "build", "out", "__pycache__"};
    const std::set<std::string> text = {"",       ".h",  ".cpp",  ".inc", ".txt", ".md",      ".toml",
                                        ".cmake", ".in", ".json", ".sh",  ".py",  ".expected"};
    for (auto entry = fs::recursive_directory_iterator(kRoot); entry != fs::recursive_directory_iterator(); ++entry) {
        if (entry->is_directory() && entry.depth() == 0 && skipped.count(entry->path().filename().string()) > 0)
            entry.disable_recursion_pending();
        if (entry->path().filename() == ".git") continue;  // in a work tree of git it is a file that names the repository's place
        if (entry->is_regular_file() && text.count(entry->path().extension().string()) > 0) files.push_back(entry->path());
    }
    return files;
}

TEST(Tree, NamesNoPlaceOfOneMachineAndLeavesNothingToDo) {
    // Put together from parts, so that this file does not find itself.
    const std::regex machine(
        "/(ho"
        "me|ro"
        "ot|wo"
        "rk)/[A-Za-z.]");
    const std::regex unfinished(
        "\\b(TO"
        "DO|FIX"
        "ME|XX"
        "X)\\b");
    for (const fs::path& path : text_files()) {
        std::size_t number = 0;
        for (const std::string& line : lines_of(read(path))) {
            ++number;
            EXPECT_FALSE(std::regex_search(line, machine)) << name_in_tree(path) << ":" << number << ": " << line;
            EXPECT_FALSE(std::regex_search(line, unfinished)) << name_in_tree(path) << ":" << number << ": " << line;
        }
    }
}

TEST(Tree, EveryMeshOfTheExamplesHasASourceAndALicence) {
    const fs::path folder = kRoot / "examples" / "meshes";
    const std::string table = read(folder / "README.md");
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name == "README.md") continue;
        EXPECT_TRUE(std::regex_search(table, std::regex("\\| `" + name + "` \\|[^|\n]+\\|[^|\n]+\\|[^|\n]+\\|\n"))) << name;
    }
}

/// What a command prints.
std::string output_of(const std::string& command) {
    std::FILE* const pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return "";
    std::string text;
    for (int letter = std::fgetc(pipe); letter != EOF; letter = std::fgetc(pipe)) text += static_cast<char>(letter);
    return pclose(pipe) == 0 ? text : "";
}

/// What setup hands to apt-get as one argument each: a name with a blank in it makes it refuse all of them.
TEST(Tree, PackageListsGiveOneNameOfAPackageEach) {
    const std::regex package("[a-z0-9][a-z0-9+.-]+");
    std::map<std::string, std::size_t> count;
    for (const std::string option : {"", " --all"}) {
        for (const std::string& line : lines_of(output_of("'" + (kRoot / "dev").string() + "' packages" + option))) {
            EXPECT_TRUE(std::regex_match(line, package)) << '"' << line << '"';
            ++count[option];
        }
    }
    EXPECT_GE(count[""], 10u);
    EXPECT_GT(count[" --all"], count[""]);
}

TEST(Tree, NoBuildOptionChangesTheArithmetic) {
    const std::regex forbidden(
        "-ff"
        "ast-math|-Of"
        "ast|-funsafe-"
        "math|-march=na"
        "tive|-ffp-contract=(f"
        "ast|on)");
    std::size_t checked = 0;
    for (const fs::path& path : text_files()) {
        const std::string name = name_in_tree(path);
        if (path.extension() != ".cmake" && path.filename() != "CMakeLists.txt" && name != "CMakePresets.json" && name != "dev") continue;
        EXPECT_FALSE(std::regex_search(read(path), forbidden)) << name;
        ++checked;
    }
    EXPECT_GE(checked, 5u);
}

}  // namespace architecture_test
