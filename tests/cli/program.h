// tests/cli/program.h: runs shell commands with the built program first in the path, in a folder of their own
// The program is the one of this build, or MOTTLE_TEST_PROGRAM, which './dev test --all' sets to that of a sanitizer.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace cli {

struct Result {
    int code = -1;
    std::string out, err;
};

/// A new, empty folder that goes away with the object.
class Folder {
   public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    void write(const std::string& name, const std::string& text) const;
    std::string read(const std::string& name) const;
    bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }
    /// Runs `command` with bash here, with `mottle` in the path and a cache of this folder's own.
    Result run(const std::string& command) const;

   private:
    std::filesystem::path path_;
};

inline std::filesystem::path program() {
    const char* other = std::getenv("MOTTLE_TEST_PROGRAM");
    return other ? other : MOTTLE_PROGRAM;
}

/// Whether a sanitizer watches it.
inline bool sanitized() {
#if defined(MOTTLE_SANITIZED)
    return true;
#else
    return std::getenv("MOTTLE_TEST_PROGRAM") != nullptr;
#endif
}

inline std::string whole_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "mottle_cli_XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
}

inline Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

inline void Folder::write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name, std::ios::binary) << text; }

inline std::string Folder::read(const std::string& name) const { return whole_file(path_ / name); }

inline Result Folder::run(const std::string& command) const {
    // What the command says goes to files beside the folder, so that the folder stays as the command leaves it.
    const std::string out = path_.string() + ".out", err = path_.string() + ".err", script = path_.string() + ".sh";
    const std::filesystem::path bin = program().parent_path();
    std::ofstream(script) << "cd '" << path_.string() << "'\nexport PATH='" << bin.string() << "':\"$PATH\" XDG_CACHE_HOME='"
                          << MOTTLE_BUILD_DIR << "/tests/cache' NO_COLOR=1\n"
                          << command << "\n";
    const int status = std::system(("bash -u '" + script + "' > '" + out + "' 2> '" + err + "' < /dev/null").c_str());
    Result result{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), whole_file(out), whole_file(err)};
    for (const std::string& file : {out, err, script}) std::filesystem::remove(file);
    return result;
}

}  // namespace cli
