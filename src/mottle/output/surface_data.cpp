// mottle/output/surface_data.cpp: values of a mesh gathered for a file
#include "mottle/output/surface_data.h"

#include <cmath>
#include <limits>

namespace mottle::output {
namespace {

std::vector<frame::Rgb> colours_of(const backend::Picture& picture, std::span<const double> values) {
    std::vector<float> numbers(values.begin(), values.end());
    std::vector<std::uint8_t> indices(values.size());
    backend::map_to_indices(picture, numbers, indices);
    std::vector<frame::Rgb> colours(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        colours[i] = std::isfinite(values[i]) ? picture.palette[indices[i]] : frame::kPlainSurface;
    return colours;
}

}  // namespace

SurfaceData surface_data(const field::Field& field, frame::Painter& painter, double time) {
    const backend::Kernel& kernel = field.kernel();
    const domain::Surface& surface = *std::get<domain::Mesh>(kernel.domain()).surface;
    const std::size_t count = surface.vertex_of.size();
    SurfaceData data;
    data.time = time;
    data.f64 = kernel.program().f64;
    data.names = field.names();
    data.position.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (surface.vertex_of[i] >= 0) data.position[i] = surface.position[core::at(surface.vertex_of[i])];
    }
    for (const auto& [index, place] : surface.bare) data.position[core::at(index)] = place;
    data.faces.reserve(surface.faces.size());
    for (const auto& [a, b, c] : surface.faces) {
        data.faces.push_back({surface.original[core::at(a)], surface.original[core::at(b)], surface.original[core::at(c)]});
    }
    const backend::Picture picture = painter.picture(field, backend::Picture::Format::rgb24);
    std::vector<double> values(surface.position.size());
    for (const std::string& name : data.names) {
        const ir::Array array = field.find(name);
        kernel.read_row(field.state(), array, 0, std::span<double>(values));
        spread<double>(surface, values, data.values.emplace_back(count));
        if (array == picture.array) data.colours = colours_of(picture, data.values.back());
    }
    return data;
}

}  // namespace mottle::output
