// mottle/benchmarks/article.cpp: the whole jobs of the Triton article and of the Julia article, beside the figures that they print
#include "baseline/gray_scott.h"
#include "baseline/machine.h"
#include "harness/mottle_run.h"
#include "harness/report.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/core/error.h"
#include "mottle/core/thread_team.h"

#include <array>
#include <cstdio>
#include <filesystem>

#include <unistd.h>

namespace mottle::benchmarks {
namespace {

const std::string kExamples = MOTTLE_SOURCE_DIR "/examples/";

struct Setting {
    const Options& options;
    int threads, rounds;
    std::filesystem::path folder;
};

struct Observer final : core::Observer {
    void notice(const std::string&) override {}
    bool keep_going(core::Moment, double) override { return true; }
};

/// A run with its outputs, from reading the file to the closed video.
struct WholeJob {
    run::Timings timings;
    double wall = 0;
    std::uintmax_t bytes = 0;
};
WholeJob whole_job(const Setting& setting, const std::string& file, const std::string& preset, const std::string& settings) {
    const double start = seconds_now();
    Observer observer;
    core::ThreadTeam team(setting.threads);
    core::Context context{team, observer, {}};
    run::Spec spec = run::read_spec(model::load_document(file), file, preset, core::parse_document(settings, "settings.toml"));
    spec.threads = setting.threads;
    for (run::Output& output : spec.outputs) output.sink.file = setting.folder / output.sink.file.filename();
    run::Simulation simulation(std::move(spec), context);
    const stepper::Outcome outcome = simulation.run_to_end();
    WholeJob job{simulation.timings(), seconds_now() - start, 0};
    if (outcome.verdict != stepper::Verdict::reached) throw core::InternalError("the job did not reach its end: " + outcome.why);
    for (const std::filesystem::path& path : simulation.files()) job.bytes += std::filesystem::file_size(path);
    if (job.bytes == 0) throw core::InternalError("verification failed: the job wrote no video");
    return job;
}

/// Seconds that the steps take in a run without outputs.
double simulating(const Setting& setting, const std::string& file, const std::string& preset, const std::string& settings,
                  core::Index steps) {
    MottleRun run(Job{.model = file, .preset = preset, .settings = settings, .threads = setting.threads});
    const double seconds = run.advance(steps);
    if (!run.alive()) throw core::InternalError("verification failed: the fields are not finite or do not vary");
    return seconds;
}

// ---- the Triton article

void triton(const Setting& setting, Json& results) {
    std::printf(
        "\n== the Triton article: 10,000 steps (the article gives no number), 300 frames to H.264 in its palette, %d thread(s); seconds\n",
        setting.threads);
    std::printf("the article, 512 x 512: NumPy 88, Laplacian on the GPU ~47, whole step ~15.5, colours too 5.6, fused 4.67\n\n");
    Table table({"", "the article's profile", "Mottle 512 x 512", "Mottle 1024 x 1024"});
    std::vector<std::vector<double>> columns;
    for (const int size : {512, 1024}) {
        std::vector<double> simulate, draw, encode, start, wall, alone;
        const std::string settings = square(size);
        for (int round = 0; round < setting.rounds; ++round) {
            alone.push_back(simulating(setting, kExamples + "triton-article.toml", "", settings, 10000));
            const WholeJob job = whole_job(setting, kExamples + "triton-article.toml", "", settings);
            simulate.push_back(job.timings.simulate);
            draw.push_back(job.timings.draw);
            encode.push_back(job.timings.encode);
            start.push_back(job.timings.compile + job.timings.initial);
            wall.push_back(job.wall);
        }
        columns.push_back({median(simulate), median(draw), median(encode), median(start), median(wall), median(alone)});
        results.add(Json::object()
                        .set("job", "triton")
                        .set("size", size)
                        .set("simulate", columns.back()[0])
                        .set("draw", columns.back()[1])
                        .set("encode", columns.back()[2])
                        .set("start", columns.back()[3])
                        .set("wall", columns.back()[4])
                        .set("simulate_alone", columns.back()[5]));
    }
    const std::array<std::array<const char*, 2>, 6> lines = {{{"update (simulating), inside the job", "1.99 (fused ~1.1)"},
                                                              {"colour, frame buffer, waiting for the encoder", "0.69 + 0.68"},
                                                              {"video, beside the rest", "2.17"},
                                                              {"reading, compiling, initial state", "-"},
                                                              {"whole job, wall", "5.6 (fused 4.67)"},
                                                              {"simulating, without outputs", "-"}}};
    for (std::size_t i = 0; i < lines.size(); ++i) {
        table.add({lines[i][0], lines[i][1], format("%.3f", columns[0][i]), format("%.3f", columns[1][i])});
    }
    table.print();
}

/// What the article's first program would take here: its array operations for 10,000 steps, extrapolated.
void triton_baseline(Json& results) {
    for (const int size : {512, 1024}) {
        const auto arrays = make_array_operations({}, initial_fields(size, size));
        arrays->advance(2);
        const double start = seconds_now();
        arrays->advance(10);
        const double seconds = (seconds_now() - start) * 1000;
        std::printf("the article's array operations in f64 C++ on this machine, 1 thread, %d x %d, 10,000 steps: %.0f s (from 10 steps)\n",
                    size, size, seconds);
        results.add(Json::object().set("job", "triton, array operations").set("size", size).set("simulate", seconds));
    }
}

// ---- the Julia article

struct Published {
    int size;
    double gpu_ms, cpu_ms;  ///< per 100 steps
};
constexpr std::array<Published, 6> kJulia = {
    {{32, 6.901, 30.266}, {64, 7.279, 107.448}, {128, 10.888, 421.888}, {256, 25.906, 1616}, {512, 75.254, 8597}, {1024, 223.983, 74169}}};

void julia(const Setting& setting, Json& results) {
    std::printf("\n== the Julia article: milliseconds per 100 steps, its kernel and border, f32, %d thread(s)\n\n", setting.threads);
    Table table({"size", "its GPU (RTX 2080 Ti)", "its CPU (i9-7900X)", "Mottle", "to its GPU", "to its CPU"});
    for (const Published& published : kJulia) {
        MottleRun run(Job{
            .model = kExamples + "julia-article.toml", .preset = "gamma", .settings = square(published.size), .threads = setting.threads});
        std::vector<double> times;
        double total = 0;
        run.advance(100);
        while (total < 0.3 || times.size() < 5) {  // 100 steps at a time, as the article's programs do
            const double start = seconds_now();
            run.advance(100);
            times.push_back((seconds_now() - start) * 1e3);
            total += times.back() * 1e-3;
        }
        if (!run.alive()) throw core::InternalError("verification failed: the fields are not finite or do not vary");
        const double own = median(times);
        table.add({std::to_string(published.size), format("%.3f", published.gpu_ms), format("%.1f", published.cpu_ms), format("%.3f", own),
                   format("%.1f x", published.gpu_ms / own), format("%.0f x", published.cpu_ms / own)});
        results.add(Json::object()
                        .set("job", "julia")
                        .set("size", published.size)
                        .set("ms_per_100_steps", own)
                        .set("published_gpu_ms", published.gpu_ms)
                        .set("published_cpu_ms", published.cpu_ms));
    }
    table.print();
}

void sigma(const Setting& setting, Json& results) {
    const std::string file = kExamples + "julia-article.toml";
    const bool full = setting.options.flag("full");
    std::printf("\nSigma, 1024 x 1024, 100,000 steps (the article: over 20 hours on its CPU, under 5 minutes on its GPU): ");
    if (full) {
        const WholeJob job = whole_job(setting, file, "sigma", "");
        std::printf("%.2f s, of which simulating %.2f s, with its 200 frames as H.264\n", job.wall, job.timings.simulate);
        results.add(Json::object().set("job", "sigma").set("wall", job.wall).set("simulate", job.timings.simulate));
        return;
    }
    std::vector<double> seconds;
    for (int round = 0; round < setting.rounds; ++round) seconds.push_back(simulating(setting, file, "sigma", "", 2000) * 50);
    std::printf("simulating %.2f s, extrapolated from 2,000 steps (--full runs it)\n", median(seconds));
    results.add(Json::object().set("job", "sigma").set("simulate_extrapolated", median(seconds)));
}

int run(int count, char** words) {
    const Options options(
        count, words, "The whole jobs of the two articles beside their figures.",
        {{"threads", std::to_string(core::available_cores())}, {"rounds", "3"}, {"jobs", "triton,julia,sigma"}, {"full", "no"}});
    const Setting setting{options, options.integers("threads").front(), static_cast<int>(options.number("rounds")),
                          std::filesystem::temp_directory_path() / format("mottle-bench-%d", static_cast<int>(getpid()))};
    std::filesystem::create_directories(setting.folder);
    Json results = Json::array();
    const std::string& jobs = options.text("jobs");
    if (jobs.find("triton") != std::string::npos) {
        triton(setting, results);
        triton_baseline(results);
    }
    if (jobs.find("julia") != std::string::npos) julia(setting, results);
    if (jobs.find("sigma") != std::string::npos) sigma(setting, results);
    std::filesystem::remove_all(setting.folder);
    options.write(provenance("article", "auto", setting.threads).set("results", results));
    return 0;
}

}  // namespace

int benchmark(int count, char** words) { return guarded(run, count, words); }

}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::benchmark(count, words); }
