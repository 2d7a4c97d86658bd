// mottle/core/files.h: whole-file reading, and writing that is atomic: to a temporary name, then renamed
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mottle::core {

/// The bytes of a regular file, or nothing if it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// What a file that has its name survives.
enum class Survives {
    kills,          ///< the end of this process, however it comes
    power_failures  ///< the end of the machine, too: the process waits until the disk has the file
};

/// A file that appears under its name only when `commit` has succeeded; otherwise its temporary is removed.
class AtomicFile {
   public:
    /// Throws: OutputError if the temporary cannot be made beside `path`.
    explicit AtomicFile(const std::filesystem::path& path);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    /// Throws: OutputError (disk full, folder gone).
    void write(std::span<const std::byte> bytes);
    /// Leaves room for so many bytes, which others write by their places in temporary() (core/shared_file.h); `write` goes on behind it. Returns where it begins.
    std::uint64_t leave_room(std::uint64_t bytes);
    /// Before its end, whenever it comes, the name has the file of before. Throws: OutputError.
    void commit(Survives survives = Survives::kills);
    /// Hands what has been written to the system, so that a full disk is seen here and not by `commit`. Throws: OutputError.
    void flush();
    /// After `write` or `flush` has failed: only whole lines are left, which can be committed. Throws: OutputError.
    void cut_to_whole_lines();
    /// A copy of what has been written so far appears under the name; writing goes on.
    void commit_copy(Survives survives = Survives::kills);
    const std::filesystem::path& temporary() const { return temporary_; }

   private:
    std::filesystem::path path_, temporary_;
    std::FILE* file_ = nullptr;
};

/// Waits until the disk has the file at `path`, so that what it holds survives a power failure; does nothing where it cannot be opened. Throws: OutputError.
void bring_to_disk(const std::filesystem::path& path);

/// The name for which `path` is written if it is the temporary of an AtomicFile, which is what a message tells; else `path`.
std::filesystem::path name_to_come(const std::filesystem::path& path);

/// Removes from `folder` the temporary files of AtomicFiles of killed processes, if `is_ours` accepts the name of the final file.
/// Files of living processes stay, also those of other machines that share the folder. Returns what was removed.
std::vector<std::filesystem::path> remove_orphans(const std::filesystem::path& folder,
                                                  const std::function<bool(std::string_view name)>& is_ours);

/// Throws: InputError unless the folder in which `path` would be written exists and can be written to.
void check_writable(const std::filesystem::path& path);

}  // namespace mottle::core
