// mottle/benchmarks/volume_rate.cpp: cell updates per second on grids of three dimensions, beside a good plain loop; verified bit for bit first
#include "baseline/gray_scott.h"
#include "baseline/volume.h"
#include "harness/mottle_run.h"
#include "harness/race.h"
#include "harness/report.h"
#include "mottle/core/thread_team.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

namespace mottle::benchmarks {
namespace {

constexpr const char* kAbout = "Cell updates per second of Gray-Scott on cubes, f32, 7-point stencil, periodic; f64 and no-flux beside.";

std::string cube(int size, const std::string& more = "") { return format("[grid]\nsize = '%dx%dx%d'\n", size, size, size) + more; }

int run(int count, char** words) {
    const int cores = core::available_cores();
    const Options options(count, words, kAbout,
                          {{"sizes", "64,128,256,512"},
                           {"threads", cores > 1 ? std::to_string(cores) + ",1" : "1"},
                           {"rounds", "5"},
                           {"seconds", "0.5"},
                           {"schedule", ""}});
    if (!available(Vectors::avx2)) {
        std::fprintf(stderr, "the baseline needs a CPU with AVX2 and FMA\n");
        return 4;
    }
    const int rounds = static_cast<int>(options.number("rounds"));
    const double seconds = options.number("seconds");
    const GrayScott model{.dt = 0.7};
    Json results = Json::array();
    for (const int size : options.integers("sizes")) {
        std::vector<Entry> entries;
        std::vector<std::string> schedules;
        const Fields start = initial_fields(size, size * size);
        for (const int threads : options.integers("threads")) {
            const std::shared_ptr<Contestant> plain = make_volume_pass(model, start, size, threads);
            const auto mottle = [&](const std::string& more) {
                return std::make_shared<MottleRun>(Job{.model = gray_scott_text(model),
                                                       .settings = cube(size, more),
                                                       .threads = threads,
                                                       .schedule = options.text("schedule")});
            };
            const auto own = mottle("");
            const int steps = size >= 256 ? 11 : 37;
            own->write(start);
            own->advance(steps);
            plain->advance(steps);
            Fields got(size, size * size), want = got;
            own->read(got);
            plain->read(want);
            const Comparison result = compare(got, want);
            if (!result.bitwise || !result.finite || !result.varying) {
                std::fprintf(stderr, "verification failed: Mottle differs from the plain loop by up to %g\n", result.difference);
                return 1;
            }
            const auto enter = [&](const char* name, int unit, const std::string& schedule, std::function<void(int)> advance) {
                entries.push_back({name, threads, unit, std::move(advance), {}});
                schedules.push_back(schedule);
            };
            enter("one pass per step", 2, "-", [plain](int n) { plain->advance(n); });
            enter("Mottle", 8, own->schedule(), [own](int n) { own->launch(n); });
            const auto closed =
                mottle("[boundary]\nleft='no-flux'\nright='no-flux'\ntop='no-flux'\nbottom='no-flux'\nfront='no-flux'\nback='no-flux'\n");
            enter("Mottle, no-flux", 8, closed->schedule(), [closed](int n) { closed->launch(n); });
            const auto wide = mottle("[method]\nprecision = 'f64'\n");
            enter("Mottle, f64", 8, wide->schedule(), [wide](int n) { wide->launch(n); });
        }
        race(entries, rounds, seconds);
        const double cells = static_cast<double>(size) * size * size;
        std::printf("\n");
        Table table({format("%d^3", size), "threads", "Mcell/s", "to one pass", "schedule"});
        double plain = 0;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const double own = seconds_per_step(entries[i]);
            if (schedules[i] == "-") plain = own;
            table.add({entries[i].name, std::to_string(entries[i].threads), format("%.0f", cells / own / 1e6), format("%.2f", plain / own),
                       schedules[i]});
            results.add(Json::object()
                            .set("name", entries[i].name)
                            .set("size", size)
                            .set("threads", entries[i].threads)
                            .set("cells_per_second", cells / own)
                            .set("ratio", plain / own));
        }
        table.print();
    }
    options.write(provenance("volume_rate", "cpu", options.integers("threads").front()).set("rounds", rounds).set("results", results));
    return 0;
}

}  // namespace

int benchmark(int count, char** words) { return guarded(run, count, words); }

}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::benchmark(count, words); }
