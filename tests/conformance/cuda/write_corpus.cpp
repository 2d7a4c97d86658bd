// tests/conformance/cuda/write_corpus.cpp: runs the cases on a device that only listens, and writes the texts it was given as C++ for the emulation
#include "conformance/cuda/cases.h"
#include "conformance/cuda/emulated_device.h"
#include "conformance/cuda/ensemble_cases.h"
#include "conformance/cuda/flush_edge.h"
#include "conformance/cuda/listening_device.h"
#include "conformance/cuda/surface_cases.h"
#include "mottle/backend/cuda/backend.h"
#include "mottle/core/hash.h"

#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <algorithm>

namespace {

using namespace mottle::backend::cuda;

std::string as_source(const std::string& hash, const std::string& text) {
    std::string kernels;
    const std::regex head(R"(MOTTLE_KERNEL (?:__launch_bounds__\([^)]*\) )?(\w+)\()");
    for (std::sregex_iterator it(text.begin(), text.end(), head), end; it != end; ++it) {
        const std::string name = (*it)[1];
        kernels += "{\"" + name + "\", emulation::wrap(text_" + hash + "::" + name + ")}, ";
    }
    return "namespace text_" + hash + " {\n" + text + "}\nstatic const emulation::Registration registration_" + hash + "(\"" + hash +
           "\", {sizeof(text_" + hash + "::real) == 8, " + (conformance::has_meetings(text) ? "true" : "false") + ", {" + kernels +
           "}});\n\n";
}

void write_if_new(const std::string& path, const std::string& content) {
    std::ifstream old(path);
    std::stringstream had;
    had << old.rdbuf();
    if (had.str() == content) return;
    std::ofstream(path) << content;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: write_corpus FILE..\n";
        return 2;
    }
    auto device = std::make_shared<ListeningDevice>();
    std::vector<conformance::EmulatedCase> cases = conformance::emulated_cases();
    for (conformance::EmulatedCase& each : conformance::recorded_cases()) cases.push_back(std::move(each));
    for (const conformance::EmulatedCase& each : cases) {
        auto backend = mottle::backend::create_cuda_backend([&] { return device; });
        conformance::run_on(*backend, each.test, {"", each.schedule, 1});
        if (each.processors == device->traits().processors) continue;
        auto other = std::make_shared<ListeningDevice>(each.processors);
        auto small = mottle::backend::create_cuda_backend([&] { return other; });
        conformance::run_on(*small, each.test, {"", each.schedule, 1});
        device->texts.insert(device->texts.end(), other->texts.begin(), other->texts.end());
    }
    for (const conformance::EnsembleCase& each : conformance::ensemble_cases()) {
        auto backend = mottle::backend::create_cuda_backend([&] { return device; });
        conformance::run_together(*backend, each.test, {"", each.schedule, 1}, each.members);
    }
    mottle::core::ThreadTeam team(1);
    mottle::core::Observer observer;
    mottle::core::Context context{team, observer, {}};
    auto edge = mottle::backend::create_cuda_backend([&] { return device; });
    conformance::flush_edge_bits(*edge, context);
    for (bool f64 : {false, true}) {
        conformance::looks_of(*edge, context, f64);
        conformance::pictures_of(*edge, context, f64);
        conformance::surface_pictures_of(*edge, context, f64);
    }
    std::map<std::string, std::string> texts;  // by hash
    for (const std::string& text : device->texts) texts[mottle::core::hash_hex(mottle::core::hash_text(text))] = text;
    // long texts are dealt out first, so that the files take about the same time to compile
    std::vector<std::pair<std::size_t, std::string>> order;
    for (const auto& [hash, text] : texts) order.emplace_back(text.size(), hash);
    std::sort(order.rbegin(), order.rend());
    std::vector<std::string> files(static_cast<std::size_t>(argc - 1));
    std::vector<std::size_t> sizes(files.size());
    for (const auto& [size, hash] : order) {
        const auto least = static_cast<std::size_t>(std::min_element(sizes.begin(), sizes.end()) - sizes.begin());
        files[least] += as_source(hash, texts[hash]);
        sizes[least] += size;
    }
    for (std::size_t i = 0; i < files.size(); ++i)
        write_if_new(argv[i + 1],
                     "// written by tests/conformance/cuda/write_corpus.cpp\n#include \"conformance/cuda/prelude.h\"\n\n" + files[i]);
    std::cout << texts.size() << " texts\n";
}
