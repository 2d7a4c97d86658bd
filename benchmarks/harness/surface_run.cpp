// mottle/benchmarks/harness/surface_run.cpp: Mottle on a mesh as a contestant
#include "harness/surface_run.h"

#include "baseline/machine.h"
#include "harness/report.h"
#include "mottle/device/registry.h"
#include "mottle/core/document.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/domain/repair/repair.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ir/functions/philox.h"
#include "mottle/run/settings/read_spec.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

namespace mottle::benchmarks {
namespace {

using domain::Surface;

/// Every triangle becomes four; new vertices stand in the middle of edges, numbered as they are met.
domain::TriangleSoup refined(const Surface& surface, int times) {
    domain::TriangleSoup soup;
    soup.name = surface.name;
    soup.position = surface.position;
    soup.faces = surface.faces;
    for (; times > 0; --times) {
        std::map<std::pair<int, int>, int> middle;
        std::vector<domain::Triangle> faces;
        auto between = [&](int a, int b) {
            const auto [found, fresh] = middle.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int>(soup.position.size()));
            if (fresh) {
                domain::Point p;
                for (std::size_t d = 0; d < 3; ++d)
                    p[d] = (soup.position[static_cast<std::size_t>(a)][d] + soup.position[static_cast<std::size_t>(b)][d]) / 2;
                soup.position.push_back(p);
            }
            return found->second;
        };
        for (const auto& [a, b, c] : soup.faces) {
            const int x = between(a, b), y = between(b, c), z = between(c, a);
            for (const domain::Triangle& f :
                 {domain::Triangle{a, x, z}, domain::Triangle{x, b, y}, domain::Triangle{z, y, c}, domain::Triangle{x, y, z}})
                faces.push_back(f);
        }
        soup.faces = std::move(faces);
    }
    return soup;
}

double mean_edge(const Surface& surface) {
    double sum = 0;
    for (const auto& f : surface.faces) {
        for (std::size_t k = 0; k < 3; ++k) {
            double square = 0;
            for (std::size_t d = 0; d < 3; ++d) {
                const double off =
                    surface.position[static_cast<std::size_t>(f[k])][d] - surface.position[static_cast<std::size_t>(f[(k + 1) % 3])][d];
                square += off * off;
            }
            sum += std::sqrt(square);
        }
    }
    return sum / static_cast<double>(3 * surface.faces.size());
}

/// Slivers would make explicit steps explode within a benchmark's thousands of steps; this step is stable on the mesh.
double stable_dt(const domain::MeshOperators& rows) {
    double most = 0;
    for (std::size_t i = 0; i + 1 < rows.first.size(); ++i) {
        double sum = 0;
        for (auto k = static_cast<std::size_t>(rows.first[i]); k < static_cast<std::size_t>(rows.first[i + 1]); ++k)
            sum += std::abs(rows.laplacian[k]);
        most = std::max(most, sum);
    }
    return std::min(0.005, 0.1 / most);
}

}  // namespace

void shuffle(domain::TriangleSoup& soup) {
    std::mt19937 random(5);
    std::vector<int> place(soup.position.size());
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), random);
    std::vector<domain::Point> moved(soup.position.size());
    for (std::size_t i = 0; i < place.size(); ++i) moved[static_cast<std::size_t>(place[i])] = soup.position[i];
    soup.position = std::move(moved);
    for (auto& face : soup.faces) {
        for (auto& v : face) v = place[static_cast<std::size_t>(v)];
    }
    std::shuffle(soup.faces.begin(), soup.faces.end(), random);
}

SurfaceCase surface_case(const std::string& source, int refine, bool shuffled) {
    core::ThreadTeam team(2);
    SurfaceCase result;
    auto surface = domain::load_surface({source, {}}, "", team);
    if (refine > 0 || shuffled) {
        domain::TriangleSoup soup = refined(*surface, refine);
        if (shuffled) shuffle(soup);
        surface = std::make_shared<const Surface>(domain::repair(soup, team));
    }
    const double begin = seconds_now();
    result.name = surface->name + (refine > 0 ? format(" refined %d", refine) : "") + (shuffled ? ", random order" : "");
    result.mesh = domain::create_mesh(surface, 1 / mean_edge(*surface), team);
    result.setup_seconds = seconds_now() - begin;
    result.order = surface->in_file_order();
    std::vector<int> place(result.order.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
        const auto v = static_cast<std::size_t>(result.order[i]);
        const domain::Point& p = surface->position[v];
        place[v] = static_cast<int>(i);
        result.problem.position.push_back({p[0] * result.mesh.scale, p[1] * result.mesh.scale, p[2] * result.mesh.scale});
    }
    for (const auto& [a, b, c] : surface->faces)
        result.problem.faces.push_back(
            {place[static_cast<std::size_t>(a)], place[static_cast<std::size_t>(b)], place[static_cast<std::size_t>(c)]});
    for (std::size_t i = 0; i < surface->position.size(); ++i) {
        result.problem.n.push_back(0.9 + 0.2 * ir::uniform_draw(1, i, 0, 0));
        result.problem.c.push_back(0.45 + 0.1 * ir::uniform_draw(2, i, 0, 0));
    }
    result.problem.s = 0.05;
    result.problem.dt = stable_dt(*result.mesh.operators);
    return result;
}

struct SurfaceRun::Quiet final : core::Observer {};

SurfaceRun::SurfaceRun(const SurfaceCase& surface, bool f64, int threads, const std::string& schedule, const std::string& model)
    : team_(std::make_unique<core::ThreadTeam>(threads)),
      observer_(std::make_unique<Quiet>()),
      context_(std::make_unique<core::Context>(core::Context{*team_, *observer_, ""})) {
    const double begin = seconds_now();
    const SurfaceProblem& p = surface.problem;
    const std::string text =
        !model.empty()
            ? model
            : "[equations]\nn = 'D*lap(n) - alpha*(n*lap(c) + dot(grad(n), grad(c))) + s*r*n*(N - n)'\nc = 'lap(c) + s*(n/(1 + n) - c)'\n" +
                  format("[parameters]\nD = %.17g\nalpha = %.17g\ns = %.17g\nr = %.17g\nN = %.17g\n", p.D, p.alpha, p.s, p.r, p.N) +
                  "[initial]\nn = '1'\nc = '1'\n";
    const run::Spec spec = run::read_spec(core::parse_document(text, "model"), "model", "", core::Node());
    const domain::Domain domain = surface.mesh;
    const ir::Program program = ir::lower(ir::build(spec.model), {"euler", f64}, domain);
    backend_ = device::create_backend("cpu");
    kernel_ = backend_->compile(program, domain, backend::parse_schedule(schedule, backend_->family(domain)), *context_);
    state_ = kernel_->create_state();
    order_ = surface.order;
    std::vector<double> row(order_.size());
    for (int k = 0; k < fields(); ++k) {
        const std::vector<double>& values = k % 2 == 0 ? p.n : p.c;
        for (std::size_t i = 0; i < row.size(); ++i) row[static_cast<std::size_t>(order_[i])] = values[i];
        kernel_->write_row(*state_, k, 0, row);
    }
    std::vector<double> inputs;
    for (const std::string& name : program.inputs) {
        inputs.push_back(name == "dt" ? p.dt : 0);
        for (const auto& parameter : spec.model.parameters) {
            if (parameter.name == name) inputs.back() = parameter.value;
        }
    }
    uniforms_ = ir::evaluate_uniforms(program, inputs);
    setup_seconds_ = seconds_now() - begin;
}

SurfaceRun::~SurfaceRun() = default;

int SurfaceRun::fields() const { return kernel_->program().state_count(); }

void SurfaceRun::advance(int steps) {
    kernel_->advance(*state_, done_, steps, {uniforms_, static_cast<int>(uniforms_.size())});
    done_ += steps;
}

void SurfaceRun::read(int field, std::vector<double>& values) const {
    std::vector<double> row(order_.size());
    kernel_->read_row(*state_, field, 0, row);
    values.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) values[i] = row[static_cast<std::size_t>(order_[i])];
}

std::string SurfaceRun::schedule() const { return backend::print(kernel_->schedule()); }

}  // namespace mottle::benchmarks
