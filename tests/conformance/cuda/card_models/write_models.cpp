// tests/conformance/cuda/card_models/write_models.cpp: writes the CUDA texts of models of chance as C++ for the emulation
#include "conformance/cuda/card_models/card_models.h"
#include "conformance/cuda/corpus_files.h"
#include "conformance/cuda/listening_device.h"

int main(int argc, char** argv) {
    if (argc < 2) {
        std::cerr << "usage: write_models FILE..\n";
        return 2;
    }
    auto device = std::make_shared<mottle::backend::cuda::ListeningDevice>();
    for (const language::CardModel& each : language::card_models()) {
        mottle::core::ThreadTeam team(2);
        oracle::Silent observer;
        mottle::core::Context context{team, observer, {}};
        const language::ModelText model = language::model_of(each.seed);
        try {
            mottle::run::Simulation simulation = language::simulation_of(model, language::on_card(each, device), context);
            simulation.advance_to(model.steps);
        } catch (const mottle::core::Error& error) {
            std::cerr << each.seed << ": " << error.message() << "\n";
            return 1;
        }
    }
    conformance::write_corpus(device->texts, {argv + 1, argv + argc});
}
