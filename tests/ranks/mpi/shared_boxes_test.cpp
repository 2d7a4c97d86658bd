// tests/ranks/mpi/shared_boxes_test.cpp: messages through shared memory: their order and bytes, boxes that grow, who waits for whom, and files that are not the right ones
#include "mottle/ranks/mpi/shared_boxes.h"
#include "mottle/ranks/mpi/wait.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace shared_boxes_test {

using namespace mottle::ranks;

/// The boxes of `count` processes, all of them in this one.
std::vector<std::unique_ptr<SharedBoxes>> boxes_of(int count) {
    std::vector<std::unique_ptr<SharedBoxes>> all;
    std::vector<SharedBoxes::Address> addresses;
    for (int place = 0; place < count; ++place) {
        all.push_back(std::make_unique<SharedBoxes>(place, count));
        addresses.push_back(all.back()->address());
    }
    for (auto& boxes : all) EXPECT_TRUE(boxes->open(addresses));
    return all;
}

/// Bytes that tell who sent which message, and where in it they stand.
std::byte mark(int sender, int message, std::size_t i) {
    return static_cast<std::byte>(static_cast<std::size_t>(sender) * 101 + static_cast<std::size_t>(message) * 7 + i * 13 + i / 251);
}

void send(SharedBoxes& boxes, int from, int to, int number, std::size_t size) {
    const std::span<std::byte> box = boxes.outbox(to, channel::halo + from, size);
    for (std::size_t i = 0; i < size; ++i) box[i] = mark(from, number, i);
    boxes.post(to, channel::halo + from);
}

/// How many bytes of the next message are not those that were sent.
std::ptrdiff_t wrong_bytes(SharedBoxes& boxes, int from, int number, std::size_t size) {
    wait_until([&] { return boxes.has_come(from, channel::halo + from); });
    const std::span<const std::byte> box = boxes.inbox(from, channel::halo + from, size);
    std::ptrdiff_t wrong = 0;
    for (std::size_t i = 0; i < size; ++i) wrong += box[i] != mark(from, number, i);
    boxes.release(from, channel::halo + from);
    return wrong;
}

std::size_t size_of(int number) {
    return number % 50 == 49 ? 300'000 + static_cast<std::size_t>(number) * 40 : 1 + static_cast<std::size_t>(number) % 9000;
}

// Messages of many sizes, both ways at once; rings of three, so that nobody's messages are taken for another's.
TEST(SharedBoxes, EachMessageArrivesOnceAndInOrder) {
    constexpr int kCount = 3, kMessages = 1500;
    auto all = boxes_of(kCount);
    std::atomic<std::ptrdiff_t> wrong = 0;
    std::vector<std::thread> processes;
    for (int place = 0; place < kCount; ++place) {
        processes.emplace_back([&, place] {
            SharedBoxes& own = *all[static_cast<std::size_t>(place)];
            for (int number = 0; number < kMessages; ++number) {
                for (const int turn : {1, 2}) send(own, place, (place + turn) % kCount, number, size_of(number + turn));
                for (const int turn : {1, 2}) wrong += wrong_bytes(own, (place + turn) % kCount, number, size_of(number + kCount - turn));
            }
        });
    }
    for (std::thread& process : processes) process.join();
    EXPECT_EQ(wrong, 0);
}

// Who sends and receives nothing is two messages ahead of a slow reader, and no more: what has not been read stands there still.
TEST(SharedBoxes, ASenderWaitsForASlowReader) {
    auto all = boxes_of(2);
    std::atomic<int> sent = 0;
    std::thread sender([&] {
        for (int number = 0; number < 6; ++number) {
            send(*all[0], 0, 1, number, 5000);
            sent = number + 1;
        }
    });
    std::ptrdiff_t wrong = 0;
    for (int number = 0; number < 6; ++number) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_LE(sent, number + 2);
        wrong += wrong_bytes(*all[1], 0, number, 5000);
    }
    sender.join();
    EXPECT_EQ(wrong, 0);
}

TEST(SharedBoxes, NothingHasComeBeforeItIsPosted) {
    auto all = boxes_of(2);
    EXPECT_FALSE(all[1]->has_come(0, channel::halo));
    all[0]->outbox(1, channel::halo, 8);
    EXPECT_FALSE(all[1]->has_come(0, channel::halo));
    all[0]->post(1, channel::halo);
    EXPECT_TRUE(all[1]->has_come(0, channel::halo));
    EXPECT_FALSE(all[1]->has_come(0, channel::halo + 1));
    all[1]->release(0, channel::halo);
    EXPECT_FALSE(all[1]->has_come(0, channel::halo));
}

TEST(SharedBoxes, OnlyTheFilesOfTheOthersAreTaken) {
    SharedBoxes first(0, 2), second(1, 2), stranger(1, 2);
    SharedBoxes::Address none = second.address(), wrong = stranger.address(), closed = second.address();
    none.file = -1;
    wrong.token = second.address().token;
    closed.file = 1'000'000;
    for (const SharedBoxes::Address& other : {none, wrong, closed}) {
        const SharedBoxes::Address all[] = {first.address(), other};
        EXPECT_FALSE(SharedBoxes(0, 2).open(all));
    }
    const SharedBoxes::Address all[] = {first.address(), second.address()};
    EXPECT_TRUE(first.open(all));
}

}  // namespace shared_boxes_test
