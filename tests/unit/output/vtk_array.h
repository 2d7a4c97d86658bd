// tests/unit/output/vtk_array.h: numbers out of the bytes of a file
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace mottle {

/// The number at `at`, which moves behind it.
template <class Number>
Number take(const std::string& bytes, std::size_t& at) {
    Number number{};
    EXPECT_LE(at + sizeof number, bytes.size());
    if (at + sizeof number <= bytes.size()) std::memcpy(&number, bytes.data() + at, sizeof number);
    at += sizeof number;
    return number;
}

/// The bytes of the array `name` of a VTK file with raw appended data.
template <class Number>
std::vector<Number> vtk_array(const std::string& file, const std::string& type, const std::string& name) {
    const std::size_t element = file.find("<DataArray type=\"" + type + "\" Name=\"" + name + "\"");
    EXPECT_NE(element, std::string::npos) << name;
    if (element == std::string::npos) return {};
    std::size_t at = file.find("offset=\"", element) + 8;
    const std::size_t offset = std::stoul(file.substr(at));
    at = file.find("<AppendedData encoding=\"raw\">\n_") + 31 + offset;
    std::vector<Number> numbers(take<std::uint64_t>(file, at) / sizeof(Number));
    for (Number& number : numbers) number = take<Number>(file, at);
    return numbers;
}

}  // namespace mottle
