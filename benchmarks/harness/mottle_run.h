// mottle/benchmarks/harness/mottle_run.h: Mottle as a contestant: model text in, steps out, timed where the library itself times them
#pragma once
#include "baseline/gray_scott.h"
#include "mottle/run/simulation.h"

#include <memory>
#include <string>

namespace mottle::benchmarks {

/// One run without outputs. `settings` is TOML text laid over the model: "[grid]\nsize = '512x512'".
struct Job {
    std::string model;  ///< library name, path, or the text of a model file
    std::string preset = {};
    std::string settings = {};
    int threads = 1;
    std::string device = "auto";
    std::string schedule = {};
    std::string cache = {};  ///< folder for compiled kernels; empty: none
};

/// The model of the tables: the equations of Gray-Scott with the parameters of `model`, as text.
std::string gray_scott_text(const GrayScott& model, bool clamp = false);
/// "[grid]" with a square of `size` cells, and more lines of that table.
std::string square(int size, const std::string& more = "");

class MottleRun {
   public:
    explicit MottleRun(const Job& job);
    ~MottleRun();

    /// As a run does it, with its tests for divergence. Gives the wall seconds that the steps took inside the kernel.
    double advance(core::Index steps);
    /// One launch of the kernel and nothing else.
    void launch(core::Index steps);
    /// The first two fields.
    void write(const Fields& fields);
    void read(Fields& fields);
    /// Every field finite, and one of them not the same everywhere.
    bool alive();
    double dt() const { return simulation_->dt(); }
    run::Simulation& simulation() { return *simulation_; }
    /// Vector operations per vector of cells and step: arithmetic and comparisons. What the column beside has computed already does not count again,
    /// minimum and maximum count once, loads, stores and bit casts not at all.
    int operations() const;
    std::string schedule() const;
    std::string device() const;

   private:
    struct Quiet;
    std::unique_ptr<Quiet> observer_;
    std::unique_ptr<core::ThreadTeam> team_;
    std::unique_ptr<core::Context> context_;
    std::unique_ptr<run::Simulation> simulation_;
    std::vector<double> uniforms_;
    core::Index launched_ = 0;
};

}  // namespace mottle::benchmarks
