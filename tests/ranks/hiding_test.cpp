// tests/ranks/hiding_test.cpp: the choice whether halos are hidden, by launches of made-up lengths
#include "mottle/ranks/hiding.h"

#include <gtest/gtest.h>

namespace hiding_test {

using mottle::ranks::Hiding;
using mottle::ranks::HidingChoice;

/// Launches of 64 steps, of which those that hide take `hidden` seconds and the others `plain`; how many of the last 100 of `count` hid.
int hidden_of_last(HidingChoice& choice, int count, double plain, double hidden) {
    int hides = 0;
    for (int i = 0; i < count; ++i) {
        const bool hid = choice.next(64);
        if (i >= count - 100) hides += hid ? 1 : 0;
        choice.took(hid ? hidden : plain);
    }
    return hides;
}

TEST(HidingChoice, TakesTheFaster) {
    HidingChoice slow_network(Hiding::measured, true, 16), fast_network(Hiding::measured, true, 16);
    EXPECT_EQ(hidden_of_last(slow_network, 200, 1.2, 1.0), 100);
    EXPECT_EQ(hidden_of_last(fast_network, 200, 1.0, 1.1), 0);
}

TEST(HidingChoice, LooksAgain) {
    HidingChoice choice(Hiding::measured, true, 16);
    EXPECT_EQ(hidden_of_last(choice, 400, 1.2, 1.0), 100);
    EXPECT_EQ(hidden_of_last(choice, 500, 0.8, 1.0), 0) << "the network has become faster";
}

// Launches of few passes are over before they tell anything; blocks without a middle have nothing to hide halos behind.
TEST(HidingChoice, ShortLaunchesAndThinBlocksDoNotHide) {
    HidingChoice choice(Hiding::measured, true, 16);
    for (int i = 0; i < 50; ++i) {
        EXPECT_FALSE(choice.next(63));
        choice.took(1);
    }
    EXPECT_EQ(hidden_of_last(choice, 200, 1.2, 1.0), 100) << "and they count as nothing";
    HidingChoice thin(Hiding::always, false, 16);
    EXPECT_FALSE(thin.next(64));
}

TEST(HidingChoice, SaysWhetherItIsTrying) {
    HidingChoice choice(Hiding::measured, true, 16), never(Hiding::never, true, 16);
    int launches = 0;
    do {
        choice.next(64);
        choice.took(1);
        ++launches;
    } while (choice.is_trying() && launches < 100);
    EXPECT_EQ(launches, 8);
    hidden_of_last(choice, 494, 1, 1);
    EXPECT_TRUE(choice.is_trying()) << "it looks again";
    choice.next(63);
    EXPECT_FALSE(choice.is_trying()) << "launches like this one tell nothing";
    hidden_of_last(never, 1, 1, 1);
    EXPECT_FALSE(never.is_trying());
}

TEST(HidingChoice, DoesAsToldOtherwise) {
    HidingChoice always(Hiding::always, true, 16), never(Hiding::never, true, 16);
    EXPECT_EQ(hidden_of_last(always, 200, 1.0, 2.0), 100);
    EXPECT_EQ(hidden_of_last(never, 200, 2.0, 1.0), 0);
}

}  // namespace hiding_test
