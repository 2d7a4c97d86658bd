// mottle/core/toml_text.cpp: walks a text as TOML does and refuses what toml++ would not bear
#include "mottle/core/toml_text.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <string_view>
#include <cstdio>

namespace mottle::core {
namespace {

constexpr int kLongestKey = 16;
constexpr char kPrivateLead = '\xF4';  ///< U+100000 to U+10FFFF begin with it
constexpr const char* kPrivateRefused = "characters from U+100000 on are for private use and not allowed here";
constexpr std::string_view kPrivateEscape = "\\U0010";  ///< how they may be written, too

using SourcePtr = std::shared_ptr<const Source>;

/// The offset of the first byte that is not UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = utf8_character(text, i);
        if (length == 0) return i;
        i += length;
    }
    return std::string_view::npos;
}

/// Of one character of UTF-8, up to U+FFFF; else something higher.
unsigned code_point(std::string_view character) {
    const auto bits = [&](std::size_t i) { return static_cast<unsigned char>(character[i]) & 0x3Fu; };
    switch (character.size()) {
        case 1:
            return static_cast<unsigned char>(character[0]);
        case 2:
            return (bits(0) & 0x1Fu) << 6 | bits(1);
        case 3:
            return (bits(0) & 0x0Fu) << 12 | bits(1) << 6 | bits(2);
        default:
            return 0x10000;
    }
}

Span place_of_offset(const std::string& file, const SourcePtr& source, std::size_t offset) {
    const auto& starts = source->line_starts;
    const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
    const auto line = static_cast<int>(after - starts.begin());
    return {file, line, static_cast<int>(offset - *(after - 1)) + 1, 1, source};
}

/// Walks a text as TOML does, up to its first error, if it has one: what stands behind that, toml++ does not read as TOML either.
class Guard {
   public:
    Guard(const std::string& file, const SourcePtr& source) : file_(file), source_(source), text_(source->text) {}

    void walk() {
        int dots = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
                continue;
            }
            if (c == '"' || c == '\'') {
                // Elsewhere toml++ takes a quote for a part of a number, and what follows it for TOML.
                const bool begins = at_ == 0 || std::string_view(" \t\r\n=,[{.").find(text_[at_ - 1]) != std::string_view::npos;
                if (!begins) fail("a quote cannot appear in the middle of a value");
                skip_string();
                continue;
            }
            refuse_beyond_ascii();
            if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) dots = 0;
            if (c == '.' && ++dots >= kLongestKey) fail("a key of more than " + std::to_string(kLongestKey) + " parts");
            ++at_;
        }
    }

   private:
    [[noreturn]] void fail(const std::string& message) const { throw InputError(message, place_of_offset(file_, source_, at_)); }

    void refuse_beyond_ascii() const {
        const auto lead = static_cast<unsigned char>(text_[at_]);
        if (lead >= 0x80) fail("'" + std::string(text_.substr(at_, utf8_length(lead))) + "' can only appear in quotes or in a comment");
    }

    // An unterminated string ends with its line, or with the text; toml++ will say so.
    void skip_string() {
        const char quote = text_[at_];
        const std::string three(3, quote);
        const bool block = text_.substr(at_).starts_with(three);
        for (at_ += block ? 3 : 1; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (quote == '"' && c == '\\') {
                if (text_.substr(at_).starts_with(kPrivateEscape)) fail(kPrivateRefused);
                ++at_;
            } else if (!block && (c == quote || c == '\n')) {
                ++at_;
                return;
            } else if (block && text_.substr(at_).starts_with(three)) {
                at_ += 3;
                // One or two more quotes belong to the string.
                for (int more = 0; more < 2 && at_ < text_.size() && text_[at_] == quote; ++more) ++at_;
                return;
            }
        }
    }

    const std::string& file_;
    const SourcePtr& source_;
    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::size_t utf8_length(unsigned char lead) {
    return lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

std::size_t utf8_character(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u; };
    if (at >= text.size()) return 0;
    const unsigned lead = byte(0);
    const std::size_t length = utf8_length(static_cast<unsigned char>(lead));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xC0u) != 0x80) return 0;
    }
    const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
    const bool beyond = (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
    return overlong || beyond ? 0 : length;
}

void check_toml_text(const std::string& file, const SourcePtr& source) {
    if (const std::size_t bad = find_invalid_utf8(source->text); bad != std::string_view::npos) {
        throw InputError(
            "this is not UTF-8 text (see byte " + grouped(static_cast<long long>(bad)) + "); a model or run file is TOML, plain text",
            Span{file, 0, 0, 0});
    }
    if (const std::size_t at = source->text.find(kPrivateLead); at != std::string::npos) {
        throw InputError(kPrivateRefused, place_of_offset(file, source, at));
    }
    Guard(file, source).walk();
}

std::string shielded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
        length = utf8_character(text, at);
        const std::string_view character = text.substr(at, length);
        if (length != 2 && length != 3) {
            out += character;
            continue;
        }
        const unsigned code = code_point(character);
        out += kPrivateLead;
        for (const unsigned shift : {12u, 6u, 0u}) out += static_cast<char>(0x80u | (code >> shift & 0x3Fu));
    }
    return out;
}

std::string unshielded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != kPrivateLead || utf8_character(text, at) == 0) {
            out += text[at];
            continue;
        }
        const auto bits = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]) & 0x3Fu; };
        const unsigned code = bits(1) << 12 | bits(2) << 6 | bits(3);
        if (code < 0x800u) {
            out += static_cast<char>(0xC0u | code >> 6);
        } else {
            out += static_cast<char>(0xE0u | code >> 12);
            out += static_cast<char>(0x80u | (code >> 6 & 0x3Fu));
        }
        out += static_cast<char>(0x80u | (code & 0x3Fu));
        at += 3;
    }
    return out;
}

std::string utf8_text(std::string text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_character(text, at);
        if (length == 0) text[at] = '?';
        at += std::max<std::size_t>(length, 1);
    }
    return text;
}

std::string printable_text(std::string_view text) {
    std::string out;
    for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
        length = std::max<std::size_t>(utf8_character(text, at), 1);
        const std::string_view character = text.substr(at, length);
        const unsigned code = code_point(character);
        const bool steers = (code < 0x20 && code != '\n' && code != '\t') || (code >= 0x7f && code < 0xa0);
        const bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
        if (steers || turns) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", code);
            out += escape;
        } else {
            out += character;
        }
    }
    return out;
}

std::string toml_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n' || c == '\t') {
            out += c == '\n' ? "\\n" : "\\t";
        } else if (byte < 0x20 || byte == 0x7f) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", byte);
            out += escape;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

}  // namespace mottle::core
