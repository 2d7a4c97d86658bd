// mottle/benchmarks/ranks_rate.cpp: two ranks of one thread beside one process of two threads, over networks that are made up; verified first
#include "harness/kernel_run.h"
#include "harness/race.h"
#include "harness/report.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/device/registry.h"
#include "mottle/ranks/backend.h"
#include "mottle/ranks/relay.h"
#include "mottle/ranks/threads.h"
#include "mottle/run/settings/preparation.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace mottle::benchmarks {
namespace {

using ranks::Hiding;

constexpr const char* kAbout =
    "Ranks that are threads of this process, whose halos take as long as over a network, beside one process with as many threads.\n"
    "--cases: sizes of grids (4096x4096, 256x256x256) and meshes (a file or a shape), of Gray-Scott in f32; --networks: latency,bandwidth "
    "with ';' "
    "between (none: as fast as memory);\n"
    "--steps: T, steps between two exchanges (own: what suits the domain). Columns: rate of ranks over that of one process; waits: the "
    "part of the time "
    "that rank 0 waits for halos";

/// A rank, and the seconds that it has waited for halos.
class Waiting final : public ranks::Relay {
   public:
    using Relay::Relay;
    void finish_exchange() override {
        const auto start = std::chrono::steady_clock::now();
        Relay::finish_exchange();
        seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    double seconds = 0;
};

/// Gray-Scott on ranks of this process while it lives; rank 0 is the caller.
class RanksRun {
   public:
    RanksRun(const Lowered& lowered, int count, const ranks::Network& network, int steps, Hiding hiding)
        : ranks_(count, 1, network), first_(ranks_.first()), link_(first_), team_(1), context_{team_, silent_, {}} {
        backend_ = ranks::create_ranks_backend(device::create_backend("cpu"), {"cpu"}, 1, link_, hiding);
        run_ = std::make_unique<KernelRun>(*backend_, lowered, steps > 0 ? "steps=" + std::to_string(steps) : "", context_);
    }
    ~RanksRun() {
        run_.reset();
        link_.end(0);
    }
    KernelRun& run() { return *run_; }
    double waited() const { return first_.seconds; }

   private:
    ranks::ServingRanks ranks_;
    Waiting first_;
    ranks::Link link_;
    core::Observer silent_;
    core::ThreadTeam team_;
    core::Context context_;
    std::unique_ptr<backend::Backend> backend_;
    std::unique_ptr<KernelRun> run_;
};

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

bool is_size(const std::string& text) { return text.find_first_not_of("0123456789x") == std::string::npos; }

/// Numbers of steps that cut passes short, too, and both kinds of passes.
void verify(const Lowered& lowered, core::Context& context, int count, int steps, const std::string& what) {
    const auto cpu = device::create_backend("cpu");
    KernelRun alone(*cpu, lowered, "", context);
    RanksRun plain(lowered, count, {}, steps, Hiding::never), hidden(lowered, count, {}, steps, Hiding::always);
    for (const int n : {33, 64, 5, 32}) {
        for (KernelRun* run : {&alone, &plain.run(), &hidden.run()}) run->advance(n);
    }
    const std::vector<double> expected = alone.cells();
    const bool finite = std::all_of(expected.begin(), expected.end(), [](double x) { return std::isfinite(x); });
    if (finite && plain.run().cells() == expected && hidden.run().cells() == expected) return;
    std::fprintf(stderr, "verification failed: %s on ranks%s\n", what.c_str(), finite ? "" : ": it diverges in one process, too");
    std::exit(1);
}

struct Way {
    const char* name;
    Hiding hiding;
};
constexpr Way kWays[] = {{"waits", Hiding::never}, {"hides", Hiding::always}, {"measured", Hiding::measured}};

Json measure(const std::string& what, const std::vector<std::string>& networks, const std::vector<int>& steps, int count, int rounds,
             double seconds) {
    Table table({what, "network", "T", "waits", "waiting", "hides", "waiting", "measured", "waiting"});
    core::ThreadTeam team(count);
    core::Observer silent;
    core::Context context{team, silent, {}};
    Lowered lowered = lower("gray-scott", is_size(what) ? what : "", is_size(what) ? "" : what, "5", false, team);
    if (!is_size(what)) {  // dt of planes is too long between thin triangles
        lowered.spec.method_open = false;
        lowered.spec.dt.reset();
        lowered.spec.dt = run::prepare(lowered.spec, team).clock.dt;
    }
    for (const int t : steps) verify(lowered, context, count, t, what);
    const auto cpu = device::create_backend("cpu");
    KernelRun alone(*cpu, lowered, "", context);
    Json rows = Json::array();
    for (const std::string& words : networks) {
        const ranks::Network network = words == "none" ? ranks::Network() : ranks::parse_network(words);
        for (const int t : steps) {
            std::vector<std::unique_ptr<RanksRun>> runs;
            std::vector<Entry> entries = {{"alone", count, 32, [&](int n) { alone.advance(n); }, {}}};
            std::vector<double> waited(std::size(kWays)), spent(std::size(kWays));
            for (std::size_t w = 0; w < std::size(kWays); ++w) {
                runs.push_back(std::make_unique<RanksRun>(lowered, count, network, t, kWays[w].hiding));
                RanksRun& run = *runs.back();
                entries.push_back({kWays[w].name,
                                   count,
                                   32,
                                   [&run, &waited, &spent, w](int n) {
                                       const double before = run.waited();
                                       const auto start = std::chrono::steady_clock::now();
                                       for (int done = 0; done < n; done += 1024) run.run().advance(std::min(1024, n - done));
                                       spent[w] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                                       waited[w] += run.waited() - before;
                                   },
                                   {}});
            }
            for (int i = 0; i < 10; ++i) runs.back()->run().advance(32 * 16);  // it makes up its mind
            race(entries, rounds, seconds);
            const double step = seconds_per_step(entries[0]);
            std::vector<std::string> row = {"", words, t == 0 ? "own" : std::to_string(t)};
            Json json = Json::object().set("case", what).set("network", words).set("steps", t).set("seconds_per_step", step);
            for (std::size_t w = 0; w < std::size(kWays); ++w) {
                const double ratio = step / seconds_per_step(entries[w + 1]), waits = waited[w] / spent[w];
                row.push_back(format("%.3f", ratio));
                row.push_back(format("%.1f %%", 100 * waits));
                json.set(kWays[w].name, ratio).set(std::string(kWays[w].name) + "_waiting", waits);
            }
            table.add(row);
            rows.add(json);
        }
    }
    table.print();
    std::fflush(stdout);  // the next one takes a while
    return rows;
}

int run(int count, char** words) {
    const Options options(count, words, kAbout,
                          {{"cases", "4096x4096,1024x1024,256x256x256,dragon"},
                           {"networks", "none;2us,12GB/s;50us,1GB/s"},
                           {"steps", "own"},
                           {"ranks", "2"},
                           {"rounds", "5"},
                           {"seconds", "0.5"}});
    const int ranks = static_cast<int>(options.number("ranks"));
    Json json = provenance("ranks_rate", "cpu", ranks), rows = Json::array();
    std::vector<int> steps;
    for (const std::string& word : split(options.text("steps"), ',')) {
        long long number = 0;
        if (word != "own" && (!core::parse_integer(word, number) || number < 1 || number > 1024))
            throw core::InputError("--steps wants numbers from 1 to 1024, or own, not '" + word + "'");
        steps.push_back(static_cast<int>(number));
    }
    for (std::string what : split(options.text("cases"), ',')) {
        if (what == "dragon") {
            const char* meshes = std::getenv("MOTTLE_TEST_MESHES");
            if (!meshes) throw core::InputError("the dragon is a file of $MOTTLE_TEST_MESHES, which is not set");
            what = std::string(meshes) + "/dragon_871k.ply";
        }
        rows.add(measure(what, split(options.text("networks"), ';'), steps, ranks, static_cast<int>(options.number("rounds")),
                         options.number("seconds")));
    }
    options.write(json.set("rows", rows));
    return 0;
}

}  // namespace
}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::guarded(mottle::benchmarks::run, count, words); }
