// tests/fuzz/ply_fuzz.cpp: any bytes as a PLY file: a surface, or an InputError with a message
#include "mesh_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return read_and_repair(mottle::domain::read_ply, data, size);
}
