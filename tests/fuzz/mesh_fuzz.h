// tests/fuzz/mesh_fuzz.h: what every fuzzer of a mesh reader does with the bytes
#pragma once
#include "mottle/core/error.h"
#include "mottle/domain/operators/operators.h"
#include "mottle/domain/readers/read.h"
#include "mottle/domain/repair/repair.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// Reads, repairs and forms the rows; aborts if anything but an InputError with a message stops it, or if a row is not finite.
inline int read_and_repair(mottle::domain::TriangleSoup (*read)(std::string_view, const std::string&), const std::uint8_t* data,
                           std::size_t size) {
    using namespace mottle;
    static core::ThreadTeam team(1);
    try {
        domain::TriangleSoup soup = read({reinterpret_cast<const char*>(data), size}, "fuzz");
        if (soup.position.capacity() > 64 * size + 64 || soup.faces.capacity() > 64 * size + 64) std::abort();
        const domain::Surface surface = domain::repair(soup, team);
        const domain::MeshOperators rows = domain::assemble_operators(surface, 1, team);
        for (const double weight : rows.laplacian) {
            if (!std::isfinite(weight)) std::abort();
        }
    } catch (const core::InputError& error) {
        if (error.message().empty()) std::abort();
    }
    return 0;
}
