// mottle/benchmarks/mesh_step.cpp: nanoseconds per vertex and step of chemotaxis on meshes, beside the rungs of the surface paper; verified first
#include "baseline/gather.h"
#include "harness/kernel_counts.h"
#include "harness/race.h"
#include "harness/report.h"
#include "harness/surface_run.h"

#include "mottle/device/registry.h"
#include "mottle/device/machine_limits.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace mottle::benchmarks {
namespace {

constexpr const char* kAbout =
    "Nanoseconds per vertex and step (Murray's chemotaxis, both fields).\n"
    "sections: ladder (the paper's Fig. 11 on its sizes), meshes (targets, file order and random order), sizes (Fig. 12: planes from "
    "20,000 to\n"
    "1,000,000 vertices, f32 and f64), patches (Fig. 10c), models (other models on a mesh), difference (f32 against f64 at T = 1, 10, "
    "100), limits\n"
    "(bytes and operations of the kernels against what this machine can do)";

constexpr Rung kRungs[] = {Rung::loops, Rung::fused, Rung::one_loop, Rung::double_buffer, Rung::patches, Rung::ell, Rung::pairs};

void require(bool good, const std::string& what) {
    if (good) return;
    std::fprintf(stderr, "verification failed: %s\n", what.c_str());
    std::exit(1);
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        worst = std::isfinite(a[i]) && std::isfinite(b[i]) ? std::max(worst, std::abs(a[i] - b[i])) : HUGE_VAL;
    return worst;
}

/// Every rung in f64 against Mottle in f64 after 20 steps.
void verify(const SurfaceCase& surface) {
    SurfaceRun mine(surface, true, 2);
    mine.advance(20);
    std::vector<double> n, c, other_n, other_c;
    mine.read(0, n);
    mine.read(1, c);
    require(largest_difference(n, surface.problem.n) > 1e-6, surface.name + ": the fields stood still");
    for (const Rung rung : kRungs) {
        const auto contestant = make_rung<double>(rung, surface.problem);
        if (!contestant) continue;
        contestant->advance(20);
        contestant->read(other_n, other_c);
        const double off = std::max(largest_difference(n, other_n), largest_difference(c, other_c));
        require(off < 1e-12, surface.name + ", " + name_of(rung) + format(": differs by %g", off));
    }
}

struct Setting {
    int rounds;
    double seconds;
    Clock clock;
};

Entry contestant_entry(std::string name, std::shared_ptr<SurfaceContestant> contestant) {
    return {std::move(name), 1, 1, [contestant = std::move(contestant)](int steps) { contestant->advance(steps); }, {}};
}

Entry mottle_entry(const SurfaceCase& surface, bool f64, int threads, const std::string& schedule = {}, const std::string& model = {}) {
    auto run = std::make_shared<SurfaceRun>(surface, f64, threads, schedule, model);
    return {format("Mottle %s, %d thread%s", f64 ? "f64" : "f32", threads, threads > 1 ? "s" : ""),
            threads,
            16,
            [run](int steps) { run->advance(steps); },
            {}};
}

double nanoseconds(const Entry& entry, const SurfaceCase& surface) {
    return seconds_per_step(entry) / static_cast<double>(surface.problem.n.size()) * 1e9;
}

void ladder(const Setting& setting, const std::vector<std::string>& shapes, Json& json) {
    // The paper's speed-ups over its own one-thread CPU (R1, R2, Kaa), on a K20c.
    const char* published[] = {"101 / 128 / 98",  "151 / 189 / 122", "148 / 173 / 125", "160 / 182 / 132",
                               "234 / 293 / 201", "366 / 506 / 275", "379 / 535 / 317"};
    for (const std::string& shape : shapes) {
        const SurfaceCase surface = surface_case(shape);
        verify(surface);
        std::vector<Entry> entries;
        std::vector<std::string> papers;
        for (std::size_t i = 0; i < std::size(kRungs); ++i) {
            auto contestant = make_rung<float>(kRungs[i], surface.problem);
            if (!contestant) continue;
            entries.push_back(contestant_entry(name_of(kRungs[i]), std::move(contestant)));
            papers.emplace_back(published[i]);
        }
        entries.push_back(contestant_entry("the same, f64", make_rung<double>(Rung::pairs, surface.problem)));
        papers.emplace_back("269 / 357 / 224");
        for (const bool f64 : {false, true}) {
            for (const int threads : {1, 2}) {
                entries.push_back(mottle_entry(surface, f64, threads));
                papers.emplace_back("-");
            }
        }
        race(entries, setting.rounds, setting.seconds, setting.clock);
        std::printf("\n%s, %zu vertices\n", surface.name.c_str(), surface.problem.n.size());
        Table table({"", "ns per vertex and step", "of the first rung", "of the rung before", "paper, on its GPU"});
        const double first = nanoseconds(entries.front(), surface);
        double before = first;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const double ns = nanoseconds(entries[i], surface);
            table.add({entries[i].name, format("%.2f", ns), format("%.1f", first / ns), format("%.2f", before / ns), papers[i]});
            json.add(Json::object().set("section", "ladder").set("mesh", surface.name).set("name", entries[i].name).set("ns", ns));
            before = ns;
        }
        table.print();
    }
}

void meshes(const Setting& setting, const std::string& folder, bool quick, Json& json) {
    struct Row {
        const char* source;
        int refine;
        double target;
        bool shuffled = false;
    };
    std::vector<Row> rows = {{"plane:140x140", 0, 42},   {"plane:224x224", 0, 42}, {"plane:500x500", 0, 50},
                             {"plane:1000x1000", 0, 52}, {"sphere:8", 0, 52},      {"plane:1000x1000", 0, 150, true}};
    if (quick) rows = {{"plane:40x40", 0, 42}};
    if (!folder.empty()) {
        for (const Row& row : {Row{"spot_remeshed.obj", 0, 42}, Row{"bunny_hr.obj", 0, 42}, Row{"scorpion.obj", 0, 42},
                               Row{"bunny_hr.obj", 2, 50}, Row{"bunny_hr.obj", 3, 52}, Row{"dragon_871k.ply", 0, 60}}) {
            rows.push_back(row);
        }
    }
    std::printf("\n");
    Table table({"mesh", "vertices", "seven loops, 1 thread", "Mottle 1 thread", "2 threads", "ratio", "target", "f64 2 threads",
                 "weights s", "kernel s", "schedule"});
    for (const Row& row : rows) {
        const std::string name = row.source;
        const bool file = name.find('.') != std::string::npos;
        const std::string source = file ? (std::filesystem::path(folder) / name).string() : name;
        if (file && !std::filesystem::exists(source)) continue;
        const SurfaceCase surface = surface_case(source, row.refine, row.shuffled);
        const auto plan = std::make_shared<SurfaceRun>(surface, false, 2);
        std::vector<Entry> entries;
        entries.push_back(contestant_entry("loops", make_rung<float>(Rung::loops, surface.problem)));
        entries.push_back(mottle_entry(surface, false, 1));
        entries.push_back({"Mottle", 2, 16, [plan](int steps) { plan->advance(steps); }, {}});
        entries.push_back(mottle_entry(surface, true, 2));
        race(entries, setting.rounds, setting.seconds, setting.clock);
        std::vector<double> ns;
        for (const Entry& entry : entries) ns.push_back(nanoseconds(entry, surface));
        table.add({surface.name, format("%zu", surface.problem.n.size()), format("%.1f", ns[0]), format("%.2f", ns[1]),
                   format("%.2f", ns[2]), format("%.1f", ns[0] / ns[2]), format("%.0f", row.target),
                   format("%.2f (%.2f)", ns[3], ns[2] / ns[3]), format("%.2f", surface.setup_seconds),
                   format("%.2f", plan->setup_seconds()), plan->schedule()});
        json.add(Json::object()
                     .set("section", "meshes")
                     .set("mesh", surface.name)
                     .set("vertices", static_cast<long long>(surface.problem.n.size()))
                     .set("loops", ns[0])
                     .set("one_thread", ns[1])
                     .set("two_threads", ns[2])
                     .set("f64", ns[3]));
    }
    table.print();
}

void sizes(const Setting& setting, int count, Json& json) {
    std::printf("\n");
    Table table({"plane", "vertices", "f32", "f64"});
    for (int i = 0; i < count; ++i) {
        const int side = static_cast<int>(std::lround(std::sqrt(19600 + (1e6 - 19600) * i / std::max(1, count - 1))));
        const SurfaceCase surface = surface_case(format("plane:%dx%d", side, side));
        std::vector<Entry> entries = {mottle_entry(surface, false, 2), mottle_entry(surface, true, 2)};
        race(entries, setting.rounds, setting.seconds, setting.clock);
        const double f32 = nanoseconds(entries[0], surface), f64 = nanoseconds(entries[1], surface);
        table.add({surface.name, format("%zu", surface.problem.n.size()), format("%.3f", f32), format("%.3f", f64)});
        json.add(Json::object()
                     .set("section", "sizes")
                     .set("vertices", static_cast<long long>(surface.problem.n.size()))
                     .set("f32", f32)
                     .set("f64", f64));
    }
    table.print();
}

void patches(const Setting& setting, const std::vector<std::string>& shapes, Json& json) {
    for (const std::string& shape : shapes) {
        const SurfaceCase surface = surface_case(shape);
        std::printf("\n%s\n", surface.name.c_str());
        Table table({"paper's patches", "halo", "ns", "", "parts x steps", "ns"});
        const int patch_sizes[] = {128, 256, 512, 672, 1024, 2048, 4096};
        const char* schedules[] = {"steps=1",          "steps=4 parts=2",  "steps=8 parts=2", "steps=8 parts=8",
                                   "steps=8 parts=32", "steps=12 parts=8", "steps=16 parts=8"};
        for (std::size_t i = 0; i < std::size(patch_sizes); ++i) {
            auto contestant = make_rung<float>(Rung::patches, surface.problem, patch_sizes[i]);
            if (!contestant) return std::printf("METIS is not here\n"), void();
            std::vector<Entry> entries = {contestant_entry("patches", std::move(contestant)),
                                          mottle_entry(surface, false, 2, schedules[i])};
            race(entries, setting.rounds, setting.seconds, setting.clock);
            const double halo = halo_share(surface.problem, patch_sizes[i]), theirs = nanoseconds(entries[0], surface),
                         ours = nanoseconds(entries[1], surface);
            table.add({format("%d", patch_sizes[i]), format("%.1f %%", 100 * halo), format("%.2f", theirs), "", schedules[i],
                       format("%.3f", ours)});
            json.add(Json::object()
                         .set("section", "patches")
                         .set("mesh", surface.name)
                         .set("patch", patch_sizes[i])
                         .set("halo", halo)
                         .set("ns", theirs)
                         .set("schedule", schedules[i])
                         .set("mottle", ours));
        }
        table.print();
    }
}

void models(const Setting& setting, Json& json) {
    struct Model {
        const char* name;
        const char* text;
    };
    const Model list[] = {
        {"chemotaxis", ""},
        {"heat, 1 field", "[equations]\nu = 'lap(u)'\n[initial]\nu = '1'\n"},
        {"Gray-Scott, 2 fields",
         "[equations]\nu = '0.2*lap(u) - u*v^2 + 0.04*(1 - u)'\nv = '0.1*lap(v) + u*v^2 - 0.1*v'\n[initial]\nu = '1'\nv = '1'\n"},
        {"three species",
         "[equations]\na = '0.2*lap(a) + a*(1 - a - 2*b - 0.5*c)'\nb = '0.2*lap(b) + b*(1 - b - 2*c - 0.5*a)'\nc = '0.2*lap(c) + c*(1 - c "
         "- 2*a - 0.5*b)'\n[initial]\na = '1'\nb = '1'\nc = '1'\n"},
        {"conservative flux",
         "[equations]\nn = '0.25*lap(n) - 3*div(n*grad(c))'\nc = 'lap(c) + 0.1*(n - c)'\n[initial]\nn = '1'\nc = '1'\n"},
        {"bilaplacian, held", "[equations]\nu = '0.1*u - 0.01*bilap(u) - 0.1*lap(u) - u^3'\n[initial]\nu = '1'\n"}};
    for (const char* shape : {"plane:140x140", "plane:1000x1000"}) {
        const SurfaceCase surface = surface_case(shape);
        std::printf("\n%s, 2 threads\n", surface.name.c_str());
        const double neighbours =
            static_cast<double>(surface.mesh.operators->neighbour.size()) / static_cast<double>(surface.problem.n.size());
        Table table({"model", "ns per vertex and step", "ns per field and neighbour"});
        for (const Model& model : list) {
            const auto run = std::make_shared<SurfaceRun>(surface, false, 2, "", model.text);
            std::vector<Entry> entries = {{model.name, 2, 16, [run](int steps) { run->advance(steps); }, {}}};
            race(entries, setting.rounds, setting.seconds, setting.clock);
            const double ns = nanoseconds(entries[0], surface);
            table.add({model.name, format("%.3f", ns), format("%.4f", ns / run->fields() / neighbours)});
            json.add(Json::object().set("section", "models").set("mesh", surface.name).set("model", model.name).set("ns", ns));
        }
        table.print();
    }
}

/// Bytes and operations per vertex and step, counted in the kernel's text, and the time that each would take alone at the limits of this machine.
void limits(const Setting& setting, const std::vector<std::string>& shapes, Json& json) {
    constexpr int kThreads = 2;
    core::ThreadTeam team(kThreads);
    const device::MachineLimits machine = device::measure_limits(team, 8 * setting.seconds);
    const double words = fetched_words(kThreads, 2 * setting.seconds);
    std::printf("\n%d threads (%s): %.1f G operations/s in f32, %.2f G words/s fetched from the first cache; copies (read + written):",
                kThreads, machine.isa.c_str(), machine.operations_all * 1e-9, words * 1e-9);
    for (const device::CopyLimit& copy : machine.copies) std::printf(" %s %.0f GB/s", copy.level.c_str(), copy.all * 1e-9);
    std::printf("\n");
    Table table({"mesh", "", "bytes of rows", "of state", "operations", "words fetched", "shuffles", "ns: rows", "operations", "words",
                 "measured", "share"});
    for (const std::string& shape : shapes) {
        const SurfaceCase surface = surface_case(shape);
        const double neighbours =
            static_cast<double>(surface.mesh.operators->neighbour.size()) / static_cast<double>(surface.problem.n.size());
        for (const bool f64 : {false, true}) {
            const auto run = std::make_shared<SurfaceRun>(surface, f64, kThreads);
            const backend::Kernel& kernel = run->kernel();
            const std::string text = device::create_backend("cpu")->emit(kernel.program(), kernel.domain(), kernel.schedule());
            const MeshKernelCounts counts = count_mesh_kernel(text);
            const double lanes = counts.lanes;
            auto per_vertex = [&](double KernelCounts::*what) {
                return (counts.neighbour.*what * neighbours + counts.vertex.*what) / lanes;
            };
            const double rows = counts.neighbour.loaded * neighbours / lanes, state = (counts.vertex.loaded + counts.vertex.stored) / lanes,
                         operations = per_vertex(&KernelCounts::arithmetic) * lanes,  // on single numbers
                gathered = per_vertex(&KernelCounts::words);
            // Rows that all fit the second caches are read from there each step; else once per pass from memory.
            const double row_bytes = rows * static_cast<double>(surface.problem.n.size());
            constexpr double kSecondCache = 2.0 * (1 << 20) * 0.75;
            const bool cached = row_bytes / kThreads <= kSecondCache;
            const int steps = backend::steps_of(kernel.schedule()).value_or(1);
            const double copy = machine.copies[cached ? 1 : 2].all;
            const double row_time = (cached ? rows : rows / steps) / copy * 1e9,
                         operation_time = operations / (machine.operations_all * (f64 ? 0.5 : 1)) * 1e9,
                         gather_time = gathered / words * 1e9;
            std::vector<Entry> entries = {{"Mottle", kThreads, 16, [run](int n) { run->advance(n); }, {}}};
            race(entries, setting.rounds, setting.seconds, setting.clock);
            const double ns = nanoseconds(entries[0], surface), share = std::max({row_time, operation_time, gather_time}) / ns;
            table.add({surface.name, f64 ? "f64" : "f32", format("%.0f", rows), format("%.0f", state), format("%.1f", operations),
                       format("%.1f", gathered), format("%.2f", per_vertex(&KernelCounts::shuffles)),
                       format("%.2f (%s, %d steps)", row_time, machine.copies[cached ? 1 : 2].level.c_str(), cached ? 1 : steps),
                       format("%.2f", operation_time), format("%.2f", gather_time), format("%.2f", ns), format("%.2f", share)});
            json.add(Json::object()
                         .set("section", "limits")
                         .set("mesh", surface.name)
                         .set("f64", f64)
                         .set("row_bytes", rows)
                         .set("state_bytes", state)
                         .set("operations", operations)
                         .set("words", gathered)
                         .set("rows_ns", row_time)
                         .set("operations_ns", operation_time)
                         .set("gathers_ns", gather_time)
                         .set("ns", ns));
        }
    }
    table.print();
}

void difference(Json& json) {
    const SurfaceCase surface = surface_case("plane:140x140");
    std::printf("\nf32 against f64, %s\n", surface.name.c_str());
    Table table({"T", "max", "rms"});
    SurfaceRun single(surface, false, 2), twice(surface, true, 2);
    std::vector<double> a, b;
    int done = 0;
    for (const int time : {1, 10, 100}) {
        const int steps = static_cast<int>(std::lround(time / surface.problem.dt));
        single.advance(steps - done);
        twice.advance(steps - done);
        done = steps;
        single.read(0, a);
        twice.read(0, b);
        double sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
        const double rms = std::sqrt(sum / static_cast<double>(a.size()));
        table.add({format("%d", time), format("%.2e", largest_difference(a, b)), format("%.2e", rms)});
        json.add(Json::object().set("section", "difference").set("T", time).set("max", largest_difference(a, b)).set("rms", rms));
    }
    table.print();
}

// Commas separate shapes and the arguments of one: a shape begins with a letter.
std::vector<std::string> shapes_of(const std::string& list) {
    std::vector<std::string> shapes;
    for (std::size_t begin = 0; begin < list.size();) {
        std::size_t end = list.find(',', begin);
        while (end != std::string::npos && end + 1 < list.size() && !std::isalpha(static_cast<unsigned char>(list[end + 1])))
            end = list.find(',', end + 1);
        shapes.push_back(list.substr(begin, end - begin));
        begin = end == std::string::npos ? list.size() : end + 1;
    }
    return shapes;
}

int run(int count, char** words) {
    const Options options(count, words, kAbout,
                          {{"sections", "ladder,meshes,models,difference,limits"},
                           {"shapes", "plane:140x140,plane:1000x1000,kaa"},
                           {"patch_shapes", "plane:140x140,plane:316x316,plane:548x548,plane:1000x1000"},
                           {"meshes", ""},
                           {"planes", "50"},
                           {"rounds", "5"},
                           {"seconds", "0.3"},
                           {"clock", "wall"},
                           {"quick", "no"},
                           {"json", ""}});
    const Setting setting{static_cast<int>(options.number("rounds")), options.number("seconds"),
                          options.text("clock") == "processor" ? Clock::processor : Clock::wall};
    const std::string& sections = options.text("sections");
    auto wanted = [&](const char* section) { return sections.find(section) != std::string::npos; };
    Json results = Json::array();
    if (wanted("ladder")) ladder(setting, shapes_of(options.text("shapes")), results);
    if (wanted("meshes")) meshes(setting, options.text("meshes"), options.flag("quick"), results);
    if (wanted("sizes")) sizes(setting, static_cast<int>(options.number("planes")), results);
    if (wanted("patches")) patches(setting, shapes_of(options.text("patch_shapes")), results);
    if (wanted("models")) models(setting, results);
    if (wanted("limits")) limits(setting, shapes_of(options.text("shapes")), results);
    if (wanted("difference")) difference(results);
    options.write(provenance("mesh_step", "cpu", 2).set("results", results));
    return 0;
}

}  // namespace
}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::guarded(mottle::benchmarks::run, count, words); }
