// tests/conformance/cuda/card_models/card_models_slow_test.cpp: models of chance as CUDA texts on emulated threads, against plain loops that know nothing of Mottle
#include "conformance/cuda/card_models/card_models.h"
#include "conformance/cuda/emulated_device.h"

namespace card_models_slow_test {

TEST(CardModels, PlainLoopsFindTheSame) {
    int meeting = 0;
    for (const language::CardModel& each : language::card_models()) {
        const int before = conformance::emulated_meetings();
        for (const bool reversed : {false, true})
            EXPECT_EQ(language::difference(each.seed, language::on_card(each, conformance::create_emulated_device(reversed))), "");
        meeting += conformance::emulated_meetings() > before ? 1 : 0;
    }
    EXPECT_GE(meeting, 6) << "few texts make several steps in one pass, where threads exchange values";
}

}  // namespace card_models_slow_test
