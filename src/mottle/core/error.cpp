// mottle/core/error.cpp: composes the whole message of an error: place, text, source line and caret
#include "mottle/core/error.h"

#include "mottle/core/index.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace mottle::core {
namespace {

std::string place_text(const Span& span) {
    if (span.line <= 0) return span.file.empty() ? "" : span.file + ": ";
    const std::string name = span.file.empty() ? "<text>" : span.file;
    std::string place = name + ":" + std::to_string(span.line) + ":";
    if (span.column > 0) place += std::to_string(span.column) + ":";
    return place + " ";
}

/// Bytes of a source line that a message shows.
constexpr std::size_t kLongestExcerpt = 160;

/// True for the second and later bytes of a UTF-8 character, which take no column on the screen.
bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

/// Blanks up to `column`, tabs kept so that the caret stands where the terminal puts the text, then ^~~~.
std::string caret_line(const Span& span, const std::string& line) {
    const auto start = std::min(core::at(span.column - 1), line.size());
    const auto wanted = core::at(std::max(span.length, 1));
    const auto end = std::max(start + 1, std::min(start + wanted, line.size()));
    std::string caret;
    for (std::size_t i = 0; i < start; ++i) {
        if (!continues_character(line[i])) caret += line[i] == '\t' ? '\t' : ' ';
    }
    caret += '^';
    for (std::size_t i = start + 1; i < end; ++i) {
        if (!continues_character(line[i])) caret += '~';
    }
    return caret;
}

/// Cuts a long line down to what stands around the span, and moves the span with it.
void shorten(Span& span, std::string& line) {
    const auto begin = std::min(core::at(span.column - 1), line.size());
    std::size_t first = begin > kLongestExcerpt / 2 ? begin - kLongestExcerpt / 2 : 0;
    if (line.size() <= kLongestExcerpt) first = 0;
    while (first > 0 && continues_character(line[first])) --first;
    std::size_t last = std::min(line.size(), first + kLongestExcerpt);
    while (last < line.size() && continues_character(line[last])) ++last;
    const std::string before = first > 0 ? "..." : "", after = last < line.size() ? "..." : "";
    span.length = std::min(span.length, static_cast<int>(last - begin));
    span.column = static_cast<int>(before.size() + begin - first) + 1;
    line = before + line.substr(first, last - first) + after;
}

/// The place before a message; where a flag is the place and the message begins with the setting that it gives, "checkpoint_every must be above 0", the flag
/// takes the place of that name: "--checkpoint-every must be above 0".
std::string placed(const std::string& message, const Span& span) {
    if (!span.file.starts_with("--")) return place_text(span) + message;
    std::string setting = span.file.substr(2);
    std::replace(setting.begin(), setting.end(), '-', '_');
    return message.starts_with(setting + " ") ? span.file + message.substr(setting.size()) : place_text(span) + message;
}

std::string whole_message(const std::string& message, const std::optional<Span>& given, std::string line) {
    if (!given) return message;
    Span span = *given;
    std::string whole = placed(message, span);
    if (line.empty()) line = span.source_line();
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
    if (line.empty() || span.column <= 0) return whole;
    shorten(span, line);
    const auto is_control = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; };
    std::replace_if(line.begin(), line.end(), is_control, '?');
    return whole + "\n  " + line + "\n  " + caret_line(span, line);
}

}  // namespace

Error::Error(std::string message, std::optional<Span> span, std::string source_line)
    : std::runtime_error(whole_message(message, span, std::move(source_line))), message_(std::move(message)), span_(std::move(span)) {}

ModelError::ModelError(std::string message, Span span, std::string source_line)
    : Error(std::move(message), std::move(span), std::move(source_line)) {}

InputError::InputError(std::string message) : Error(std::move(message), std::nullopt) {}
InputError::InputError(std::string message, Span span, std::string source_line)
    : Error(std::move(message), std::move(span), std::move(source_line)) {}

DeviceError::DeviceError(std::string message) : Error(std::move(message), std::nullopt) {}
OutputError::OutputError(std::string message) : Error(std::move(message), std::nullopt) {}
InternalError::InternalError(std::string message) : Error(std::move(message), std::nullopt) {}

}  // namespace mottle::core
