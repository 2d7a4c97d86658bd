// mottle/core/error.cpp: composes the whole message of an error: place, text, source line and caret
#include "mottle/core/error.h"

#include <algorithm>
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

/// True for the second and later bytes of a UTF-8 character, which take no column on the screen.
bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

/// Blanks up to `column`, tabs kept so that the caret stands where the terminal puts the text, then ^~~~.
std::string caret_line(const Span& span, const std::string& line) {
    const auto start = std::min(static_cast<std::size_t>(span.column - 1), line.size());
    const auto wanted = static_cast<std::size_t>(std::max(span.length, 1));
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

std::string whole_message(const std::string& message, const std::optional<Span>& span, std::string source_line) {
    if (!span) return message;
    std::string whole = place_text(*span) + message;
    if (source_line.empty() || span->line <= 0 || span->column <= 0) return whole;
    while (!source_line.empty() && (source_line.back() == '\n' || source_line.back() == '\r')) source_line.pop_back();
    return whole + "\n  " + source_line + "\n  " + caret_line(*span, source_line);
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
