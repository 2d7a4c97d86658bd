// mottle/backend/kernel_cache.h: compiled kernels on disk, each under the whole text that it was made of
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace mottle::backend {

/// A file of the cache: a checksum, the whole key, and the compiled kernel. Whatever is not exactly that (damaged, cut short, the kernel of another key, larger than any
/// kernel) counts as missing, and is replaced.
class CachedKernel {
   public:
    /// `key`: all that the compiled kernel depends on. `suffix`: ".o". An empty `cache` keeps nothing.
    CachedKernel(const std::filesystem::path& cache, std::string key, std::string_view suffix);

    std::optional<std::string> read() const;
    /// A cache that cannot be written costs time at the next start, never a run.
    void write(const std::string& kernel) const;
    void remove() const;
    const std::filesystem::path& path() const { return path_; }

   private:
    std::string key_;
    std::filesystem::path path_;
};

}  // namespace mottle::backend
