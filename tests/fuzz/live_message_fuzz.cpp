// tests/fuzz/live_message_fuzz.cpp: any bytes as a message of a page: a request, or an InputError
#include "mottle/core/error.h"
#include "mottle/live/server/messages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace mottle;
    try {
        const live::Message message = live::parse_message({reinterpret_cast<const char*>(data), size});
        if (message.verb.empty()) std::abort();
    } catch (const core::InputError& error) {
        if (error.message().empty()) std::abort();
    }
    return 0;
}
