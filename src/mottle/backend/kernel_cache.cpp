// mottle/backend/kernel_cache.cpp: compiled kernels on disk
#include "mottle/backend/kernel_cache.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/hash.h"

#include <cstdint>
#include <span>
#include <utility>

namespace mottle::backend {
namespace {

constexpr std::size_t kChecksumLength = 32, kLengthLength = 16;  // hexadecimal digits
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 28;   // of a kernel and of its key: no text that compiles in hours is as long

std::string hexadecimal(std::size_t value) {
    std::string text(kLengthLength, '0');
    for (std::size_t i = kLengthLength; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
    return text;
}

}  // namespace

CachedKernel::CachedKernel(const std::filesystem::path& cache, std::string key, std::string_view suffix) : key_(std::move(key)) {
    if (!cache.empty()) path_ = cache / "kernels" / (core::hash_hex(core::hash_text(key_)) + std::string(suffix));
}

std::optional<std::string> CachedKernel::read() const {
    if (path_.empty()) return std::nullopt;
    std::error_code missing;
    const std::uintmax_t size = std::filesystem::file_size(path_, missing);
    const std::size_t head = kChecksumLength + kLengthLength + key_.size();
    if (missing || size <= head || size - head > kMostBytes) return std::nullopt;
    const std::optional<std::string> file = core::read_file(path_);
    if (!file || file->size() <= head) return std::nullopt;
    const std::string_view checked = std::string_view(*file).substr(kChecksumLength);
    if (checked.substr(0, kLengthLength) != hexadecimal(key_.size()) || checked.substr(kLengthLength, key_.size()) != key_)
        return std::nullopt;
    if (core::hash_hex(core::hash_text(checked)) != std::string_view(*file).substr(0, kChecksumLength)) return std::nullopt;
    return file->substr(head);
}

void CachedKernel::write(const std::string& kernel) const {
    if (path_.empty() || kernel.size() > kMostBytes) return;
    std::error_code ignored;
    std::filesystem::create_directories(path_.parent_path(), ignored);
    std::filesystem::permissions(path_.parent_path(), std::filesystem::perms::owner_all, ignored);
    try {
        const std::string checked = hexadecimal(key_.size()) + key_ + kernel;
        const std::string checksum = core::hash_hex(core::hash_text(checked));
        core::AtomicFile file(path_);
        file.write(std::as_bytes(std::span(checksum)));
        file.write(std::as_bytes(std::span(checked)));
        file.commit();
    } catch (const core::OutputError&) {
    }
}

void CachedKernel::remove() const {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove(path_, ignored);
}

}  // namespace mottle::backend
