// mottle/domain/readers/read_text.cpp: lines, words and numbers of a mesh file
#include "mottle/domain/readers/read_text.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <charconv>
#include <cmath>

namespace mottle::domain {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool ends_line(char c) { return c == '\n' || c == '\r'; }

/// A word as a message shows it.
std::string quoted(std::string_view word) {
    constexpr std::size_t kLongest = 40;
    std::string text = "'";
    for (char c : word.substr(0, kLongest)) text += c >= ' ' && c < 127 ? c : '?';
    return text + (word.size() > kLongest ? "..." : "") + "'";
}

}  // namespace

bool LineReader::next_line(bool continued) {
    continued_ = continued;
    begin_ = word_end_ = next_;
    line_ = following_;
    if (begin_ >= bytes_.size()) return false;
    std::size_t end = begin_;
    for (;; ++end) {
        while (end < bytes_.size() && !ends_line(bytes_[end])) ++end;
        line_end_ = end;
        if (end + 1 < bytes_.size() && bytes_[end] == '\r' && bytes_[end + 1] == '\n') ++end;
        ++following_;
        std::size_t last = line_end_;
        while (last > begin_ && is_blank(bytes_[last - 1])) --last;
        if (!continued || end >= bytes_.size() || last == begin_ || bytes_[last - 1] != '\\') break;
    }
    next_ = std::min(end + 1, bytes_.size());
    return true;
}

bool LineReader::next_line_of_words() {
    while (next_line()) {
        if (!next_word().empty()) {
            word_end_ = begin_;
            return true;
        }
    }
    return false;
}

std::string_view LineReader::next_word() {
    std::size_t begin = word_end_;
    // Inside a continued line a backslash and the end of a line count as blanks.
    while (begin < line_end_ && (is_blank(bytes_[begin]) || ends_line(bytes_[begin]) || (continued_ && bytes_[begin] == '\\'))) ++begin;
    if (begin < line_end_ && bytes_[begin] == '#') begin = line_end_;
    std::size_t end = begin;
    while (end < line_end_ && !is_blank(bytes_[end]) && !ends_line(bytes_[end]) && !(continued_ && bytes_[end] == '\\')) ++end;
    word_end_ = end;
    return bytes_.substr(begin, end - begin);
}

double LineReader::number_of(std::string_view word, const char* what) const {
    if (word.empty()) fail(std::string(what) + " is missing at the end of the line");
    double value = 0;
    const char* first = word.data() + (word.size() > 1 && word[0] == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(first, word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range && end == word.data() + word.size()) {
        // Too small for f64 is 0; too large is no number we can hold.
        const std::size_t exponent = word.find_first_of("eE");
        if (exponent != std::string_view::npos && exponent + 1 < word.size() && word[exponent + 1] == '-') return 0;
        fail(std::string(what) + " is " + quoted(word) + ", beyond the range of f64", word);
    }
    if (error != std::errc() || end != word.data() + word.size())
        fail(std::string(what) + " should be a number, not " + quoted(word), word);
    if (!std::isfinite(value)) fail(std::string(what) + " is " + quoted(word) + "; it must be finite", word);
    return value;
}

Index LineReader::integer_of(std::string_view word, const char* what) const {
    if (word.empty()) fail(std::string(what) + " is missing at the end of the line");
    Index value = 0;
    const char* first = word.data() + (word.size() > 1 && word[0] == '+' ? 1 : 0);
    const auto [end, error] = std::from_chars(first, word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size())
        fail(std::string(what) + " should be a whole number, not " + quoted(word), word);
    return value;
}

double LineReader::number(const char* what) { return number_of(next_word(), what); }
Index LineReader::integer(const char* what) { return integer_of(next_word(), what); }

void LineReader::fail(const std::string& message, std::string_view word) const {
    core::Span span{file_, line_, 0, 0, nullptr};
    if (word.empty()) throw core::InputError(message, span);
    const auto offset = core::at(word.data() - bytes_.data());
    std::size_t begin = begin_, end = offset;
    for (std::size_t i = begin_; i < offset; ++i) {  // the line of the word, where a statement has several
        if (bytes_[i] != '\n' && !(bytes_[i] == '\r' && bytes_[i + 1] != '\n')) continue;
        begin = i + 1;
        ++span.line;
    }
    while (end < bytes_.size() && !ends_line(bytes_[end])) ++end;
    span.column = static_cast<int>(std::min<std::size_t>(offset - begin + 1, 1u << 30));
    span.length = static_cast<int>(std::min<std::size_t>(word.size(), 40));
    throw core::InputError(message, span, std::string(bytes_.substr(begin, std::min<std::size_t>(end - begin, 1u << 16))));
}

}  // namespace mottle::domain
