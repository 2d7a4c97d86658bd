// tests/conformance/cuda/offers_test.cpp: where tiles and persistent kernels are offered, and what becomes of a packet that is lost
#include "conformance/cuda/cases.h"
#include "conformance/cuda/compiled.h"
#include "conformance/cuda/emulated_device.h"
#include "conformance/cuda/emulation.h"
#include "mottle/backend/cuda/backend.h"
#include "mottle/backend/cuda/grid/cut.h"
#include "mottle/core/error.h"

#include <gtest/gtest.h>

#include <utility>

#include <algorithm>
#include <bit>

namespace conformance {
namespace offers_test {

namespace backend = mottle::backend;
using mottle::core::Index;

EmulatedCase first_case(const std::string& group) {
    for (const EmulatedCase& each : emulated_cases()) {
        if (each.group == group) return each;
    }
    return {};
}
EmulatedCase plain_case() { return first_case("Persistent"); }

/// A state that varies from cell to cell, and numbers that keep it small.
class Fields {
   public:
    Fields(backend::Backend& backend, const Lowered& it, const backend::Schedule& schedule, mottle::core::Context& context)
        : it_(it),
          kernel_(backend.compile(it.program, it.grid(), schedule, context)),
          state_(kernel_->create_state()),
          numbers_(it.program.uniforms.size()),
          row_(static_cast<std::size_t>(it.grid().size[0])) {
        for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = 0.1 + 0.02 * static_cast<double>(i);
        each_row([&](mottle::ir::Array array, Index y) {
            for (std::size_t x = 0; x < row_.size(); ++x)
                row_[x] = static_cast<double>((x * 37 + static_cast<std::size_t>(y * 61 + array * 17)) % 101) / 101;
            kernel_->write_row(*state_, array, y, row_);
        });
    }

    void advance(Index n) {
        kernel_->advance(*state_, step_, n, {numbers_, static_cast<int>(numbers_.size())});
        step_ += n;
    }
    std::vector<std::uint64_t> bits() {
        std::vector<std::uint64_t> all;
        each_row([&](mottle::ir::Array array, Index y) {
            kernel_->read_row(*state_, array, y, std::span<double>(row_));
            for (const double value : row_) all.push_back(std::bit_cast<std::uint64_t>(value));
        });
        return all;
    }

   private:
    template <class Action>
    void each_row(const Action& action) {
        for (mottle::ir::Array array = 0; array < it_.program.state_count(); ++array) {
            for (Index y = 0; y < it_.grid().size[1]; ++y) action(array, y);
        }
    }

    const Lowered& it_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::unique_ptr<backend::State> state_;
    std::vector<double> numbers_, row_;
    Index step_ = 0;
};

// A packet that never comes: the launch ends, its error says where the fields are, there they are, and from there they go on.
TEST(EmulatedCudaPersistent, EndsWhereAPacketIsLost) {
    mottle::core::ThreadTeam team(1);
    mottle::core::Observer observer;
    mottle::core::Context context{team, observer, MOTTLE_BUILD_DIR "/tests/kernel-cache"};
    const EmulatedCase each = plain_case();
    const Lowered it = lowered(each.test.model, each.test.size, each.test.f64);
    for (const bool reversed : {false, true}) {
        for (const long long lost : {1LL, 700LL}) {
            auto reference = mottle::device::create_backend("reference");
            auto cuda = backend::create_cuda_backend([&] { return create_emulated_device(reversed, each.processors); });
            Fields expected(*reference, it, {}, context),
                actual(*cuda, it, backend::parse_schedule(each.schedule, backend::Family::card_plane), context);
            expected.advance(5), actual.advance(5);
            emulation::packets_until_loss() = lost;
            try {
                actual.advance(20);
                ADD_FAILURE() << "nobody noticed";
            } catch (const mottle::core::DeviceError& error) {
                EXPECT_NE(error.message().find("waited for each other in vain; the fields are those after step 5; leave strip=0 out"),
                          std::string::npos)
                    << error.message();
            }
            EXPECT_EQ(emulation::packets_until_loss(), 0);
            EXPECT_EQ(expected.bits(), actual.bits());
            expected.advance(20), actual.advance(20);
            EXPECT_EQ(expected.bits(), actual.bits());
        }
    }
}

// Who did not ask for the kernel need not know of the packet: passes make these steps and all later ones.
TEST(EmulatedCudaPersistent, PassesGoOnWhereAPacketIsLost) {
    mottle::core::ThreadTeam team(1);
    mottle::core::Observer observer;
    mottle::core::Context context{team, observer, MOTTLE_BUILD_DIR "/tests/kernel-cache"};
    const EmulatedCase each = first_case("PersistentUnasked");
    const Lowered it = lowered(each.test.model, each.test.size, each.test.f64);
    auto reference = mottle::device::create_backend("reference");
    auto cuda = backend::create_cuda_backend([&] { return create_emulated_device(false, each.processors); });
    Fields expected(*reference, it, {}, context), actual(*cuda, it, {}, context);
    emulation::packets_until_loss() = 300;
    expected.advance(64), actual.advance(64);
    EXPECT_EQ(emulation::packets_until_loss(), 0) << "the kernel was taken";
    EXPECT_EQ(expected.bits(), actual.bits());
    emulation::packets_until_loss() = 1;
    expected.advance(64), actual.advance(64);
    EXPECT_EQ(std::exchange(emulation::packets_until_loss(), 0), 1) << "it is not taken again";
    EXPECT_EQ(expected.bits(), actual.bits());
}

// It is not taken of a card that cannot launch it; what it takes of a card fits.
TEST(EmulatedCudaPersistent, IsOfferedWhereItCanBe) {
    using namespace mottle::backend::cuda;
    const Lowered it = lowered(plain_case().test.model, plain_case().test.size, plain_case().test.f64);
    auto warps = [&](const std::string& schedule, const DeviceTraits& traits) {
        return choose_cut(it.program, it.grid(), backend::parse_schedule(schedule, backend::Family::card_plane), traits)
            .persistent.tile.warps;
    };
    DeviceTraits alone;
    alone.together = false;
    for (const char* schedule : {"steps=4", "steps=4 rows=8", "steps=4 chunk=16", "steps=1 chunk=0"})
        EXPECT_EQ(warps(schedule, {}), 0) << schedule;
    for (const char* schedule : {"", "chunk=0"}) {
        EXPECT_EQ(warps(schedule, alone), 0) << schedule;
        EXPECT_GT(warps(schedule, {}), 0) << schedule;
    }
    EXPECT_EQ(warps("steps=4 chunk=0", alone), 0);
    EXPECT_GE(warps("steps=4 chunk=0 parts=12", {}), 12);
    for (const int processors : {1, 2, 7, 132}) {
        for (const int steps : {2, 5, 8}) {
            for (const PersistentCut& cut : persistent_cuts(it.program, it.grid(), steps, processors)) {
                EXPECT_LE(cut.blocks(), processors);
                EXPECT_GE(cut.strips * cut.tile.width(), it.grid().size[0]);
                EXPECT_GE(cut.chunks * cut.chunk_rows, it.grid().size[1]);
                EXPECT_LT((cut.chunks - 1) * cut.chunk_rows, it.grid().size[1]);
                EXPECT_LE(cut.chunk_rows + 2 * steps, cut.tile.height());
                EXPECT_LE(persistent_registers(it.program, cut.tile) * cut.tile.threads(), 1 << 16);
            }
        }
    }
}

// A case that asks for a tile is of no use where the Program has none.
TEST(EmulatedCudaTiles, AreTakenByTheirCases) {
    for (const EmulatedCase& each : emulated_cases()) {
        if (!each.group.starts_with("Tile") || each.group == "TileApart") continue;
        const Lowered it = lowered(each.test.model, each.test.size, each.test.f64);
        if (it.grid().size[1] == 1) continue;  // a row alone has none beside it
        const backend::cuda::Cut cut =
            backend::cuda::choose_cut(it.program, it.grid(), backend::parse_schedule(each.schedule, backend::Family::card_plane), {});
        EXPECT_GT(cut.tile.rows, 0) << each.group << ", " << each.schedule << ", " << each.test.model.substr(0, 60);
    }
}

}  // namespace offers_test
}  // namespace conformance
