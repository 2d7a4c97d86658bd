// mottle/output/vtk_xml.cpp: what VTK's XML files share
#include "mottle/output/vtk_xml.h"

#include "mottle/core/text.h"

namespace mottle::output {

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

std::string appended_element(const char* type, const std::string& name, int components, std::uint64_t offset) {
    std::string element = "<DataArray type=\"" + std::string(type) + "\" Name=\"" + xml_escaped(name) + "\"";
    if (components > 1) element += " NumberOfComponents=\"" + std::to_string(components) + "\"";
    return element + " format=\"appended\" offset=\"" + std::to_string(offset) + "\"/>\n";
}

std::string AppendedArrays::begin(const char* type, const std::string& name, int components, std::size_t bytes) {
    std::string element = appended_element(type, name, components, bytes_.size());
    append(bytes_, static_cast<std::uint64_t>(bytes));
    return element;
}

std::string vtk_head(const std::string& type, const std::string& attributes, double time) {
    return "<?xml version=\"1.0\"?>\n<VTKFile type=\"" + type +
           "\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<" + type + attributes +
           ">\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" +
           core::number_text(time) + "</DataArray>\n</FieldData>\n";
}

std::string vtk_before_arrays(const std::string& type) { return "</" + type + ">\n<AppendedData encoding=\"raw\">\n_"; }

std::string vtk_end() { return "\n</AppendedData>\n</VTKFile>\n"; }

}  // namespace mottle::output
