// mottle/output/file_name.cpp: extensions and number patterns
#include "mottle/output/file_name.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace mottle::output {
namespace {

constexpr std::string_view kKnown =
    ".mp4, .gif, .png, .npy, .csv, .pvd, of grids .vti, of surfaces .ply, .vtp, .vtu, .glb, and one file per frame: name-%05d.png, "
    "name-%05d.npy, name-%05d.vtu";
constexpr std::array<std::pair<std::string_view, FileName::Kind>, 11> kKinds = {{{".mp4", FileName::Kind::mp4},
                                                                                 {".gif", FileName::Kind::gif},
                                                                                 {".png", FileName::Kind::png},
                                                                                 {".npy", FileName::Kind::npy},
                                                                                 {".csv", FileName::Kind::csv},
                                                                                 {".ply", FileName::Kind::ply},
                                                                                 {".vtp", FileName::Kind::vtp},
                                                                                 {".vtu", FileName::Kind::vtu},
                                                                                 {".pvd", FileName::Kind::pvd},
                                                                                 {".glb", FileName::Kind::glb},
                                                                                 {".vti", FileName::Kind::vti}}};
constexpr int kMostDigits = 18;

FileName::Kind kind_of(const std::filesystem::path& path) {
    const std::string extension = core::lower_case(path.extension().string());
    for (const auto& [known, kind] : kKinds) {
        if (extension == known) return kind;
    }
    const std::string quoted = "'" + path.string() + "'";
    if (extension.empty())
        throw core::InputError("the output " + quoted + " has no extension to tell the kind of file; known: " + std::string(kKnown));
    throw core::InputError("the output " + quoted + " has the unknown extension '" + extension + "'; known: " + std::string(kKnown));
}

struct Pattern {
    std::size_t first, last;  ///< of the name; `last` is behind the d
    int digits;
    bool zeros;
};

/// The pattern %d, %5d or %05d that starts at the % at `first`.
std::optional<Pattern> pattern_at(const std::string& name, std::size_t first) {
    std::size_t i = first + 1;
    const bool zeros = i < name.size() && name[i] == '0';
    if (zeros) ++i;
    int digits = 0;
    while (i < name.size() && name[i] >= '0' && name[i] <= '9' && digits <= kMostDigits) digits = 10 * digits + (name[i++] - '0');
    if (i >= name.size() || name[i] != 'd' || digits > kMostDigits) return std::nullopt;
    return Pattern{first, i + 1, std::max(digits, 1), zeros};
}

}  // namespace

FileName::FileName(const std::filesystem::path& path) : kind_(kind_of(path)), folder_(path.parent_path()) {
    const std::string name = path.filename().string(), quoted = "'" + path.string() + "'";
    const std::size_t first = name.find('%');
    if (first == std::string::npos) {
        before_ = name;
        return;
    }
    const auto pattern = pattern_at(name, first);
    if (!pattern || name.find('%', first + 1) != std::string::npos) {
        throw core::InputError("the output " + quoted + " has a % that numbers no frames; write one pattern like %05d, or leave the % out");
    }
    if (kind_ == Kind::pvd) {
        throw core::InputError("the output " + quoted + " numbers its frames, but one .pvd names all of them; leave " +
                               name.substr(first, pattern->last - first) + " out, or write name-%05d.vtu (of a grid name-%05d.vti)");
    }
    if (kind_ == Kind::csv) {
        throw core::InputError("the output " + quoted + " numbers its frames, but one table has a line for each of them; leave " +
                               name.substr(first, pattern->last - first) + " out");
    }
    if (video()) {
        throw core::InputError("the output " + quoted + " numbers its frames, but all frames of a video go into one file; leave " +
                               name.substr(first, pattern->last - first) + " out, or write name-%05d.png");
    }
    before_ = name.substr(0, first);
    after_ = name.substr(pattern->last);
    digits_ = pattern->digits;
    zeros_ = pattern->zeros;
}

std::filesystem::path FileName::at(core::Index number) const {
    std::string name = before_;
    if (numbered()) {
        const std::string digits = std::to_string(number);
        const auto width = static_cast<std::size_t>(digits_);
        if (digits.size() < width) name.append(width - digits.size(), zeros_ ? '0' : ' ');
        name += digits;
    }
    return std::filesystem::absolute(folder_ / (name + after_)).lexically_normal();
}

}  // namespace mottle::output
