// tests/conformance/cuda/corpus_files.h: CUDA texts as C++ files for the emulation, which finds each by its hash
#pragma once
#include "conformance/cuda/emulated_device.h"
#include "mottle/core/hash.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace conformance {

inline std::string as_source(const std::string& hash, const std::string& text) {
    std::string kernels;
    const std::regex head(R"(MOTTLE_KERNEL (?:__launch_bounds__\([^)]*\) )?(\w+)\()");
    for (std::sregex_iterator it(text.begin(), text.end(), head), end; it != end; ++it) {
        const std::string name = (*it)[1];
        kernels += "{\"" + name + "\", emulation::wrap(text_" + hash + "::" + name + ")}, ";
    }
    return "namespace text_" + hash + " {\n" + text + "}\nstatic const emulation::Registration registration_" + hash + "(\"" + hash +
           "\", {sizeof(text_" + hash + "::real) == 8, " + (has_meetings(text) ? "true" : "false") + ", {" + kernels + "}});\n\n";
}

inline void write_if_new(const std::string& path, const std::string& content) {
    std::ifstream old(path);
    std::stringstream had;
    had << old.rdbuf();
    if (had.str() == content) return;
    std::ofstream(path) << content;
}

/// Deals the texts out to the files, each text once. A file that would not change is left alone, so that nothing compiles it again.
inline void write_corpus(const std::vector<std::string>& given, const std::vector<std::string>& paths) {
    std::map<std::string, std::string> texts;  // by hash
    for (const std::string& text : given) texts[mottle::core::hash_hex(mottle::core::hash_text(text))] = text;
    // long texts are dealt out first, so that the files take about the same time to compile
    std::vector<std::pair<std::size_t, std::string>> order;
    for (const auto& [hash, text] : texts) order.emplace_back(text.size(), hash);
    std::sort(order.rbegin(), order.rend());
    std::vector<std::string> files(paths.size());
    std::vector<std::size_t> sizes(files.size());
    for (const auto& [size, hash] : order) {
        const auto least = static_cast<std::size_t>(std::min_element(sizes.begin(), sizes.end()) - sizes.begin());
        files[least] += as_source(hash, texts[hash]);
        sizes[least] += size;
    }
    for (std::size_t i = 0; i < files.size(); ++i)
        write_if_new(paths[i], "// written when the tests are built\n#include \"conformance/cuda/prelude.h\"\n\n" + files[i]);
    std::cout << texts.size() << " texts\n";
}

}  // namespace conformance
