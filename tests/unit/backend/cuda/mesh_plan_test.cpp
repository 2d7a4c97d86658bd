// tests/unit/backend/cuda/mesh_plan_test.cpp: what is printed for a mesh is what a device is given, also where patches or short numbers are impossible
#include "mottle/backend/cuda/mesh/plan.h"

#include "conformance/cuda/listening_device.h"
#include "mottle/backend/cuda/backend.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/domain/repair/repair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace mottle::backend::cuda {
namespace mesh_plan_test {

domain::Mesh mesh_of(const std::string& shape, core::ThreadTeam& team) {
    return domain::create_mesh(domain::load_surface({shape, {}}, {}, team), 1, team);
}

/// A cone whose tip has `around` neighbours.
domain::Mesh cone(int around, core::ThreadTeam& team) {
    domain::TriangleSoup soup;
    soup.name = "cone";
    soup.position.push_back({0, 0, 1});
    for (int k = 0; k < around; ++k) {
        const double angle = 2 * std::numbers::pi * k / around;
        soup.position.push_back({std::cos(angle), std::sin(angle), 0});
        soup.faces.push_back({0, 1 + k, 1 + (k + 1) % around});
    }
    soup.polygons = around;
    return domain::create_mesh(std::make_shared<const domain::Surface>(domain::repair(soup, team)), 1, team);
}

/// `fields` that diffuse.
ir::Program diffusion(int fields, bool f64) {
    ir::Program program;
    program.f64 = f64;
    ir::Stage stage{"update", {}, {}};
    auto add = [&](ir::Op op, std::array<ir::Value, 3> args, int index) {
        stage.code.push_back({op, args, index, {0, 0, 0}, 0});
        return static_cast<ir::Value>(stage.code.size() - 1);
    };
    for (int f = 0; f < fields; ++f) {
        program.arrays.push_back({"u" + std::to_string(f), ir::ArrayInfo::Kind::state, 0});
        const ir::Value here = add(ir::Op::load, {-1, -1, -1}, f), beside = add(ir::Op::neighbour, {-1, -1, -1}, f),
                        edge = add(ir::Op::edge, {-1, -1, -1}, 0), sum = add(ir::Op::row_sum, {edge, beside, -1}, 0);
        stage.stores.emplace_back(f, add(ir::Op::add, {here, sum, -1}, 0));
    }
    program.step.stages.push_back(stage);
    return program;
}

class CudaMeshPlan : public testing::Test {
   protected:
    struct Seen {
        std::string text;
        CardMeshSchedule schedule;
    };
    /// What a device is given, after the check that another backend, which has none, prints the same.
    Seen seen(const ir::Program& program, const domain::Mesh& mesh, const std::string& schedule) {
        auto device = std::make_shared<ListeningDevice>();
        const auto kernel = create_cuda_backend([&] {
                                return device;
                            })->compile(program, domain::Domain(mesh), parse_schedule(schedule, Family::card_mesh), context_);
        EXPECT_EQ(device->texts.size(), 1u) << schedule;
        EXPECT_TRUE(create_cuda_backend({})->emit(program, domain::Domain(mesh), parse_schedule(schedule, Family::card_mesh)) ==
                    device->texts.at(0))
            << schedule;
        return {device->texts.at(0), std::get<CardMeshSchedule>(kernel->schedule())};
    }
    core::ThreadTeam team_{2};
    core::Observer observer_;
    core::Context context_{team_, observer_, {}};
};

TEST_F(CudaMeshPlan, PrintsTheTextThatRuns) {
    const ir::Program program = diffusion(2, false);
    const domain::Mesh small = mesh_of("plane:13x9", team_);
    EXPECT_NE(seen(program, small, "steps=3").text.find("struct Patch"), std::string::npos);
    EXPECT_EQ(seen(program, small, "steps=1").text.find("struct Patch"), std::string::npos);
    const Seen wide = seen(program, mesh_of("plane:501x401", team_), "order=morton");
    EXPECT_TRUE(wide.text.find("typedef int Neighbour") != std::string::npos) << "neighbours lie far apart along a curve";
}

// The tip of a cone has more neighbours than a patch of 16 fields in f64 has slots.
TEST_F(CudaMeshPlan, TakesALaunchPerStageWhereNoPatchHoldsAVertex) {
    const ir::Program program = diffusion(16, true);
    const domain::Mesh mesh = cone(200, team_);
    for (const auto& [schedule, threads] : {std::pair{"steps=2", 256}, {"steps=2 chunk=128", 128}, {"order=rings steps=2", 256}}) {
        ASSERT_EQ(choose_mesh_cut(program, mesh, std::get<CardMeshSchedule>(parse_schedule(schedule, Family::card_mesh)), {}).steps, 2)
            << schedule;
        const Seen it = seen(program, mesh, schedule);
        EXPECT_EQ(it.text.find("struct Patch"), std::string::npos) << schedule;
        EXPECT_EQ(it.schedule.steps, 1) << schedule;
        EXPECT_EQ(it.schedule.threads, threads) << schedule << ": as where nobody asks for several steps";
    }
}

}  // namespace mesh_plan_test
}  // namespace mottle::backend::cuda
