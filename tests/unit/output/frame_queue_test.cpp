// tests/unit/output/frame_queue_test.cpp: frames arrive once and in order; errors of the other thread arrive too
#include "mottle/output/frame_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>

namespace frame_queue_test {

using mottle::output::FrameQueue;
using namespace std::chrono_literals;

void push(FrameQueue& queue, int value) {
    const auto buffer = queue.acquire();
    std::fill(buffer.begin(), buffer.end(), static_cast<std::uint8_t>(value));
    queue.push();
}

TEST(FrameQueue, FramesArriveOnceAndInOrder) {
    std::vector<int> seen;
    FrameQueue queue(1000, [&](std::span<const std::uint8_t> frame) {
        if (seen.size() % 7 == 0) std::this_thread::sleep_for(1ms);
        for (const std::uint8_t byte : frame) ASSERT_EQ(byte, frame[0]);
        seen.push_back(frame[0]);
    });
    for (int i = 0; i < 200; ++i) push(queue, i);
    queue.close();
    std::vector<int> expected(200);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(seen, expected);
    EXPECT_GT(queue.seconds(), 0.028);
    EXPECT_LE(queue.waited(), queue.seconds() + 0.5);
    EXPECT_GT(queue.waited(), 0.02);  // 29 sleeps, of which 8 buffers hide some
}

/// The writer may run ahead by the number of buffers and no further; big frames get fewer buffers.
TEST(FrameQueue, WaitsForAFreeBuffer) {
    for (const auto& [bytes, buffers] : {std::pair<std::size_t, int>{100, 8}, {std::size_t{16} << 20, 4}, {std::size_t{100} << 20, 2}}) {
        std::atomic<bool> go = false;
        FrameQueue queue(bytes, [&](std::span<const std::uint8_t>) { go.wait(false); });
        std::atomic<int> pushed = 0;
        std::thread writer([&] {
            for (int i = 0; i < 10; ++i) {
                queue.acquire();
                queue.push();
                ++pushed;
            }
        });
        for (int i = 0; i < 1000 && pushed < buffers; ++i) std::this_thread::sleep_for(1ms);
        std::this_thread::sleep_for(20ms);
        EXPECT_EQ(pushed, buffers);
        go = true;
        go.notify_all();
        writer.join();
        queue.close();
    }
}

// A frame that is still on its way is completed by the queue's thread, before it is consumed.
TEST(FrameQueue, CompletesFramesInOrder) {
    std::vector<int> seen;
    FrameQueue queue(100, [&](std::span<const std::uint8_t> frame) { seen.push_back(frame[0]); });
    const auto writer = std::this_thread::get_id();
    std::atomic<int> elsewhere = 0;
    for (int i = 0; i < 50; ++i) {
        const auto buffer = queue.acquire();
        buffer[0] = 0;
        if (i % 3 == 0) {
            buffer[0] = static_cast<std::uint8_t>(i);
            queue.push();
            continue;
        }
        queue.push([&, buffer, i] {
            elsewhere += std::this_thread::get_id() != writer ? 1 : 0;
            buffer[0] = static_cast<std::uint8_t>(i);
        });
    }
    queue.close();
    std::vector<int> expected(50);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(elsewhere, 33);
}

TEST(FrameQueue, AFrameThatCannotBeCompletedIsAnError) {
    int consumed = 0;
    FrameQueue queue(10, [&](std::span<const std::uint8_t>) { ++consumed; });
    push(queue, 1);
    queue.acquire();
    queue.push([] { throw std::runtime_error("lost device"); });
    EXPECT_THROW(queue.close(), std::runtime_error);
    EXPECT_EQ(consumed, 1);
}

/// What a frame on its way holds is let go with the queue, though nobody completed it.
TEST(FrameQueue, LetsGoOfFramesThatAreDropped) {
    auto held = std::make_shared<int>(0);
    {
        std::atomic<bool> go = false;
        std::jthread later;  // outlives the queue
        FrameQueue queue(10, [&](std::span<const std::uint8_t>) { go.wait(false); });
        push(queue, 1);
        queue.acquire();
        queue.push([held] { ++*held; });
        EXPECT_GE(held.use_count(), 2);
        later = std::jthread([&] {
            std::this_thread::sleep_for(20ms);
            go = true;
            go.notify_all();
        });
    }
    EXPECT_EQ(held.use_count(), 1);
}

TEST(FrameQueue, ErrorsArriveAtTheWriter) {
    int consumed = 0;
    FrameQueue queue(10, [&](std::span<const std::uint8_t>) {
        if (++consumed == 3) throw std::runtime_error("disk full");
    });
    EXPECT_THROW(
        {
            for (int i = 0; i < 100; ++i) push(queue, i);
        },
        std::runtime_error);
    EXPECT_THROW(queue.acquire(), std::runtime_error);
    EXPECT_THROW(queue.close(), std::runtime_error);
    EXPECT_EQ(consumed, 3);
}

TEST(FrameQueue, AnErrorInTheLastFrameArrivesAtClose) {
    FrameQueue queue(10, [](std::span<const std::uint8_t>) { throw std::runtime_error("disk full"); });
    push(queue, 1);
    EXPECT_THROW(queue.close(), std::runtime_error);
}

TEST(FrameQueue, DestroyedItDropsTheRest) {
    std::atomic<int> consumed = 0;
    {
        FrameQueue queue(10, [&](std::span<const std::uint8_t>) {
            ++consumed;
            std::this_thread::sleep_for(50ms);
        });
        for (int i = 0; i < 5; ++i) push(queue, i);
    }
    EXPECT_LE(consumed, 2);
}

}  // namespace frame_queue_test
