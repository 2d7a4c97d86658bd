// tests/unit/sweep/sweep_test.cpp: members become what single runs become, and what is written of them
#include "kernel_cache.h"
#include "mottle/sweep/sweep.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/image/png.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include "unit/sweep/bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <ostream>

#include <unistd.h>

namespace sweep_test {

TEST(SweepSpec, TheFirstAxisVariesFastest) {
    const sweep::Spec spec = read(kModel, {"r=0.1,0.2,0.3", "D=0,1"});
    ASSERT_EQ(spec.size(), 6U);
    EXPECT_EQ(spec.columns(), 3);
    EXPECT_EQ(spec.rows(), 2);
    EXPECT_EQ(spec.value(0, 4), 0.2);
    EXPECT_EQ(spec.value(1, 4), 1);
    auto parameter = [&](std::size_t member, const std::string& name) {
        for (const model::Parameter& one : spec.models[member].parameters) {
            if (one.name == name) return one.value;
        }
        return -1.0;
    };
    EXPECT_EQ(parameter(4, "r"), 0.2);
    EXPECT_EQ(parameter(4, "D"), 1);
    EXPECT_EQ(parameter(4, "twice"), 0.4) << "what is made of a parameter follows it";
}

TEST(SweepSpec, SaysWhatIsWrong) {
    EXPECT_NE(failure({}).find("needs a parameter and its values"), std::string::npos);
    EXPECT_EQ(failure({"r=1", "D=1", "G=1"}), "a sweep has one or two --over, not 3");
    EXPECT_EQ(failure({"r=1", "r=2"}), "--over r is given twice; list all its values in one");
    EXPECT_EQ(failure({"rr=1,2"}), "--over: the model has no parameter 'rr'; did you mean 'r'?");
    EXPECT_EQ(failure({"r=1,2"}, "parameters.r = 3"), "--set r and --over r are both given; give only one");
    EXPECT_EQ(failure({"D=1,2"}, "parameters.D = 'X'"), "--set D and --over D are both given; give only one");
    EXPECT_EQ(failure({"r=0:1:101", "D=0:1:100"}), "a sweep has at most 10,000 members, not 10,100");
    EXPECT_EQ(failure({"seed=1,2.5"}), "--over: a seed must be a whole number from 0 to 9007199254740991, not 2.5");
    EXPECT_EQ(failure({"seed=1,2"}, "seed = 7"), "--seed and --over seed are both given; give only one");
    EXPECT_EQ(failure({"r=1,2"}, "region = 'X < r'\nmesh = 'sphere:2'"),
              "all runs of a sweep share the region, and 'X < r' changes with r; run them one by one");
    EXPECT_EQ(failure({"r=1,2"}, "region = 'X < 0.5 + sqrt(0.01)'\nmesh = 'sphere:2'"), "no error");
    EXPECT_EQ(failure({"r=0.1,0.2"}, "region = 'X < twice'\nmesh = 'sphere:2'"),
              "all runs of a sweep share the region, and 'X < twice' changes with r; run them one by one");
    EXPECT_EQ(failure({"D=0.1,0.2"}, "region = 'X < twice'\nmesh = 'sphere:2'"), "no error");
    EXPECT_NE(failure({"r=1,2"}, "mesh = 'sphere:2'\nturn = 360\noutput = [{ file = 'a.png' }]").find("omit --turn"), std::string::npos);
    EXPECT_EQ(failure({"r=1,2"}, "checkpoint = 'a.state'"), "a sweep cannot save or resume its state; omit --checkpoint and --resume");
    EXPECT_EQ(failure({"r=1,2"}, "output = [{ file = 'a.vti' }]"),
              "a sweep cannot write 'a.vti'; it writes .png, name-%05d.png, .mp4, .gif, .csv and .npy");
    EXPECT_EQ(failure({"r=1,2"}, "output = [{ file = 'a.csv' }, { file = 'b.csv' }]"),
              "a sweep writes one .csv file, and 'b.csv' is the second");
    EXPECT_EQ(failure({"r=1,2"}, "output = [{ file = 'a-%d.npy' }]"),
              "'a-%d.npy' of a sweep contains the final states of all runs; omit the %");
    EXPECT_EQ(failure({"r=1,2"}, "mesh = 'sphere:2'\noutput = [{ file = 'a.png' }]"), "no error");
    EXPECT_NE(failure({"r=1,2"}, "mesh = 'sphere:2'\noutput = [{ file = 'a.vti' }]").find("'a.vti' holds a grid"), std::string::npos);
}

// The weights of a tensor are formed once, before the first step: every member would have those of the first.
TEST(SweepSpec, MembersShareTheDirectionsAndMapsOfTensors) {
    const std::string model =
        "equations.u = 'div(tensor(along, across, cos(turned), wild, 0.2)*grad(u))'\ninitial.u = 'X'\nmesh.shape = 'sphere:1'\n"
        "parameters = { along = 1, across = 0.1, angle = 0.3, turned = '2*angle', wild = 'noise(0, 1)' }\n";
    const auto changed_by = [](const std::string& axis) {
        return "all runs of a sweep share the directions and maps of tensor(), and they change with " + axis + "; run them one by one";
    };
    EXPECT_EQ(failure({"angle=0.1,0.2"}, "", model), changed_by("angle"));
    EXPECT_EQ(failure({"across=1,2", "angle=0.1,0.2"}, "", model), changed_by("angle"));
    EXPECT_EQ(failure({"seed=1,2"}, "", model), changed_by("seed"));
    EXPECT_EQ(failure({"across=1,2", "along=1,2"}, "", model), "no error") << "uniform diffusivities stay in the equations";
    const std::string mapped = "equations.u = 'div(tensor(1 + a*X, 0.1, 1, 0, 0)*grad(u))'\nparameters.a = 1\ninitial.u = 'noise(0, 1)'\n";
    EXPECT_EQ(failure({"a=0.1,0.2"}, "mesh = 'sphere:1'", mapped), changed_by("a"));
    EXPECT_EQ(failure({"seed=1,2"}, "mesh = 'sphere:1'", mapped), "no error") << "the start of each member is its own";
}

TEST(SweepSpec, ColumnsOfATableHaveNamesOfTheirOwn) {
    const std::string model = "equations.time_u = 'time*time_u + step'\nparameters = { time = 1, step = 2 }\ninitial.time_u = '1'\n";
    EXPECT_EQ(failure({"seed=1,2", "step=1,2"}, "output = [{ file = 'a.csv' }]", model),
              "'a.csv' has a column 'step' of its own, so the parameter 'step' would be a second one of that name; give the "
              "parameter another name, or write .npy or --json");
    EXPECT_NE(failure({"time=1,2"}, "output = [{ file = 'a.csv' }]", model).find("'time'"), std::string::npos);
    EXPECT_EQ(failure({"time=1,2"}, "output = [{ file = 'a.npy' }]", model), "no error");
    EXPECT_EQ(failure({"r=1,2"}, "output = [{ file = 'a.csv' }]"), "no error");
}

// As --set does it: a map gives way to a number.
TEST(SweepSpec, NumbersTakeThePlaceOfAMap) {
    const sweep::Spec spec = read("equations.u = 'a*u'\nparameters.a = 'X'\ninitial.u = '1'\n", {"a=1,2"});
    EXPECT_EQ(spec.models[1].parameters[0].value, 2);
    EXPECT_EQ(spec.models[1].parameters[0].map, nullptr);
}

TEST(SweepSpec, OutputsOfAFileAreThoseOfTheSweepAndFlagsReplaceThem) {
    const std::string model = std::string(kModel) + "output = [{ file = 'ends.npy' }, { file = 'all.png' }]\n";
    const sweep::Spec own = read(model, {"r=1,2"});
    EXPECT_EQ(own.states, "ends.npy");
    ASSERT_EQ(own.base.outputs.size(), 1U);
    EXPECT_EQ(own.base.outputs[0].sink.file, "all.png");
    const sweep::Spec typed = read(model, {"r=1,2"}, "output = [{ file = 'table.CSV' }]");
    EXPECT_EQ(typed.table, "table.CSV");
    EXPECT_TRUE(typed.states.empty() && typed.base.outputs.empty());
}

TEST(SweepSpec, TheBaseIsTheFirstRun) {
    const std::string model =
        "equations.u = '-u'\nparameters.cut = -5\ninitial.u = '1'\nmesh.shape = 'sphere:2'\ntime = { steps = 1, dt = 0.1 }\n";
    EXPECT_EQ(read(model, {"cut=1,2"}).base.model.parameters[0].value, 1);
}

TEST(SweepSpec, TellsOnceOfValuesBeyondADeclaredRange) {
    const std::string model = "equations.u = 'a*u'\nparameters.a = { value = 0.5, min = 0, max = 1 }\ninitial.u = '1'\n";
    EXPECT_TRUE(read(model, {"a=0:1:3"}).base.notices.empty());
    const sweep::Spec beyond = read(model, {"a=0:2:5"});
    ASSERT_EQ(beyond.base.notices.size(), 1U);
    EXPECT_EQ(beyond.base.notices[0], "warning: 2 values of a lie outside its declared range 0 to 1");
}

TEST(Sweep, SeedsMakeOtherStarts) {
    Bench bench(2);
    sweep::Sweep sweep(read(kModel, {"seed=3,4,5"}, "steps = 0\noutput = [{ file = '" + bench.at("all.npy") + "' }]"), bench.context);
    sweep.run_to_end();
    const std::string all = body(bench.read("all.npy"));
    const std::size_t one = std::size_t{12} * 9 * 4;
    ASSERT_EQ(all.size(), 3 * one);
    EXPECT_EQ(all.substr(one, one), single_run(bench, kModel, "seed = 4\nsteps = 0"));
    EXPECT_NE(all.substr(0, one), all.substr(one, one));
}

TEST(Sweep, AllTakeTheMostStagesThatAnyNeeds) {
    Bench bench(2);
    const std::string by = "method = 'rkl2'\ndt = 1.5\n";
    sweep::Sweep sweep(read(kPlainModel, {"D=0.05,2"}, by + "output = [{ file = '" + bench.at("all.npy") + "' }]"), bench.context);
    EXPECT_TRUE(sweep.run_to_end());
    const int stages = sweep.clock().stages;
    EXPECT_GE(stages, 6) << "D = 2 decays at up to 16, and 0.9 (s^2 + s - 2)/2 is to be above 24";
    const std::string all = body(bench.read("all.npy"));
    const std::size_t one = std::size_t{12} * 9 * 4;
    ASSERT_EQ(all.size(), 2 * one);
    const std::string with = by + "stages = " + std::to_string(stages) + "\n";
    EXPECT_EQ(all.substr(0, one), single_run(bench, kPlainModel, with + "parameters = { D = 0.05 }"));
    EXPECT_EQ(all.substr(one, one), single_run(bench, kPlainModel, with + "parameters = { D = 2 }"));
}

TEST(Sweep, AllTakeTheShortestStepThatAnyNeeds) {
    Bench bench(2);
    const std::string model = "equations.u = 'D*lap(u)'\nparameters.D = 1\ninitial.u = 'X'\ngrid.size = '8x8'\ntime.end = 10\n";
    sweep::Sweep sweep(read(model, {"D=0.5,2,1"}), bench.context);
    Bench other;
    run::Simulation tightest(read_single(model, "parameters.D = 2"), other.context);
    EXPECT_EQ(sweep.clock().dt, tightest.dt());
    EXPECT_EQ(sweep.clock().steps, tightest.steps());
    EXPECT_EQ(bench.observer.notices, other.observer.notices);
    sweep.run_to_end();
    EXPECT_EQ(sweep.now().time, 10);
}

// A dt between the limits of two members: one of them asks how stiff the mesh is, and what is found counts for all, whoever asks.
TEST(Sweep, TheStiffnessOfAMeshIsThatOfAllMembers) {
    const std::string model = "equations.u = 'D*lap(u)'\nparameters.D = 1\ninitial.u = 'X'\nmesh.shape = 'sphere:2'\n";
    auto stable = [&](const std::vector<std::string>& over, const std::string& dt) {
        Bench bench(2);
        return sweep::Sweep(read(model, over, "steps = 0\ndt = " + dt), bench.context).clock().stable_dt;
    };
    Bench bench;
    auto single = [&](const std::string& more) {
        return run::Simulation(read_single(model, "steps = 0\n" + more), bench.context).clock().stable_dt;
    };
    const double bounded = single("dt = 1e-6\nparameters.D = 2"), known = single("parameters.D = 2");
    ASSERT_LT(bounded, known) << "Lanczos allows longer steps than the bound by rows";
    const std::string dt = core::number_text(1.5 * bounded);  // within the bound of D = 1, beyond that of D = 2
    EXPECT_EQ(stable({"D=1,2"}, dt), known);
    EXPECT_EQ(stable({"D=2,1"}, dt), known);
    EXPECT_EQ(stable({"D=2,1"}, "1e-6"), bounded) << "nobody asks";
}

// A member of a stopped run that stands before its last step has not reached it, whoever heard of the stop first.
TEST(Sweep, NobodyReachesTheEndOfARunThatWasStopped) {
    Bench bench(2);
    bench.observer.go_on = [](core::Moment now) { return now.step < 100; };
    const std::string model =
        "equations.u = 'w*v'\nequations.v = '-w*u'\nparameters.w = 1\ninitial.u = 'X'\ninitial.v = '0.1*X'\ngrid.size = '32x32'\n"
        "time = { steps = 100000000, dt = 0.001 }\n";
    sweep::Sweep sweep(
        read(model, {"w=1,2,3"}, "every = 10\nuntil = 'steady=1e-9'\noutput = [{ file = '" + bench.at("p-%09d.png") + "' }]"),
        bench.context);
    EXPECT_FALSE(sweep.run_to_end());
    for (const sweep::Result& result : sweep.results()) EXPECT_STREQ(stepper::word_of(result.outcome.verdict), "interrupted");
}

TEST(Sweep, WhatFailsToBeWrittenKeepsNothingElseFromIt) {
    for (const std::string lost : {"a.csv", "a.png"}) {
        if (lost == "a.png" && !MOTTLE_HAVE_PNG) continue;
        Bench bench(2);
        const std::filesystem::path doomed = bench.folder / "doomed";
        std::filesystem::create_directories(doomed);
        const std::string other = lost == "a.csv" ? "" : ", { file = '" + bench.at("b.csv") + "' }";
        sweep::Sweep sweep(
            read(kModel, {"r=0.1,0.2"},
                 "output = [{ file = '" + (doomed / lost).string() + "' }, { file = '" + bench.at("a.npy") + "' }" + other + "]"),
            bench.context);
        std::filesystem::remove_all(doomed);
        EXPECT_THROW(sweep.run_to_end(), core::OutputError) << lost;
        EXPECT_TRUE(std::filesystem::exists(bench.at("a.npy"))) << lost;
        EXPECT_EQ(std::filesystem::exists(bench.at("b.csv")), !other.empty()) << lost;
    }
}

TEST(Sweep, AllMayDiverge) {
    Bench bench(2);
    const std::string model =
        "equations.u = 'a*u^2'\nequations.v = '-v'\nparameters.a = 1\ninitial.u = '1'\ninitial.v = '1'\ngrid.size = '16x16'\n"
        "time = { steps = 3000, dt = 0.25 }\n";
    sweep::Sweep sweep(
        read(model, {"a=1,2"}, "output = [{ file = '" + bench.at("all.csv") + "' }, { file = '" + bench.at("p-%04d.png") + "' }]"),
        bench.context);
    sweep.run_to_end();
    EXPECT_EQ(bench.observer.notices.find("--range"), std::string::npos) << bench.observer.notices;
    EXPECT_NE(bench.read("all.csv").find(",nan,nan,nan,nan,nan,nan,nan,nan\n"), std::string::npos) << "no field of it counts";
}

TEST(Sweep, OneThatDivergesIsLeftAndTheOthersGoOn) {
    Bench bench(2);
    const std::string model =
        "equations.u = 'a*u^2'\nparameters.a = 1\ninitial.u = '1'\ngrid.size = '4x3'\ntime = { steps = 3000, dt = 0.25 }\n";
    const std::string files = "output = [{ file = '" + bench.at("all.npy") + "' }, { file = '" + bench.at("all.csv") + "' }, { file = '" +
                              bench.at("all.png") + "' }]";
    sweep::Sweep sweep(read(model, {"a=-1,1,-2"}, files), bench.context);
    EXPECT_TRUE(sweep.run_to_end());
    EXPECT_EQ(sweep.results()[0].outcome.verdict, stepper::Verdict::reached);
    EXPECT_EQ(sweep.results()[0].outcome.at.step, 3000);
    EXPECT_EQ(sweep.results()[1].outcome.verdict, stepper::Verdict::diverged);
    EXPECT_EQ(sweep.results()[1].outcome.at.step, 1024);
    EXPECT_EQ(sweep.results()[2].outcome.at.step, 3000);
    const std::string table = bench.read("all.csv");
    EXPECT_EQ(table.substr(0, table.find('\n')), "a,verdict,step,time,u.min,u.max,u.mean,u.std");
    EXPECT_NE(table.find("\n1,diverged,1024,256,nan,nan,nan,nan\n"), std::string::npos) << table;
    EXPECT_NE(table.find("\n-2,reached,3000,750,"), std::string::npos) << table;
    const std::string all = body(bench.read("all.npy"));
    std::vector<float> values(all.size() / 4);
    std::memcpy(values.data(), all.data(), all.size());
    ASSERT_EQ(values.size(), 36U);
    EXPECT_TRUE(std::isfinite(values[11]));
    EXPECT_TRUE(std::isnan(values[12]) && std::isnan(values[23]));
    EXPECT_TRUE(std::isfinite(values[24]));
    EXPECT_EQ(sweep.files().size(), 3U);
#if MOTTLE_HAVE_PNG
    // three tiles of 4 x 3 cells, 24 pixels each; the one in the middle is paper with a cross
    const image::Image sheet = image::read_png(bench.at("all.png"));
    const int left = sheet.width - 12 - (3 * 96 + 2 * 24), middle = left + 96 + 24;
    auto shade = [&](int x, int y) {  // of the darkest channel
        const auto* at = &sheet.pixels[static_cast<std::size_t>(y * sheet.width + x) * 3];
        return static_cast<int>(std::min({at[0], at[1], at[2]}));
    };
    EXPECT_EQ(shade(middle, 12), 40);
    EXPECT_EQ(shade(middle + 95, 12 + 71), 40);
    EXPECT_EQ(shade(middle + 48, 12), 255);
    EXPECT_NE(shade(left + 48, 12), 255);
#endif
}

// Values of the second axis stand beside their rows, from the bottom up: the long one above, the short one below.
TEST(Sweep, LabelsOfRowsStandBesideTheirRows) {
    Bench bench(2);
    sweep::Sweep sweep(read(kModel, {"r=0.1,0.3", "D=0.1,0.12345"}, "scale = 10\noutput = [{ file = '" + bench.at("all.png") + "' }]"),
                       bench.context);
    sweep.run_to_end();
    const image::Image sheet = image::read_png(bench.at("all.png"));
    const int height = 90, gap = 10, top = 24, left = sheet.width - 12 - (2 * 120 + gap);
    auto width_of_label = [&](int row) {  // ink at the height of the row, left of the tiles
        int least = left, most = 0;
        for (int y = top + row * (height + gap) + height / 4; y < top + row * (height + gap) + 3 * height / 4; ++y) {
            for (int x = 0; x < left - 2; ++x) {
                if (sheet.pixels[static_cast<std::size_t>(y * sheet.width + x) * 3] > 128) continue;
                least = std::min(least, x);
                most = std::max(most, x);
            }
        }
        return most - least;
    };
    EXPECT_GT(width_of_label(0), 15 + width_of_label(1)) << "0.12345 is the upper one";
    EXPECT_GT(width_of_label(1), 8);
}

// Ten frames are due, but the sheet is of the end, though rows of cells came to rest before their last frame.
TEST(Sweep, TheSheetOfRowsOfCellsIsThatOfTheEnd) {
    Bench bench(2);
    const std::string model =
        "equations.u = 'D*lap(u)'\nparameters.D = 1\ninitial.u = 'X'\ngrid.size = '16x1'\ntime = { steps = 1000000, dt = 0.2 }\n";
    sweep::Sweep sweep(read(model, {"D=1,0.5"},
                            "until = 'steady=1e-3'\nprecision = 'f64'\nframes = 2\noutput = [{ file = '" + bench.at("all.png") + "' }]"),
                       bench.context);
    EXPECT_TRUE(sweep.run_to_end());
    EXPECT_EQ(sweep.files().size(), MOTTLE_HAVE_PNG ? 1U : 0U);
}

TEST(Sweep, EachComesToRestByItself) {
    Bench bench(2);
    const std::string model =
        "equations.u = 'D*lap(u)'\nparameters.D = 1\ninitial.u = 'X'\ngrid.size = '16x4'\ntime = { steps = 30000, dt = 0.2 }\n";
    sweep::Sweep sweep(read(model, {"D=1,0.2,0.0001"}, "until = 'steady=1e-3'\nprecision = 'f64'"), bench.context);
    EXPECT_TRUE(sweep.run_to_end());
    const auto& results = sweep.results();
    EXPECT_STREQ(stepper::word_of(results[0].outcome.verdict), "uniform");
    EXPECT_STREQ(stepper::word_of(results[1].outcome.verdict), "uniform");
    EXPECT_STREQ(stepper::word_of(results[2].outcome.verdict), "limit reached");
    EXPECT_LT(results[0].outcome.at.step, results[1].outcome.at.step);
    EXPECT_EQ(results[2].outcome.at.step, 30000);
    Bench other;
    run::Simulation single(read_single(model, "parameters.D = 0.2\nuntil = 'steady=1e-3'\nprecision = 'f64'"), other.context);
    EXPECT_EQ(single.run_to_end().at.step, results[1].outcome.at.step);
}

TEST(Sweep, AStopEndsAllAndWritesWhatThereIs) {
    Bench bench(2);
    bench.observer.go_on = [](core::Moment now) { return now.step < 1; };
    const std::string files = "steps = 100000000\nsize = '64x64'\noutput = [{ file = '" + bench.at("all.csv") + "' }]";
    sweep::Sweep sweep(read(kModel, {"r=0.1,0.2,0.3"}, files), bench.context);
    EXPECT_FALSE(sweep.run_to_end());
    for (const sweep::Result& result : sweep.results()) EXPECT_STREQ(stepper::word_of(result.outcome.verdict), "interrupted");
    EXPECT_NE(bench.read("all.csv").find("\n0.2,interrupted,"), std::string::npos);
}

// The file holds a copy of the surface for each member, with its values, in the numbering of the file copy by copy.
TEST(Sweep, SurfacesStandSideBySide) {
    Bench bench(2);
    const std::string mesh = "mesh = 'sphere:1'\nmesh_scale = 4\nsteps = 3\n";
    sweep::Sweep sweep(read(kModel, {"r=0.1,0.5", "D=0.05,0.4"},
                            mesh + "output = [{ file = '" + bench.at("all.npy") + "' }, { file = '" + bench.at("all.ply") + "' }]"),
                       bench.context);
    sweep.run_to_end();
    const std::string ply = bench.read("all.ply"), all = body(bench.read("all.npy"));
    constexpr std::size_t kVertices = 42, kFaces = 80;
    EXPECT_NE(ply.find("element vertex 168\n"), std::string::npos) << ply.substr(0, 400);
    EXPECT_NE(ply.find("element face 320\n"), std::string::npos);
    const std::size_t start = ply.find("end_header\n") + 11, vertex = (ply.size() - start - 4 * kFaces * 13) / (4 * kVertices);
    ASSERT_EQ(start + 4 * kVertices * vertex + 4 * kFaces * 13, ply.size()) << "vertices alike, then faces of a byte and three numbers";
    ASSERT_EQ(all.size(), 4 * kVertices * sizeof(float));
    auto number = [](const std::string& bytes, std::size_t at) {
        float value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    };
    for (std::size_t i = 0; i < 4 * kVertices; ++i)
        EXPECT_EQ(number(ply, start + i * vertex + vertex - 4), number(all, 4 * i)) << "the field is the last number of vertex " << i;
    EXPECT_NE(number(all, 0), number(all, 4 * kVertices));
}

TEST(Sweep, AnUnfitStartIsAnErrorOfAll) {
    Bench bench(2);
    const std::string model =
        "equations.u = '-u'\nparameters.a = 1\ninitial.u = '1/a'\ngrid.size = '8x8'\ntime = { steps = 1, dt = 0.1 }\n";
    try {
        const sweep::Sweep sweep(read(model, {"a=1,2,0"}), bench.context);
        ADD_FAILURE() << "an infinite start";
    } catch (const core::InputError& error) {
        EXPECT_EQ(
            error.message(),
            "the initial state of 'u' is inf at cell (0, 0); values must be finite and below 3.4e38 in f32; this is the run with a = 0");
        EXPECT_NE(std::string(error.what()).find("initial.u = '1/a'"), std::string::npos) << error.what();
    }
    try {
        const sweep::Sweep sweep(read("equations.u = 'a'\nparameters.a = 1\ninitial.u = '1'\ntime.steps = 5\n", {"a=1,2"}), bench.context);
        ADD_FAILURE() << "no dt to choose";
    } catch (const core::InputError& error) {
        EXPECT_NE(error.message().find("; this is the run with a = 1"), std::string::npos) << error.message();
    }
}

#if MOTTLE_HAVE_PNG

// Tiles as a run alone draws them, in their places on the sheet: the first axis from the left, the second from the bottom.
TEST(Sweep, TheSheetHoldsThePicturesOfAll) {
    Bench bench(2);
    const std::string look = "range = '0:1'\nscale = 10\n";
    sweep::Sweep sweep(read(kModel, {"r=0.1,0.3,0.2", "D=0.05,0.4"}, look + "output = [{ file = '" + bench.at("all.png") + "' }]"),
                       bench.context);
    sweep.run_to_end();
    const image::Image sheet = image::read_png(bench.at("all.png"));
    const int width = 120, height = 90, gap = 10, left = sheet.width - 12 - (3 * width + 2 * gap), top = 24;
    auto pixel = [&](int x, int y) {
        const auto* at = &sheet.pixels[static_cast<std::size_t>(y * sheet.width + x) * 3];
        return std::array<int, 3>{at[0], at[1], at[2]};
    };
    const char* r[] = {"0.1", "0.3", "0.2"};
    const char* D[] = {"0.05", "0.4"};
    for (int row = 0; row < 2; ++row) {
        for (int column = 0; column < 3; ++column) {
            const std::string file = bench.at("one.png");
            run::Simulation single(read_single(kModel, look + "parameters = { r = " + r[column] + ", D = " + D[1 - row] +
                                                           " }\noutput = [{ file = '" + file + "' }]"),
                                   bench.context);
            single.run_to_end();
            const image::Image one = image::read_png(file);
            ASSERT_EQ(one.width, width);
            int different = 0;
            for (int y = 0; y < height; ++y) {
                for (int x = 0; x < width; ++x) {
                    const auto* at = &one.pixels[static_cast<std::size_t>(y * width + x) * 3];
                    different +=
                        pixel(left + column * (width + gap) + x, top + row * (height + gap) + y) != std::array<int, 3>{at[0], at[1], at[2]};
                }
            }
            EXPECT_EQ(different, 0) << "row " << row << ", column " << column;
        }
    }
    const std::array<int, 3> paper = {255, 255, 255};
    EXPECT_EQ(pixel(left + width + 3, top + 5), paper);
    auto ink_in = [&](int x0, int x1, int y0, int y1) {
        int count = 0;
        for (int y = y0; y < y1; ++y) {
            for (int x = x0; x < x1; ++x) count += pixel(x, y) != paper;
        }
        return count;
    };
    EXPECT_GT(ink_in(0, left, top, top + height), 20) << "the value of the upper row";
    EXPECT_GT(ink_in(0, left, top + height + gap, top + 2 * height + gap), 20);
    EXPECT_GT(ink_in(left, left + width, top + 2 * height + gap, sheet.height), 20) << "the value of the left column";
    EXPECT_EQ(ink_in(left, sheet.width, 0, top), 0);
}

#endif

// Each member has steps of its own.
TEST(Sweep, MembersWithATolerance) {
    Bench bench(2);
    const std::string model =
        "equations = { u = 'lap(u) + 5*(u - u^3/3 - v)', v = 'e*(u + 0.7 - 0.5*v)' }\nparameters = { e = 0.2, k = 1 }\n"
        "initial = { u = '2*tanh(4*cos(2*pi*X))', v = '0.8*tanh(4*cos(2*pi*(Y - X)))' }\ngrid.size = '12x9'\n";
    const std::string settings = "tolerance = 1e-3\ntime = 3\n";
    for (const int threads : {1, 2}) {
        core::ThreadTeam team(threads);
        core::Context context{team, bench.observer, kernel_cache()};
        sweep::Sweep all(read(model, {"e=0.1,0.4,5"}, settings), context);
        ASSERT_TRUE(all.run_to_end());
        for (std::size_t i = 0; i < 3; ++i) {
            const char* e[] = {"0.1", "0.4", "5"};
            run::Simulation one(read_single(model, settings + "parameters.e = " + e[i] + "\n"), context);
            one.run_to_end();
            for (const ir::Array array : {0, 1}) EXPECT_EQ(all.field(i).values(array), std::as_const(one).field().values(array)) << i;
        }
    }
}

}  // namespace sweep_test
