// tests/cli/program.h: runs shell commands with the built program first in the path, in a folder of their own
#pragma once
#include <filesystem>
#include <string>

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

}  // namespace cli
