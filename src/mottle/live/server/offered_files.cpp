// mottle/live/server/offered_files.cpp: a folder that is made when the program begins and removed when it ends
#include "mottle/live/server/offered_files.h"

#include "mottle/core/error.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <system_error>

#include <csignal>

#include <sys/stat.h>
#include <unistd.h>

namespace mottle::live {

namespace {

constexpr std::uintmax_t kMostBytes = std::uintmax_t{4} << 30;
constexpr std::size_t kMostFiles = 200;

constexpr std::string_view kFolderName = "mottle-live-files-of-";  // and the number of the process, and what mkdtemp makes of kEnd
constexpr std::string_view kEnd = "-XXXXXX";

/// The process whose folder has this name; 0: it is no folder of OfferedFiles.
pid_t process_of(std::string_view name) {
    if (!name.starts_with(kFolderName)) return 0;
    name.remove_prefix(kFolderName.size());
    pid_t process = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
    const bool whole = error == std::errc() && *end == kEnd[0] && name.data() + name.size() - end == std::ssize(kEnd);
    return whole && process > 0 ? process : 0;
}

bool is_own(const std::filesystem::path& folder) {
    struct stat about {};
    return lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid();
}

/// Removes what killed programs of this user have left.
void remove_orphans(const std::filesystem::path& among) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(among, ignored)) {
        const pid_t process = process_of(entry.path().filename().string());
        if (process == 0 || !is_own(entry.path())) continue;
        if (kill(process, 0) != 0 && errno == ESRCH) std::filesystem::remove_all(entry.path(), ignored);
    }
}

}  // namespace

OfferedFiles::OfferedFiles() {
    std::error_code failed;
    const std::filesystem::path among = std::filesystem::temp_directory_path(failed);
    if (!failed) remove_orphans(among);
    std::string pattern = (among / (std::string(kFolderName) + std::to_string(getpid()) + std::string(kEnd))).string();
    if (failed || mkdtemp(pattern.data()) == nullptr)  // for this user alone
        throw core::OutputError("cannot make a folder for files that the page offers; TMPDIR names where");
    folder_ = pattern;
}

OfferedFiles::~OfferedFiles() { remove(); }

void OfferedFiles::remove() {
    const std::lock_guard lock(mutex_);
    files_.clear();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

std::filesystem::path OfferedFiles::place(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const std::filesystem::path folder = folder_ / std::to_string(++count_);
    std::error_code failed;
    std::filesystem::create_directory(folder, failed);
    if (failed) throw core::OutputError("cannot make the folder '" + folder.string() + "'");
    return folder / name;
}

std::string OfferedFiles::offer(const std::filesystem::path& path) {
    const std::lock_guard lock(mutex_);
    const std::string number = path.parent_path().filename().string();
    std::string url = "/file/" + number + "/" + path.filename().string();
    files_[std::stoi(number)] = {url, path};
    make_room();
    return url;
}

void OfferedFiles::make_room() {
    std::error_code ignored;
    std::uintmax_t bytes = 0;
    for (const auto& [number, file] : files_) bytes += std::filesystem::file_size(file.second, ignored);
    while (files_.size() > 1 && (bytes > kMostBytes || files_.size() > kMostFiles)) {
        const std::filesystem::path oldest = files_.begin()->second.second;
        bytes -= std::filesystem::file_size(oldest, ignored);
        std::filesystem::remove_all(oldest.parent_path(), ignored);
        files_.erase(files_.begin());
    }
}

std::optional<std::filesystem::path> OfferedFiles::find(const std::string& url) const {
    const std::lock_guard lock(mutex_);
    for (const auto& [number, file] : files_) {
        if (file.first == url) return file.second;
    }
    return std::nullopt;
}

}  // namespace mottle::live
