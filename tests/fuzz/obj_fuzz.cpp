// tests/fuzz/obj_fuzz.cpp: any bytes as an OBJ file: a surface, or an InputError with a message; the reader on several threads agrees with the strict one
#include "mesh_fuzz.h"

namespace {

mottle::domain::TriangleSoup read_both_ways(std::string_view bytes, const std::string& file) {
    using namespace mottle;
    static core::ThreadTeam team(2);
    const std::optional<domain::TriangleSoup> plain = domain::read_plain_obj(bytes, team);
    domain::TriangleSoup soup;
    try {
        soup = domain::read_obj(bytes, file);
    } catch (const core::InputError&) {
        if (plain) std::abort();
        throw;
    }
    if (plain && (plain->position != soup.position || plain->faces != soup.faces || plain->polygons != soup.polygons)) std::abort();
    return soup;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { return read_and_repair(read_both_ways, data, size); }
