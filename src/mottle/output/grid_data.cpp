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
    AppendedArrays arrays;
    for (const std::string& name : field.names()) {
        text += arrays.add(type, name, 1, bytes, [&field, array = field.find(name), bytes](core::AtomicFile& to) {
            field.kernel().save_array(field.state(), array, {to.temporary(), to.leave_room(bytes), true});
        });
    }
    write_vtk("ImageData", text + "</CellData>\n</Piece>\n", arrays, file);
}

}  // namespace mottle::output
