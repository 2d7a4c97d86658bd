// mottle/field/contents.h: what a run reads from files beside its model, as hashes
#pragma once
#include "mottle/field/field.h"

#include <string>
#include <vector>

namespace mottle::field {

/// A file, or a shape, and a hash of what a run takes from it: the pixels of a picture; the vertices, faces, attributes and texture coordinates of a mesh.
struct Content {
    std::string name;  ///< as the model writes it, or Surface::name
    std::string hash;  ///< 32 hexadecimal digits
};

/// The pictures that the starts, maps and tensors of `model` name, and the mesh of `domain` if it is one. Throws: InputError (a picture cannot be read).
std::vector<Content> contents_of(const model::Model& model, const domain::Domain& domain, const InitialSpec& initial);

}  // namespace mottle::field
