// mottle/output/grid_data.cpp: the fields of a grid as VTK's image data
#include "mottle/output/grid_data.h"

#include "mottle/core/text.h"
#include "mottle/output/npy.h"
#include "mottle/output/vtk_xml.h"

namespace mottle::output {

void write_vti(const field::Field& field, double time, core::AtomicFile& file) {
    const auto& grid = std::get<domain::Grid>(field.kernel().domain());
    const char* const type = field.kernel().program().f64 ? "Float64" : "Float32";
    const std::uint64_t bytes = bytes_of_array(field.kernel());
    std::string extent, spacing;
    for (std::size_t d = 0; d < 3; ++d) {  // an axis of one cell is none: VTK then draws lines or a plane
        extent += (d > 0 ? " 0 " : "0 ") + std::to_string(grid.size[d] > 1 || d == 0 ? grid.size[d] : 0);
        spacing += (d > 0 ? " " : "") + core::number_text(grid.spacing[d]);
    }
    std::string text = vtk_head("ImageData", " WholeExtent=\"" + extent + "\" Origin=\"0 0 0\" Spacing=\"" + spacing + "\"", time) +
                       "<Piece Extent=\"" + extent + "\">\n<CellData Scalars=\"" + xml_escaped(field.names().back()) + "\">\n";
    std::uint64_t offset = 0;
    for (const std::string& name : field.names()) {
        text += appended_element(type, name, 1, offset);
        offset += sizeof bytes + bytes;
    }
    text += "</CellData>\n</Piece>\n" + vtk_before_arrays("ImageData");
    file.write(std::as_bytes(std::span(text)));
    for (const std::string& name : field.names()) {
        file.write(std::as_bytes(std::span(&bytes, 1)));
        field.kernel().save_array(field.state(), field.find(name), {file.temporary(), file.leave_room(bytes), true});
    }
    const std::string end = vtk_end();
    file.write(std::as_bytes(std::span(end)));
}

}  // namespace mottle::output
