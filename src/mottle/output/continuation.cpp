// mottle/output/continuation.cpp: what sinks need to go on with a file that already holds frames
#include "mottle/output/continuation.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

namespace mottle::output {

void refuse_continuing(const SinkSpec& spec, const std::string& why) {
    throw core::InputError("cannot continue '" + spec.file.string() + "', which should contain the first " +
                           core::grouped(spec.frames_kept) + " frames: " + why + "; give another file name, or --force");
}

std::size_t end_of_lines(std::string_view text, core::Index count) {
    std::size_t end = 0;
    for (core::Index line = 0; line < count; ++line) {
        end = text.find('\n', end);
        if (end == std::string_view::npos) return end;
        ++end;
    }
    return end;
}

}  // namespace mottle::output
