// mottle/benchmarks/stabilised.cpp: seconds to a given error of rkl1 and rkl2 beside Euler's method, on planes and meshes; verified first
#include "baseline/schnakenberg.h"
#include "harness/mottle_run.h"
#include "harness/race.h"
#include "harness/report.h"
#include "mottle/core/error.h"
#include "mottle/core/thread_team.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <sstream>

namespace mottle::benchmarks {
namespace {

constexpr const char* kAbout =
    "Stabilised methods beside Euler's.\n"
    "sections: error (Schnakenberg's model, diffusion 1 and --diffusion, to t = --end on a plane of --size cells, a multiple of 64: "
    "seconds and errors of --ways,\n"
    "which are method:stages:steps, Euler's first, 0 stages: as many as the step needs), rates (a stage\n"
    "beside a step of Euler's, Gray-Scott on planes of --sizes), meshes (time of Gray-Scott that a second computes on the files of "
    "--meshes, with dt 1, that\n"
    "of planes, beside Euler's stable dt). --schedule is that of the stages in rates";

constexpr int kTile = 64;

struct Way {
    std::string method;
    int stages, steps;
};
constexpr const char* kWays = "euler:1:5100,rkl1:9:114,rkl1:16:43,rkl2:13:114,rkl2:29:24,sts1:18:34,sts2:32:20";

/// "euler:1:5100,rkl1:9:114"
std::vector<Way> ways_of(const std::string& text) {
    std::vector<Way> ways;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        const std::size_t first = word.find(':'), second = word.find(':', first + 1);
        if (second == std::string::npos) throw core::InputError("'" + word + "' is no method:stages:steps");
        ways.push_back({word.substr(0, first), std::stoi(word.substr(first + 1, second - first - 1)), std::stoi(word.substr(second + 1))});
    }
    if (ways.empty()) throw core::InputError("--ways has none");
    return ways;
}

struct Stiffness {
    double diffusion, end;
};

/// The waves of a tile, repeated.
std::string schnakenberg_text(int size, double diffusion) {
    const std::string k = std::to_string(size / kTile);
    const std::string waves =
        "0.05*(cos(2*pi*" + k + "*(3*X + Y)) + cos(2*pi*" + k + "*(2*Y - X) + 0.4*pi) + cos(2*pi*" + k + "*(4*X - 3*Y)))";
    return "[equations]\nu = 'lap(u) + 0.1 - u + u^2*v'\nv = '" + format("%.17g", diffusion) +
           "*lap(v) + 0.9 - u^2*v'\n[initial]\nu = '1 + " + waves + "'\nv = '0.9 + " + waves + "'\n";
}

std::string settings_of(const Way& way, double dt) {
    std::string text = "[method]\nname = '" + way.method + "'\n";
    if (way.stages > 1) text += "stages = " + std::to_string(way.stages) + "\n";
    return text + format("[time]\ndt = %.17g\n", dt);
}

/// Of field u in the first tile, root mean square over the deviation.
double error_of(MottleRun& run, int size, const SchnakenbergState& exact) {
    Fields got(size, size);
    run.read(got);
    const auto count = static_cast<double>(exact.u.size());
    const double mean = std::accumulate(exact.u.begin(), exact.u.end(), 0.0) / count;
    double sum = 0, squares = 0;
    for (int y = 0; y < kTile; ++y) {
        for (int x = 0; x < kTile; ++x) {
            const double want = exact.u[static_cast<std::size_t>(y * kTile + x)];
            const double off = static_cast<double>(got.u[static_cast<std::size_t>(y * size + x)]) - want;
            sum += off * off;
            squares += (want - mean) * (want - mean);
        }
    }
    return std::sqrt(sum / squares);
}

Json errors(int size, const Stiffness& of, const std::vector<Way>& ways, int threads, int rounds) {
    const std::string model = schnakenberg_text(size, of.diffusion);
    SchnakenbergState start{kTile, {}, {}};
    {
        MottleRun tile(
            {.model = schnakenberg_text(kTile, of.diffusion), .settings = square(kTile) + settings_of(ways[0], 1e-5), .threads = 1});
        Fields fields(kTile, kTile);
        tile.read(fields);
        start.u.assign(fields.u.begin(), fields.u.end());
        start.v.assign(fields.v.begin(), fields.v.end());
    }
    const SchnakenbergState exact =
        schnakenberg_after(start, of.diffusion, of.end, static_cast<int>(std::ceil(of.end * (8 * of.diffusion + 8) / 2)));  // of rk4: 2.785
    std::vector<std::vector<double>> seconds(ways.size());
    std::vector<double> error(ways.size());
    std::vector<int> stages(ways.size());
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < ways.size(); ++i) {
            const Way& way = ways[i];
            MottleRun run({.model = model, .settings = square(size) + settings_of(way, of.end / way.steps), .threads = threads});
            seconds[i].push_back(run.advance(way.steps));
            error[i] = error_of(run, size, exact);
            stages[i] = run.simulation().clock().stages;
            if (!(error[i] < 0.02)) {
                std::fprintf(stderr, "verification failed: %s has an error of %g\n", way.method.c_str(), error[i]);
                std::exit(1);
            }
        }
    }
    Table table({format("diffusion %g, t = %g, %d^2", of.diffusion, of.end, size), "stages", "steps", "evaluations", "error", "seconds",
                 "Euler's by it"});
    Json rows = Json::array();
    for (std::size_t i = 0; i < ways.size(); ++i) {
        const Way& way = ways[i];
        const double own = median(seconds[i]), gain = median(seconds[0]) / own;
        table.add({way.method, std::to_string(stages[i]), std::to_string(way.steps), std::to_string(stages[i] * way.steps),
                   format("%.2g", error[i]), format("%.3f", own), format("%.2f", gain)});
        rows.add(Json::object()
                     .set("method", way.method)
                     .set("stages", stages[i])
                     .set("steps", way.steps)
                     .set("error", error[i])
                     .set("seconds", own)
                     .set("gain", gain));
    }
    table.print();
    return rows;
}

Json rates(const std::vector<int>& sizes, int threads, int rounds, double seconds, Clock clock, const std::string& schedule) {
    Table table({"Gray-Scott, a stage", "Euler Mcell/s", "rkl1", "share", "rkl2", "share", "sts1", "share", "sts2", "share"});
    Json rows = Json::array();
    for (const int size : sizes) {
        std::vector<Entry> entries;
        std::vector<std::shared_ptr<MottleRun>> runs;
        for (const Way& way : {Way{"euler", 1, 0}, Way{"rkl1", 9, 0}, Way{"rkl2", 9, 0}, Way{"sts1", 9, 0}, Way{"sts2", 9, 0}}) {
            runs.push_back(std::make_shared<MottleRun>(Job{.model = "gray-scott",
                                                           .settings = square(size) + settings_of(way, 0.9),
                                                           .threads = threads,
                                                           .schedule = way.stages > 1 ? schedule : ""}));
            entries.push_back({way.method, threads, way.stages > 1 ? 1 : 8, [run = runs.back()](int n) { run->advance(n); }, {}});
        }
        race(entries, rounds, seconds, clock);
        const auto rate = [&](std::size_t i) {
            return size * static_cast<double>(size) * (i > 0 ? 9 : 1) / seconds_per_step(entries[i]) / 1e6;
        };
        std::vector<std::string> cells = {std::to_string(size) + "^2", format("%.0f", rate(0))};
        Json row = Json::object().set("size", size);
        for (std::size_t i = 0; i < entries.size(); ++i) {
            row.set(entries[i].name, rate(i));
            if (i == 0) continue;
            cells.push_back(format("%.0f", rate(i)));
            cells.push_back(format("%.2f", rate(i) / rate(0)));
        }
        table.add(cells);
        rows.add(row);
    }
    table.print();
    return rows;
}

Json meshes(const std::string& files, int threads, int rounds, double seconds, Clock clock) {
    Table table({"Gray-Scott on", "vertices", "Euler's dt", "rkl1's dt", "stages", "stage by step", "times as fast"});
    Json rows = Json::array();
    for (std::size_t begin = 0; begin < files.size();) {
        const std::size_t end = std::min(files.find(',', begin), files.size());
        const std::string file = files.substr(begin, end - begin), on = "mesh = '" + file + "'\n";
        begin = end + 1;
        const auto make = [&](const std::string& method) {
            return std::make_shared<MottleRun>(
                Job{.model = "gray-scott", .settings = on + method + "force = true\nsteps = 1000\n", .threads = threads});
        };
        const std::shared_ptr<MottleRun> euler = make("dt = 'auto'\n");
        std::shared_ptr<MottleRun> staged;
        try {
            staged = make("method = 'rkl1'\ndt = 1\n");
        } catch (const core::InputError&) {  // slivers that ask for more stages than there are
            staged = make(format("method = 'rkl1'\nstages = %d\ndt = 'auto'\n", ir::kMostStages));
        }
        const int stages = staged->simulation().clock().stages;
        std::vector<Entry> entries = {{"euler", threads, 8, [euler](int n) { euler->advance(n); }, {}},
                                      {"rkl1", threads, 1, [staged](int n) { staged->advance(n); }, {}}};
        race(entries, rounds, seconds, clock);
        const double step = seconds_per_step(entries[0]), stage = seconds_per_step(entries[1]) / stages;
        const double gain = staged->dt() / seconds_per_step(entries[1]) / (euler->dt() / step);
        const auto vertices = static_cast<double>(domain::cell_count(euler->simulation().spec().domain));
        table.add({file.substr(file.rfind('/') + 1), format("%.0f", vertices), format("%.3g", euler->dt()), format("%.3g", staged->dt()),
                   std::to_string(stages), format("%.2f", step / stage), format("%.1f", gain)});
        rows.add(Json::object()
                     .set("mesh", file)
                     .set("euler_dt", euler->dt())
                     .set("stages", stages)
                     .set("gain", gain)
                     .set("stage_rate", step / stage));
    }
    table.print();
    return rows;
}

int run(int count, char** words) {
    const int cores = core::available_cores();
    const Options options(count, words, kAbout,
                          {{"sections", "error,rates"},
                           {"size", "1024"},
                           {"diffusion", "40"},
                           {"end", "30"},
                           {"ways", kWays},
                           {"sizes", "512,1024,4096,8192"},
                           {"meshes", ""},
                           {"threads", std::to_string(cores)},
                           {"rounds", "5"},
                           {"seconds", "0.5"},
                           {"clock", "wall"},
                           {"schedule", ""}});
    const int rounds = static_cast<int>(options.number("rounds")), threads = static_cast<int>(options.number("threads"));
    const Clock clock = options.text("clock") == "processor" ? Clock::processor : Clock::wall;  // of a machine that does other things, too
    const auto wanted = [&](const char* section) { return options.text("sections").find(section) != std::string::npos; };
    Json json = provenance("stabilised", "cpu", threads);
    if (wanted("error"))
        json.set("error", errors(static_cast<int>(options.number("size")), {options.number("diffusion"), options.number("end")},
                                 ways_of(options.text("ways")), threads, rounds));
    if (wanted("rates"))
        json.set("rates", rates(options.integers("sizes"), threads, rounds, options.number("seconds"), clock, options.text("schedule")));
    if (wanted("meshes")) json.set("meshes", meshes(options.text("meshes"), threads, rounds, options.number("seconds"), clock));
    options.write(json);
    return 0;
}

}  // namespace
}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::guarded(mottle::benchmarks::run, count, words); }
