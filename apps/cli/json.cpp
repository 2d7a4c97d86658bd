// apps/cli/json.cpp: JSON as text
#include "json.h"

#include "mottle/core/toml_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace mottle::cli {

std::string json_text(std::string_view text) {
    std::string out = "\"";
    for (std::size_t at = 0, length = 0; at < text.size(); at += length) {
        const char c = text[at];
        const auto byte = static_cast<unsigned char>(c);
        length = core::utf8_character(text, at);  // names of files may hold any bytes
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
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);  // the shortest that reads back
    return error == std::errc() ? std::string(text, end) : "null";
}

JsonObject& JsonObject::add(std::string_view name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + json_text(name) + ": " + value;
    return *this;
}

}  // namespace mottle::cli
