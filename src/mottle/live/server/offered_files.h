// mottle/live/server/offered_files.h: files that pages may download, in a folder of this program's own that ends with it
#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace mottle::live {

/// Any thread uses it.
class OfferedFiles {
   public:
    /// Makes a folder that nobody else may read, and removes those that killed programs of this user have left. Throws: OutputError.
    OfferedFiles();
    ~OfferedFiles();
    OfferedFiles(const OfferedFiles&) = delete;
    OfferedFiles& operator=(const OfferedFiles&) = delete;

    /// All of them, with their folder; nothing is offered any more.
    void remove();
    const std::filesystem::path& folder() const { return folder_; }
    /// A path for a file of that name, which nothing else has.
    std::filesystem::path place(const std::string& name);
    /// The file at `path` may be downloaded under its name: the path of its address, "/file/3/coral.png". The oldest files go where they take much room.
    std::string offer(const std::filesystem::path& path);
    /// The file of such an address, or nothing.
    std::optional<std::filesystem::path> find(const std::string& url) const;

   private:
    void make_room();

    mutable std::mutex mutex_;
    std::filesystem::path folder_;
    int count_ = 0;
    std::map<int, std::pair<std::string, std::filesystem::path>> files_;  ///< address and place, by number
};

}  // namespace mottle::live
