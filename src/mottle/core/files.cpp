// mottle/core/files.cpp: reads whole files; writes to a temporary beside the target and renames it
#include "mottle/core/files.h"

#include "mottle/core/error.h"
#include "mottle/core/index.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace mottle::core {
namespace {

namespace fs = std::filesystem;

std::string reason(int code) { return std::generic_category().message(code); }

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

/// A link is followed, so that the file it names is replaced, or made, and not the link.
fs::path target_of(const fs::path& path) {
    constexpr int kMostLinks = 40;  // as in Linux
    fs::path target = path;
    for (int link = 0; link < kMostLinks; ++link) {
        std::error_code error;
        const fs::path next = fs::read_symlink(target, error);
        if (error) return target;
        target = next.is_absolute() ? next : folder_of(target) / next;
    }
    return path;
}

/// Why `path` cannot be replaced by a regular file, or "". Renaming over a device would destroy it.
std::string obstacle(const fs::path& path) {
    if (!path.has_filename()) return "it does not name a file";
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::is_directory(status)) return "it is a folder";
    if (fs::exists(status) && !fs::is_regular_file(status)) return "it is not a regular file";
    return "";
}

constexpr std::string_view kTemporary = ".tmp";

bool is_number(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos; }

/// The name that the file behind a temporary of AtomicFile will have: NAME.PROCESS.ATTEMPT.tmp.
std::optional<std::string_view> target_of_temporary(std::string_view name) {
    if (!name.ends_with(kTemporary)) return std::nullopt;
    name.remove_suffix(kTemporary.size());
    for (int numbers = 0; numbers < 2; ++numbers) {
        const std::size_t dot = name.rfind('.');
        if (dot == std::string_view::npos || dot == 0 || !is_number(name.substr(dot + 1))) return std::nullopt;
        name = name.substr(0, dot);
    }
    return name;
}

/// Locks a temporary, which tells remove_orphans of every machine that it is in use. False, with EEXIST, if another process has just removed it.
bool hold(int descriptor) {
    struct stat status {};
    flock(descriptor, LOCK_EX | LOCK_NB);  // where a file system knows no locks, nothing is removed either
    if (fstat(descriptor, &status) != 0 || status.st_nlink > 0) return true;
    errno = EEXIST;
    return false;
}

/// Waits until the disk has what was written. Returns 0 or the code of the error; file systems without this service have nothing to wait for.
int wait_for_disk(int descriptor) {
    int result = 0;
    do result = fsync(descriptor);
    while (result != 0 && errno == EINTR);
    return result == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

/// The names of a folder that cannot be opened reach the disk later.
void bring_names_to_disk(const fs::path& folder) {
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;
    wait_for_disk(descriptor);
    close(descriptor);
}

/// False, with a reason in errno, where it cannot.
bool cut_behind_last_line(const fs::path& path, int descriptor) {
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    if (!file) return false;
    off_t end = lseek(descriptor, 0, SEEK_END);
    while (end > 0 && fseeko(file, end - 1, SEEK_SET) == 0 && std::fgetc(file) != '\n') --end;
    const bool good = std::ferror(file) == 0 && ftruncate(descriptor, end) == 0;
    std::fclose(file);
    return good;
}

/// Removes a temporary that no process of this or of another machine holds; false where one does, or where that cannot be known.
bool remove_if_left(const fs::path& path) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool removed = flock(descriptor, LOCK_EX | LOCK_NB) == 0 && unlink(path.c_str()) == 0;
    close(descriptor);
    return removed;
}

}  // namespace

std::optional<std::string> read_file(const fs::path& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return std::nullopt;
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file) return std::nullopt;
    std::optional<std::string> content(std::in_place);
    try {
        const auto expected = fs::file_size(path, error);
        if (!error) content->reserve(core::at(expected));
        char block[65536];
        while (const std::size_t count = std::fread(block, 1, sizeof block, file)) content->append(block, count);
        if (std::ferror(file) != 0) content.reset();
    } catch (const std::bad_alloc&) {
        content.reset();
    } catch (const std::length_error&) {
        content.reset();
    }
    std::fclose(file);
    return content;
}

AtomicFile::AtomicFile(const fs::path& path) : path_(target_of(path)) {
    if (const std::string problem = obstacle(path_); !problem.empty()) throw OutputError("cannot write " + path_.string() + ": " + problem);
    const std::string stem = path_.string() + "." + std::to_string(getpid()) + ".";
    int descriptor = -1;
    for (int attempt = 0; descriptor < 0; ++attempt) {
        temporary_ = stem + std::to_string(attempt) + std::string(kTemporary);
        descriptor = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 && !hold(descriptor)) close(std::exchange(descriptor, -1));
        if (descriptor < 0 && errno != EEXIST) {
            throw OutputError("cannot write " + path_.string() + ": making a temporary file beside it failed: " + reason(errno));
        }
    }
    file_ = fdopen(descriptor, "wb");
    if (!file_) {
        const int code = errno;
        close(descriptor);
        unlink(temporary_.c_str());
        throw OutputError("cannot write " + path_.string() + ": " + reason(code));
    }
}

AtomicFile::~AtomicFile() {
    if (!file_) return;
    std::fclose(file_);
    unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    if (!file_) throw InternalError("AtomicFile::write after commit: " + path_.string());
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) {
        throw OutputError("cannot write " + path_.string() + ": " + reason(errno));
    }
}

void AtomicFile::flush() {
    if (!file_ || std::fflush(file_) != 0) throw OutputError("cannot write " + path_.string() + ": " + reason(errno));
}

std::uint64_t AtomicFile::leave_room(std::uint64_t bytes) {
    if (!file_) throw InternalError("AtomicFile::leave_room after commit: " + path_.string());
    const off_t place = std::fflush(file_) == 0 ? ftello(file_) : -1, end = place + static_cast<off_t>(bytes);
    if (place < 0 || ftruncate(fileno(file_), end) != 0 || fseeko(file_, end, SEEK_SET) != 0)
        throw OutputError("cannot write " + path_.string() + ": " + reason(errno));
    return static_cast<std::uint64_t>(place);
}

void AtomicFile::commit(Survives survives) {
    if (!file_) throw InternalError("AtomicFile::commit twice: " + path_.string());
    int code = 0;
    if (survives == Survives::power_failures) code = std::fflush(file_) == 0 ? wait_for_disk(fileno(file_)) : errno;
    if (std::fclose(std::exchange(file_, nullptr)) != 0 && code == 0) code = errno;
    if (code == 0 && std::rename(temporary_.c_str(), path_.c_str()) != 0) code = errno;
    if (code != 0) {
        unlink(temporary_.c_str());
        throw OutputError("cannot write " + path_.string() + ": " + reason(code));
    }
    if (survives == Survives::power_failures) bring_names_to_disk(folder_of(path_));
}

void AtomicFile::cut_to_whole_lines() {
    if (!file_) throw InternalError("AtomicFile::cut_to_whole_lines after commit: " + path_.string());
    const int descriptor = dup(fileno(file_));  // as `hold` has locked it
    if (descriptor < 0) throw OutputError("cannot write " + path_.string() + ": " + reason(errno));
    std::fclose(std::exchange(file_, nullptr));  // what the buffer holds may be written now, or is lost
    if (cut_behind_last_line(temporary_, descriptor)) file_ = fdopen(descriptor, "ab");
    if (file_) return;
    const int code = errno;
    close(descriptor);
    unlink(temporary_.c_str());
    throw OutputError("cannot write " + path_.string() + ": " + reason(code));
}

void AtomicFile::commit_copy(Survives survives) {
    flush();
    std::FILE* const so_far = std::fopen(temporary_.c_str(), "rb");
    if (!so_far) throw OutputError("cannot read " + temporary_.string() + ": " + reason(errno));
    try {
        AtomicFile copy(path_);
        std::byte block[65536];
        while (const std::size_t count = std::fread(block, 1, sizeof block, so_far)) copy.write({block, count});
        copy.commit(survives);
    } catch (...) {
        std::fclose(so_far);
        throw;
    }
    std::fclose(so_far);
}

void bring_to_disk(const fs::path& path) {
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    const int code = wait_for_disk(descriptor);
    close(descriptor);
    if (code != 0) throw OutputError("cannot write " + path.string() + ": " + reason(code));
}

fs::path name_to_come(const fs::path& path) {
    const std::string name = path.filename().string();
    const std::optional<std::string_view> target = target_of_temporary(name);
    return target ? path.parent_path() / *target : path;
}

std::vector<fs::path> remove_orphans(const fs::path& folder, const std::function<bool(std::string_view name)>& is_ours) {
    // All names are read before the first file goes: a folder that shrinks while it is read may pass over entries.
    std::vector<fs::path> left;
    std::error_code error;
    for (fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        const std::optional<std::string_view> target = target_of_temporary(name);
        if (target && is_ours(*target)) left.push_back(entry->path());
    }
    std::vector<fs::path> removed;
    std::copy_if(left.begin(), left.end(), std::back_inserter(removed), remove_if_left);
    std::sort(removed.begin(), removed.end());
    return removed;
}

void check_writable(const fs::path& path) {
    const fs::path folder = folder_of(path);
    std::error_code error;
    if (!fs::exists(folder, error)) {
        throw InputError("cannot write '" + path.string() + "': the folder '" + folder.string() +
                         "' does not exist; make it or name another");
    }
    if (!fs::is_directory(folder, error)) {
        throw InputError("cannot write '" + path.string() + "': '" + folder.string() + "' is not a folder");
    }
    try {
        const AtomicFile probe(path);
    } catch (const OutputError& failure) {
        throw InputError(failure.message() + "; name another file");
    }
}

}  // namespace mottle::core
