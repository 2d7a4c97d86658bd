// mottle/field/contents.cpp: hashes of pictures and meshes
#include "mottle/field/contents.h"

#include "mottle/core/hash.h"
#include "mottle/image/png.h"

#include <filesystem>
#include <span>

namespace mottle::field {
namespace {

using core::hash_of;

/// What an expression names by calls of `source`: pictures of image(), arrays of given().
void collect(const model::ExprPtr& expr, model::Callee source, std::set<std::string>& names) {
    if (!expr) return;
    if (expr->calls(source)) names.insert(expr->args[0]->name);
    for (const model::ExprPtr& arg : expr->args) collect(arg, source, names);
}

/// Those that say how it goes on, whatever the start was.
std::set<std::string> named_in_steps(const model::Model& model, model::Callee source) {
    std::set<std::string> names;
    for (const model::Equation& equation : model.equations) collect(equation.rate, source, names);
    for (const model::Parameter& parameter : model.parameters) collect(parameter.map, source, names);
    return names;
}

std::set<std::string> pictures_of_steps(const model::Model& model) { return named_in_steps(model, model::Callee::image); }
std::set<std::string> arrays_of_steps(const model::Model& model) { return named_in_steps(model, model::Callee::given); }

std::string hash_of_picture(const std::filesystem::path& path) {
    std::string shape;
    core::Hasher pixels, deep;
    image::read_png(path, [&](const image::ImageRow& row) {
        if (row.y == 0) shape = std::to_string(row.width) + " " + std::to_string(row.channels);
        pixels.add(std::as_bytes(row.pixels));
        deep.add(std::as_bytes(row.deep));
    });
    return core::hash_hex(core::hash_text(shape + " " + core::hash_hex(pixels.value()) + " " + core::hash_hex(deep.value())));
}

std::string hash_of(const domain::Surface& surface) {
    std::string text = hash_of(surface.position) + " " + hash_of(surface.faces) + " " + hash_of(surface.texture);
    for (const domain::Attribute& attribute : surface.attributes) text += " " + attribute.name + " " + hash_of(attribute.values);
    return core::hash_hex(core::hash_text(text));
}

}  // namespace

std::set<std::string> pictures_of(const model::Model& model) {
    std::set<std::string> pictures = pictures_of_steps(model);
    for (const model::Equation& equation : model.equations) collect(equation.initial, model::Callee::image, pictures);
    return pictures;
}

std::vector<Content> contents_of(const model::Model& model, const domain::Domain& domain, const InitialSpec& initial) {
    const std::set<std::string> pictures = pictures_of_steps(model);
    std::vector<Content> contents;
    contents.reserve(pictures.size() + 1);
    for (const std::string& name : pictures) contents.push_back({name, hash_of_picture(initial.folder / name)});
    for (const std::string& name : arrays_of_steps(model)) {
        if (const auto found = initial.arrays.find(name); found != initial.arrays.end())
            contents.push_back({"given " + name, core::hash_hex(core::hash_text(core::hash_of(*found->second)))});
    }
    if (const auto* mesh = std::get_if<domain::Mesh>(&domain)) contents.push_back({mesh->surface->name, hash_of(*mesh->surface)});
    return contents;
}

}  // namespace mottle::field
