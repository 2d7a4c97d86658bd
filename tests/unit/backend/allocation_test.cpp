// tests/unit/backend/allocation_test.cpp: steps take no memory: a launch of many passes asks for as much as one of few
#include "mottle/device/registry.h"
#include "mottle/core/document.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/run/settings/read_spec.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#if !defined(MOTTLE_SANITIZED)  // sanitizers keep these for themselves

namespace {
std::atomic<long> allocations{0};
}

void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace allocation_test {

using namespace mottle;
using namespace mottle::backend;

const char* const kBrusselator = R"toml(
[equations]
u = "0.1*lap(u) + 1 - 4*u + u^2*v"
v = "0.2*lap(v) + 3*u - u^2*v"
[initial]
u = "1"
v = "3"
)toml";

long allocations_of(Kernel& kernel, State& state, core::Index steps) {
    std::vector<double> inputs(kernel.program().inputs.size(), 0.01);
    const std::vector<double> uniforms = ir::evaluate_uniforms(kernel.program(), inputs);
    const long before = allocations;
    kernel.advance(state, 0, steps, {uniforms, static_cast<int>(uniforms.size())});
    return allocations - before;
}

void expect_none_per_step(const domain::Domain& domain, const std::string& schedule) {
    const run::Spec spec = run::read_spec(core::parse_document(kBrusselator, "test.toml"), "test", "", core::Node());
    core::ThreadTeam team(2);
    core::Observer observer;
    core::Context context{team, observer, {}};
    const long before = allocations;
    const auto backend = device::create_backend("cpu");
    const auto kernel = backend->compile(ir::lower(ir::build(spec.model), {"euler", false}, domain), domain,
                                         parse_schedule(schedule, backend->family(domain)), context);
    const auto state = kernel->create_state();
    ASSERT_GT(allocations - before, 100) << "the library's own allocations are not counted";
    allocations_of(*kernel, *state, 8);  // the first launch makes what all share
    const long few = allocations_of(*kernel, *state, 8), many = allocations_of(*kernel, *state, 800);
    EXPECT_EQ(few, many) << schedule;
    EXPECT_LT(few, 20) << schedule;
}

TEST(Allocation, StepsOnGridsTakeNoMemory) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "this build has no compiler";
    domain::Grid grid;
    grid.size = {1200, 40, 1};
    for (const char* schedule : {"steps=8", "steps=4 chunk=400", "steps=1 parts=2"}) expect_none_per_step(grid, schedule);
}

TEST(Allocation, StepsOnSurfacesTakeNoMemory) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "this build has no compiler";
    core::ThreadTeam team(1);
    const domain::Mesh mesh = domain::create_mesh(domain::load_surface({"sphere:4", {}}, "", team), 1, team);
    for (const char* schedule : {"steps=1", "steps=4 parts=3"}) expect_none_per_step(mesh, schedule);
}

}  // namespace allocation_test
#endif
