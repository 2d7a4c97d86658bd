// tests/conformance/suite_test.cpp: one Program on one domain, run by any backend, compared bit for bit with the reference interpreter
#include "conformance/suite.h"
#include "kernel_cache.h"

#include "mottle/domain/mesh/create.h"
#include "mottle/domain/repair/repair.h"
#include "mottle/field/tensors.h"
#include "mottle/ir/functions/philox.h"
#include "mottle/ir/functions/white_noise.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/settings/boundary_rules.h"
#include "mottle/stepper/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

namespace conformance {

using namespace mottle;

const char* const kGrayScott = R"toml(
[equations]
u = "Du*lap(u) - u*v^2 + F*(1 - u)"
v = "Dv*lap(v) + u*v^2 - (F + k)*v"
[parameters]
Du = 0.19
Dv = 0.09
F = 0.037
k = 0.06
[initial]
u = "1 - 0.5*X"
v = "0.25*Y"
[time]
dt = 0.97
)toml";

const char* const kHeld = R"toml(
[equations]
u = "r*u - lap(lap(u)) - 2*lap(u) + g*u^2 - u^3 + 0.1*lap(u^2 - w)"
w = "0.2*bilap(u) + 0.3*lap(w) - w"
[parameters]
r = 0.3
g = 0.5
[initial]
u = "0.4*X - 0.2"
w = "0.1*Y"
[time]
dt = 0.01
)toml";

// every kind of normal number: two pairs of words, sine and cosine
const char* const kNoise = R"toml(
[equations]
u = "0.2*lap(u) + 0.3*white()*(1 - u) - 0.1*u*kick"
v = "0.1*lap(v) + u - v + 0.2*white() + 0.2*kick + 0.1*abs(white())"
[define]
kick = "white()"
[initial]
u = "X"
v = "Y"
[time]
dt = 0.3
)toml";

const char* const kHeldNoise = R"toml(
[equations]
u = "0.1*lap(u) - dx(0.3*white()) - dy(0.3*white()*u)"
v = "div((0.1 + 0.05*u*white())*grad(v)) + u - v + white()"
[initial]
u = "X"
v = "Y"
[time]
dt = 0.2
)toml";

const char* const kTripleLaplacian = R"toml(
[equations]
u = "0.001*lap(lap(lap(u))) + 0.02*u*(1 - u)"
[initial]
u = "X"
[time]
dt = 0.05
)toml";

const char* const kEverything = R"toml(
[equations]
a = "div((0.1 + m*b^2)*grad(a)) + 0.1*dot(grad(a), grad(b)) - 0.2*a/(1 + b^2) + 0.05*sin(t)"
b = "D*lap(b) + 0.1*dx(a) - 0.2*dy(c) + 0.02*norm2(grad(c)) + where(a > 0.5, 0.1, -0.1)*x/40 + 0.1*min(a, Y)"
c = "0.2*lap(c) + div(c*grad(a)) + 0.1*lap(a) - c + 0.3*abs(a - b) + 0.1*clamp(b, 0.1, 0.3)"
[parameters]
D = 0.15
m = "0.05 + 0.05*X*Y"
[clamp]
c = [-1, 1]
[initial]
a = "X"
b = "Y"
c = "0.5*X*Y"
[time]
dt = 0.2
)toml";

const char* const kFunctions = R"toml(
[equations]
u = "0.2*lap(u) + 0.1*exp(-u^2) - 0.1*tanh(3*v) + 0.05*sqrt(abs(u))"
v = "0.1*lap(v) + 0.1*sin(4*u) - 0.1*log(1 + v^2) + 0.02*atan2(u, 1 + v^2) + 0.01*(u^2 + 0.1)^1.7 + 0.01*mod(u, 0.3)*sign(v) - 0.02*cos(floor(3*v))"
[initial]
u = "X - 0.3"
v = "Y - 0.6"
[time]
dt = 0.5
)toml";

const char* const kTables = R"toml(
[equations]
u = "div(m*grad(u)) + 0.05*dx(v) - 0.02*dy(u) + q*(x/100 - u)*where(y > 10, 0.1, 0.05) + 0.01*w"
v = "0.1*lap(v) + 0.1*dot(grad(m), grad(u)) - 0.1*v*X + 0.1*u*Y"
w = "u - w"
[parameters]
m = "0.1 + 0.05*X*Y"
q = 0.5
[clamp]
v = [-1, 1]
[initial]
u = "X"
v = "Y"
w = "0.5"
[time]
dt = 0.3
)toml";

const char* const kDeepTables = R"toml(
[equations]
u = "div((0.05 + 0.02*Z*(1 + X*Y))*grad(u)) + 0.05*dz(v) - 0.02*dy(u) + q*(x/100 + z/30 - u)*where(y > 10, 0.1, 0.05) + 0.01*w"
v = "div(m*grad(v)) + 0.1*dot(grad(m), grad(u)) - 0.1*v*X*Z + 0.1*u*Y"
w = "u - w"
[parameters]
m = "0.06 + 0.05*X*Y*Z"
q = 0.5
[clamp]
v = [-1, 1]
[initial]
u = "X"
v = "Y"
w = "0.5"
[time]
dt = 0.3
)toml";

const char* const kConductivities = R"toml(
[equations]
u = "div((0.1 + 0.02*v + 0.005*lap(v) + 0.03*X)*grad(u)) + 0.02*(Y - u)"
v = "div((m*(1 + Y) + 0.05/(1 + norm2(grad(u))))*grad(v)) - 0.1*v"
[parameters]
m = "0.02 + 0.05*X*Y"
[initial]
u = "X"
v = "Y"
[time]
dt = 0.2
)toml";

const char* const kAcross = R"toml(
[equations]
u = "0.2*dz(v) - 0.1*u + 0.05*v*y/9"
v = "0.1*dz(m*u) + 0.1*(u - v)"
[parameters]
m = "Z"
[initial]
u = "X"
v = "Y"
[time]
dt = 0.2
)toml";

const char* const kWrapping = R"toml(
[equations]
u = "div((0.1 + 0.1*Y*(1.2 + X))*grad(u)) - 0.2*u*v^2 + 0.1*dy(v) + 0.02*(1 - u)"
v = "div(m*grad(v)) + 0.1*lap(u*v) + 0.2*u*v^2 - 0.06*v + 0.01*w"
w = "0.1*(u - w)*Y"
[parameters]
m = "0.02 + 0.05*X*Y"
[initial]
u = "X"
v = "Y"
w = "0.5"
[time]
dt = 0.3
)toml";

// Odd numbers of fields, fields that no neighbour reads, maps that neighbours read, held stages, coordinates, every operator of surfaces.
const char* const kEverythingOnMeshes = R"toml(
[equations]
a = "div((0.1 + 0.05*b^2)*grad(a)) + 0.1*dot(grad(a), grad(b)) - 0.2*a/(1 + b^2) + 0.05*sin(t)"
b = "D*lap(b) + 0.02*norm2(grad(c)) + where(a > 0.5, 0.1, -0.1)*Z + 0.1*min(a, Y) + 0.02*lap(lap(a)) - 0.1*b + div(tensor(0.1, s, -y, x, 0.2)*grad(a))"
c = "0.2*lap(c) + div(c*grad(a)) + 0.2*div(a*tensor(0.3, m, X, 0, 1)*grad(b)) + 0.1*lap(a) - c + 0.3*abs(a - b) + 0.1*clamp(b, 0.1, 0.3) + div(m*grad(b)) + 0.01*lap(m)"
d = "0.1*(a - d) - 0.05*d^2*X"
[parameters]
D = 0.15
s = 0.02
m = "0.05 + 0.05*X*Y"
[clamp]
c = [-1, 1]
[initial]
a = "X"
b = "Y"
c = "0.5*X*Y"
d = "0.1"
[time]
dt = 0.1
)toml";

namespace {

struct SilentObserver final : core::Observer {
    void notice(const std::string&) override {}
    bool keep_going(core::Moment, double) override { return true; }
};

core::Node document_of(const std::string& model) {
    return model.find('\n') == std::string::npos ? model::load_document(model) : core::parse_document(model, "conformance.toml");
}

/// Two shapes, "sphere:2+plane:13x9", beside each other as one surface.
std::shared_ptr<const domain::Surface> joined(const std::string& shapes, core::ThreadTeam& team) {
    const std::size_t plus = shapes.find('+');
    domain::TriangleSoup all = domain::make_shape({shapes.substr(0, plus), {}});
    const domain::TriangleSoup second = domain::make_shape({shapes.substr(plus + 1), {}});
    const auto first = static_cast<domain::Vertex>(all.position.size());
    for (const domain::Point& point : second.position) all.position.push_back({point[0] + 100, point[1], point[2]});
    for (const domain::Triangle& face : second.faces) all.faces.push_back({face[0] + first, face[1] + first, face[2] + first});
    all.polygons += second.polygons;
    return std::make_shared<const domain::Surface>(domain::repair(all, team));
}

domain::Mesh mesh_of(const Case& test, core::ThreadTeam& team) {
    auto surface = test.mesh.find('+') == std::string::npos ? domain::load_surface({test.mesh, {}}, "", team) : joined(test.mesh, team);
    if (test.curve)
        surface =
            std::make_shared<const domain::Surface>(domain::repair(domain::make_shape({test.mesh, {}}), team, domain::Numbering::curve));
    domain::Mesh mesh = domain::create_mesh(std::move(surface), test.scale, team);
    if (!mesh.loops.empty()) mesh.loops[0] = domain::parse_boundary({test.boundary == "periodic" ? "no-flux" : test.boundary, {}});
    return mesh;
}

double initial_value(std::uint64_t member, std::uint64_t field, std::uint64_t cell) {
    return 0.2 + 0.6 * ir::uniform_draw(field + 11, cell, member, 0);
}

double scale_of(int member) { return 1 + 0.03 * member; }

int steps_of(const Case& test, int members, int member, std::size_t launch) {
    if (members == 1) return test.launches[launch];
    return (launch + static_cast<std::size_t>(member)) % 4 == 3 ? 0 : test.launches[launch] + member;
}

std::vector<double> inputs_of(const run::Spec& spec, const ir::Program& program, double scale) {
    std::vector<double> inputs(program.inputs.size(), 0.0);
    inputs[0] = spec.dt.value_or(0.01);
    const ir::KeyParts seed = ir::key_parts(0x0123456789abcdefu + static_cast<std::uint64_t>(100 * scale));
    for (std::size_t part = 0; part < seed.size(); ++part) {
        if (const auto at = std::find(program.inputs.begin(), program.inputs.end(), ir::key_input(part)); at != program.inputs.end())
            inputs[static_cast<std::size_t>(at - program.inputs.begin())] = seed[part];
    }
    for (std::size_t i = 2; i < inputs.size(); ++i) {
        for (const auto& parameter : spec.model.parameters) {
            if (parameter.name == program.inputs[i]) inputs[i] = scale * parameter.value;
        }
    }
    return inputs;
}

/// Of row `y` of the grid (`rows` in a plane), or of the cell 0 along any axis along which the array does not vary.
std::uint64_t cell_of(const ir::ArrayInfo& array, std::size_t x, core::Index y, std::size_t width, core::Index rows) {
    const core::Index row = (array.varies[1] ? y % rows : 0) + (array.varies[2] ? y / rows * rows : 0);
    return static_cast<std::uint64_t>(row) * width + (array.varies[0] ? x : 0);
}

/// A state of a kernel and how far it is.
struct Running {
    std::unique_ptr<backend::State> state;
    std::unique_ptr<stepper::UniformRows> uniforms;
    core::Index step = 0;
};

}  // namespace

std::string with_dt(std::string model, const std::string& dt) {
    const auto at = model.find("dt = ");
    model.replace(at, model.find('\n', at) - at, "dt = " + dt);
    return model;
}

// dt as short as two stages bear of every model of the suite
std::string by_method(const std::string& model, const std::string& method) {
    return with_dt(model, "0.007") + "[method]\nname = '" + method + "'\n";
}

std::string by_stages(const std::string& model, const std::string& method, int stages) {
    return by_method(model, method) + "stages = " + std::to_string(stages) + "\n";
}

Result run(const Case& test, const Way& way) { return run_on(*device::create_backend(way.device), test, way); }

Result run_on(backend::Backend& backend, const Case& test, const Way& way) { return run_together(backend, test, way, 1).front(); }

std::vector<Result> run_together(backend::Backend& backend, const Case& test, const Way& way, int members) {
    const std::string grid = "[grid]\nsize = \"" + test.size + "\"\nstencil = \"" + test.stencil + "\"\n";
    std::string flags = (test.mesh.empty() ? grid : "") + "[method]\nprecision = \"" + (test.f64 ? "f64" : "f32") + "\"\n";
    core::Node overlay = core::parse_document(flags, "flags");
    run::Spec spec = run::read_spec(document_of(test.model), "conformance", "", overlay);
    if (auto* sides = std::get_if<domain::Grid>(&spec.domain); sides && test.mesh.empty()) {
        // Written for a plane and run on rows, too: rules for sides that a grid lacks are left out.
        const core::Node rules = core::text_node(test.boundary, "--boundary");
        const domain::Triple plane = {std::max<core::Index>(2, sides->size[0]), std::max<core::Index>(2, sides->size[1]), sides->size[2]};
        run::apply_boundary(*sides, spec.model, std::array{run::BoundaryLayer{.rules = &rules, .size = plane}});
        domain::validate(*sides);
    }
    core::ThreadTeam team(way.threads);
    if (!test.mesh.empty()) {
        domain::Mesh mesh = mesh_of(test, team);
        field::add_tensors(mesh, spec.model, spec.initial, team);
        spec.domain = std::move(mesh);
    }
    ir::Program program = ir::lower(ir::build(spec.model), spec.method, spec.domain);
    SilentObserver observer;
    core::Context context{team, observer, kernel_cache()};
    backend::Schedule schedule = backend::parse_schedule(way.schedule, backend.family(spec.domain));
    // left to itself the cost model gives grids as small as these to one thread
    if (auto* plane = std::get_if<backend::PlaneSchedule>(&schedule); plane && !plane->bands) plane->bands = way.threads;
    if (auto* volume = std::get_if<backend::VolumeSchedule>(&schedule); volume && !volume->slabs) volume->slabs = way.threads;
    auto kernel = backend.compile(program, spec.domain, schedule, context);
    std::vector<std::unique_ptr<core::ThreadTeam>> teams;
    std::vector<std::unique_ptr<core::Context>> contexts;
    std::vector<std::unique_ptr<backend::Kernel>> others;
    for (int k = 1; k < way.kernels; ++k) {
        teams.push_back(std::make_unique<core::ThreadTeam>(way.threads));
        contexts.push_back(std::make_unique<core::Context>(core::Context{*teams.back(), observer, context.cache}));
        others.push_back(backend.compile(program, spec.domain, schedule, *contexts.back()));
    }
    const auto width = static_cast<std::size_t>(domain::row_length(spec.domain));
    const auto height = domain::row_count(spec.domain);
    const auto* grid_domain = std::get_if<domain::Grid>(&spec.domain);
    const core::Index rows = grid_domain ? grid_domain->size[1] : height;  // in a plane
    std::vector<double> row(width);
    std::vector<std::size_t> place(width);  // of a cell's value in the row
    std::iota(place.begin(), place.end(), std::size_t{0});
    if (const auto* mesh = std::get_if<domain::Mesh>(&spec.domain)) {
        const std::vector<domain::Vertex> order = mesh->surface->in_file_order();
        std::transform(order.begin(), order.end(), place.begin(), [](domain::Vertex v) { return static_cast<std::size_t>(v); });
    }
    std::vector<Running> all(static_cast<std::size_t>(members));
    for (std::size_t m = 0; m < all.size(); ++m) {
        all[m].state = kernel->create_state();
        const double dt = spec.dt.value_or(0.01);
        all[m].uniforms = std::make_unique<stepper::UniformRows>(program, inputs_of(spec, program, scale_of(static_cast<int>(m))), dt,
                                                                 ir::kernel_steps_of(spec.method));
        for (ir::Array a = 0; a < static_cast<ir::Array>(program.arrays.size()); ++a) {
            const ir::ArrayInfo& array = program.arrays[static_cast<std::size_t>(a)];
            if (array.kind == ir::ArrayInfo::Kind::held) continue;
            if (array.kind == ir::ArrayInfo::Kind::state && a >= program.field_count()) continue;  // phases make it
            for (core::Index y = 0; y < height; ++y) {
                for (std::size_t x = 0; x < width; ++x)
                    row[place[x]] = initial_value(m, static_cast<std::uint64_t>(a), cell_of(array, x, y, width, rows));
                kernel->write_row(*all[m].state, a, y, row);
            }
        }
        if (way.threads == 1) continue;
        auto copy = kernel->create_state();  // the bits do not depend on which of two states goes on
        kernel->copy_fields(*copy, *all[m].state);
        kernel->copy_maps(*copy, *all[m].state);
        all[m].state = std::move(copy);
    }
    for (std::size_t launch = 0; launch < test.launches.size(); ++launch) {
        std::vector<backend::Advance> advances;
        const std::size_t turn = launch % (others.size() + 1);
        backend::Kernel& on = turn == 0 ? *kernel : *others[turn - 1];
        for (int m = 0; m < members; ++m) {
            Running& one = all[static_cast<std::size_t>(m)];
            const int n = steps_of(test, members, m, launch);
            if (program.phases)
                stepper::advance_phases(on, *one.state, *one.uniforms, one.step, n);
            else
                advances.push_back({one.state.get(), one.step, n, one.uniforms->rows(one.step, n)});
            one.step += n;
        }
        on.advance_all(advances);
    }
    std::vector<Result> results(all.size());
    for (std::size_t m = 0; m < all.size(); ++m) {
        Result& result = results[m];
        double low = INFINITY, high = -INFINITY;
        for (ir::Array a = 0; a < program.field_count(); ++a) {
            for (core::Index y = 0; y < height; ++y) {
                kernel->read_row(*all[m].state, a, y, std::span<double>(row));
                for (std::size_t x = 0; x < width; ++x) {
                    const double value = row[place[x]];
                    result.bits.push_back(std::bit_cast<std::uint64_t>(value));
                    result.finite = result.finite && std::isfinite(value);
                    low = std::min(low, value), high = std::max(high, value);
                }
            }
        }
        result.varying =
            result.bits.size() <= 4 * static_cast<std::size_t>(program.field_count()) || high - low > 1e-3;  // a few cells may become equal
    }
    return results;
}

void expect_same(const Case& test, const Way& way) {
    Result expected = run(test, {"reference", "", 1}), actual = run(test, way);
    std::string what = test.size + ", " + test.boundary + ", stencil " + test.stencil + (test.f64 ? ", f64, " : ", f32, ") + way.device +
                       ", \"" + way.schedule + "\", " + std::to_string(way.threads) + " threads, model " + test.model.substr(0, 40);
    compare(expected, actual, what);
}

void compare(const Result& expected, const Result& actual, const std::string& what) {
    EXPECT_TRUE(expected.finite) << what;
    EXPECT_TRUE(expected.varying) << what;
    ASSERT_EQ(expected.bits.size(), actual.bits.size()) << what;
    std::size_t different = 0, first = 0;
    for (std::size_t i = 0; i < expected.bits.size(); ++i) {
        if (expected.bits[i] == actual.bits[i]) continue;
        if (different++ == 0) first = i;
    }
    EXPECT_EQ(different, 0u) << what << "; first at " << first << ": " << std::bit_cast<double>(expected.bits[first]) << " against "
                             << std::bit_cast<double>(actual.bits[first]);
}

// The comparison is not of NaN with NaN, and it can fail: another parameter gives other bits.
TEST(Suite, SeesADifference) {
    std::string other = kGrayScott;
    other.replace(other.find("0.037"), 5, "0.038");
    EXPECT_NE(run({kGrayScott}, {"cpu", "", 1}).bits, run({other}, {"cpu", "", 1}).bits);
}

}  // namespace conformance
