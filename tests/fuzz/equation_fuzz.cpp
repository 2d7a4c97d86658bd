// tests/fuzz/equation_fuzz.cpp: any text as an equation: a tree that prints and reads back the same, or a ModelError
#include "mottle/core/error.h"
#include "mottle/model/parse.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mottle;
    const std::string text(reinterpret_cast<const char*>(data), size);
    model::ExprPtr tree;
    try {
        tree = model::parse({text, {"fuzz.toml", 1, 1, static_cast<int>(text.size())}});
    } catch (const core::ModelError&) {
        return 0;
    }
    const std::string printed = model::print(*tree);
    try {
        if (!model::equal(*tree, *model::parse({printed, {"printed.toml", 1, 1, static_cast<int>(printed.size())}}))) std::abort();
    } catch (const core::ModelError& error) {
        // Fewer parentheses never make a text longer than the limit by much; only length and depth may be refused the second time.
        if (printed.size() < 65536 / 2 && text.size() < 65536 / 2 && error.message().find("deep") == std::string::npos) std::abort();
    }
    return 0;
}
