// mottle/core/text.cpp: formatting, numbers as text, and the nearest name
#include "mottle/core/text.h"

#include "mottle/core/index.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <system_error>

namespace mottle::core {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Edit distance with swaps of neighbours (optimal string alignment), or more than `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
    if (a.size() > b.size() + limit || b.size() > a.size() + limit) return limit + 1;
    std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        std::size_t least = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0u : 1u)});
            const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
            least = std::min(least, row[j]);
        }
        if (least > limit) return limit + 1;
        before.swap(above);
        above.swap(row);
    }
    return above[b.size()];
}

/// Longer names are no slips of the finger; comparing them would only cost time.
constexpr std::size_t kLongestName = 64;

/// The letters that two names begin with alike.
std::size_t common_beginning(std::string_view a, std::string_view b) {
    std::size_t count = 0;
    while (count < std::min(a.size(), b.size()) && lower(a[count]) == lower(b[count])) ++count;
    return count;
}

/// True if one name continues the other by a few letters: "kil" for "k", "diff" for "diffusion".
bool continues(std::string_view name, std::string_view known) {
    if (name.starts_with(known)) return name.size() <= known.size() + 2;
    return name.size() >= 3 && known.starts_with(name);
}

/// Takes away a leading plus; false if another sign follows it.
bool remove_plus(std::string_view& text) {
    if (!text.starts_with('+')) return true;
    text.remove_prefix(1);
    return !text.starts_with('-') && !text.starts_with('+');
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
    if (name.empty() || name.size() > kLongestName) return "";
    const std::size_t limit = std::max<std::size_t>(1, name.size() / 3);
    std::string best;
    std::size_t best_distance = limit + 1;
    for (const auto& candidate : known) {
        const std::size_t distance = edit_distance(name, candidate, limit);
        const bool as_near = distance == best_distance && distance <= limit;
        if (distance < best_distance || (as_near && common_beginning(name, candidate) > common_beginning(name, best))) {
            best_distance = distance;
            best = candidate;
        }
    }
    if (!best.empty()) return best;
    for (const auto& candidate : known) {
        if (candidate.size() > best.size() && continues(name, candidate)) best = candidate;
    }
    return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
    const std::string nearest = nearest_name(name, known);
    return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known, const std::string& rest) {
    const std::string hint = did_you_mean(name, known);
    if (hint.empty() || rest.empty()) return hint + (rest.empty() ? "" : "; " + rest);
    return hint + " " + static_cast<char>(std::toupper(static_cast<unsigned char>(rest[0]))) + rest.substr(1);
}

std::string number_text(double value) {
    if (std::isnan(value)) return "nan";  // its sign says nothing
    std::array<char, 32> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), result.ptr};
}

std::string rounded_text(double value, int digits) {
    std::array<char, 64> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, digits);
    return {buffer.data(), result.ptr};
}

std::string plain_text(double value, int digits) {
    const std::string text = rounded_text(value, digits);
    double rounded = 0;
    return parse_number(text, rounded) ? number_text(rounded) : text;
}

std::string grouped(long long value) {
    const std::string digits = std::to_string(value);
    const std::size_t sign = value < 0 ? 1 : 0;
    std::string text = digits.substr(0, sign);
    for (std::size_t i = sign; i < digits.size(); ++i) {
        if (i > sign && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string counted(long long count, std::string_view one, std::string_view many) {
    return grouped(count) + " " + std::string(count == 1 ? one : many);
}

std::string listed(std::span<const std::string> words, std::string_view last) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 < words.size() ? ", " : " " + std::string(last) + " ";
        text += words[i];
    }
    return text;
}

std::string listed_briefly(std::span<const std::string> words) {
    constexpr std::size_t kMost = 8, kFirst = 6;
    if (words.size() <= kMost) return listed(words, "and");
    std::vector<std::string> brief(words.begin(), words.begin() + kFirst);
    brief.push_back(std::to_string(words.size() - kFirst) + " others");
    return listed(brief, "and");
}

std::string si_text(double value, std::string_view unit) {
    constexpr std::array<std::string_view, 17> kPrefixes = {"y", "z", "a", "f", "p", "n", "u", "m", "",
                                                            "k", "M", "G", "T", "P", "E", "Z", "Y"};
    constexpr int kNone = 8;
    int prefix = kNone;
    double scaled = value;
    if (std::isfinite(value) && value != 0) {
        // 999.5 would print as 1000: it belongs to the next prefix.
        while (std::abs(scaled) >= 999.5 && prefix + 1 < static_cast<int>(kPrefixes.size())) scaled /= 1000, ++prefix;
        while (std::abs(scaled) < 0.9995 && prefix > 0) scaled *= 1000, --prefix;
    }
    const double size = std::abs(scaled);
    const int decimals = scaled == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    const bool plain = size < 1000 && (size >= 0.01 || size == 0);
    std::array<char, 64> buffer{};
    char* const end = buffer.data() + buffer.size();
    const auto result = plain ? std::to_chars(buffer.data(), end, scaled, std::chars_format::fixed, decimals)
                              : std::to_chars(buffer.data(), end, scaled, std::chars_format::general, 3);
    const std::string text(buffer.data(), result.ptr);
    const std::string suffix = std::string(kPrefixes[core::at(prefix)]) + std::string(unit);
    return suffix.empty() ? text : text + " " + suffix;
}

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    if (text.empty()) return parts;
    while (true) {
        const std::size_t at = text.find(separator);
        parts.emplace_back(trim(text.substr(0, at)));
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + 1);
    }
}

std::string lower_case(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

std::string without(std::string text, std::string_view part) {
    for (std::size_t at = 0; !part.empty() && (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
    return text;
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool parse_number(std::string_view text, double& value) {
    if (!remove_plus(text)) return false;
    double parsed = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return false;
    value = parsed;
    return true;
}

bool parse_integer(std::string_view text, long long& value) {
    if (!remove_plus(text)) return false;
    long long parsed = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size()) return false;
    value = parsed;
    return true;
}

}  // namespace mottle::core
