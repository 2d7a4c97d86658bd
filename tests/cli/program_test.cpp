// tests/cli/program_test.cpp: runs shell commands for the other tests of this folder, and shows that it tells failures
#include "cli/program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace cli {

namespace {

std::string whole_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

}  // namespace

Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mottle_cli_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
}

Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

void Folder::write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name, std::ios::binary) << text; }

std::string Folder::read(const std::string& name) const { return whole_file(path_ / name); }

Result Folder::run(const std::string& command) const {
    // What the command says goes to files beside the folder, so that the folder stays as the command leaves it.
    const std::string out = path_.string() + ".out", err = path_.string() + ".err", script = path_.string() + ".sh";
    const std::filesystem::path bin = std::filesystem::path(MOTTLE_PROGRAM).parent_path();
    std::ofstream(script) << "cd '" << path_.string() << "'\nexport PATH='" << bin.string() << "':\"$PATH\" XDG_CACHE_HOME='"
                          << MOTTLE_BUILD_DIR << "/tests/cache' NO_COLOR=1\n"
                          << command << "\n";
    const int status = std::system(("bash -u '" + script + "' > '" + out + "' 2> '" + err + "' < /dev/null").c_str());
    Result result{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), whole_file(out), whole_file(err)};
    for (const std::string& file : {out, err, script}) std::filesystem::remove(file);
    return result;
}

TEST(Program, FailuresAndWordsComeThrough) {
    const Folder folder;
    const Result result = folder.run("echo a; echo b >&2; touch made; exit 7");
    EXPECT_EQ(result.code, 7);
    EXPECT_EQ(result.out, "a\n");
    EXPECT_EQ(result.err, "b\n");
    EXPECT_TRUE(folder.has("made"));
}

}  // namespace cli
