// mottle/core/provenance.cpp: version and build id from the generated header, the CPU's name from the machine
#include "mottle/core/provenance.h"

#include "mottle_build_id.h"

#include <fstream>

namespace mottle::core {
namespace {

/// The value after "key : " on the first line of `path` that starts with `key`, or "".
std::string value_of(const char* path, const std::string& key) {
    std::ifstream file(path);
    std::string line;
    while (std::getline(file, line)) {
        if (line.compare(0, key.size(), key) != 0) continue;
        const auto colon = line.find(':');
        if (colon == std::string::npos) continue;
        const auto start = line.find_first_not_of(" \t", colon + 1);
        return start == std::string::npos ? "" : line.substr(start);
    }
    return "";
}

}  // namespace

std::string version() { return MOTTLE_VERSION; }
std::string build_id() { return MOTTLE_BUILD_ID; }
std::string kernel_compiler_id() { return MOTTLE_KERNEL_COMPILER_ID; }

std::string cpu_name() {
    for (const char* key : {"model name", "Model", "Hardware"}) {
        std::string name = value_of("/proc/cpuinfo", key);
        if (!name.empty()) return name;
    }
    return "unknown CPU";
}

}  // namespace mottle::core
