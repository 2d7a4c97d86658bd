// tests/oracle/initial_image_test.cpp: image("file.png") against a loop written from its definition
#include "mottle/field/source.h"
#include "mottle/image/png.h"
#include "mottle/model/parse.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace initial_image_test {

/// A folder of this test alone.
class Folder {
   public:
    Folder() {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::temp_directory_path() / (std::string("mottle_image_") + info->name() + "_" + std::to_string(getpid()));
        std::filesystem::create_directories(path_);
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    const std::filesystem::path& path() const { return path_; }

   private:
    std::filesystem::path path_;
};

mottle::image::Image some_image(int width, int height, int channels) {
    mottle::image::Image image{width, height, channels, {}};
    for (int i = 0; i < width * height * channels; ++i) image.pixels.push_back(static_cast<std::uint8_t>((i * 89 + i * i * 7 + 13) % 256));
    return image;
}

// Pixel centres at ((i + 1/2)/width, (j + 1/2)/height) of the domain, straight lines between them, constant beyond the outermost.
double by_definition(const mottle::image::Image& image, double X, double Y) {
    auto gray = [&](int i, int j) {
        const std::uint8_t* p = &image.pixels[static_cast<std::size_t>((j * image.width + i) * image.channels)];
        return image.channels < 3 ? p[0] / 255.0 : (0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2]) / 255.0;
    };
    const double x = std::min(std::max(X * image.width - 0.5, 0.0), image.width - 1.0);
    const double y = std::min(std::max(Y * image.height - 0.5, 0.0), image.height - 1.0);
    double sum = 0;
    for (int j = 0; j < image.height; ++j) {
        for (int i = 0; i < image.width; ++i) {
            const double weight = std::max(0.0, 1 - std::abs(x - i)) * std::max(0.0, 1 - std::abs(y - j));
            sum += weight * gray(i, j);
        }
    }
    return sum;
}

std::vector<double> evaluate(const std::filesystem::path& folder, const std::string& text, long nx, long ny) {
    mottle::model::Equation equation;
    equation.field = "u";
    equation.initial = mottle::model::parse({text, {"m.toml", 1, 1, 1, mottle::core::make_source(text)}});
    mottle::model::Model model;
    model.equations.push_back(equation);
    mottle::domain::Grid grid;
    grid.size = {nx, ny, 1};
    grid.spacing = {2, 0.5, 1};
    const mottle::domain::Domain domain = grid;
    const auto rows =
        mottle::field::create_row_expression(mottle::ir::lower_position(equation.initial, model, domain), domain, {0, folder});
    std::vector<double> cells(static_cast<std::size_t>(nx * ny));
    for (long row = 0; row < ny; ++row) rows(row, 0, {&cells[static_cast<std::size_t>(row * nx)], static_cast<std::size_t>(nx)});
    return cells;
}

TEST(InitialImage, IsBilinearAndStretchedOverTheDomain) {
    const Folder folder;
    for (auto [width, height, channels] : {std::tuple{7, 5, 1}, {4, 9, 3}, {3, 3, 4}, {1, 1, 3}, {1, 6, 1}, {64, 48, 3}}) {
        const auto image = some_image(width, height, channels);
        mottle::image::write_png(folder.path() / "a.png", image);
        for (auto [nx, ny] : {std::pair{64L, 48L}, {5L, 31L}, {1L, 1L}, {3L, 200L}}) {
            const auto result = evaluate(folder.path(), "image(\"a.png\")", nx, ny);
            for (long j = 0; j < ny; ++j) {
                for (long i = 0; i < nx; ++i) {
                    const double X = (static_cast<double>(i) + 0.5) / static_cast<double>(nx),
                                 Y = (static_cast<double>(j) + 0.5) / static_cast<double>(ny);
                    ASSERT_NEAR(result[static_cast<std::size_t>(j * nx + i)], by_definition(image, X, Y), 1e-12)
                        << width << "x" << height << "x" << channels << " on " << nx << "x" << ny << " at " << i << ", " << j;
                }
            }
        }
    }
}

TEST(InitialImage, OneCellPerPixelGivesThePixels) {
    const Folder folder;
    const auto image = some_image(6, 4, 1);
    mottle::image::write_png(folder.path() / "a.png", image);
    const auto result = evaluate(folder.path(), "255*image(\"a.png\")", 6, 4);
    for (std::size_t i = 0; i < result.size(); ++i) EXPECT_NEAR(result[i], image.pixels[i], 1e-12) << "the top row of the picture is row 0";
}

TEST(InitialImage, WhiteIsOneAndBlackIsZero) {
    const Folder folder;
    mottle::image::write_png(folder.path() / "a.png", mottle::image::Image{2, 1, 3, {255, 255, 255, 0, 0, 0}});
    EXPECT_EQ(evaluate(folder.path(), "image(\"a.png\")", 2, 1), (std::vector<double>{1, 0}));
}

}  // namespace initial_image_test
