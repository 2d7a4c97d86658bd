// tests/unit/backend/volume_slots_test.cpp: where rows stand while a slab moves on: no two in one slot, heads to the end of the pass, and all in their places after it
#include "mottle/backend/cpu/volume/slots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace volume_slots_test {

using mottle::backend::cpu::SlabAxis;
using mottle::backend::cpu::Slots;
using Index = mottle::core::Index;

constexpr int kMostSteps = 5;

std::vector<SlabAxis> axes_that_rotate() {
    std::vector<SlabAxis> all;
    for (const Index reach : {1, 2}) {
        for (const Index extent : {1, 2, 3, 7, 20}) all.push_back({extent, extent, extent, reach, false, false, false});
        all.push_back({9, 10, 29, reach, false, false, false});
    }
    return all;
}

TEST(VolumeSlots, RowsOfATimeHaveSlotsOfTheirOwn) {
    for (const SlabAxis& axis : axes_that_rotate()) {
        for (const bool shifts : {true, false}) {
            Slots slots = Slots::of_state(axis, shifts, kMostSteps);
            for (const int steps : {kMostSteps, 2, 3}) {
                for (Index time = 0; time <= steps; ++time) {
                    std::set<Index> taken;
                    for (Index i = axis.first_at(time); i < axis.end_at(time); ++i) taken.insert(slots.of(i, time));
                    EXPECT_EQ(std::ssize(taken), axis.extent);
                    EXPECT_GE(*taken.begin(), 0);
                    EXPECT_LT(*taken.rbegin(), slots.count());
                }
                slots.end_pass(steps);
            }
        }
    }
}

// The slots of heads are theirs until the pass ends: whoever needs them may come late.
TEST(VolumeSlots, NothingIsWrittenOverHeads) {
    for (const SlabAxis& axis : axes_that_rotate()) {
        for (const bool shifts : {true, false}) {
            const Slots slots = Slots::of_state(axis, shifts, kMostSteps);
            for (Index time = 0; time < kMostSteps; ++time) {
                for (Index head = 0; head < axis.head_count(); ++head) {
                    const Index slot = slots.of(axis.first_at(time) + head, time);
                    EXPECT_EQ(slots.of(axis.end_at(time) + head, time), slot) << "as the slab before finds it";
                    EXPECT_TRUE(slots.is_beyond(axis.end_at(time) + head, time));
                    for (Index later = time + 1; later <= kMostSteps; ++later) {
                        for (Index i = axis.first_at(later); i < axis.end_at(later); ++i) EXPECT_NE(slots.of(i, later), slot);
                    }
                }
            }
        }
    }
}

TEST(VolumeSlots, AfterAPassRowsAreWhereTheyHaveCome) {
    for (const SlabAxis& axis : axes_that_rotate()) {
        for (const bool shifts : {true, false}) {
            Slots slots = Slots::of_state(axis, shifts, kMostSteps);
            for (const int steps : {3, kMostSteps, 1, 4}) {
                std::vector<Index> places;
                for (Index i = 0; i < axis.extent; ++i) places.push_back(slots.of(i + axis.moved_by(steps), steps));
                slots.end_pass(steps);
                for (Index i = 0; i < axis.extent; ++i) EXPECT_EQ(slots.of(i, 0), places[static_cast<std::size_t>(i)]);
            }
        }
    }
}

// A row is written over the one before it, which no later row reads; a run of rows is one of slots.
TEST(VolumeSlots, RunsOfRowsAreRunsOfSlots) {
    std::vector<SlabAxis> axes = axes_that_rotate();
    axes.push_back({8, 8, 8, 1, true, true, true});
    axes.push_back({8, 9, 26, 2, true, false, false});
    axes.push_back({8, 9, 26, 1, true, false, true});
    for (const SlabAxis& axis : axes) {
        Slots slots = Slots::of_state(axis, true, kMostSteps);
        for (int pass = 0; pass < 3; ++pass) {
            for (Index time = 0; time <= kMostSteps; ++time) {
                for (Index i = axis.first_at(time); i < axis.end_at(time); ++i) {
                    const Index run = std::min(slots.run(i, time), axis.end_at(time) - 1 - i);
                    for (Index k = 1; k <= run; ++k) EXPECT_EQ(slots.of(i + k, time), slots.of(i, time) + k);
                    const bool stands_apart = !axis.border_before && i - axis.first_at(time) < axis.head_count();
                    if (time > 0 && !stands_apart && i - 1 < axis.end_at(time - 1)) {
                        EXPECT_EQ(slots.of(i, time), slots.of(i - 1, time - 1));
                    }
                }
            }
            slots.end_pass(kMostSteps);
        }
    }
}

}  // namespace volume_slots_test
