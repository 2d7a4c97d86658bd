// mottle/benchmarks/gpu_rate.cpp: step rates on a CUDA device beside its copy bandwidth; every contestant is checked against the reference first
#include "harness/kernel_run.h"
#include "harness/models.h"
#include "harness/report.h"
#include "mottle/backend/cuda/device/api.h"
#include "mottle/backend/cuda/backend.h"
#include "mottle/device/registry.h"
#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <numeric>
#include <thread>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mottle::benchmarks {
namespace {

using core::Index;

/// n: cells that move up the gradient of c, which they make (the chemotaxis paper's equations).
constexpr const char* kChemotaxis = R"toml(
[equations]
n = "D*lap(n) - alpha*div(n*grad(c)) + S*n*(1 - n)"
c = "lap(c) + S*(n/(1 + n) - c)"
[parameters]
D = 0.25
alpha = 13
S = 1
[initial]
n = "1 + noise(-0.05, 0.05)"
c = "0.5 + noise(-0.05, 0.05)"
[time]
dt = 0.0001
)toml";

struct Contest {
    std::string name, model;
    std::string size, mesh;  ///< one of them
    bool f64 = false;
    std::string stencil = "5", schedule;
    double goal = 0;     ///< cell updates per second; docs/gpu-measurements.md
    bool steps = false;  ///< the goal, and what is printed, is steps per second
    int members = 1;     ///< that advance together; cell updates are those of all
};

/// What --model asks for: each of --sizes, or --meshes, by each of --schedules.
std::vector<Contest> asked_contests(const Options& options) {
    const std::string model = options.text("model"), stencil = options.text("stencil");
    const std::string text = model == "swift-hohenberg" ? kSwiftHohenberg : model == "chemotaxis" ? kChemotaxis : model;
    std::vector<Contest> list;
    const auto add = [&](const std::string& size, const std::string& mesh) {
        for (const std::string& schedule : core::split(options.text("schedules"), ';')) {
            std::string name = model + " " + size + mesh;
            if (options.flag("f64")) name += " f64";
            if (size.empty() || stencil == "5")
                name += ", " + schedule;
            else
                name += " " + stencil + "-point, " + schedule;
            list.push_back({name, text, size, mesh, options.flag("f64"), size.empty() ? "" : stencil, schedule, 0, options.flag("steps")});
        }
    };
    for (const std::string& size : core::split(options.text("sizes"), ',')) {
        if (!size.empty()) add(size, "");
    }
    for (const std::string& mesh : core::split(options.text("meshes"), ',')) {
        if (!mesh.empty()) add("", mesh);
    }
    return list;
}

std::vector<Contest> contests(const Options& options) {
    if (!options.text("model").empty()) return asked_contests(options);
    const char* gs = "gray-scott";
    std::vector<Contest> list = {
        {"16384^2 f32 5-point", gs, "16384x16384", "", false, "5", "", 1.2e12},
        {"16384^2 f32, 4 steps", gs, "16384x16384", "", false, "5", "steps=4", 0},
        {"16384^2 f32, 8 steps", gs, "16384x16384", "", false, "5", "steps=8", 0},
        {"16384^2 f32 9-point", gs, "16384x16384", "", false, "9", "", 1.05e12},
        {"16384^2 f32 unfused", gs, "16384x16384", "", false, "5", "steps=1", 0.255e12},
        {"16384^2 f64", gs, "16384x16384", "", true, "5", "", 0.42e12},
        {"16384^2 f64 unfused", gs, "16384x16384", "", true, "5", "steps=1", 0},
        {"4096^2 f32", gs, "4096x4096", "", false, "5", "", 1.0e12},
        {"2048^2 f32", gs, "2048x2048", "", false, "5", "", 1.0e12},
        {"8192^2 exp and tanh", kExpTanh, "8192x8192", "", false, "5", "", 0},
        {"8192^2 Swift-Hohenberg", kSwiftHohenberg, "8192x8192", "", false, "5", "", 0},
        {"1024^3 f32 7-point", gs, "1024x1024x1024", "", false, "5", "", 0.40e12},
        {"1024^3 f32 7-point unfused", gs, "1024x1024x1024", "", false, "5", "steps=1", 0},
        {"512^3 f32 7-point", gs, "512x512x512", "", false, "5", "", 0.40e12},
        {"512^3 f32 7-point, 2 steps", gs, "512x512x512", "", false, "5", "steps=2", 0},
        {"512^3 f32 7-point, 3 steps", gs, "512x512x512", "", false, "5", "steps=3", 0},
        {"512^3 f32 7-point unfused", gs, "512x512x512", "", false, "5", "steps=1", 0},
        {"512^3 f64 7-point", gs, "512x512x512", "", true, "5", "", 0},
        {"512^3 f64 7-point unfused", gs, "512x512x512", "", true, "5", "steps=1", 0},
        {"256^3 f32 7-point", gs, "256x256x256", "", false, "5", "", 0.40e12},
        {"256^3 f32 7-point unfused", gs, "256x256x256", "", false, "5", "steps=1", 0},
        {"mesh plane:1000x1000", kChemotaxis, "", "plane:1000x1000", false, "", "", 25e9},
        {"mesh sphere:8", kChemotaxis, "", "sphere:8", false, "", "", 25e9},
    };
    // tiles in registers against warps that march
    for (const char* size : {"1024x1024", "2048x2048", "4096x4096"}) {
        for (const char* schedule : {"steps=4 rows=8", "steps=8 rows=8", "steps=8 parts=12", "steps=4 chunk=24"})
            list.push_back({std::string(size) + ", " + schedule, gs, size, "", false, "5", schedule, 0, false});
    }
    // held stages in registers against a launch for each
    for (const char* schedule : {"steps=1", "steps=2", "steps=4"})
        list.push_back({std::string("8192^2 Swift-Hohenberg, ") + schedule, kSwiftHohenberg, "8192x8192", "", false, "5", schedule, 0});
    for (const char* schedule : {"", "steps=3 rows=8", "steps=6 rows=8", "steps=3 chunk=16"})
        list.push_back({std::string("1024^2 Swift-Hohenberg, ") + (*schedule ? schedule : "chosen"), kSwiftHohenberg, "1024x1024", "",
                        false, "5", schedule, 0});
    for (const char* schedule : {"", "steps=1", "steps=3"})
        list.push_back({std::string("512^3 Cahn-Hilliard, ") + (*schedule ? schedule : "chosen"), "cahn-hilliard", "512x512x512", "", false,
                        "5", schedule, 0});
    list.push_back({"256^3 Cahn-Hilliard, chosen", "cahn-hilliard", "256x256x256", "", false, "5", "", 0});
    auto blocks = [&](int steps, int threads) {
        const std::string counts = std::to_string(steps) + " steps, blocks of " + std::to_string(threads);
        list.push_back({"mesh plane:1000x1000, " + counts, kChemotaxis, "", "plane:1000x1000", false, "",
                        "steps=" + std::to_string(steps) + " chunk=" + std::to_string(threads), 0});
    };
    for (int threads : {128, 256, 512, 1024}) blocks(1, threads);
    blocks(2, 256), blocks(3, 256), blocks(2, 512), blocks(3, 512), blocks(4, 512), blocks(4, 1024);
    for (const char* schedule : {"", "steps=1"}) list.push_back({"mesh sphere:4", gs, "", "sphere:4", false, "", schedule, 0, true});
    for (int n : {32, 64, 128, 256, 512, 1024}) {
        const std::string size = std::to_string(n) + "x" + std::to_string(n);
        const double goal = n == 512 ? 1.6e6 : n == 1024 ? 0.8e6 : 0;
        list.push_back({size, gs, size, "", false, "5", "", goal, true});
        // the plane in registers, blocks that exchange their edges, beside a graph of passes
        if (n < 256) continue;
        for (const char* schedule : {"chunk=0", "steps=2 chunk=0", "steps=4 chunk=0", "steps=6 chunk=0"})
            list.push_back({size + " persistent, " + schedule, gs, size, "", false, "5", schedule, goal, true});
    }
    list.push_back({"512x512 f64", gs, "512x512", "", true, "5", "", 0, true});
    list.push_back({"512x512 f64 persistent", gs, "512x512", "", true, "5", "chunk=0", 0, true});
    for (const char* schedule : {"", "chunk=0"})
        list.push_back({std::string("512x512 Swift-Hohenberg") + (*schedule ? " persistent" : ""), kSwiftHohenberg, "512x512", "", false,
                        "5", schedule, 0, true});
    auto members = [&](int count, int side, bool f64, const std::string& schedule, double goal, const std::string& model = "gray-scott",
                       const std::string& of = "") {
        const std::string length = std::to_string(side), way = schedule.empty() ? "" : ", one after another";
        const std::string name = std::to_string(count) + " members of " + length + "^2" + of + (f64 ? " f64" : " f32") + way;
        list.push_back({name, model, length + "x" + length, "", f64, "5", schedule, goal, false, count});
    };
    members(132, 128, false, "", 1.0e12);
    members(132, 128, false, "steps=8 rows=4", 0);
    members(2, 128, false, "", 0);
    members(132, 96, false, "", 0);
    for (const int count : {132, 264, 1056}) members(count, 64, false, "", 0);
    members(132, 32, false, "", 0);
    members(132, 64, true, "", 0);
    for (const int side : {64, 128}) {
        for (const char* schedule : {"", "steps=4 rows=4"}) members(132, side, false, schedule, 0, kSwiftHohenberg, " Swift-Hohenberg");
    }
    return list;
}

bool is_deep(const Contest& contest) { return std::count(contest.size.begin(), contest.size.end(), 'x') == 2; }

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What a kernel took, for a smaller domain: there the cost model may take another kernel.
std::string schedule_for_check(const Contest& contest, const backend::Schedule& taken) {
    if (!contest.mesh.empty()) return backend::print(taken);
    if (const auto* volume = std::get_if<backend::CardVolumeSchedule>(&taken)) {
        backend::CardVolumeSchedule small{.steps = volume->steps};
        if (volume->planes && volume->steps == 1) small.planes = 24;  // one step of several stages is a pass, too, or is not
        return backend::print(small);
    }
    backend::CardPlaneSchedule small = std::get<backend::CardPlaneSchedule>(taken);
    if (small.strip.value_or(0) > 0) small.strip = 24;
    return backend::print(small);
}

/// The same Program on a small domain, on the device and on the reference.
bool is_right(const Contest& contest, backend::Backend& device, const std::string& schedule, core::Context& context) {
    const std::string size = is_deep(contest) ? "370x50x20" : "400x150", mesh = contest.mesh.empty() ? "" : "sphere:3";
    const Lowered lowered = lower(contest.model, size, mesh, contest.stencil, contest.f64, context.team);
    auto reference = device::create_backend("reference");
    KernelRun ours(device, lowered, schedule, context), plain(*reference, lowered, "", context);
    ours.advance(21);
    plain.advance(21);
    return ours.cells() == plain.cells();
}

std::vector<int> numbers_of(int members) {
    std::vector<int> numbers(static_cast<std::size_t>(members));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

/// All members together, and some of them alone: on the reference, and the last one on the device, where its schedule is the passes'.
bool are_right(const Contest& contest, backend::Backend& device, const Lowered& lowered, const std::string& schedule,
               core::Context& context) {
    const int last = contest.members - 1;
    auto reference = device::create_backend("reference");
    KernelRun all(device, lowered, contest.schedule, context, numbers_of(contest.members)),
        plain(*reference, lowered, "", context, {0, contest.members / 2}), alone(device, lowered, schedule, context, {last});
    for (KernelRun* each : {&all, &plain, &alone}) each->advance(21);
    return all.cells(0) == plain.cells(0) && all.cells(static_cast<std::size_t>(contest.members / 2)) == plain.cells(1) &&
           all.cells(static_cast<std::size_t>(last)) == alone.cells(0) && plain.cells(0) != plain.cells(1);
}

/// Other failures than this are the backend's.
bool device_is_small(const core::Error& error) {
    return error.message().find("and the fields take") != std::string::npos || error.message().find("out of memory") != std::string::npos;
}

/// Bytes read and written per second by a kernel that copies, median of 5.
double copy_bandwidth(backend::cuda::Device& device, const std::filesystem::path& cache) {
    const char* text =
        "extern \"C\" __global__ void copy(const float4* __restrict__ from, float4* __restrict__ to, const int count) {\n"
        "    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);\n    if (i < count) to[i] = from[i];\n}\n";
    const auto module = device.load(text, cache);
    backend::cuda::Function copy = module->function("copy");
    int count = 1 << 26;  // of 16 bytes: 1 GiB each way
    const std::size_t bytes = static_cast<std::size_t>(count) * 16;
    backend::cuda::Address from = device.allocate(bytes), to = device.allocate(bytes);
    const backend::cuda::Parameter arguments[] = {{&from, sizeof from}, {&to, sizeof to}, {&count, sizeof count}};
    std::vector<double> rates;
    for (int round = 0; round < 6; ++round) {
        constexpr int kRepeats = 20;
        device.wait();
        const double seconds = seconds_of([&] {
            for (int i = 0; i < kRepeats; ++i) device.launch(copy, static_cast<unsigned>(count / 256), 256, arguments);
            device.wait();
        });
        if (round > 0) rates.push_back(2.0 * kRepeats * static_cast<double>(bytes) / seconds);
    }
    device.release(from);
    device.release(to);
    return median(rates);
}

/// Where the process that measures is; the one that waits for it looks there when it has ended.
struct Progress {
    std::atomic<std::size_t> contest;
};
constexpr int kDeviceLost = 9;  ///< of the process that measures: after such an error a driver answers nothing until the process ends

bool answers(backend::cuda::Device& device) {
    try {
        device.wait();
        return true;
    } catch (const core::DeviceError&) {
        return false;
    }
}

/// What the contests from `first` on give; 0, 1 (something is wrong) or kDeviceLost.
int measure(const Options& options, std::size_t first, Progress& progress) {
    if (const backend::cuda::DriverReport cuda = backend::look_for_cuda();
        options.text("device") == "cuda" && !cuda.available && !options.flag("required")) {
        std::cout << "skipped: " << cuda.description << "\n";
        return 0;
    }
    core::ThreadTeam team(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
    core::Observer observer;
    core::Context context{team, observer, options.text("cache")};
    std::unique_ptr<backend::Backend> device = device::create_backend(options.text("device"));
    std::shared_ptr<backend::cuda::Device> opened;
    double bandwidth = 0;
    Json json = Json::object();
    if (options.text("device") == "cuda") {
        opened = backend::cuda::open_driver_device();
        bandwidth = copy_bandwidth(*opened, context.cache);
        device = backend::create_cuda_backend([opened] { return opened; });
        std::cout << opened->traits().name << ", copy " << format("%.3f TB/s", bandwidth * 1e-12) << std::endl;
    }
    json.set("provenance", provenance("gpu_rate", options.text("device"), 1)).set("copy_bytes_per_second", bandwidth);
    Table table({"case", "schedule", "Gcell/s", "steps/s", "goal", "share of goal", "bytes unfused / copy"});
    Json results = Json::array();
    bool right = true;
    const std::vector<Contest> all = contests(options);
    for (std::size_t which = first; which < all.size(); ++which) {
        const Contest& contest = all[which];
        if (contest.name.find(options.text("only")) == std::string::npos) continue;
        progress.contest = which;
        alarm(static_cast<unsigned>(options.number("patience")));  // a kernel that never ends ends the process
        try {
            const Lowered lowered = lower(contest.model, contest.size, contest.mesh, contest.stencil, contest.f64, team);
            const auto cells = static_cast<double>(domain::cell_count(lowered.spec.domain) * contest.members);
            if (cells > options.number("cells")) continue;
            KernelRun runner(*device, lowered, contest.schedule, context, numbers_of(contest.members));
            const std::string schedule = schedule_for_check(contest, runner.kernel().schedule());
            const std::string way =
                contest.members > 1 && contest.schedule.empty() ? "together" : backend::print(runner.kernel().schedule());
            const bool same = contest.members > 1 ? are_right(contest, *device, lowered, schedule, context)
                                                  : is_right(contest, *device, schedule, context);
            if (!same) {
                std::cout << contest.name << ": WRONG BITS, not timed" << std::endl;
                right = false;
                continue;
            }
            Index steps = 24;  // of every number of fused steps that is tried, and of 8
            runner.advance(steps);
            const auto advance = [&] { return seconds_of([&] { runner.advance(steps); }); };
            // the better of two: what many steps need is compiled when there are so many for the first time
            while (std::min(advance(), advance()) < options.number("seconds") && steps < 24000000) steps *= 2;
            std::vector<double> seconds;
            for (int round = 0; round < static_cast<int>(options.number("rounds")); ++round)
                seconds.push_back(seconds_of([&] { runner.advance(steps); }) / static_cast<double>(steps));
            const double per_second = 1 / median(seconds), rate = cells * per_second;
            const double value = contest.steps ? per_second : rate;
            const double bytes = 2.0 * lowered.program.state_count() * (contest.f64 ? 8 : 4) * rate;
            table.add({contest.name, way, format("%.4g", rate * 1e-9), format("%.5g", per_second),
                       contest.goal > 0 ? format("%.4g", contest.goal) : "-", contest.goal > 0 ? format("%.2f", value / contest.goal) : "-",
                       bandwidth > 0 ? format("%.2f", bytes / bandwidth) : "-"});
            // at once, as the file: who is stopped early has measured this
            std::cout << contest.name << ", " << way << ": " << format("%.4g Gcell/s, %.5g steps/s", rate * 1e-9, per_second)
                      << (contest.goal > 0 ? format(", %.2f of the goal", value / contest.goal) : "") << std::endl;
            results.add(Json::object()
                            .set("case", contest.name)
                            .set("schedule", way)
                            .set("cells_per_second", rate)
                            .set("steps_per_second", per_second)
                            .set("goal", contest.goal));
            options.write(Json(json).set("results", results), first > 0 ? "." + std::to_string(first) : "");
        } catch (const core::Error& error) {
            std::cout << contest.name << ": " << error.message() << std::endl;
            right = right && device_is_small(error);
            if (opened && !answers(*opened)) return kDeviceLost;
        }
    }
    alarm(0);
    table.print();
    std::fflush(stdout);
    return right ? 0 : 1;
}

/// Measures in a process of its own; where that ends before the last contest, another one goes on behind what it was at.
int run(int count, char** words) {
    const Options options(count, words, "step rates on a CUDA device",
                          {{"device", "cuda"},
                           {"rounds", "5"},
                           {"seconds", "0.3"},
                           {"only", ""},
                           {"cells", "1e12"},
                           {"cache", ""},
                           {"patience", "60"},  // seconds, for a contest; 0: any number, and no process of its own
                           {"required", "no"},
                           {"model", ""},  // in place of the list: a model, on each of the sizes and meshes, by each of the schedules
                           {"sizes", ""},
                           {"meshes", ""},
                           {"schedules", ""},
                           {"stencil", "5"},
                           {"f64", "no"},
                           {"steps", "no"},
                           {"json", ""}});
    void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw core::InternalError("no memory that two processes share");
    auto& progress = *new (shared) Progress{};
    if (options.number("patience") == 0) return measure(options, 0, progress);
    const std::vector<Contest> all = contests(options);
    bool right = true;
    for (std::size_t first = 0; first < all.size(); first = progress.contest + 1) {
        progress.contest = first;
        const pid_t process = fork();
        if (process < 0) throw core::InternalError("no process that measures");
        if (process == 0) std::exit(measure(options, first, progress));
        int status = 0;
        waitpid(process, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) != kDeviceLost) return right ? WEXITSTATUS(status) : 1;
        std::cout << all[progress.contest].name << ": ended the process"
                  << (WIFSIGNALED(status) ? std::string(", ") + strsignal(WTERMSIG(status)) : "") << "; the rest goes on" << std::endl;
        right = false;
    }
    return 1;
}

}  // namespace
}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::guarded(mottle::benchmarks::run, count, words); }
