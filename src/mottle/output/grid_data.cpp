// mottle/output/grid_data.cpp: the fields of a grid as VTK's image data
#include "mottle/output/grid_data.h"

#include "mottle/core/text.h"
#include "mottle/output/vtk_xml.h"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace mottle::output {
namespace {

template <class Real>
void append_cells(const field::Field& field, ir::Array array, std::string& bytes) {
    const domain::Domain& domain = field.kernel().domain();
    std::vector<Real> row(core::at(domain::row_length(domain)));
    for (core::Index y = 0; y < domain::row_count(domain); ++y) {
        field.kernel().read_row(field.state(), array, y, std::span<Real>(row));
        for (Real& x : row) {
            if (std::isnan(x)) x = std::numeric_limits<Real>::quiet_NaN();
        }
        bytes.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(Real));
    }
}

}  // namespace

std::string encode_vti(const field::Field& field, double time) {
    const auto& grid = std::get<domain::Grid>(field.kernel().domain());
    const bool f64 = field.kernel().program().f64;
    std::string extent, spacing;
    std::size_t bytes = f64 ? sizeof(double) : sizeof(float);
    for (std::size_t d = 0; d < 3; ++d) {  // an axis of one cell is none: VTK then draws lines or a plane
        extent += (d > 0 ? " 0 " : "0 ") + std::to_string(grid.size[d] > 1 || d == 0 ? grid.size[d] : 0);
        spacing += (d > 0 ? " " : "") + core::number_text(grid.spacing[d]);
        bytes *= core::at(grid.size[d]);
    }
    AppendedArrays arrays;
    std::string text = vtk_head("ImageData", " WholeExtent=\"" + extent + "\" Origin=\"0 0 0\" Spacing=\"" + spacing + "\"", time) +
                       "<Piece Extent=\"" + extent + "\">\n<CellData Scalars=\"" + xml_escaped(field.names().back()) + "\">\n";
    for (const std::string& name : field.names()) {
        text += arrays.begin(f64 ? "Float64" : "Float32", name, 1, bytes);
        f64 ? append_cells<double>(field, field.find(name), arrays.bytes()) : append_cells<float>(field, field.find(name), arrays.bytes());
    }
    return text + "</CellData>\n</Piece>\n" + vtk_tail("ImageData", arrays);
}

}  // namespace mottle::output
