// mottle/benchmarks/step_rate.cpp: cell updates per second of Mottle beside the baselines, in one run; every contestant is verified first
#include "baseline/gray_scott.h"
#include "baseline/machine.h"
#include "harness/models.h"
#include "harness/mottle_run.h"
#include "harness/race.h"
#include "harness/report.h"
#include "mottle/core/error.h"
#include "mottle/core/thread_team.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace mottle::benchmarks {
namespace {

constexpr const char* kAbout =
    "Cell updates per second (a cell update advances all fields of a cell by one step).\n"
    "sections: peers (Gray-Scott beside the baselines), variants (stencil, precision, border), models (any model against its own operation "
    "count)\n"
    "peers: a part of the names of the baselines to measure: AVX-512\n"
    "clock: wall, or processor for a machine that is busy with other things";

struct Setting {
    const Options& options;
    int rounds;
    double seconds;
    std::string device, schedule;
    Clock clock;
    std::string peers;
};

void require(bool good, const std::string& what) {
    if (good) return;
    std::fprintf(stderr, "verification failed: %s\n", what.c_str());
    std::exit(1);
}

int verification_steps(int size) { return size >= 4096 ? 20 : 67; }

// ---- peers

/// What the f32 contestants must equal to the last bit, after verification_steps().
Fields naive_result(const GrayScott& model, const Fields& start) {
    const auto naive = make_naive(model, start);
    naive->advance(verification_steps(start.width));
    Fields result(start.width, start.height);
    naive->read(result);
    return result;
}

Entry entry_of(std::string name, int threads, int step_unit, std::shared_ptr<Contestant> contestant) {
    return {std::move(name), threads, step_unit, [contestant = std::move(contestant)](int steps) { contestant->advance(steps); }, {}};
}

void verify_peer(const std::string& name, Contestant& contestant, const Fields& want, bool bitwise) {
    contestant.advance(verification_steps(want.width));
    Fields got(want.width, want.height);
    contestant.read(got);
    const Comparison result = compare(got, want);
    require(result.finite && result.varying, name + ": the fields are not finite or do not vary");
    require(bitwise ? result.bitwise : result.difference < 2e-5,
            name + format(": differs from the naive loop by up to %g", result.difference));
}

/// Cell updates per second of the NumPy program, or 0 where there is no NumPy.
double numpy_rate(const Setting& setting, int size) {
    for (const char* python : {"python3", "/usr/bin/python3"}) {
        const std::string command = format("%s '%s/benchmarks/baseline/numpy_gray_scott.py' %d %g %s 2>/dev/null", python,
                                           MOTTLE_SOURCE_DIR, size, setting.seconds, setting.clock == Clock::processor ? "processor" : "");
        std::FILE* pipe = popen(command.c_str(), "r");
        if (pipe == nullptr) continue;
        double rate = 0;
        const bool read = std::fscanf(pipe, "%lf", &rate) == 1;
        if (pclose(pipe) == 0 && read) return rate;
    }
    return 0;
}

std::string shape(const WavefrontOptions& options) {
    return format("T = %d, R = %d, %s%s", options.steps, options.rows, options.strip == 0 ? "whole rows" : "strips",
                  options.prefetch > 0 ? ", prefetch" : "");
}

std::vector<Entry> make_peers(const Setting& setting, int size, const std::vector<int>& threads) {
    const GrayScott model;
    const Fields start = initial_fields(size, size), want = naive_result(model, start);
    std::vector<Entry> entries;
    const auto enter = [&](const std::string& name, int count, int unit, std::shared_ptr<Contestant> contestant, bool bitwise) {
        if (!contestant || name.find(setting.peers) == std::string::npos) return;
        verify_peer(name, *contestant, want, bitwise);
        entries.push_back(entry_of(name, count, unit, std::move(contestant)));
    };
    enter("naive, modulo", 1, 1, make_naive(model, start), true);
    enter("array operations, f64", 1, 1, make_array_operations(model, start), false);
    for (const int count : threads) {
        enter("one pass per step", count, 2, make_one_pass(model, start, count), true);
        for (const Vectors vectors : {Vectors::avx2, Vectors::avx512}) {
            if (size / count < 16) continue;
            const std::string isa = vectors == Vectors::avx2 ? "AVX2" : "AVX-512";
            WavefrontOptions best = best_options(size, size, count, vectors), plain = best;
            plain.strip = plain.prefetch = 0;
            if (vectors == Vectors::avx512)
                enter("wavefront by hand, " + isa + ", " + shape(plain), count, plain.steps, make_wavefront(model, start, count, plain),
                      true);
            if (vectors == Vectors::avx2 || best.strip != 0 || best.prefetch != 0) {
                enter("wavefront by hand, " + isa + ", " + shape(best), count, best.steps, make_wavefront(model, start, count, best), true);
            }
        }
        const auto mottle = std::make_shared<MottleRun>(Job{.model = gray_scott_text(model),
                                                            .settings = square(size),
                                                            .threads = count,
                                                            .device = setting.device,
                                                            .schedule = setting.schedule});
        mottle->write(start);
        mottle->advance(verification_steps(size));
        Fields got(size, size);
        mottle->read(got);
        const Comparison result = compare(got, want);
        require(result.bitwise && result.finite && result.varying,
                format("Mottle on %d threads differs from the naive loop by up to %g", count, result.difference));
        entries.push_back({"Mottle", count, 32, [mottle](int steps) { mottle->launch(steps); }, {}});
    }
    return entries;
}

void peers(const Setting& setting, Json& results) {
    const std::vector<int> threads = setting.options.integers("threads");
    std::printf(
        "\n== Gray-Scott, f32, 5-point, periodic, 14 operations; Mcell/s, median of %d rounds; all but the two f64 lines equal to the last "
        "bit\n",
        setting.rounds);
    for (const int size : setting.options.integers("sizes")) {
        std::vector<Entry> entries = make_peers(setting, size, threads);
        race(entries, setting.rounds, setting.seconds, setting.clock);
        const double cells = static_cast<double>(size) * size;
        if (const double rate = setting.peers.empty() ? numpy_rate(setting, size) : 0; rate > 0) {
            entries.insert(entries.begin() + 2, Entry{"NumPy, f64", 1, 1, {}, {cells / rate}});
        }
        // The line that all targets are ratios to: the hand-written loop in its plain shape, on as many threads.
        const auto reference = [&](int count) {
            for (const Entry& entry : entries) {
                if (entry.threads == count && entry.name.find("AVX-512") != std::string::npos) return seconds_per_step(entry);
            }
            for (const Entry& entry : entries) {
                if (entry.threads == count && entry.name.find("AVX2") != std::string::npos) return seconds_per_step(entry);
            }
            return 0.0;
        };
        std::printf("\n");
        Table table({format("%d x %d", size, size), "threads", "Mcell/s", "to the wavefront by hand", "low", "high"});
        for (const Entry& entry : entries) {
            const double own = seconds_per_step(entry), other = reference(entry.threads);
            const auto [low, high] = std::minmax_element(entry.seconds_per_step.begin(), entry.seconds_per_step.end());
            table.add({entry.name, std::to_string(entry.threads), format("%.0f", cells / own / 1e6),
                       other > 0 ? format("%.3f", other / own) : "-", format("%.0f", cells / *high / 1e6),
                       format("%.0f", cells / *low / 1e6)});
            results.add(Json::object()
                            .set("section", "peers")
                            .set("name", entry.name)
                            .set("size", size)
                            .set("threads", entry.threads)
                            .set("cells_per_second", cells / own)
                            .set("ratio", other / own));
        }
        table.print();
    }
}

// ---- Mottle against itself

struct Run {
    std::string name;
    std::shared_ptr<MottleRun> run;
};

/// Measures runs at `size` and returns seconds per step.
std::vector<double> measure(const Setting& setting, const std::vector<Run>& runs) {
    std::vector<Entry> entries;
    for (const Run& item : runs) {
        item.run->advance(64);
        require(item.run->alive(), item.name + ": the fields are not finite or do not vary");
        entries.push_back({item.name, 1, 32, [run = item.run](int steps) { run->launch(steps); }, {}});
    }
    race(entries, setting.rounds, setting.seconds, setting.clock);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        require(runs[i].run->alive(), runs[i].name + ": the fields are not finite or do not vary any more");
        seconds.push_back(seconds_per_step(entries[i]));
    }
    return seconds;
}

void variants(const Setting& setting, Json& results) {
    const int threads = setting.options.integers("threads").front();
    std::printf("\n== Gray-Scott, variants, %d thread(s); Mcell/s and ratio to the first line of the same size\n", threads);
    for (const int size : setting.options.integers("sizes")) {
        const auto make = [&](std::string name, const std::string& settings, bool clamp = false) {
            return Run{std::move(name), std::make_shared<MottleRun>(Job{.model = gray_scott_text({}, clamp),
                                                                        .settings = settings,
                                                                        .threads = threads,
                                                                        .device = setting.device,
                                                                        .schedule = setting.schedule})};
        };
        const std::string all_sides = "[boundary]\nleft = '%s'\nright = '%s'\ntop = '%s'\nbottom = '%s'\n";
        const auto border = [&](const char* rule) { return square(size) + format(all_sides.c_str(), rule, rule, rule, rule); };
        std::vector<Run> runs;
        runs.push_back(make("5-point, f32, periodic", square(size)));
        runs.push_back(make("9-point", square(size, "stencil = '9'")));
        runs.push_back(make("no-flux", border("no-flux")));
        runs.push_back(make("value(0.3)", border("value(0.3)")));
        runs.push_back(make("outside(0.2)", border("outside(0.2)")));
        runs.push_back(make("clamp to 0..1", square(size), true));
        runs.push_back(make("f64", square(size) + "[method]\nprecision = 'f64'\n"));
        runs.push_back(make("f64, 9-point", square(size, "stencil = '9'") + "[method]\nprecision = 'f64'\n"));
        const std::vector<double> seconds = measure(setting, runs);
        const double cells = static_cast<double>(size) * size;
        std::printf("\n");
        Table table({format("%d x %d", size, size), "operations", "Mcell/s", "ratio", "schedule"});
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const int operations = runs[i].run->operations();
            table.add({runs[i].name, std::to_string(operations), format("%.0f", cells / seconds[i] / 1e6),
                       format("%.3f", seconds[0] / seconds[i]), runs[i].run->schedule()});
            results.add(Json::object()
                            .set("section", "variants")
                            .set("name", runs[i].name)
                            .set("size", size)
                            .set("threads", threads)
                            .set("operations", operations)
                            .set("cells_per_second", cells / seconds[i])
                            .set("ratio", seconds[0] / seconds[i])
                            .set("schedule", runs[i].run->schedule()));
        }
        table.print();
    }
}

// ---- any model

void models(const Setting& setting, Json& results) {
    struct Case {
        const char* name;
        const char* model;
        const char* preset;
        double target;
    };
    constexpr std::array<Case, 5> cases = {{{"brusselator", "brusselator", "stripes", 0.9},
                                            {"barkley", "barkley", "spiral", 0.9},
                                            {"three species (text)", kThreeSpecies, "", 0.9},
                                            {"exp and tanh (text)", kExpTanh, "", 0.9},
                                            {"Swift-Hohenberg, held stage (text)", kSwiftHohenberg, "", 0.85}}};
    const int threads = setting.options.integers("threads").front();
    std::printf(
        "\n== any model, f32, 5-point, periodic, %d thread(s): cells/s x operations, as a share of what Gray-Scott reaches at that size\n",
        threads);
    for (const int size : setting.options.integers("sizes")) {
        const auto make = [&](const char* name, const std::string& model, const char* preset) {
            std::string settings = square(size);
            for (const char* side : {"left", "right", "top", "bottom"})
                settings += (settings.find("[boundary]") == std::string::npos ? "[boundary]\n" : "") + format("%s = 'periodic'\n", side);
            return Run{name, std::make_shared<MottleRun>(Job{.model = model,
                                                             .preset = preset,
                                                             .settings = settings,
                                                             .threads = threads,
                                                             .device = setting.device,
                                                             .schedule = setting.schedule})};
        };
        std::vector<Run> runs = {make("Gray-Scott", gray_scott_text({}), "")};
        for (const Case& one : cases) runs.push_back(make(one.name, one.model, one.preset));
        const std::vector<double> seconds = measure(setting, runs);
        const double cells = static_cast<double>(size) * size;
        std::printf("\n");
        Table table({format("%d x %d", size, size), "operations", "Mcell/s", "share", "target", "schedule"});
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const int operations = runs[i].run->operations();
            const double share = operations / seconds[i] * seconds[0] / runs[0].run->operations();
            table.add({runs[i].name, std::to_string(operations), format("%.0f", cells / seconds[i] / 1e6), format("%.3f", share),
                       i == 0 ? "-" : format("%.2f", cases[i - 1].target), runs[i].run->schedule()});
            results.add(Json::object()
                            .set("section", "models")
                            .set("name", runs[i].name)
                            .set("size", size)
                            .set("threads", threads)
                            .set("operations", operations)
                            .set("cells_per_second", cells / seconds[i])
                            .set("share", share)
                            .set("schedule", runs[i].run->schedule()));
        }
        table.print();
    }
}

int run(int count, char** words) {
    const int cores = core::available_cores();
    const Options options(count, words, kAbout,
                          {{"sizes", "512,1024,4096,8192"},
                           {"threads", cores > 1 ? std::to_string(cores) + ",1" : "1"},
                           {"rounds", "5"},
                           {"seconds", "0.3"},
                           {"sections", "peers,variants,models"},
                           {"peers", ""},
                           {"device", "auto"},
                           {"schedule", ""},
                           {"clock", "wall"}});
    if (!available(Vectors::avx2)) {
        std::fprintf(
            stderr,
            "the baselines need a CPU with AVX2 and FMA; this one (or this build) has none. 'mottle bench' measures Mottle alone.\n");
        return 4;
    }
    if (!available(Vectors::avx512))
        std::printf("This CPU has no AVX-512: the hand-written wavefront runs with AVX2, and ratios are to that.\n");
    const Setting setting{options,
                          static_cast<int>(options.number("rounds")),
                          options.number("seconds"),
                          options.text("device"),
                          options.text("schedule"),
                          options.text("clock") == "processor" ? Clock::processor : Clock::wall,
                          options.text("peers")};
    Json results = Json::array();
    const std::string sections = options.text("sections");
    if (sections.find("peers") != std::string::npos) peers(setting, results);
    if (sections.find("variants") != std::string::npos) variants(setting, results);
    if (sections.find("models") != std::string::npos) models(setting, results);
    options.write(provenance("step_rate", setting.device, options.integers("threads").front())
                      .set("rounds", setting.rounds)
                      .set("clock", options.text("clock"))
                      .set("results", results));
    return 0;
}

}  // namespace

int benchmark(int count, char** words) { return guarded(run, count, words); }

}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::benchmark(count, words); }
