// mottle/output/vtk_xml.cpp: what VTK's XML files share
#include "mottle/output/vtk_xml.h"

#include "mottle/core/text.h"

#include <bit>
#include <utility>

namespace mottle::output {

static_assert(std::endian::native == std::endian::little, "the files are written as the numbers lie in memory");

std::string xml_escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

std::string AppendedArrays::add(const char* type, const std::string& name, int components, std::uint64_t bytes,
                                std::function<void(core::AtomicFile& file)> write) {
    std::string element = "<DataArray type=\"" + std::string(type) + "\" Name=\"" + xml_escaped(name) + "\"";
    if (components > 1) element += " NumberOfComponents=\"" + std::to_string(components) + "\"";
    element += " format=\"appended\" offset=\"" + std::to_string(size_) + "\"/>\n";
    arrays_.push_back({bytes, std::move(write)});
    size_ += sizeof bytes + bytes;
    return element;
}

void AppendedArrays::write(core::AtomicFile& file) const {
    for (const Array& array : arrays_) {
        file.write(std::as_bytes(std::span(&array.bytes, 1)));
        array.write(file);
    }
}

std::string vtk_head(const std::string& type, const std::string& attributes, double time) {
    return "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type +
           "\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<" + type + attributes +
           ">\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" +
           core::number_text(time) + "</DataArray>\n</FieldData>\n";
}

void write_vtk(const std::string& type, const std::string& text, const AppendedArrays& arrays, core::AtomicFile& file) {
    const auto write = [&file](const std::string& words) { file.write(std::as_bytes(std::span(words))); };
    write(text + "</" + type + ">\n<AppendedData encoding=\"raw\">\n_");
    arrays.write(file);
    write("\n</AppendedData>\n</VTKFile>\n");
}

}  // namespace mottle::output
