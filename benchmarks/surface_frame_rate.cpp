// mottle/benchmarks/surface_frame_rate.cpp: pictures of surfaces: seconds for the first, milliseconds for the next ones and for one after a turn
#include "baseline/machine.h"
#include "harness/report.h"
#include "mottle/core/error.h"
#include "mottle/core/thread_team.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/frame/palette.h"
#include "mottle/frame/view.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mottle::benchmarks {
namespace {

double milliseconds(int rounds, const std::function<void()>& work) {
    std::vector<double> times;
    for (int round = 0; round < rounds; ++round) {
        const double start = seconds_now();
        work();
        times.push_back((seconds_now() - start) * 1e3);
    }
    return median(times);
}

/// Waves in space, as many along the longest side as a pattern would have.
std::vector<float> waves(const domain::Surface& surface) {
    domain::Point low = surface.position[0], high = low;
    for (const auto& p : surface.position) {
        for (std::size_t d = 0; d < 3; ++d) low[d] = std::min(low[d], p[d]), high[d] = std::max(high[d], p[d]);
    }
    const double k = 60 / std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    std::vector<float> values;
    for (const auto& p : surface.position) values.push_back(static_cast<float>(0.5 + 0.2 * (std::sin(k * p[0]) + std::sin(k * p[1]))));
    return values;
}

int measure(int count, char** words) {
    const int cores = core::available_cores();
    const Options options(count, words, "Pictures of surfaces, whose first one finds what is seen and in what light.",
                          {{"mesh", "torus:1,0.45,330"},
                           {"width", "1920"},
                           {"height", "1080"},
                           {"threads", cores > 1 ? std::to_string(cores) + ",1" : "1"},
                           {"rounds", "15"}});
    const std::array<int, 2> pixels = {static_cast<int>(options.number("width")), static_cast<int>(options.number("height"))};
    const int rounds = static_cast<int>(options.number("rounds"));
    Json results = Json::array();
    Table table({"mesh", "faces", "threads", "samples", "first, s", "turned, ms", "rgb24, ms", "yuv420, ms", "index, ms"});
    const std::string mesh = options.text("mesh");
    for (const int threads : options.integers("threads")) {
        core::ThreadTeam team(threads);
        const auto surface = domain::load_surface({mesh, {}}, ".", team);
        const std::vector<float> values = waves(*surface);
        const double start = seconds_now();
        frame::SurfaceLight light;
        frame::View view(light.on(*surface, frame::open_caster_module(), team), {}, pixels, false, frame::kDefaultBackground, team);
        const double first = seconds_now() - start;
        std::size_t samples = 0;
        for (const auto& row : view.rows()) samples += row.samples.size();
        backend::Picture picture;
        picture.palette = frame::palette(frame::kDefaultPalette);
        std::vector<std::uint8_t> out;
        const auto draw = [&](backend::Picture::Format format) {
            picture.format = format;
            out.assign(backend::picture_bytes(format, pixels), 0);
            view.draw(picture, values, out);
            const auto [low, high] = std::minmax_element(out.begin(), out.end());
            if (*low == *high) throw core::InternalError("verification failed: the picture is blank");
            return milliseconds(rounds, [&] { view.draw(picture, values, out); });
        };
        using Format = backend::Picture::Format;
        const double rgb = draw(Format::rgb24), yuv = draw(Format::yuv420), index = draw(Format::index);
        double degrees = 0;
        const double turned = milliseconds(std::min(rounds, 5), [&] { view.turn(degrees += 1.2); });
        table.add({surface->name, std::to_string(surface->faces.size()), std::to_string(threads), std::to_string(samples),
                   format("%.2f", first), format("%.1f", turned), format("%.2f", rgb), format("%.2f", yuv), format("%.2f", index)});
        results.add(Json::object()
                        .set("mesh", surface->name)
                        .set("faces", static_cast<int>(surface->faces.size()))
                        .set("threads", threads)
                        .set("samples", static_cast<int>(samples))
                        .set("first_s", first)
                        .set("turned_ms", turned)
                        .set("rgb24_ms", rgb)
                        .set("yuv420_ms", yuv)
                        .set("index_ms", index));
    }
    table.print();
    options.write(provenance("surface_frame_rate", "auto", options.integers("threads").front()).set("results", results));
    return 0;
}

}  // namespace

int benchmark(int count, char** words) { return guarded(measure, count, words); }

}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::benchmark(count, words); }
