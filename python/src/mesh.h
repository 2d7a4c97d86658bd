// python/src/mesh.h: a triangle mesh in memory
#pragma once
#include "session.h"

#include "mottle/domain/mesh/mesh.h"
#include "mottle/domain/repair/triangle_soup.h"

#include <memory>

namespace mottle::python {

/// Triangles as a file or arrays give them, what became of them, and, when they are asked for, their operators.
class Mesh {
   public:
    /// Throws: InputError as domain::surface_of.
    Mesh(Session& session, domain::TriangleSoup soup);

    std::shared_ptr<const domain::TriangleSoup> soup() const { return soup_; }
    const domain::Surface& surface() const { return *surface_; }
    /// With scale 1; made once.
    const domain::Mesh& operators(Session& session);

   private:
    std::shared_ptr<const domain::TriangleSoup> soup_;
    std::shared_ptr<const domain::Surface> surface_;
    std::unique_ptr<domain::Mesh> mesh_;
};

void bind_mesh(pybind11::module_& module);

}  // namespace mottle::python
