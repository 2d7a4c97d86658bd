// tests/oracle/mesh_run.h: runs a model on a mesh from fields given by formulas, without the program's own initial expressions
#pragma once
#include "kernel_cache.h"
#include "mottle/device/registry.h"
#include "mottle/core/document.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/field/tensors.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/settings/preparation.h"
#include "mottle/stepper/phases.h"
#include "oracle/plain_mesh.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace oracle {

using MeshFields = std::vector<std::vector<double>>;

struct MeshJob {
    std::string model;  ///< TOML text with equations and parameters; initial expressions are not looked at
    mottle::domain::Mesh mesh;
    double dt = 0;
    std::string device = "auto";
    std::string schedule;
    int threads = 2;
    std::uint64_t seed = 0;
};

/// f64. `start` by field; the state after `steps` steps.
inline MeshFields run_on_mesh(const MeshJob& job, const MeshFields& start, int steps) {
    using namespace mottle;
    core::ThreadTeam team(job.threads);
    core::Observer observer;
    core::Context context{team, observer, kernel_cache()};
    run::Spec spec = run::read_spec(core::parse_document(job.model, "oracle.toml"), "oracle", "",
                                    core::parse_document("precision = \"f64\"", "settings"));
    domain::Mesh mesh = job.mesh;
    field::add_tensors(mesh, spec.model, spec.initial, team);
    const domain::Domain domain = std::move(mesh);
    const ir::Program program = ir::lower(ir::build(spec.model), spec.method, domain);
    const auto device = device::create_backend(job.device);
    const backend::Family family = device->family(domain);
    const backend::Schedule schedule =
        family == backend::Family::none ? backend::Schedule() : backend::parse_schedule(job.schedule, family);
    const auto kernel = device->compile(program, domain, schedule, context);
    const auto state = kernel->create_state();
    for (std::size_t k = 0; k < start.size(); ++k) kernel->write_row(*state, static_cast<ir::Array>(k), 0, start[k]);
    const int stages = ir::kernel_steps_of(spec.method), all = steps * stages;
    stepper::UniformRows uniforms(program, run::input_values(program, spec.model, job.seed), job.dt, stages);
    if (program.phases)
        stepper::advance_phases(*kernel, *state, uniforms, 0, all);
    else
        kernel->advance(*state, 0, all, uniforms.rows(0, all));
    MeshFields end = start;
    for (std::size_t k = 0; k < end.size(); ++k) kernel->read_row(*state, static_cast<ir::Array>(k), 0, end[k]);
    return end;
}

inline mottle::domain::Mesh shape(const std::string& name, double scale = 1) {
    mottle::core::ThreadTeam team(1);
    return mottle::domain::create_mesh(mottle::domain::load_surface({name, {}}, "", team), scale, team);
}

/// The geometry of a mesh in the lengths of the equations, for the plain loops.
inline plain::PlainMesh plain_of(const mottle::domain::Mesh& mesh) {
    plain::PlainMesh result;
    for (const auto& p : mesh.surface->position) result.position.push_back({p[0] * mesh.scale, p[1] * mesh.scale, p[2] * mesh.scale});
    for (const auto& f : mesh.surface->faces) result.faces.push_back({f[0], f[1], f[2]});
    return result;
}

/// One value per vertex by a formula of its position in the lengths of the equations.
inline std::vector<double> sample(const mottle::domain::Mesh& mesh, const std::function<double(double, double, double)>& formula) {
    std::vector<double> values;
    for (const auto& p : plain_of(mesh).position) values.push_back(formula(p[0], p[1], p[2]));
    return values;
}

}  // namespace oracle
