// tests/fuzz/document_fuzz.cpp: any bytes as a model or run file: a Program, or one of the typed errors with a message
#include "mottle/core/document.h"
#include "mottle/core/error.h"
#include "mottle/ir/lower/system.h"
#include "mottle/run/settings/read_spec.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mottle;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (text.find("mesh") != std::string_view::npos)
        return 0;  // surfaces of millions of vertices take seconds; the readers have fuzzers of their own
    try {
        const core::Node document = core::parse_document(text, "fuzz.toml");
        const run::Spec spec = run::read_spec(document, "fuzz", "", core::Node{});
        ir::lower(ir::build(spec.model), spec.method, spec.domain);
    } catch (const core::InternalError&) {
        std::abort();
    } catch (const core::Error& error) {
        if (error.message().empty()) std::abort();
    }
    return 0;
}
