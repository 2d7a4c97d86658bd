// mottle/model/lex.cpp: equation text -> tokens
#include "mottle/model/lex.h"

#include "mottle/core/error.h"
#include "mottle/model/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

namespace mottle::model {
namespace {

constexpr std::size_t kLongestText = std::size_t{64} << 10;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Spellings of other languages, longest first, and what they are called here.
struct Refused {
    std::string_view spelling, message;
};
constexpr std::array kRefused = {
    Refused{"**", "a power is written with '^': u^2"},
    Refused{"&&", "there is no '&&'; write min(a, b)"},
    Refused{"||", "there is no '||'; write max(a, b)"},
    Refused{"->", "there is no '->' in an expression"},
    Refused{"&", "there is no '&'; write min(a, b)"},
    Refused{"|", "there is no '|'; write max(a, b) for 'or', abs(a) for a magnitude"},
    Refused{"!", "there is no '!'; write 1 - a"},
    Refused{"=", "'=' cannot stand in an expression; to compare write '=='"},
    Refused{"%", "there is no '%'; write mod(a, b)"},
    Refused{"?", "there is no '?'; write where(condition, a, b)"},
    Refused{":", "there is no ':'; write where(condition, a, b)"},
    Refused{"[", "there are no square brackets; use parentheses"},
    Refused{"]", "there are no square brackets; use parentheses"},
    Refused{"{", "there are no braces; use parentheses"},
    Refused{"}", "there are no braces; use parentheses"},
    Refused{"\xC2\xB7", "multiply with '*'"},
    Refused{"\xC3\x97", "multiply with '*'"},
    Refused{"\xE2\x8B\x85", "multiply with '*'"},
    Refused{"\xC3\xB7", "divide with '/'"},
    Refused{"\xE2\x88\x92", "this is not the minus sign of the keyboard; write '-'"},
    Refused{"\xE2\x80\x93", "this is not the minus sign of the keyboard; write '-'"},
    Refused{"\xC2\xB2", "a power is written with '^': u^2"},
    Refused{"\xC2\xB3", "a power is written with '^': u^3"},
    Refused{"\xE2\x89\xA4", "write '<='"},
    Refused{"\xE2\x89\xA5", "write '>='"},
    Refused{"\xE2\x88\x87", "write lap(f), grad(f) or div(a)"},
    Refused{"\xCF\x80", "write pi"},
};

std::string hexadecimal(unsigned char byte) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace

Lexer::Lexer(const core::Text& text) : text_(text.text), places_(text) {
    if (text.text.size() > kLongestText) {
        throw core::ModelError("this expression is " + std::to_string(text.text.size()) + " bytes long; at most " +
                                   std::to_string(kLongestText) + " are read; split it with [define]",
                               span(0, 1));
    }
}

void Lexer::fail(const std::string& message, std::size_t begin, std::size_t end) const {
    throw core::ModelError(message, span(begin, end));
}

std::size_t Lexer::character_length(std::size_t at) const {
    std::size_t end = at + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0u) == 0x80) ++end;
    return end - at;
}

Token Lexer::next() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    if (at_ == text_.size()) return {Token::Kind::end, {}, 0, at_, at_};
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    if (c == '"' || c == '\'') return quoted();
    if (!begins_name(c)) return symbol();
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    if (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x80) refuse_character();
    return {Token::Kind::name, text_.substr(begin, at_ - begin), 0, begin, at_};
}

Token Lexer::number() {
    const std::size_t begin = at_;
    auto digits = [&] {
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.') {
        ++at_;
        digits();
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
        std::size_t exponent = at_ + 1;
        if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
        if (exponent < text_.size() && is_digit(text_[exponent])) {
            at_ = exponent;
            digits();
        }
    }
    const std::string_view written = text_.substr(begin, at_ - begin);
    if (at_ < text_.size() && text_[at_] == '.') fail("'" + std::string(written) + ".' is not a number", begin, at_ + 1);
    if (at_ < text_.size() && begins_name(text_[at_])) {
        std::size_t end = at_;
        while (end < text_.size() && continues_name(text_[end])) ++end;
        fail("write a '*' between '" + std::string(written) + "' and '" + std::string(text_.substr(at_, end - at_)) + "'", begin, end);
    }
    double value = 0;
    const auto result = std::from_chars(written.data(), written.data() + written.size(), value);
    if (result.ec == std::errc::result_out_of_range) {
        fail("the number " + std::string(written) + " is beyond the range of double precision (1e-308 to 1e308)", begin, at_);
    }
    if (result.ec != std::errc() || result.ptr != written.data() + written.size())
        fail("'" + std::string(written) + "' is not a number", begin, at_);
    return {Token::Kind::number, written, value, begin, at_};
}

Token Lexer::quoted() {
    const std::size_t begin = at_, close = text_.find(text_[at_], at_ + 1);
    if (close == std::string_view::npos) fail("this quote is never closed", begin, begin + 1);
    at_ = close + 1;
    return {Token::Kind::text, text_.substr(begin + 1, close - begin - 1), 0, begin, at_};
}

Token Lexer::symbol() {
    const std::size_t begin = at_;
    const std::string_view rest = text_.substr(at_);
    for (std::string_view two : {"<=", ">=", "==", "!="}) {
        if (rest.starts_with(two)) {
            at_ += 2;
            return {Token::Kind::symbol, rest.substr(0, 2), 0, begin, at_};
        }
    }
    for (const Refused& refused : kRefused) {
        if (rest.starts_with(refused.spelling)) fail(std::string(refused.message), begin, begin + refused.spelling.size());
    }
    if (std::string_view("+-*/^<>(),").find(rest[0]) == std::string_view::npos) refuse_character();
    ++at_;
    return {Token::Kind::symbol, rest.substr(0, 1), 0, begin, at_};
}

void Lexer::refuse_character() {
    const std::size_t length = character_length(at_);
    const auto byte = static_cast<unsigned char>(text_[at_]);
    const std::string_view rest = text_.substr(at_);
    for (const Refused& refused : kRefused) {
        if (byte >= 0x80 && rest.starts_with(refused.spelling)) fail(std::string(refused.message), at_, at_ + refused.spelling.size());
    }
    if (byte < 0x20 || byte == 0x7f) fail("the character " + hexadecimal(byte) + " is not allowed in an expression", at_, at_ + 1);
    const std::string character = "'" + std::string(text_.substr(at_, length)) + "'";
    if (byte >= 0x80) fail(character + " cannot be used; names are made of a-z, A-Z, 0-9 and _", at_, at_ + length);
    fail(character + " is not allowed in an expression", at_, at_ + length);
}

}  // namespace mottle::model
