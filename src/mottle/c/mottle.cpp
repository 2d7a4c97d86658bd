// mottle/c/mottle.cpp: the C interface on the C++ one: no exception leaves it, and every pointer is looked at
#include "mottle/c/mottle.h"

#include "mottle/core/cache_folder.h"
#include "mottle/core/error.h"
#include "mottle/core/provenance.h"
#include "mottle/core/text.h"
#include "mottle/field/cell_kinds.h"
#include "mottle/frame/canvas.h"
#include "mottle/image/png.h"
#include "mottle/run/settings/method_choice.h"
#include "mottle/run/settings/outputs.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace mottle::c {
namespace {

class CallingObserver final : public core::Observer {
   public:
    bool keep_going(core::Moment now, double rate) override { return !call || call(user, now.step, now.time, rate) != 0; }
    mottle_keep_going call = nullptr;
    void* user = nullptr;
};

core::Node document_of(const std::string& model) {
    const bool text = model.find_first_of("\n=") != std::string::npos;
    return text ? core::parse_document(model, "<model>") : model::load_document(model);
}

std::string name_of(const std::string& model) {
    if (model.find_first_of("\n=") != std::string::npos) return "model";
    return model.find('/') != std::string::npos || model.ends_with(".toml") ? std::filesystem::path(model).stem().string() : model;
}

core::Node settings_of(const char* settings) { return settings ? core::parse_document(settings, "settings") : core::Node{}; }

mottle_status status_of(const core::Error& error) {
    const int code = error.exit_code();
    for (const mottle_status known : {MOTTLE_MODEL_ERROR, MOTTLE_INPUT_ERROR, MOTTLE_DEVICE_ERROR, MOTTLE_OUTPUT_ERROR, MOTTLE_STOPPED}) {
        if (code == known) return known;
    }
    return MOTTLE_INTERNAL_ERROR;
}

/// The status of `work`, which returns one; what it throws becomes `message`.
template <class Work>
mottle_status guarded(std::string& message, const Work& work) {
    try {
        return work();
    } catch (const core::Error& error) {
        message = error.what();
        return status_of(error);
    } catch (const std::bad_alloc&) {
        message = "out of memory; take a smaller size";
        return MOTTLE_DEVICE_ERROR;
    } catch (const std::exception& error) {
        message = std::string("unexpected: ") + error.what();
        return MOTTLE_INTERNAL_ERROR;
    }
}

}  // namespace
}  // namespace mottle::c

struct mottle_simulation {
    mottle_simulation(const std::string& model, const std::string& preset, const char* settings) {
        mottle::run::Spec spec =
            mottle::run::read_spec(mottle::c::document_of(model), mottle::c::name_of(model), preset, mottle::c::settings_of(settings));
        mottle::run::keep_to_steps(spec);
        team = std::make_unique<mottle::core::ThreadTeam>(spec.threads > 0 ? spec.threads : mottle::core::available_cores());
        context = std::make_unique<mottle::core::Context>(mottle::core::Context{*team, observer, mottle::core::cache_folder()});
        simulation = std::make_unique<mottle::run::Simulation>(std::move(spec), *context);
        names = std::as_const(*simulation).field().names();
    }

    mottle::field::Field& field() { return simulation->field(); }
    const mottle::domain::Domain& domain() const { return simulation->spec().domain; }

    mottle::c::CallingObserver observer;
    std::unique_ptr<mottle::core::ThreadTeam> team;
    std::unique_ptr<mottle::core::Context> context;
    std::unique_ptr<mottle::run::Simulation> simulation;
    std::vector<std::string> names;
    std::string message;
};

namespace mottle::c {
namespace {

template <class Work>
mottle_status call(mottle_simulation* simulation, const Work& work) {
    if (!simulation) return MOTTLE_INPUT_ERROR;
    return guarded(simulation->message, [&] {
        work(*simulation);
        return MOTTLE_OK;
    });
}

void require(bool holds, const std::string& what) {
    if (!holds) throw core::InputError(what);
}

ir::Array array_of(const mottle_simulation& simulation, std::int32_t field) {
    require(field >= 0 && field < std::ssize(simulation.names), "there is no field " + std::to_string(field) + "; the model has " +
                                                                    std::to_string(simulation.names.size()) + ", counted from 0");
    return field;
}

template <class Real>
std::span<Real> span_of(Real* cells, std::int64_t count, std::int64_t wanted) {
    require(cells != nullptr, "the array is NULL");
    require(count == wanted, "the array has room for " + core::grouped(count) + " numbers, and " + core::grouped(wanted) + " are needed");
    return {cells, static_cast<std::size_t>(count)};
}

void require_row(const mottle_simulation& simulation, std::int64_t row) {
    require(row >= 0 && row < domain::row_count(simulation.domain()), "there is no row " + core::grouped(row) + "; the " +
                                                                          domain::describe(simulation.domain()) + " has " +
                                                                          core::grouped(domain::row_count(simulation.domain())));
}

/// The places of `cells` in the list, by row.
std::map<core::Index, std::vector<std::size_t>> by_rows(const mottle_simulation& simulation, std::span<const std::int64_t> cells) {
    std::map<core::Index, std::vector<std::size_t>> rows;
    const core::Index count = domain::cell_count(simulation.domain()), length = domain::row_length(simulation.domain());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        require(cells[i] >= 0 && cells[i] < count, "there is no cell " + core::grouped(cells[i]) + "; the " +
                                                       domain::describe(simulation.domain()) + " has " + core::grouped(count));
        rows[cells[i] / length].push_back(i);
    }
    return rows;
}

/// The rows of these cells, as they are.
std::map<core::Index, std::vector<double>> read_rows(mottle_simulation& simulation, ir::Array array,
                                                     const std::map<core::Index, std::vector<std::size_t>>& places) {
    std::map<core::Index, std::vector<double>> rows;
    for (const auto& [row, cells] : places) {
        std::vector<double>& values = rows[row];
        values.resize(core::at(domain::row_length(simulation.domain())));
        simulation.field().kernel().read_row(simulation.field().state(), array, row, std::span<double>(values));
    }
    return rows;
}

/// Throws: InputError at what the run's precision cannot hold as a finite number.
void require_finite(const mottle_simulation& simulation, std::span<const double> cells) {
    const double bound = field::bound_of(simulation.simulation->spec().method.f64);
    for (const double x : cells) require(std::abs(x) < bound, "a cell cannot be " + core::number_text(x) + "; values must be finite");
}

}  // namespace

// Functions of C are the same in every namespace.
extern "C" {

int32_t mottle_c_version(void) { return MOTTLE_C_MAJOR * 1000 + MOTTLE_C_MINOR; }

const char* mottle_version(void) {
    static const std::string version = core::version();
    return version.c_str();
}

mottle_status mottle_create(const char* model, const char* preset, const char* settings, mottle_simulation** simulation, char* message,
                            int64_t message_size) {
    std::string wrong;
    const mottle_status status = guarded(wrong, [&] {
        require(simulation != nullptr, "the place for the handle is NULL");
        *simulation = nullptr;
        require(model != nullptr, "the model is NULL");
        *simulation = new mottle_simulation(model, preset ? preset : "", settings);
        return MOTTLE_OK;
    });
    if (message && message_size > 0) {
        const std::size_t length = std::min(wrong.size(), static_cast<std::size_t>(message_size) - 1);
        std::memcpy(message, wrong.data(), length);
        message[length] = '\0';
    }
    return status;
}

void mottle_destroy(mottle_simulation* simulation) { delete simulation; }

const char* mottle_message(const mottle_simulation* simulation) { return simulation ? simulation->message.c_str() : "the handle is NULL"; }

mottle_status mottle_observe(mottle_simulation* simulation, mottle_keep_going keep_going, void* user) {
    return call(simulation, [&](mottle_simulation& s) {
        s.observer.call = keep_going;
        s.observer.user = user;
    });
}

mottle_status mottle_advance(mottle_simulation* simulation, int64_t steps, int look) {
    if (!simulation) return MOTTLE_INPUT_ERROR;
    return guarded(simulation->message, [&] {
        run::Simulation& run = *simulation->simulation;
        require(steps >= 0 && steps <= run::kMostSteps - run.now().step,
                "a simulation cannot advance by " + core::grouped(steps) + " steps");
        const core::Index to = run.now().step + steps;
        const stepper::Outcome outcome = look ? run.advance_to(to) : run.advance_to(to + stepper::kTestInterval, steps);
        if (outcome.verdict == stepper::Verdict::stopped) simulation->message = "stopped by the caller";
        if (outcome.verdict == stepper::Verdict::diverged)
            simulation->message = "diverged: " + outcome.why + "; " + run::advice_on_divergence(run.clock_now());
        return outcome.verdict == stepper::Verdict::stopped    ? MOTTLE_STOPPED
               : outcome.verdict == stepper::Verdict::diverged ? MOTTLE_DIVERGED
                                                               : MOTTLE_OK;
    });
}

int64_t mottle_step(const mottle_simulation* simulation) { return simulation ? simulation->simulation->now().step : 0; }
double mottle_time(const mottle_simulation* simulation) { return simulation ? simulation->simulation->now().time : 0; }
double mottle_dt(const mottle_simulation* simulation) { return simulation ? simulation->simulation->dt() : 0; }

mottle_status mottle_set_parameter(mottle_simulation* simulation, const char* name, double value) {
    return call(simulation, [&](mottle_simulation& s) {
        require(name != nullptr, "the name is NULL");
        s.simulation->set_parameter(name, value);
    });
}

double mottle_stable_dt(mottle_simulation* simulation) {
    double dt = 0;
    call(simulation, [&](mottle_simulation& s) { dt = s.simulation->clock_now().stable_dt; });
    return dt;
}

mottle_status mottle_set_dt(mottle_simulation* simulation, double dt) {
    return call(simulation, [&](mottle_simulation& s) { s.simulation->set_time_step(dt); });
}

int32_t mottle_field_count(const mottle_simulation* simulation) { return simulation ? static_cast<int32_t>(simulation->names.size()) : 0; }

const char* mottle_field_name(const mottle_simulation* simulation, int32_t field) {
    const bool known = simulation && field >= 0 && field < std::ssize(simulation->names);
    return known ? simulation->names[static_cast<std::size_t>(field)].c_str() : nullptr;
}

int32_t mottle_find_field(mottle_simulation* simulation, const char* name) {
    int32_t field = -1;
    call(simulation, [&](mottle_simulation& s) {
        require(name != nullptr, "the name is NULL");
        field = s.field().find(name);
    });
    return field;
}

mottle_status mottle_size(mottle_simulation* simulation, int64_t size[3]) {
    return call(simulation, [&](mottle_simulation& s) {
        require(size != nullptr, "the array is NULL");
        const auto* grid = std::get_if<domain::Grid>(&s.domain());
        const domain::Triple sides = grid ? grid->size : domain::Triple{domain::cell_count(s.domain()), 1, 1};
        std::copy(sides.begin(), sides.end(), size);
    });
}

int64_t mottle_cell_count(const mottle_simulation* simulation) { return simulation ? domain::cell_count(simulation->domain()) : 0; }

mottle_status mottle_read_f64(mottle_simulation* simulation, int32_t field, double* cells, int64_t count) {
    return call(simulation, [&](mottle_simulation& s) {
        s.field().read(array_of(s, field), span_of(cells, count, domain::cell_count(s.domain())), *s.team);
    });
}

mottle_status mottle_read_f32(mottle_simulation* simulation, int32_t field, float* cells, int64_t count) {
    return call(simulation, [&](mottle_simulation& s) {
        s.field().read(array_of(s, field), span_of(cells, count, domain::cell_count(s.domain())), *s.team);
    });
}

mottle_status mottle_write_f64(mottle_simulation* simulation, int32_t field, const double* cells, int64_t count) {
    return call(simulation, [&](mottle_simulation& s) {
        s.field().write(array_of(s, field), span_of(cells, count, domain::cell_count(s.domain())), *s.team);
    });
}

mottle_status mottle_write_f32(mottle_simulation* simulation, int32_t field, const float* cells, int64_t count) {
    return call(simulation, [&](mottle_simulation& s) {
        s.field().write(array_of(s, field), span_of(cells, count, domain::cell_count(s.domain())), *s.team);
    });
}

mottle_status mottle_read_row(mottle_simulation* simulation, int32_t field, int64_t row, double* cells, int64_t count) {
    return call(simulation, [&](mottle_simulation& s) {
        require_row(s, row);
        const std::span<double> out = span_of(cells, count, domain::row_length(s.domain()));
        s.field().kernel().read_row(s.field().state(), array_of(s, field), row, out);
    });
}

mottle_status mottle_write_row(mottle_simulation* simulation, int32_t field, int64_t row, const double* cells, int64_t count) {
    return call(simulation, [&](mottle_simulation& s) {
        require_row(s, row);
        const std::span<const double> in = span_of(cells, count, domain::row_length(s.domain()));
        require_finite(s, in);
        s.field().kernel().write_row(s.field().state(), array_of(s, field), row, in);
    });
}

mottle_status mottle_get_cells(mottle_simulation* simulation, int32_t field, const int64_t* cells, double* values, int64_t count) {
    return call(simulation, [&](mottle_simulation& s) {
        const std::span<const int64_t> wanted = span_of(cells, count, std::max<int64_t>(count, 0));
        const std::span<double> out = span_of(values, count, count);
        const auto places = by_rows(s, wanted);
        const core::Index length = domain::row_length(s.domain());
        for (const auto& [row, held] : read_rows(s, array_of(s, field), places)) {
            for (const std::size_t i : places.at(row)) out[i] = held[core::at(wanted[i] % length)];
        }
    });
}

mottle_status mottle_add_to_cells(mottle_simulation* simulation, int32_t field, const int64_t* cells, const double* amounts,
                                  int64_t count) {
    return call(simulation, [&](mottle_simulation& s) {
        const std::span<const int64_t> wanted = span_of(cells, count, std::max<int64_t>(count, 0));
        const std::span<const double> added = span_of(amounts, count, count);
        const auto places = by_rows(s, wanted);
        const ir::Array array = array_of(s, field);
        const core::Index length = domain::row_length(s.domain());
        auto rows = read_rows(s, array, places);
        for (auto& [row, held] : rows) {
            for (const std::size_t i : places.at(row)) held[core::at(wanted[i] % length)] += added[i];
            require_finite(s, held);
        }
        for (const auto& [row, held] : rows) s.field().kernel().write_row(s.field().state(), array, row, held);
    });
}

mottle_status mottle_statistics(mottle_simulation* simulation, int32_t field, double statistics[4]) {
    return call(simulation, [&](mottle_simulation& s) {
        require(statistics != nullptr, "the array is NULL");
        const backend::Statistics of = s.field().statistics(array_of(s, field));
        const std::array<double, 4> numbers = {of.min, of.max, of.mean, of.std};
        std::copy(numbers.begin(), numbers.end(), statistics);
    });
}

mottle_status mottle_draw(mottle_simulation* simulation, const char* file, const char* settings) {
    return call(simulation, [&](mottle_simulation& s) {
        require(file != nullptr, "the file is NULL");
        require(core::lower_case(std::filesystem::path(file).extension().string()) == ".png", "the file of a picture must end in .png");
        const run::Spec& spec = s.simulation->spec();
        const run::Output picture = run::read_picture(spec.picture, settings_of(settings), spec.model, spec.domain);
        using Format = backend::Picture::Format;
        Format format = frame::still_format(picture.sink.style, spec.domain);
        if (format == Format::index) format = Format::rgb24;
        frame::Canvas canvas(picture.sink.style, s.field(), picture.sink.declared_range, format, 0, nullptr, *s.context);
        image::Image image{
            .width = canvas.size()[0], .height = canvas.size()[1], .channels = format == Format::rgba32 ? 4 : 3, .pixels = {}};
        image.pixels.resize(canvas.bytes());
        canvas.draw(s.field(), image.pixels);
        image::write_png(file, image);
    });
}

}  // extern "C"

}  // namespace mottle::c
