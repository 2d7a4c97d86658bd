// mottle/core/shared_file.h: a file that several processes, perhaps on several machines, write or read at the same time, each at places of its own
#pragma once
#include "mottle/core/hash.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mottle::core {

/// The name of a file, and what it begins with: where a machine does not share the file system, another file may have the same name there.
struct FileIdentity {
    std::string path;             ///< absolute
    std::uint64_t size = 0;       ///< bytes
    std::uint64_t head_size = 0;  ///< bytes of which `head` is a hash
    Hash head{};
    bool operator==(const FileIdentity&) const = default;
};

/// As much of a file as tells it from another one of the same size, where its beginning says what it is.
inline constexpr std::uint64_t kHeadOfFile = 4096;
/// Looks at the first `head_size` bytes at most. Throws: OutputError if the file cannot be read.
FileIdentity identify_file(const std::filesystem::path& path, std::uint64_t head_size);

/// A file that is open for reading or writing at any place, by several threads at once.
class SharedFile {
   public:
    enum class Use { reads, writes };

    /// Nothing where there is no such file, or where it cannot be opened for this.
    static std::optional<SharedFile> open(const FileIdentity& identity, Use use);
    /// The file at `path`, whatever it holds. Throws: OutputError.
    static SharedFile open(const std::filesystem::path& path, Use use);
    SharedFile(SharedFile&& other) noexcept;
    SharedFile(const SharedFile&) = delete;
    SharedFile& operator=(const SharedFile&) = delete;
    SharedFile& operator=(SharedFile&&) = delete;
    ~SharedFile();

    /// Throws: OutputError (disk full).
    void write(std::uint64_t place, std::span<const std::byte> bytes) const;
    /// False where the file ends before.
    bool read(std::uint64_t place, std::span<std::byte> bytes) const;
    /// What was written is on its way to the disk, and other machines see it. Throws: OutputError.
    void close();

   private:
    static int open_descriptor(const std::filesystem::path& path, Use use);
    SharedFile(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
    std::filesystem::path path_;
    int descriptor_;
};

/// Joins pieces of a file that follow one another, so that they are written some at a time. For one thread.
class JoinedWrites {
   public:
    explicit JoinedWrites(const SharedFile& file) : file_(file) {}
    /// Throws: OutputError.
    void add(std::uint64_t place, std::span<const std::byte> bytes);
    void flush();

   private:
    static constexpr std::size_t kMostBytes = std::size_t{1} << 20;
    const SharedFile& file_;
    std::uint64_t place_ = 0;
    std::vector<std::byte> bytes_;
};

}  // namespace mottle::core
