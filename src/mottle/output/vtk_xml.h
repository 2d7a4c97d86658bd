// mottle/output/vtk_xml.h: what VTK's XML files of surfaces and of grids share: head, raw appended arrays, tail
#pragma once
#include "mottle/output/bytes.h"

#include <cstdint>
#include <string>

namespace mottle::output {

std::string xml_escaped(const std::string& text);

/// The element of an array behind the XML, at `offset` among them.
std::string appended_element(const char* type, const std::string& name, int components, std::uint64_t offset);

/// Arrays behind the XML, each with its length in bytes before it.
class AppendedArrays {
   public:
    /// Adds an array of `count` numbers; `number(i)` is the i-th. Returns its element.
    template <class Number, class Make>
    std::string add(const char* type, const std::string& name, int components, std::size_t count, Make number) {
        std::string element = begin(type, name, components, count * sizeof(Number));
        for (std::size_t i = 0; i < count; ++i) append(bytes_, static_cast<Number>(number(i)));
        return element;
    }
    const std::string& bytes() const { return bytes_; }

   private:
    std::string begin(const char* type, const std::string& name, int components, std::size_t bytes);

    std::string bytes_;
};

/// From the XML declaration to the time; `attributes` are those of the element named like the file's type.
std::string vtk_head(const std::string& type, const std::string& attributes, double time);
/// From the end of that element to the arrays, and from behind them to the end of the file.
std::string vtk_before_arrays(const std::string& type);
std::string vtk_end();

}  // namespace mottle::output
