// tests/fuzz/stl_fuzz.cpp: any bytes as an STL file: a surface, or an InputError with a message
#include "mesh_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return read_and_repair(mottle::domain::read_stl, data, size);
}
