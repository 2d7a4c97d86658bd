// mottle/core/place_map.h: the place in the document of every character of a text, through TOML's escapes and line breaks
#pragma once
#include "mottle/core/span.h"

#include <cstddef>
#include <vector>

namespace mottle::core {

/// Maps offsets into a text to places in its document. The text is a slice of the document, but for escapes ("\n", "\u00e9") and
/// folded line ends; where the two cannot be matched (a number that became text), every place is the span of the whole text.
class PlaceMap {
   public:
    explicit PlaceMap(const Text& text);
    /// The span of the characters [begin, begin + length). A span that would run over a line end stops there.
    Span operator()(std::size_t begin, std::size_t length) const;

   private:
    struct Place {
        int line, column;
    };
    Span whole_;
    std::vector<Place> places_;  ///< of each byte of the text and of its end; shorter where matching failed
};

/// The part [begin, begin + length) of a text, with its own place.
Text slice(const Text& text, std::size_t begin, std::size_t length);
/// The parts between the commas that no parenthesis holds, without the spaces round them; of "" one empty part.
std::vector<Text> split_list(const Text& text);

}  // namespace mottle::core
