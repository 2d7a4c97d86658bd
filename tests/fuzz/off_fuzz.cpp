// tests/fuzz/off_fuzz.cpp: any bytes as an OFF file: a surface, or an InputError with a message
#include "mesh_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return read_and_repair(mottle::domain::read_off, data, size);
}
