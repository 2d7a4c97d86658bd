// mottle/domain/readers/read.cpp: picks the reader of a mesh file
#include "mottle/domain/readers/read.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"

#include <algorithm>

namespace mottle::domain {

namespace {
constexpr std::size_t kLarge = std::size_t{1} << 20;  // bytes: smaller files are read before threads have woken
}

TriangleSoup read_mesh(const std::filesystem::path& path, core::ThreadTeam* team) {
    const std::string extension = core::lower_case(path.extension().string());
    struct Reader {
        std::string_view extension;
        TriangleSoup (*read)(std::string_view bytes, const std::string& file);
    };
    constexpr std::array kReaders = {Reader{".obj", read_obj}, Reader{".ply", read_ply}, Reader{".off", read_off},
                                     Reader{".stl", read_stl}};
    const auto* reader = std::find_if(kReaders.begin(), kReaders.end(), [&](const auto& one) { return one.extension == extension; });
    if (reader == kReaders.end())
        throw core::InputError("'" + path.string() + "' is not a mesh that Mottle reads: its name must end in .obj, .ply, .off or .stl");
    const std::optional<std::string> bytes = core::read_file(path);
    if (!bytes) throw core::InputError("the mesh '" + path.string() + "' cannot be read; check that it exists and is a file");
    std::optional<TriangleSoup> plain;
    if (team && reader->read == read_obj && bytes->size() >= kLarge) plain = read_plain_obj(*bytes, *team);
    TriangleSoup soup = plain ? std::move(*plain) : reader->read(*bytes, path.string());
    soup.name = path.filename().string();
    return soup;
}

}  // namespace mottle::domain
