// mottle/benchmarks/compile_time.cpp: from model text to the first step, in a fresh process each time: cold kernel cache, warm kernel cache
#include "baseline/machine.h"
#include "harness/models.h"
#include "harness/mottle_run.h"
#include "harness/report.h"
#include "mottle/core/error.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <sys/wait.h>
#include <unistd.h>

namespace mottle::benchmarks {
namespace {

/// Milliseconds.
struct Times {
    double total = 0, compile = 0, initial = 0;
    bool alive = false;
};

/// In a child, so that LLVM and the module are opened anew: they stay open for the life of a process.
Times measure(const Job& job) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw core::InternalError("no pipe for the measuring process");
    const pid_t child = fork();
    if (child < 0) throw core::InternalError("no measuring process");
    if (child == 0) {
        Times times;
        int code = 1;
        try {
            const double start = seconds_now();
            MottleRun run(job);
            run.advance(1);
            times.total = (seconds_now() - start) * 1e3;
            times.compile = run.simulation().timings().compile * 1e3;
            times.initial = run.simulation().timings().initial * 1e3;
            times.alive = run.alive();
            code = write(ends[1], &times, sizeof times) == static_cast<ssize_t>(sizeof times) ? 0 : 1;
        } catch (const core::Error& error) {
            std::fprintf(stderr, "%s\n", error.what());
        }
        _exit(code);
    }
    close(ends[1]);
    Times times;
    const bool read_all = read(ends[0], &times, sizeof times) == static_cast<ssize_t>(sizeof times);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!read_all || status != 0) throw core::InternalError("the measuring process failed");
    if (!times.alive) throw core::InternalError("verification failed: the fields are not finite or do not vary");
    return times;
}

struct Medians {
    double total, compile, initial;
};
Medians medians(const std::vector<Times>& times) {
    std::vector<double> total, compile, initial;
    for (const Times& one : times) {
        total.push_back(one.total);
        compile.push_back(one.compile);
        initial.push_back(one.initial);
    }
    return {median(total), median(compile), median(initial)};
}

/// Wall milliseconds of the program itself, one step and no output, or 0 where it is not built.
double program_time(const std::filesystem::path& folder, const std::string& cache, const std::string& model, int size) {
    const std::filesystem::path program = std::filesystem::path(MOTTLE_BUILD_DIR) / "bin" / "mottle";
    if (!std::filesystem::exists(program)) return 0;
    const std::filesystem::path file = folder / "model.toml";
    std::ofstream(file) << model;
    const std::string command = format("XDG_CACHE_HOME='%s' timeout 20 '%s' run '%s' --size %dx%d --steps 1 --quiet >/dev/null 2>&1",
                                       cache.c_str(), program.c_str(), file.c_str(), size, size);
    const double start = seconds_now();
    const int status = std::system(command.c_str());
    return status == 0 ? (seconds_now() - start) * 1e3 : 0;
}

int run(int count, char** words) {
    const Options options(
        count, words,
        "Model text to the first step, in milliseconds, median of fresh processes: text, equations, kernel, initial state, one step.",
        {{"rounds", "7"}, {"sizes", "64,512"}, {"threads", "2"}});
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / format("mottle-bench-%d", static_cast<int>(getpid()));
    const std::filesystem::path cache = folder / "cache";
    struct Case {
        const char* name;
        std::string model;
    };
    const std::array<Case, 4> cases = {{{"Gray-Scott", gray_scott_text({})},
                                        {"three species", kThreeSpecies},
                                        {"exp and tanh", kExpTanh},
                                        {"Swift-Hohenberg", kSwiftHohenberg}}};
    const int threads = options.integers("threads").front(), rounds = static_cast<int>(options.number("rounds"));
    Json results = Json::array();
    Table table(
        {"model", "size", "no cache", "of that kernel", "cold cache", "warm cache", "of that kernel", "initial state", "program, warm"});
    for (const Case& one : cases) {
        for (const int size : options.integers("sizes")) {
            std::vector<Times> none, cold, warm;
            std::vector<double> program;
            for (int round = 0; round < rounds; ++round) {
                Job job{.model = one.model, .settings = square(size), .threads = threads};
                none.push_back(measure(job));
                std::filesystem::remove_all(folder);
                std::filesystem::create_directories(cache);
                std::filesystem::permissions(cache, std::filesystem::perms::owner_all);
                job.cache = cache.string();
                cold.push_back(measure(job));
                warm.push_back(measure(job));
                program_time(folder, cache.string(), one.model, size);
                program.push_back(program_time(folder, cache.string(), one.model, size));
            }
            const Medians a = medians(none), b = medians(cold), c = medians(warm);
            table.add({one.name, std::to_string(size), format("%.1f", a.total), format("%.1f", a.compile), format("%.1f", b.total),
                       format("%.1f", c.total), format("%.2f", c.compile), format("%.1f", c.initial),
                       median(program) > 0 ? format("%.1f", median(program)) : "-"});
            results.add(Json::object()
                            .set("model", one.name)
                            .set("size", size)
                            .set("none_ms", a.total)
                            .set("cold_ms", b.total)
                            .set("warm_ms", c.total)
                            .set("kernel_ms", a.compile)
                            .set("warm_kernel_ms", c.compile)
                            .set("initial_ms", c.initial)
                            .set("program_ms", median(program)));
        }
    }
    std::filesystem::remove_all(folder);
    table.print();
    std::printf("targets: 30 ms without a cached kernel, 5 ms with one\n");
    options.write(provenance("compile_time", "auto", threads).set("results", results));
    return 0;
}

}  // namespace

int benchmark(int count, char** words) { return guarded(run, count, words); }

}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::benchmark(count, words); }
