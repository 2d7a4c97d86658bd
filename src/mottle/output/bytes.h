// mottle/output/bytes.h: numbers appended to the bytes of a file as they lie in memory (little-endian)
#pragma once
#include <bit>
#include <string>

namespace mottle::output {

static_assert(std::endian::native == std::endian::little, "the files are written as the numbers lie in memory");

template <class Number>
void append(std::string& bytes, Number number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

}  // namespace mottle::output
