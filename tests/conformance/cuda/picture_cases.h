// tests/conformance/cuda/picture_cases.h: pictures of noise in every format, asked of any backend, while the state goes on
#pragma once
#include "conformance/cuda/statistics_cases.h"

#include <cmath>
#include <cstdint>
#include <functional>

namespace conformance {

/// What is drawn; `in_flight`: by begin_draw, completed after the fields have been overwritten.
struct PictureCase {
    mottle::domain::Triple size;
    mottle::backend::Picture picture;
    bool in_flight = false;
};

inline std::vector<PictureCase> picture_cases() {
    using Picture = mottle::backend::Picture;
    std::vector<PictureCase> cases;
    Picture picture;
    for (std::size_t i = 0; i < 256; ++i) {
        picture.palette[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(255 - i / 2), static_cast<std::uint8_t>(i * i / 255)};
    }
    for (auto format :
         {Picture::Format::index, Picture::Format::rgb24, Picture::Format::rgba32, Picture::Format::yuv420, Picture::Format::yuv444}) {
        picture.format = format;
        for (auto curve : {Picture::Curve::linear, Picture::Curve::cyberpunk}) {
            picture.curve = curve;
            for (const auto& size : {mottle::domain::Triple{70, 9, 1}, {5, 6, 3}, {300, 4, 2}, {1, 3, 1}, {259, 3, 1}}) {
                for (int scale : {1, 2, 3}) {
                    picture.scale = scale;
                    picture.lo = -0.2, picture.hi = 0.9;
                    cases.push_back({size, picture, scale == 2});
                }
            }
        }
        // ranges at the edge of what is drawn, without extent, without numbers; one that begins at a subnormal number
        for (const auto& [lo, hi] : {std::pair{0.0, 0x1p-100},
                                     {0.0, 0x1p-101},
                                     {-0x1p125, 0x1p125},
                                     {-0x1p126, 0x1p126},
                                     {0.3, 0.3},
                                     {0.5, 0.1},
                                     {std::numeric_limits<double>::quiet_NaN(), 1.0},
                                     {-std::numeric_limits<double>::infinity(), 1.0},
                                     {0x1p-130, 0x1p-99},
                                     {0.25, 0.75}}) {
            picture.lo = lo, picture.hi = hi, picture.scale = 1;
            cases.push_back({{31, 8, 1}, picture, false});
        }
        // more pictures under way than have been before
        for (int k = 0; k < 3; ++k) cases.push_back({{40, 10, 1}, cases.back().picture, true});
    }
    return cases;
}

/// Their bytes. Cells are noise of all sizes round the range, with numbers that are none, in two fields; pictures in flight are completed three at a time.
inline std::vector<std::vector<std::uint8_t>> pictures_of(mottle::backend::Backend& backend, mottle::core::Context& context, bool f64) {
    using namespace mottle;
    std::vector<std::vector<std::uint8_t>> pictures;
    std::vector<std::function<void()>> in_flight;
    struct Drawn {  // outlives its pictures in flight
        std::unique_ptr<backend::Kernel> kernel;
        std::unique_ptr<backend::State> state;
    };
    const std::vector<PictureCase> cases = picture_cases();
    pictures.reserve(cases.size());
    std::vector<Drawn> kernels;
    for (const PictureCase& each : cases) {
        domain::Grid grid;
        grid.size = each.size;
        ir::Program program = copying_program(f64);
        if (kernels.empty() || std::get<domain::Grid>(kernels.back().kernel->domain()).size != each.size) {
            auto kernel = backend.compile(program, grid, {}, context);
            auto state = kernel->create_state();
            kernels.push_back({std::move(kernel), std::move(state)});
        }
        auto& [kernel, state] = kernels.back();
        auto fill = [&kernel = *kernel, &state = *state, &each](std::uint64_t seed) {
            std::vector<double> row(static_cast<std::size_t>(each.size[0]));
            const double lo = each.picture.lo, extent = each.picture.hi - each.picture.lo;
            const double from = std::isfinite(lo) ? lo : 0, by = extent > 0 && std::isfinite(extent) ? extent : 1;
            for (core::Index y = 0; y < each.size[1] * each.size[2]; ++y) {
                for (std::size_t x = 0; x < row.size(); ++x) {
                    const double draw = ir::uniform_draw(seed, static_cast<std::uint64_t>(y), x, 0);
                    row[x] = from + by * (1.5 * draw - 0.25);
                    if (draw < 0.05) row[x] = from + by * std::floor(256 * 20 * draw) / 256;  // where an index begins
                    if (draw > 0.98)
                        row[x] = draw > 0.99 ? std::numeric_limits<double>::quiet_NaN() : -std::numeric_limits<double>::infinity();
                    if (draw > 0.97 && draw < 0.98) row[x] = std::ldexp(draw, -126);
                }
                kernel.write_row(state, 0, y, row);
            }
        };
        fill(pictures.size());
        if (pictures.size() % 2 == 0) kernel->advance(*state, 0, 1, {});
        auto& out = pictures.emplace_back(backend::picture_bytes(each.picture, grid), std::uint8_t{0xEE});
        if (!each.in_flight) {
            kernel->draw(*state, each.picture, out);
            continue;
        }
        if (auto finish = kernel->begin_draw(*state, each.picture, out)) in_flight.push_back(std::move(finish));
        fill(pictures.size() + 1000);
        kernel->advance(*state, 0, 1, {});
        if (in_flight.size() < 3) continue;
        for (const auto& finish : in_flight) finish();
        in_flight.clear();
    }
    for (const auto& finish : in_flight) finish();
    return pictures;
}

}  // namespace conformance
