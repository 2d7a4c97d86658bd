// tests/unit/core/cancellation_test.cpp: work that is ended from outside
#include "mottle/core/cancellation.h"
#include "mottle/core/thread_team.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <thread>

namespace cancellation_test {

using namespace mottle::core;
using Clock = std::chrono::steady_clock;

TEST(Cancellation, IsHeededInsideItsScopeAlone) {
    Cancellation cancellation;
    cancellation.ask();
    EXPECT_NO_THROW(cancellation_point());
    {
        const CancellationScope scope(&cancellation);
        EXPECT_THROW(cancellation_point(), Interrupted);
        {
            const CancellationScope unheeded(nullptr);
            EXPECT_NO_THROW(cancellation_point());
        }
        EXPECT_THROW(cancellation_point(), Interrupted);
    }
    EXPECT_NO_THROW(cancellation_point());
    EXPECT_EQ(Interrupted().exit_code(), 130);
}

TEST(Cancellation, ReachesTheWorkersOfATeam) {
    ThreadTeam team(3);
    Cancellation cancellation;
    const auto count_until_asked = [](int worker) {
        for (;;) {
            cancellation_point();
            if (worker == 7) break;
        }
    };
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        cancellation.ask();
    });
    {
        const CancellationScope scope(&cancellation);
        EXPECT_THROW(team.run(count_until_asked), Interrupted);
    }
    other.join();
    int done = 0;
    EXPECT_NO_THROW(team.run([&](int worker) {
        cancellation_point();
        if (worker == 0) done = 1;
    })) << "the team goes on, and heeds nothing";
    EXPECT_EQ(done, 1);
}

TEST(Cancellation, AbandonsWhatCannotBeAsked) {
    EXPECT_EQ(compute_or_abandon([] { return 7; }), 7);
    Cancellation cancellation;
    const CancellationScope scope(&cancellation);
    EXPECT_EQ(compute_or_abandon([] { return 8; }), 8);
    EXPECT_THROW(compute_or_abandon([]() -> int { throw InputError("no"); }), InputError);
    const auto released = std::make_shared<std::atomic<bool>>(false);
    std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        cancellation.ask();
    });
    EXPECT_THROW(compute_or_abandon([released] {
                     while (!*released) std::this_thread::yield();
                     return 9;
                 }),
                 Interrupted);
    *released = true;
    other.join();
}

}  // namespace cancellation_test
