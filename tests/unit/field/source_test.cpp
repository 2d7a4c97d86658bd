// tests/unit/field/source_test.cpp: what the sources of initial expressions refuse, and their edges
#include "mottle/core/error.h"
#include "mottle/domain/piece.h"
#include "mottle/field/expression_rows.h"
#include "mottle/field/source.h"
#include "mottle/image/png.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <vector>

namespace mottle::field {
namespace source_test {

domain::Domain grid_of(core::Index nx, core::Index ny) {
    domain::Grid grid;
    grid.size = {nx, ny, 1};
    return grid;
}

ir::SourceCall call_of(const std::string& function, std::vector<double> args, const std::string& text = {}) {
    ir::SourceCall call;
    call.function = model::find_function(function)->callee;
    call.args = std::move(args);
    call.text = text;
    call.span = {"m.toml", 4, 9, 5};
    return call;
}

template <class Error>
std::string message_of(const ir::SourceCall& call, const InitialSpec& initial = {}) {
    try {
        create_source(call, grid_of(8, 8), initial);
    } catch (const Error& error) {
        EXPECT_TRUE(error.span() && error.span()->line == 4);
        return error.message();
    }
    return "(no error)";
}

TEST(Sources, RefuseArgumentsWithoutMeaning) {
    const double nan = std::nan(""), inf = HUGE_VAL;
    EXPECT_NE(message_of<core::ModelError>(call_of("noise", {0, inf})).find("not finite"), std::string::npos);
    EXPECT_NE(message_of<core::ModelError>(call_of("noise", {nan, 1})).find("not finite"), std::string::npos);
    EXPECT_NE(message_of<core::ModelError>(call_of("noise", {-1.7e308, 1.7e308})).find("not finite"), std::string::npos);
    for (double count : {-1.0, 2.5, nan}) {
        EXPECT_NE(message_of<core::ModelError>(call_of("spots", {count, 1})).find("it must be a whole number"), std::string::npos) << count;
    }
    for (double radius : {-1.0, inf, nan}) {
        EXPECT_NE(message_of<core::ModelError>(call_of("spots", {3, radius})).find("it must be a length"), std::string::npos) << radius;
    }
    EXPECT_NE(message_of<core::InputError>(call_of("spots", {1e12, 1})).find("the maximum is 100,000"), std::string::npos);
}

TEST(Sources, AnImageThatCannotBeReadIsAnInputErrorWithPlace) {
    const auto folder = std::filesystem::temp_directory_path() / ("mottle_source_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "text.png") << "this is no picture";
    EXPECT_NE(message_of<core::InputError>(call_of("image", {}, "missing.png"), {0, folder}), "(no error)");
    EXPECT_NE(message_of<core::InputError>(call_of("image", {}, "text.png"), {0, folder}), "(no error)");
    EXPECT_NE(message_of<core::InputError>(call_of("image", {}, ""), {0, folder}), "(no error)");
    std::filesystem::remove_all(folder);
}

// Whether it is refused must not depend on which rows are needed: the middles of two cells lie far above its end.
TEST(Sources, APictureThatEndsTooEarlyIsRefusedWhateverIsNeededOfIt) {
    const std::filesystem::path path = std::filesystem::temp_directory_path() / ("mottle_cut_" + std::to_string(getpid()) + ".png");
    image::Image tall{3, 400, 1, {}, {}};
    for (int i = 0; i < 3 * 400; ++i) tall.pixels.push_back(static_cast<std::uint8_t>(i * i % 251));
    image::write_png(path, tall);
    EXPECT_NO_THROW(create_source(call_of("image", {}, path.string()), grid_of(3, 2), {}));
    std::filesystem::resize_file(path, std::filesystem::file_size(path) - 20);
    EXPECT_NE(message_of<core::InputError>(call_of("image", {}, path.string())).find("the file ends too early"), std::string::npos);
    EXPECT_THROW(create_source(call_of("image", {}, path.string()), grid_of(3, 2), {}), core::InputError);
    std::filesystem::remove(path);
}

TEST(Sources, NoSpotsAndDotsOfNoSize) {
    for (auto args : {std::vector<double>{0, 5}, std::vector<double>{3, 0}}) {
        const RowSource rows = create_source(call_of("spots", args), grid_of(8, 8), {});
        for (core::Index row = 0; row < 8; ++row) {
            std::vector<double> cells(8, -1);
            rows(row, 0, cells);
            EXPECT_EQ(cells, std::vector<double>(8, 0.0));
        }
    }
}

TEST(Sources, NoiseStaysInsideItsBounds) {
    const RowSource rows = create_source(call_of("noise", {-2, 5}), grid_of(4096, 4), {});
    double low = 10, high = -10;
    for (core::Index row = 0; row < 4; ++row) {
        std::vector<double> cells(4096);
        rows(row, 0, cells);
        for (double x : cells) {
            low = std::min(low, x);
            high = std::max(high, x);
        }
    }
    EXPECT_GT(low, -2);
    EXPECT_LT(low, -1.99);
    EXPECT_LT(high, 5);
    EXPECT_GT(high, 4.99);
}

/// Cells of a row that are asked for in runs are those of the whole row, which tests/oracle compares with plain loops.
TEST(Sources, RunsOfARowAreItsCells) {
    constexpr core::Index n = 1300;  // more than are evaluated at once
    const InitialSpec initial{7, {}, {{"a", std::make_shared<std::vector<double>>(n * 4)}}};
    for (std::size_t i = 0; i < n * 4; ++i)
        (*std::const_pointer_cast<std::vector<double>>(initial.arrays.at("a")))[i] = std::sin(static_cast<double>(i));
    const std::string text = "noise(0, 1)*x + spots(9, 30) - given(\"a\", -1, 1) + where(y > 2, noise(2, 3), cos(x))";
    model::Model model;
    model.equations.resize(1);
    model.equations[0].field = "u";
    model.equations[0].initial = model::parse({text, {"m.toml", 1, 1, 1, core::make_source(text)}});
    for (const bool twice : {false, true}) {
        ir::Expression lowered = ir::lower_position(model.equations[0].initial, model, grid_of(n, 4));
        if (twice) {  // the first source, read by one more instruction
            const auto last = static_cast<ir::Value>(lowered.code.size()) - 1;
            lowered.code.push_back({.op = ir::Op::load});
            lowered.code.push_back({.op = ir::Op::add, .args = {last, last + 1, -1}});
        }
        const RowSource source = create_row_expression(lowered, grid_of(n, 4), initial);
        for (core::Index row = 0; row < 4; ++row) {
            std::vector<double> whole(n), runs(n);
            source(row, 0, whole);
            core::Index x = 0;
            for (const core::Index length : {1, 63, 64, 511, 512, 148, 1}) {
                source(row, x, std::span(runs).subspan(core::at(x), core::at(length)));
                x += length;
            }
            ASSERT_EQ(x, n);
            EXPECT_EQ(whole, runs) << "row " << row;
        }
    }
}

#if MOTTLE_HAVE_PNG
// A piece of more cells than pixels are held for at a time, which goes on beyond the sides of the whole.
TEST(Sources, PicturesOfAPieceAreThoseOfTheWhole) {
    const auto folder = std::filesystem::temp_directory_path() / ("mottle_pieces_" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    image::Image picture{97, 61, 3, {}};
    for (int i = 0; i < 97 * 61 * 3; ++i) picture.pixels.push_back(static_cast<std::uint8_t>(i * 37 + i / 11));
    image::write_png(folder / "a.png", picture);
    const InitialSpec initial{7, folder};
    const std::string text = "image(\"a.png\")";
    model::Model model;
    model.equations.resize(1);
    model.equations[0].field = "u";
    model.equations[0].initial = model::parse({text, {"m.toml", 1, 1, 1, core::make_source(text)}});
    const domain::Domain whole = grid_of(4096, 4000);
    const ir::Expression expression = ir::lower_position(model.equations[0].initial, model, whole);
    const RowSource expected = create_row_expression(expression, whole, initial);
    core::ThreadTeam team(2);
    for (const domain::CellBox& box : {domain::CellBox{{-60, -70, 0}, {4200, 3300, 1}}, domain::CellBox{{100, 3990, 0}, {50, 20, 1}}}) {
        const domain::Grid piece = domain::piece_of(std::get<domain::Grid>(whole), box);
        std::atomic<core::Index> rows = 0, wrong = 0;
        const BadCell bad = evaluate_rows(expression, piece, true, initial, team, [&](core::Index row, std::span<const double> cells) {
            std::vector<double> all(4096), own(cells.size());
            expected(domain::row_in_whole(piece, row), 0, all);
            domain::take_row<double>(piece, all, own);
            ++rows;
            if (!std::equal(own.begin(), own.end(), cells.begin())) ++wrong;
        });
        EXPECT_EQ(bad.cell, -1);
        EXPECT_EQ(rows, box.size[1]);
        EXPECT_EQ(wrong, 0);
    }
    std::filesystem::remove_all(folder);
}
#endif

}  // namespace source_test
}  // namespace mottle::field
