// mottle/output/format.h: the formats of outputs: one row for each file extension
#pragma once
#include "mottle/output/sink.h"

#include <memory>
#include <span>
#include <string_view>

namespace mottle::output {

enum class Contents {
    video,
    animation,  ///< a video of few colours: GIF
    picture,
    values,      ///< the fields alone
    statistics,  ///< a line for each frame
    geometry,    ///< the fields with the domain that they are on
    index        ///< of a geometry file for each frame
};

struct Format {
    using Make = std::unique_ptr<Sink> (*)(const FileName& name, const SinkSpec& spec, const field::Field& field, core::Context& context);

    std::string_view extension;  ///< in lower case, with its dot
    Contents contents;
    Make on_grids, on_surfaces;  ///< nullptr: not for such a domain
    /// Why a name has no number for each frame; "": it may have one.
    std::string_view why_one_file = "";
    std::string_view instead = "";  ///< of a number
};

/// In the order in which messages list them.
std::span<const Format> formats();
/// nullptr if no format has that extension.
const Format* find_format(std::string_view extension);
/// All extensions, for messages.
std::string known_formats();

}  // namespace mottle::output
