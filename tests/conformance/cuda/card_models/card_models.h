// tests/conformance/cuda/card_models/card_models.h: models of chance for the CUDA backend, and how each of them is run
#pragma once
#include "oracle/language/comparison.h"

#include "mottle/backend/cuda/backend.h"

#include <vector>

namespace language {

struct CardModel {
    std::uint64_t seed = 0;
    std::string schedule;  ///< "" leaves it to the cost model
};

/// Every kind of domain, each with several steps in one pass where that is possible and with one step per launch. The texts are written from the same list.
inline std::vector<CardModel> card_models() {
    std::vector<CardModel> models;
    for (std::uint64_t seed = 50000; seed < 50024; ++seed) models.push_back({seed, seed % 3 == 0 ? "" : "steps=2"});
    return models;
}

inline Way on_card(const CardModel& model, std::shared_ptr<mottle::backend::cuda::Device> device) {
    return {"cuda", model.schedule, [device] { return mottle::backend::create_cuda_backend([&] { return device; }); }};
}

}  // namespace language
