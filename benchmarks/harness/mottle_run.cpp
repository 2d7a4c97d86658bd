// mottle/benchmarks/harness/mottle_run.cpp: Mottle as a contestant
#include "harness/mottle_run.h"

#include "harness/report.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/core/error.h"
#include "mottle/device/registry.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>

namespace mottle::benchmarks {

struct MottleRun::Quiet final : core::Observer {
    void notice(const std::string&) override {}
    bool keep_going(core::Moment, double) override { return true; }
};

std::string gray_scott_text(const GrayScott& model, bool clamp) {
    return "[equations]\nu = 'Du*lap(u) - u*v^2 + F*(1 - u)'\nv = 'Dv*lap(v) + u*v^2 - (F + k)*v'\n" +
           format("[parameters]\nDu = %.17g\nDv = %.17g\nF = %.17g\nk = %.17g\n", model.du, model.dv, model.feed, model.kill) +
           "[initial]\nu = '1 - 0.5*box(0.25, 0.25, 0.75, 0.6) - noise(0, 0.05)'\nv = '0.25*box(0.25, 0.25, 0.75, 0.6) + noise(0, "
           "0.05)'\n" +
           format("[time]\ndt = %.17g\n", model.dt) + (clamp ? "[clamp]\nu = [0, 1]\nv = [0, 1]\n" : "");
}

std::string square(int size, const std::string& more) { return format("[grid]\nsize = '%dx%d'\n", size, size) + more + "\n"; }

MottleRun::MottleRun(const Job& job)
    : observer_(std::make_unique<Quiet>()),
      team_(std::make_unique<core::ThreadTeam>(job.threads)),
      context_(std::make_unique<core::Context>(core::Context{*team_, *observer_, job.cache})) {
    const bool is_text = job.model.find('\n') != std::string::npos;
    const core::Node document = is_text ? core::parse_document(job.model, "model.toml") : model::load_document(job.model);
    run::Spec spec =
        run::read_spec(document, is_text ? "model" : job.model, job.preset, core::parse_document(job.settings, "settings.toml"));
    spec.device = job.device;
    spec.threads = job.threads;
    spec.outputs.clear();
    if (!job.schedule.empty()) spec.schedule = backend::parse_schedule(job.schedule, device::schedule_family(spec.device, spec.domain));
    simulation_ = std::make_unique<run::Simulation>(std::move(spec), *context_);
    std::vector<double> inputs;
    for (const std::string& name : simulation_->kernel().program().inputs) {
        inputs.push_back(name == "dt" ? simulation_->dt() : 0);
        for (const model::Parameter& parameter : simulation_->spec().model.parameters) {
            if (parameter.name == name) inputs.back() = parameter.value;
        }
    }
    uniforms_ = ir::evaluate_uniforms(simulation_->kernel().program(), inputs);
}

MottleRun::~MottleRun() = default;

double MottleRun::advance(core::Index steps) {
    const double before = simulation_->timings().simulate;
    const stepper::Outcome outcome = simulation_->advance_to(simulation_->now().step + steps);
    if (outcome.verdict != stepper::Verdict::reached) throw core::InternalError("a benchmark's run did not reach its end: " + outcome.why);
    return simulation_->timings().simulate - before;
}

void MottleRun::launch(core::Index steps) {
    field::Field& field = simulation_->field();
    field.kernel().advance(field.state(), simulation_->now().step + launched_, steps, {uniforms_, static_cast<int>(uniforms_.size())});
    launched_ += steps;
}

void MottleRun::write(const Fields& fields) {
    field::Field& field = simulation_->field();
    const auto width = static_cast<std::size_t>(fields.width);
    std::vector<double> row(width);
    for (ir::Array array = 0; array < 2; ++array) {
        const float* from = array == 0 ? fields.u.data() : fields.v.data();
        for (int y = 0; y < fields.height; ++y, from += width) {
            std::copy_n(from, width, row.begin());
            field.kernel().write_row(field.state(), array, y, row);
        }
    }
}

void MottleRun::read(Fields& fields) {
    field::Field& field = simulation_->field();
    const auto width = static_cast<std::size_t>(fields.width);
    for (ir::Array array = 0; array < 2; ++array) {
        float* to = array == 0 ? fields.u.data() : fields.v.data();
        for (int y = 0; y < fields.height; ++y, to += width) field.kernel().read_row(field.state(), array, y, std::span<float>(to, width));
    }
}

bool MottleRun::alive() {
    bool varying = false;
    for (const std::string& name : simulation_->field().names()) {
        const backend::Statistics statistics = simulation_->field().statistics(simulation_->field().find(name));
        if (statistics.first_bad >= 0) return false;
        varying = varying || statistics.std > 1e-6 * std::max(std::abs(statistics.max), std::abs(statistics.min));
    }
    return varying;
}

int MottleRun::operations() const { return simulation_->kernel().operations_per_cell().value_or(0); }

std::string MottleRun::schedule() const { return backend::print(simulation_->kernel().schedule()); }
std::string MottleRun::device() const { return simulation_->backend().description(); }

}  // namespace mottle::benchmarks
