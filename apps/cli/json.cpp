// apps/cli/json.cpp: JSON as text
#include "json.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace mottle::cli {

namespace {

/// Bytes of the UTF-8 character at `at`; 0 if there is none. File names may hold any bytes.
std::size_t character(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U; };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0U) != 0x80) return 0;
    }
    const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
    const bool beyond = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
    return overlong || beyond ? 0 : length;
}

}  // namespace

std::string json_text(std::string_view text) {
    std::string out = "\"";
    for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
        const char c = text[at];
        const auto byte = static_cast<unsigned char>(c);
        length = character(text, at);
        if (length != 1) {
            out += length == 0 ? "\\ufffd" : text.substr(at, length);
            length = length == 0 ? 1 : length;
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\u%04x", byte);
            out += escape;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string json_number(double value) {
    if (!std::isfinite(value)) return "null";
    char text[40];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 17);
    return error == std::errc() ? std::string(text, end) : "null";
}

JsonObject& JsonObject::add(std::string_view name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + json_text(name) + ": " + value;
    return *this;
}

}  // namespace mottle::cli
