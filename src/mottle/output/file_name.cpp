// mottle/output/file_name.cpp: extensions and number patterns
#include "mottle/output/file_name.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace mottle::output {
namespace {

constexpr int kMostDigits = 18;

const Format* format_of(const std::filesystem::path& path) {
    const std::string extension = core::lower_case(path.extension().string());
    if (const Format* format = find_format(extension)) return format;
    const std::string quoted = "'" + path.string() + "'";
    if (extension.empty())
        throw core::InputError("the output " + quoted + " has no extension to tell the kind of file; known: " + known_formats());
    throw core::InputError("the output " + quoted + " has the unknown extension '" + extension + "'; known: " + known_formats());
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

FileName::FileName(const std::filesystem::path& path) : format_(format_of(path)), folder_(path.parent_path()) {
    const std::string name = path.filename().string(), quoted = "'" + path.string() + "'";
    const std::size_t first = name.find('%');
    if (first == std::string::npos) {
        before_ = name;
        return;
    }
    const auto pattern = pattern_at(name, first);
    if (!pattern || name.find('%', first + 1) != std::string::npos) {
        throw core::InputError("the output " + quoted +
                               " contains a % that does not number frames; write one pattern like %05d, or omit the %");
    }
    if (!format_->why_one_file.empty()) {
        throw core::InputError("the output " + quoted + " numbers its frames, but " + std::string(format_->why_one_file) + "; leave " +
                               name.substr(first, pattern->last - first) + " out" +
                               (format_->instead.empty() ? "" : ", or write " + std::string(format_->instead)));
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
        const auto width = core::at(digits_);
        if (digits.size() < width) name.append(width - digits.size(), zeros_ ? '0' : ' ');
        name += digits;
    }
    return std::filesystem::absolute(folder_ / (name + after_)).lexically_normal();
}

bool FileName::may_be_called(std::string_view name) const {
    const auto number_between = [&](std::string_view first, std::string_view last) {
        if (name.size() <= first.size() + last.size() || !name.starts_with(first) || !name.ends_with(last)) return false;
        const std::string_view digits = name.substr(first.size(), name.size() - first.size() - last.size());
        return digits.find_first_not_of(" 0123456789") == std::string_view::npos;
    };
    if (numbered()) return number_between(before_, after_);
    const std::string stem = std::filesystem::path(before_).stem().string() + "-";
    return name == before_ || (holds(Contents::index) && (number_between(stem, ".vtu") || number_between(stem, ".vti")));
}

}  // namespace mottle::output
