// mottle/run/settings/memory.cpp: what a run takes, and what the system has left
#include "mottle/run/settings/memory.h"

#include "mottle/core/error.h"
#include "mottle/core/system_memory.h"
#include "mottle/core/text.h"
#include "mottle/core/thread_team.h"
#include "mottle/device/registry.h"
#include "mottle/ir/method.h"
#include "mottle/output/file_name.h"

#include <algorithm>
#include <string>

namespace mottle::run {

namespace {

constexpr double kCopies = 1.2;      // fields and the buffers of the kernels: docs/notes/start-up.md
constexpr double kRowsOfStart = 24;  // f64: the values of a row, what they are drawn from, and a table of coordinates

/// The most states that an output holds at once: of surfaces a field after another, or all of them and the file while it is put together. Those of grids go through row by row.
double states_held(const output::FileName& name, bool surface) {
    if (!surface || !(name.holds(output::Contents::values) || name.data())) return 0;
    const bool whole = name.format().extension == ".ply" || name.format().extension == ".glb";
    return whole ? 3 : 1;
}

}  // namespace

double bytes_of_state(const domain::Domain& domain, std::size_t arrays, bool f64, const std::string& device) {
    const double scalar = f64 ? sizeof(double) : sizeof(float), fields = static_cast<double>(arrays);
    const double dense = kCopies * scalar * fields * static_cast<double>(domain::row_length(domain));
    const double row = device::bytes_of_row(device, domain, arrays, f64);
    return std::max(dense, row) * static_cast<double>(domain::row_count(domain));
}

double bytes_of_run(const Spec& spec, std::size_t arrays) {
    const bool f64 = spec.method.f64;
    const auto rows = static_cast<double>(domain::row_count(spec.domain));
    const double threads = spec.threads > 0 ? spec.threads : core::available_cores();
    const double start = std::min(threads, rows) * static_cast<double>(domain::row_length(spec.domain)) * (kRowsOfStart + (f64 ? 8 : 4));
    const double states =
        static_cast<double>(domain::cell_count(spec.domain)) * static_cast<double>(spec.model.equations.size()) * (f64 ? 8 : 4);
    const bool surface = std::holds_alternative<domain::Mesh>(spec.domain);
    double held = surface && !(spec.checkpoint.empty() && spec.resume.empty()) ? 1 : 0;
    for (const Output& output : spec.outputs) {
        if (!output.make) held += states_held(output::FileName(output.sink.file), surface);
    }
    const double remembered = spec.steady ? states : 0;  // one step before a test for rest
    // what solvers keep of each field in f64; etdrk4: rows and waves of stages, and six coefficients of each wave
    const ir::Scheme& scheme = ir::scheme_of(spec.method);
    const double waves = (scheme.takes_exponentials ? 11
                          : scheme.makes_rates      ? 3
                          : scheme.solves_diffusion ? 1
                                                    : 0) *
                         (f64 ? 1 : 2) * states;
    const double kept = spec.tolerance ? 6 : 1;  // where a stretch begins and ends, the same of the companion, and a trial
    return spec.share_of_machine * kept * bytes_of_state(spec.domain, arrays, f64, spec.device) + remembered + waves +
           std::max(start, held * states) + kBytesBeside;
}

void check_memory(const Spec& spec, std::size_t arrays, double available) {
    const double bytes = bytes_of_run(spec, arrays);
    if (bytes <= available) return;
    const bool f64 = spec.method.f64;
    throw core::InputError("a run on a " + domain::describe(spec.domain) + " with " + std::to_string(arrays) +
                           (arrays == 1 ? " array" : " arrays") + " of " + (f64 ? "f64" : "f32") + " needs " + core::si_text(bytes, "B") +
                           " of memory, " + core::si_text(available, "B") + " are available; use a smaller " +
                           (std::holds_alternative<domain::Mesh>(spec.domain) ? "mesh" : "--size") + (f64 ? " or --precision f32" : ""));
}

}  // namespace mottle::run
