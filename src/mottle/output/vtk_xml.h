// mottle/output/vtk_xml.h: what VTK's XML files of surfaces and of grids share: head, raw appended arrays, tail
#pragma once
#include "mottle/core/files.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace mottle::output {

std::string xml_escaped(const std::string& text);

/// Arrays behind the XML, each with its length in bytes before it, which are written when all elements are.
class AppendedArrays {
   public:
    /// Adds an array of so many bytes, which `write` will add to the file. Returns its element.
    std::string add(const char* type, const std::string& name, int components, std::uint64_t bytes,
                    std::function<void(core::AtomicFile& file)> write);
    /// Adds an array of `count` numbers; `number(i)` is the i-th.
    template <class Number, class Make>
    std::string add_numbers(const char* type, const std::string& name, int components, std::size_t count, Make number) {
        return add(type, name, components, count * sizeof(Number), [count, number](core::AtomicFile& file) {
            constexpr std::size_t kPiece = 8192;
            std::vector<Number> piece;
            for (std::size_t first = 0; first < count; first += piece.size()) {
                piece.resize(std::min(kPiece, count - first));
                for (std::size_t i = 0; i < piece.size(); ++i) piece[i] = static_cast<Number>(number(first + i));
                file.write(std::as_bytes(std::span(piece)));
            }
        });
    }
    void write(core::AtomicFile& file) const;

   private:
    struct Array {
        std::uint64_t bytes;
        std::function<void(core::AtomicFile& file)> write;
    };
    std::vector<Array> arrays_;
    std::uint64_t size_ = 0;  ///< of all together
};

/// From the XML declaration to the time; `attributes` are those of the element named like the file's type.
std::string vtk_head(const std::string& type, const std::string& attributes, double time);
/// Writes `text`, which begins with that and ends before the end of that element, the arrays, and the end of the file.
void write_vtk(const std::string& type, const std::string& text, const AppendedArrays& arrays, core::AtomicFile& file);

}  // namespace mottle::output
