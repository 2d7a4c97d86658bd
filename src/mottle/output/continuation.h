// mottle/output/continuation.h: how sinks continue a file that already holds frames
#pragma once
#include "mottle/output/sink.h"

#include <string>
#include <string_view>

namespace mottle::output {

/// Throws InputError: the file of `spec` cannot be continued.
[[noreturn]] void refuse_continuing(const SinkSpec& spec, const std::string& why);

/// Behind the newline that ends line `count` of `text`, lines counted from 1; npos if there are fewer.
std::size_t end_of_lines(std::string_view text, core::Index count);

}  // namespace mottle::output
