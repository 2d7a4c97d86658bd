// tests/unit/sweep/bench.h: sweeps and single runs in a folder of their own
#pragma once
#include "kernel_cache.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"
#include "mottle/sweep/sweep.h"
#include "unit/run/listener.h"

#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

namespace sweep_test {

using namespace mottle;
using core::Index;

struct Bench {
    explicit Bench(int threads = 1) : team(threads) { std::filesystem::create_directories(folder); }
    ~Bench() { std::filesystem::remove_all(folder); }

    core::ThreadTeam team;
    Listener observer;
    core::Context context{team, observer, kernel_cache()};
    std::filesystem::path folder = std::filesystem::temp_directory_path() / ("mottle_sweep_" + std::to_string(::getpid()));

    std::string at(const std::string& name) const { return (folder / name).string(); }
    std::string read(const std::string& name) const { return core::read_file(folder / name).value_or("none"); }
};

inline constexpr const char* kModel = R"(
equations.u = 'D*lap(u) + r*u*(1 - u) - G*u'
parameters = { D = 0.2, r = 0.1, twice = '2*r', G = 'twice/10' }
initial.u = '0.5 + noise(-0.1, 0.1)'
grid.size = '12x9'
time = { steps = 40, dt = 0.5 }
)";

inline core::Node flags(const std::string& text) { return core::parse_document("device = 'reference'\n" + text, "flags"); }

inline sweep::Spec read(const std::string& model, const std::vector<std::string>& over, const std::string& more = "") {
    return sweep::read_spec(core::parse_document(model, "test.toml"), "test", "", flags(more), over);
}

inline run::Spec read_single(const std::string& model, const std::string& more) {
    return run::read_spec(core::parse_document(model, "test.toml"), "test", "", flags(more));
}

inline std::string failure(const std::vector<std::string>& over, const std::string& more = "", const std::string& model = kModel) {
    try {
        read(model, over, more);
    } catch (const core::Error& error) {
        return error.message();
    }
    return "no error";
}

/// The numbers of an array of f32, or of f64, behind the header of a .npy file.
inline std::string body(const std::string& npy) { return npy.size() < 10 ? "" : npy.substr(npy.find('\n') + 1); }

inline std::string single_run(Bench& bench, const std::string& model, const std::string& more) {
    const std::string file = bench.at("one.npy");
    run::Simulation simulation(read_single(model, more + "\noutput = [{ file = '" + file + "' }]"), bench.context);
    simulation.run_to_end();
    return body(bench.read("one.npy"));
}

}  // namespace sweep_test
