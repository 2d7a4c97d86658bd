// tests/conformance/cuda/write_corpus.cpp: runs the cases on a device that only listens, and writes the texts it was given as C++ for the emulation
#include "conformance/cuda/cases.h"
#include "conformance/cuda/corpus_files.h"
#include "conformance/cuda/emulated_device.h"
#include "conformance/cuda/ensemble_cases.h"
#include "conformance/cuda/flush_edge.h"
#include "conformance/cuda/listening_device.h"
#include "conformance/cuda/surface_cases.h"
#include "mottle/backend/cuda/backend.h"

#include <iostream>

using namespace mottle::backend::cuda;

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
    auto apart = std::make_shared<ListeningDevice>(132, false);
    for (const conformance::EnsembleCase& each : conformance::emulated_ensembles()) {
        auto backend = mottle::backend::create_cuda_backend([&] { return apart; });
        conformance::run_together(*backend, each.test, {"", each.schedule, 1}, each.members);
    }
    device->texts.insert(device->texts.end(), apart->texts.begin(), apart->texts.end());
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
    conformance::write_corpus(device->texts, {argv + 1, argv + argc});
}
