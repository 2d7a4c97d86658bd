// mottle/core/place_map.cpp: walks a text and its document side by side
#include "mottle/core/place_map.h"

#include "mottle/core/index.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace mottle::core {
namespace {

void append_utf8(std::string& out, unsigned code) {
    auto put = [&](unsigned byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
        put(code);
    } else if (code < 0x800) {
        put(0xC0 | code >> 6);
        put(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        put(0xE0 | code >> 12);
        put(0x80 | (code >> 6 & 0x3F));
        put(0x80 | (code & 0x3F));
    } else {
        put(0xF0 | (code >> 18 & 7));
        put(0x80 | (code >> 12 & 0x3F));
        put(0x80 | (code >> 6 & 0x3F));
        put(0x80 | (code & 0x3F));
    }
}

struct Escape {
    std::size_t raw = 0;  ///< bytes in the document; 0: no escape
    std::string decoded;
};

/// The TOML escape at the start of `raw`, which begins with a backslash.
Escape read_escape(std::string_view raw) {
    if (raw.size() < 2) return {};
    const char c = raw[1];
    const std::string_view letters = "btnfre\"\\", values = "\b\t\n\f\r\x1b\"\\";
    if (auto at = letters.find(c); at != std::string_view::npos) return {2, std::string(1, values[at])};
    if (c == 'u' || c == 'U') {
        const std::size_t digits = c == 'u' ? 4 : 8;
        unsigned code = 0;
        if (raw.size() < 2 + digits) return {};
        auto result = std::from_chars(raw.data() + 2, raw.data() + 2 + digits, code, 16);
        if (result.ptr != raw.data() + 2 + digits) return {};
        Escape escape{2 + digits, {}};
        append_utf8(escape.decoded, code);
        return escape;
    }
    const std::size_t blanks = raw.find_first_not_of(" \t\r\n", 1);
    const std::string_view gap = raw.substr(1, blanks == std::string_view::npos ? std::string_view::npos : blanks - 1);
    if (gap.find('\n') == std::string_view::npos) return {};
    return {1 + gap.size(), {}};
}

}  // namespace

PlaceMap::PlaceMap(const Text& text) : whole_(text.span) {
    if (!whole_.source || whole_.column < 1) return;
    const Source& source = *whole_.source;
    int line = std::max(whole_.line, 1), column = whole_.column;
    if (core::at(line) > source.line_starts.size()) return;
    std::size_t at = source.line_starts[core::at(line - 1)] + core::at(column - 1);
    if (at > source.text.size()) return;
    std::string_view raw = std::string_view(source.text).substr(at);
    auto skip = [&](std::size_t bytes) {
        for (char c : raw.substr(0, bytes)) {
            ++column;
            if (c == '\n') ++line, column = 1;
        }
        raw.remove_prefix(bytes);
    };
    places_.reserve(text.text.size() + 1);
    std::string_view rest = text.text;
    while (true) {
        if (!raw.empty() && raw[0] == '\\') {
            const Escape escape = read_escape(raw);
            if (escape.raw > 0 && rest.substr(0, escape.decoded.size()) == escape.decoded) {
                for (std::size_t i = 0; i < escape.decoded.size(); ++i) places_.push_back({line, column});
                skip(escape.raw);
                rest.remove_prefix(escape.decoded.size());
                continue;
            }
        }
        if (raw.starts_with("\r\n") && rest.starts_with('\n')) skip(1);
        places_.push_back({line, column});
        if (rest.empty() || raw.empty() || raw[0] != rest[0]) break;
        skip(1);
        rest.remove_prefix(1);
    }
    if (!rest.empty()) places_.clear();
}

Span PlaceMap::operator()(std::size_t begin, std::size_t length) const {
    if (begin >= places_.size()) return whole_;
    Span span = whole_;
    const Place first = places_[begin];
    // A flag has no line; its text still has columns.
    if (whole_.line > 0) span.line = first.line;
    span.column = first.column;
    std::size_t end = std::min(begin + length, places_.size() - 1);
    while (end > begin && places_[end].line != first.line) --end;
    span.length = std::max(places_[end].column - first.column, length > 0 ? 1 : 0);
    return span;
}

Text slice(const Text& text, std::size_t begin, std::size_t length) {
    return {text.text.substr(begin, length), PlaceMap(text)(begin, length)};
}

std::vector<Text> split_list(const Text& text) {
    const PlaceMap places(text);
    std::vector<Text> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.text.size(); ++i) {
        const bool end = i == text.text.size();
        if (!end) depth += text.text[i] == '(' ? 1 : text.text[i] == ')' ? -1 : 0;
        if (!end && (text.text[i] != ',' || depth > 0)) continue;
        const std::string_view part = trim(std::string_view(text.text).substr(begin, i - begin));
        const std::size_t first = part.empty() ? begin : core::at(part.data() - text.text.data());
        parts.push_back({std::string(part), places(first, part.size())});
        begin = i + 1;
    }
    return parts;
}

}  // namespace mottle::core
