// tests/conformance/cuda/surface_cases.h: pictures of a surface from samples drawn by chance, coloured by the kernel where it can and else by frame::View's rule
#pragma once
#include "conformance/cuda/picture_cases.h"
#include "mottle/backend/surface_picture.h"
#include "mottle/frame/view.h"

namespace conformance {

/// Rows with runs inside, at edges and of the background; vertices beyond `vertices` have no value, and some samples see nothing.
inline std::vector<mottle::frame::VisibleRow> chance_rows(std::array<int, 2> pixels, int vertices) {
    using namespace mottle;
    std::vector<frame::VisibleRow> rows(static_cast<std::size_t>(pixels[1]));
    std::uint64_t count = 0;
    auto draw = [&](int below) { return static_cast<int>(ir::uniform_draw(7, ++count, 0, 0) * below); };
    for (frame::VisibleRow& row : rows) {
        for (int x = draw(9); x < pixels[0];) {
            frame::Run run{x, std::min(1 + draw(30), pixels[0] - x), draw(3) == 0 ? backend::kEdgeSamples : 1};
            for (int i = 0; i < run.length * run.samples; ++i) {
                frame::Sample& sample = row.samples.emplace_back();
                if (run.samples > 1 && draw(4) == 0) continue;
                const int beyond = draw(12) == 0 ? 5 : 0;
                for (auto& vertex : sample.vertex) vertex = draw(vertices + beyond);
                const int u = draw(65536);
                sample.weight = {static_cast<std::uint16_t>(u), static_cast<std::uint16_t>(draw(65536 - u))};
                sample.shade = static_cast<std::uint16_t>(draw(24000));
                sample.gloss = static_cast<std::uint16_t>(draw(9000));
            }
            row.runs.push_back(run);
            x += run.length + (draw(3) == 0 ? draw(20) : 0);
        }
    }
    return rows;
}

/// The pictures of every format, curve, background and precision, and how many of them a kernel's own painter drew.
struct SurfacePictures {
    std::vector<std::vector<std::uint8_t>> pictures;
    int painted = 0;
};
inline SurfacePictures surface_pictures_of(mottle::backend::Backend& backend, mottle::core::Context& context, bool f64) {
    using namespace mottle;
    using Format = backend::Picture::Format;
    const ir::Program program = copying_program(f64);
    const domain::Domain domain = domain::create_mesh(domain::load_surface({"torus:3,1,16", {}}, {}, context.team), 1, context.team);
    auto kernel = backend.compile(program, domain, {}, context);
    auto state = kernel->create_state();
    const auto vertices = static_cast<int>(domain::row_length(domain));
    std::vector<double> row(static_cast<std::size_t>(vertices));
    auto fill = [&](std::uint64_t seed) {
        for (std::size_t v = 0; v < row.size(); ++v) row[v] = 1.4 * ir::uniform_draw(seed, v, 0, 0) - 0.2;
        row[3] = std::numeric_limits<double>::quiet_NaN();
        row[5] = std::numeric_limits<double>::infinity();
        kernel->write_row(*state, 0, 0, row);
    };
    SurfacePictures result;
    std::vector<float> values(row.size() + 5, std::numeric_limits<float>::quiet_NaN());
    for (const auto& pixels : {std::array{300, 24}, std::array{62, 10}}) {
        const auto rows = chance_rows(pixels, vertices);
        const auto painter = kernel->create_surface_painter(frame::flatten(rows, pixels));
        for (Format format : {Format::index, Format::rgb24, Format::rgba32, Format::yuv420, Format::yuv444}) {
            for (const frame::Background& background : {frame::Background(frame::Rgb{10, 20, 200}), frame::Background()}) {
                for (double lo : {0.0, -0.1, 2.0, 0x1p-130}) {
                    backend::Picture picture = picture_cases()[0].picture;
                    picture.format = format;
                    picture.curve = lo < 0 ? backend::Picture::Curve::cyberpunk : backend::Picture::Curve::linear;
                    picture.lo = lo, picture.hi = 0.9;  // 2: a range that is none
                    const backend::SurfaceColours colours = frame::surface_tables(picture, background);
                    fill(result.pictures.size());
                    if (lo < 0) kernel->advance(*state, 0, 1, {});
                    auto& out = result.pictures.emplace_back(backend::picture_bytes(format, pixels), std::uint8_t{0xEE});
                    if (painter && painter->can_draw(picture)) {
                        const auto finish = painter->begin(*state, picture, colours, out);
                        fill(result.pictures.size() + 1000);
                        kernel->advance(*state, 0, 1, {});
                        if (finish) finish();
                        ++result.painted;
                        continue;
                    }
                    kernel->read_row(*state, 0, 0, std::span(values).first(row.size()));
                    frame::draw_visible(rows, pixels, picture, colours, values, out, context.team);
                }
            }
        }
    }
    return result;
}

}  // namespace conformance
