// mottle/output/surface_data.cpp: values of a mesh gathered for a file
#include "mottle/output/surface_data.h"

#include "mottle/backend/cell_file.h"

namespace mottle::output {

std::vector<domain::Point> places_in_file(const domain::Surface& surface) {
    std::vector<domain::Point> places(surface.vertex_of.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (surface.vertex_of[i] >= 0) places[i] = surface.position[core::at(surface.vertex_of[i])];
    }
    for (const auto& [index, place] : surface.bare) places[core::at(index)] = place;
    return places;
}

domain::Triangle face_in_file(const domain::Surface& surface, std::size_t face) {
    const auto& [a, b, c] = surface.faces[face];
    return {surface.original[core::at(a)], surface.original[core::at(b)], surface.original[core::at(c)]};
}

SurfaceData surface_data(const field::Field& field, frame::Painter& painter, double time) {
    const backend::Kernel& kernel = field.kernel();
    const domain::Surface& surface = *std::get<domain::Mesh>(kernel.domain()).surface;
    const std::size_t count = surface.vertex_of.size();
    SurfaceData data;
    data.time = time;
    data.f64 = kernel.program().f64;
    data.names = field.names();
    data.position = places_in_file(surface);
    data.faces.reserve(surface.faces.size());
    for (std::size_t i = 0; i < surface.faces.size(); ++i) data.faces.push_back(face_in_file(surface, i));
    const backend::Picture picture = painter.picture(field, backend::Picture::Format::rgb24);
    std::vector<double> values(surface.position.size());
    for (const std::string& name : data.names) {
        const ir::Array array = field.find(name);
        kernel.read_row(field.state(), array, 0, std::span<double>(values));
        spread<double>(surface, values, data.values.emplace_back(count));
        if (array == picture.array) data.colours = backend::colours_of<double>({picture, frame::kPlainSurface}, data.values.back());
    }
    return data;
}

}  // namespace mottle::output
