// mottle/field/contents.h: hashes of the files, beside the model, on which the steps of a run depend
#pragma once
#include "mottle/field/field.h"

#include <set>
#include <string>
#include <vector>

namespace mottle::field {

/// A file, or a shape, and a hash of what each step takes from it: the pixels of a picture; the vertices, faces, attributes and texture coordinates of a mesh.
struct Content {
    std::string name;  ///< as the model writes it, or Surface::name
    std::string hash;  ///< 32 hexadecimal digits
};

/// The pictures that `model` names, those of its start too, as it writes them.
std::set<std::string> pictures_of(const model::Model& model);

/// The pictures that the maps and tensors of `model` name, and the mesh of `domain` if it is one; pictures of starts do not count, as nothing after the
/// start depends on them. Throws: InputError (a picture cannot be read).
std::vector<Content> contents_of(const model::Model& model, const domain::Domain& domain, const InitialSpec& initial);

}  // namespace mottle::field
