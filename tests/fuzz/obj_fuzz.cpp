// tests/fuzz/obj_fuzz.cpp: any bytes as an OBJ file: a surface, or an InputError with a message
#include "mesh_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    return read_and_repair(mottle::domain::read_obj, data, size);
}
