// mottle/model/lex.h: equation text -> tokens with their places
#pragma once
#include "mottle/core/place_map.h"
#include "mottle/core/span.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace mottle::model {

struct Token {
    enum class Kind { number, name, text, symbol, end };
    Kind kind = Kind::end;
    std::string_view text;  ///< as written; for `text` without its quotes
    double number = 0;
    std::size_t begin = 0, end = 0;  ///< offsets into the whole text
};

/// Reads one token after the other. The text must outlive it.
class Lexer {
   public:
    /// Throws: ModelError if the text is longer than 64 KiB.
    explicit Lexer(const core::Text& text);
    /// Throws: ModelError on a character or a spelling that the language does not have; it names what to write.
    Token next();
    core::Span span(std::size_t begin, std::size_t end) const { return places_(begin, end - begin); }

   private:
    Token number();
    Token quoted();
    Token symbol();
    std::size_t character_length(std::size_t at) const;
    [[noreturn]] void fail(const std::string& message, std::size_t begin, std::size_t end) const;
    [[noreturn]] void refuse_character();

    std::string_view text_;
    core::PlaceMap places_;
    std::size_t at_ = 0;
};

}  // namespace mottle::model
