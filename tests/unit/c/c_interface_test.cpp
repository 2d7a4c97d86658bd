// tests/unit/c/c_interface_test.cpp: the C interface: results beside plain loops, and every misuse a status with a message
#include "mottle/c/mottle.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace c_interface_test {

const char* const kDiffusion =
    "equations.u = 'D*lap(u)'\nequations.v = '-v'\nparameters.D = 0.2\ninitial = {u = 'X', v = 1}\ntime.dt = 0.5\n";

struct Made {
    explicit Made(const char* settings = "size = '6x5'\nprecision = 'f64'\ndevice = 'reference'", const char* model = kDiffusion) {
        status = mottle_create(model, nullptr, settings, &handle, message, sizeof message);
    }
    ~Made() { mottle_destroy(handle); }
    mottle_simulation* handle = nullptr;
    mottle_status status;
    char message[512] = "";
};

std::string message_of(const Made& made) { return mottle_message(made.handle); }

// u + dt D (sum of four - 4 u) on a torus.
std::vector<double> step_of(const std::vector<double>& u, int width, int height) {
    std::vector<double> next(u.size());
    const auto at = [&](int x, int y) { return u[static_cast<std::size_t>((x + width) % width + width * ((y + height) % height))]; };
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x)
            next[static_cast<std::size_t>(x + width * y)] =
                at(x, y) + 0.5 * 0.2 * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4 * at(x, y));
    }
    return next;
}

TEST(CInterface, StepsAreThoseOfALoopWithSourcesBetweenThem) {
    Made made;
    ASSERT_EQ(made.status, MOTTLE_OK) << made.message;
    std::vector<double> u(30), read(30);
    ASSERT_EQ(mottle_read_f64(made.handle, 0, u.data(), 30), MOTTLE_OK);
    const std::vector<std::int64_t> cells = {7, 29, 7};
    const std::vector<double> amounts = {0.5, -0.25, 1};
    for (int step = 0; step < 20; ++step) {
        ASSERT_EQ(mottle_add_to_cells(made.handle, 0, cells.data(), amounts.data(), 3), MOTTLE_OK);
        u[7] += 1.5;
        u[29] -= 0.25;
        ASSERT_EQ(mottle_advance(made.handle, 1, 0), MOTTLE_OK);
        u = step_of(u, 6, 5);
    }
    ASSERT_EQ(mottle_read_f64(made.handle, 0, read.data(), 30), MOTTLE_OK);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_NEAR(read[i], u[i], 1e-12) << i;
    std::vector<double> some(3), row(6);
    ASSERT_EQ(mottle_get_cells(made.handle, 0, cells.data(), some.data(), 3), MOTTLE_OK);
    EXPECT_EQ(some, (std::vector<double>{read[7], read[29], read[7]}));
    ASSERT_EQ(mottle_read_row(made.handle, 0, 4, row.data(), 6), MOTTLE_OK);
    EXPECT_EQ(row, std::vector<double>(read.begin() + 24, read.end()));
    EXPECT_EQ(mottle_step(made.handle), 20);
    EXPECT_EQ(mottle_time(made.handle), 10);
    EXPECT_EQ(mottle_dt(made.handle), 0.5);
}

TEST(CInterface, FieldsGoInAndOutByNameAndNumber) {
    Made made("size = '6x5'\ndevice = 'reference'");
    EXPECT_EQ(mottle_field_count(made.handle), 2);
    EXPECT_STREQ(mottle_field_name(made.handle, 1), "v");
    EXPECT_EQ(mottle_field_name(made.handle, 2), nullptr);
    EXPECT_EQ(mottle_field_name(made.handle, -1), nullptr);
    EXPECT_EQ(mottle_find_field(made.handle, "v"), 1);
    EXPECT_EQ(mottle_find_field(made.handle, "vv"), -1);
    EXPECT_NE(message_of(made).find("did you mean 'v'"), std::string::npos);
    std::int64_t size[3];
    ASSERT_EQ(mottle_size(made.handle, size), MOTTLE_OK);
    EXPECT_EQ(size[0] * 100 + size[1] * 10 + size[2], 651);
    EXPECT_EQ(mottle_cell_count(made.handle), 30);
    std::vector<float> single(30, 0.25F), back(30);
    ASSERT_EQ(mottle_write_f32(made.handle, 1, single.data(), 30), MOTTLE_OK);
    std::vector<double> row(6, 0.75);
    ASSERT_EQ(mottle_write_row(made.handle, 1, 0, row.data(), 6), MOTTLE_OK);
    ASSERT_EQ(mottle_read_f32(made.handle, 1, back.data(), 30), MOTTLE_OK);
    EXPECT_EQ(back[5], 0.75F);
    EXPECT_EQ(back[6], 0.25F);
    double statistics[4];
    ASSERT_EQ(mottle_statistics(made.handle, 1, statistics), MOTTLE_OK);
    EXPECT_EQ(statistics[0], 0.25);
    EXPECT_EQ(statistics[1], 0.75);
    EXPECT_NEAR(statistics[2], (0.75 + 4 * 0.25) / 5, 1e-7);
    ASSERT_EQ(mottle_set_parameter(made.handle, "D", 0.0), MOTTLE_OK);
    std::vector<double> before(30), after(30);
    mottle_read_f64(made.handle, 0, before.data(), 30);
    mottle_advance(made.handle, 3, 1);
    mottle_read_f64(made.handle, 0, after.data(), 30);
    EXPECT_EQ(before, after);
}

// Lines of cells 1 apart: h^2/(2 D), less a tenth.
TEST(CInterface, TheStableStepIsThatOfTheParametersAsTheyAre) {
    Made made("size = '6x1'\ndt = 0.4", "equations.u = 'D*lap(u)'\nparameters = { E = 1, D = '2*E' }\ninitial.u = 1\n");
    EXPECT_NEAR(mottle_stable_dt(made.handle), 0.225, 1e-3);
    ASSERT_EQ(mottle_set_parameter(made.handle, "E", 5), MOTTLE_OK);
    EXPECT_NEAR(mottle_stable_dt(made.handle), 0.045, 1e-3);
    ASSERT_EQ(mottle_advance(made.handle, 1, 1), MOTTLE_OK);
    ASSERT_EQ(mottle_set_dt(made.handle, 0.04), MOTTLE_OK);
    EXPECT_EQ(mottle_dt(made.handle), 0.04);
    EXPECT_EQ(mottle_step(made.handle), 1) << "steps made";
    EXPECT_EQ(mottle_time(made.handle), 0.4);
    ASSERT_EQ(mottle_advance(made.handle, 1, 1), MOTTLE_OK);
    EXPECT_NEAR(mottle_time(made.handle), 0.44, 1e-15);
    EXPECT_EQ(mottle_set_dt(made.handle, -1), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_stable_dt(nullptr), 0);
}

// The callback is asked in the midst of an advance, whose steps have their dt.
TEST(CInterface, ACallbackChangesNoStep) {
    struct Watch {
        mottle_simulation* handle;
        mottle_status status = MOTTLE_OK, advanced = MOTTLE_OK;
        int calls = 0;
    };
    Made made("size = '64x64'\nthreads = 1", "equations.u = 'D*lap(u)'\nparameters.D = 0.1\ninitial.u = 'X'\n");
    Watch watch{made.handle};
    mottle_observe(
        made.handle,
        [](void* user, int64_t, double, double) {
            auto& seen = *static_cast<Watch*>(user);
            seen.status = mottle_set_dt(seen.handle, 0.01);
            seen.advanced = mottle_advance(seen.handle, 1, 0);
            return ++seen.calls < 2 ? 1 : 0;
        },
        &watch);
    const double dt = mottle_dt(made.handle);
    mottle_status status = MOTTLE_OK;
    for (int i = 0; i < 100000 && status == MOTTLE_OK; ++i) status = mottle_advance(made.handle, 20000, 0);
    EXPECT_EQ(status, MOTTLE_STOPPED);
    EXPECT_EQ(watch.status, MOTTLE_INPUT_ERROR);
    EXPECT_EQ(watch.advanced, MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_dt(made.handle), dt);
    EXPECT_EQ(mottle_set_dt(made.handle, 0.01), MOTTLE_OK);
}

TEST(CInterface, WhatIsWrongWithAModelIsSaid) {
    Made broken("size = '6x5'", "equations.u = 'D*lap(u) + q'\nparameters.D = 1\n");
    EXPECT_EQ(broken.status, MOTTLE_MODEL_ERROR);
    EXPECT_EQ(broken.handle, nullptr);
    EXPECT_NE(std::string(broken.message).find("<model>:1:"), std::string::npos) << broken.message;
    EXPECT_EQ(Made("size = 'x'").status, MOTTLE_INPUT_ERROR);
    EXPECT_EQ(Made("size = [").status, MOTTLE_INPUT_ERROR);
    EXPECT_EQ(Made(nullptr, "gray-skott").status, MOTTLE_INPUT_ERROR);
    mottle_simulation* handle = nullptr;
    char few[5] = "????";
    EXPECT_EQ(mottle_create("gray-skott", nullptr, nullptr, &handle, few, sizeof few), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(std::strlen(few), 4U);
    EXPECT_EQ(mottle_create("gray-skott", nullptr, nullptr, &handle, nullptr, 0), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_create(nullptr, nullptr, nullptr, &handle, few, 0), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_create("gray-scott", nullptr, nullptr, nullptr, few, sizeof few), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_create("gray-scott", "corall", nullptr, &handle, few, sizeof few), MOTTLE_INPUT_ERROR);
}

TEST(CInterface, MisuseIsAStatusAndChangesNothing) {
    Made made;
    std::vector<double> cells(30, 1), before(30), after(30);
    ASSERT_EQ(mottle_read_f64(made.handle, 0, before.data(), 30), MOTTLE_OK);
    const std::int64_t wrong[] = {1, 30}, right[] = {1, 2};
    const double bad[] = {1, NAN};
    std::int64_t size[3];
    EXPECT_EQ(mottle_write_f64(made.handle, 0, cells.data(), 29), MOTTLE_INPUT_ERROR);
    EXPECT_NE(message_of(made).find("30 are needed"), std::string::npos) << message_of(made);
    EXPECT_EQ(mottle_write_f64(made.handle, 0, nullptr, 30), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_write_f64(made.handle, 2, cells.data(), 30), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_write_f64(made.handle, -1, cells.data(), 30), MOTTLE_INPUT_ERROR);
    cells[11] = INFINITY;
    EXPECT_EQ(mottle_write_f64(made.handle, 0, cells.data(), 30), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_write_row(made.handle, 0, 1, cells.data() + 6, 6), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_write_row(made.handle, 0, 5, cells.data(), 6), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_read_row(made.handle, 0, -1, cells.data(), 6), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_read_row(made.handle, 0, 0, cells.data(), 7), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_add_to_cells(made.handle, 0, wrong, bad, 2), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_add_to_cells(made.handle, 0, right, bad, 2), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_add_to_cells(made.handle, 0, right, bad, -1), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_get_cells(made.handle, 0, wrong, cells.data(), 2), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_set_parameter(made.handle, "E", 1), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_set_parameter(made.handle, nullptr, 1), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_set_parameter(made.handle, "D", NAN), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_advance(made.handle, -1, 0), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_size(made.handle, nullptr), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_draw(made.handle, nullptr, nullptr), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_draw(made.handle, "a.png", "nonsense = 1"), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_draw(made.handle, "a.npy", nullptr), MOTTLE_INPUT_ERROR);
    ASSERT_EQ(mottle_read_f64(made.handle, 0, after.data(), 30), MOTTLE_OK);
    EXPECT_EQ(before, after);
    EXPECT_EQ(mottle_advance(nullptr, 1, 0), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_read_f64(nullptr, 0, after.data(), 30), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_size(nullptr, size), MOTTLE_INPUT_ERROR);
    EXPECT_EQ(mottle_find_field(nullptr, "u"), -1);
    EXPECT_EQ(mottle_field_count(nullptr), 0);
    EXPECT_STREQ(mottle_message(nullptr), "the handle is NULL");
    mottle_destroy(nullptr);
}

TEST(CInterface, DivergenceAndStopsAreStatuses) {
    Made growing("size = '4x4'\ndevice = 'reference'", "equations.u = 'u*u'\ninitial.u = 1\ntime.dt = 1\n");
    EXPECT_EQ(mottle_advance(growing.handle, 1000, 1), MOTTLE_DIVERGED);
    EXPECT_NE(message_of(growing).find("stopped being finite"), std::string::npos);
    Made stopped("size = '256x256'\ndevice = 'reference'");
    int calls = 0;
    const auto stop = [](void* user, std::int64_t, double, double) { return ++*static_cast<int*>(user) < 2 ? 1 : 0; };
    ASSERT_EQ(mottle_observe(stopped.handle, stop, &calls), MOTTLE_OK);
    EXPECT_EQ(mottle_advance(stopped.handle, 100'000'000, 0), MOTTLE_STOPPED);
    EXPECT_EQ(calls, 2);
    const std::int64_t reached = mottle_step(stopped.handle);
    mottle_observe(stopped.handle, nullptr, nullptr);
    EXPECT_EQ(mottle_advance(stopped.handle, 1, 0), MOTTLE_OK);
    EXPECT_EQ(mottle_step(stopped.handle), reached + 1);
}

TEST(CInterface, DrawsAFile) {
    if (!MOTTLE_HAVE_PNG) GTEST_SKIP() << "built without libpng";
    Made made;
    const auto file = std::filesystem::temp_directory_path() / "mottle_c_interface_test.png";
    EXPECT_EQ(mottle_draw(made.handle, file.c_str(), "field = 'u'\npalette = 'magma'\nscale = 3"), MOTTLE_OK) << message_of(made);
    EXPECT_GT(std::filesystem::file_size(file), 60U);
    std::filesystem::remove(file);
    EXPECT_EQ(mottle_draw(made.handle, "/nowhere/a.png", nullptr), MOTTLE_OUTPUT_ERROR);
}

TEST(CInterface, KnowsItsVersion) {
    EXPECT_EQ(mottle_c_version(), MOTTLE_C_MAJOR * 1000 + MOTTLE_C_MINOR);
    EXPECT_EQ(std::string(mottle_version()).find('.'), 1U);
}

}  // namespace c_interface_test
