// mottle/core/shared_file.cpp: a file that several processes write or read at the same time
#include "mottle/core/shared_file.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/index.h"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mottle::core {
namespace {

std::string reason_of(int code) { return std::generic_category().message(code); }

[[noreturn]] void fail_to_write(const std::filesystem::path& path, int code) {
    throw OutputError("cannot write " + name_to_come(path).string() + ": " + reason_of(code));
}

/// Nothing if it cannot be read.
std::optional<FileIdentity> look_at(const SharedFile& file, const std::filesystem::path& path, std::uint64_t head_size) {
    std::error_code failed;
    const std::uint64_t size = std::filesystem::file_size(path, failed);
    if (failed) return std::nullopt;
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    const std::uint64_t head = std::min(size, head_size);
    Hasher hasher;
    std::vector<std::byte> piece;
    for (std::uint64_t done = 0; done < head; done += piece.size()) {
        piece.resize(std::min(head - done, kPiece));
        if (!file.read(done, piece)) return std::nullopt;
        hasher.add(piece);
    }
    return FileIdentity{std::filesystem::absolute(path).string(), size, head, hasher.value()};
}

}  // namespace

FileIdentity identify_file(const std::filesystem::path& path, std::uint64_t head_size) {
    const SharedFile file = SharedFile::open(path, SharedFile::Use::reads);
    if (auto identity = look_at(file, path, head_size)) return std::move(*identity);
    throw OutputError("cannot read " + name_to_come(path).string());
}

// Below 0, with a reason in errno, for what is no file with places: opening a pipe that nobody writes to does not wait.
int SharedFile::open_descriptor(const std::filesystem::path& path, Use use) {
    const int descriptor = ::open(path.c_str(), (use == Use::reads ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK);
    struct stat status {};
    if (descriptor < 0 || fstat(descriptor, &status) != 0) return descriptor;
    if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode) && !S_ISDIR(status.st_mode)) return descriptor;
    ::close(descriptor);
    errno = S_ISDIR(status.st_mode) ? EISDIR : ESPIPE;
    return -1;
}

std::optional<SharedFile> SharedFile::open(const FileIdentity& identity, Use use) {
    const int descriptor = open_descriptor(identity.path, use);
    if (descriptor < 0) return std::nullopt;
    SharedFile file(identity.path, descriptor);
    if (look_at(file, identity.path, identity.head_size) != identity) return std::nullopt;
    return file;
}

SharedFile SharedFile::open(const std::filesystem::path& path, Use use) {
    const int descriptor = open_descriptor(path, use);
    if (descriptor < 0) throw OutputError("cannot open " + name_to_come(path).string() + ": " + reason_of(errno));
    return {path, descriptor};
}

SharedFile::SharedFile(SharedFile&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

SharedFile::~SharedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void SharedFile::write(std::uint64_t place, std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t count = pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) fail_to_write(path_, count == 0 ? ENOSPC : errno);
        bytes = bytes.subspan(at(count));
        place += at(count);
    }
}

bool SharedFile::read(std::uint64_t place, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t count = pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes = bytes.subspan(at(count));
        place += at(count);
    }
    return true;
}

void SharedFile::close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail_to_write(path_, errno);
}

void JoinedWrites::add(std::uint64_t place, std::span<const std::byte> bytes) {
    if (place != place_ + bytes_.size() || bytes_.size() >= kMostBytes) {
        flush();
        place_ = place;
    }
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void JoinedWrites::flush() {
    if (!bytes_.empty()) file_.write(place_, bytes_);
    bytes_.clear();
}

}  // namespace mottle::core
