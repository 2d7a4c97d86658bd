// mottle/benchmarks/frame_rate.cpp: milliseconds per frame: range, drawing in each pixel format, encoding, PNG; on a pattern that has developed
#include "baseline/machine.h"
#include "harness/mottle_run.h"
#include "harness/report.h"
#include "mottle/core/error.h"
#include "mottle/core/thread_team.h"
#include "mottle/frame/frame.h"
#include "mottle/output/video.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>

#include <unistd.h>

namespace mottle::benchmarks {
namespace {

/// Median milliseconds of one call.
double milliseconds(int rounds, const std::function<void()>& work) {
    std::vector<double> times;
    work();
    for (int round = 0; round < rounds; ++round) {
        const double start = seconds_now();
        work();
        times.push_back((seconds_now() - start) * 1e3);
    }
    return median(times);
}

struct Figures {
    double range = 0, index = 0, rgb = 0, yuv = 0, cyberpunk = 0, encode = 0;
};

double encode(MottleRun& run, backend::Picture picture, const std::filesystem::path& file, int threads, int frames) {
    backend::Kernel& kernel = run.simulation().field().kernel();
    picture.format = backend::Picture::Format::yuv420;
    std::vector<std::uint8_t> planes(backend::picture_bytes(picture, kernel.domain()));
    const auto [width, height] = backend::picture_size(picture, kernel.domain());
    if (width > output::kLargestMp4) return 0;
    output::VideoSpec spec;
    spec.file = spec.name = file.string();
    spec.width = width;
    spec.height = height;
    spec.threads = threads;
    const auto encoder = output::open_video(spec);
    double seconds = 0;
    for (int frame = 0; frame < frames; ++frame) {
        run.advance(32);
        kernel.draw(run.simulation().field().state(), picture, planes);
        const double start = seconds_now();
        encoder->write(planes);
        seconds += seconds_now() - start;
    }
    const double start = seconds_now();
    encoder->finish();
    std::filesystem::remove(file);
    return (seconds + seconds_now() - start) * 1e3 / frames;
}

Figures measure(int size, int threads, int rounds, const std::filesystem::path& file) {
    MottleRun run(Job{.model = gray_scott_text({}), .settings = square(size), .threads = threads});
    Fields start = initial_fields(size, size);
    run.write(start);
    run.advance(1000);
    if (!run.alive()) throw core::InternalError("verification failed: the fields are not finite or do not vary");
    field::Field& field = run.simulation().field();
    Figures figures;
    frame::Painter painter({}, field, {});
    backend::Picture picture = painter.picture(field, backend::Picture::Format::index);
    figures.range = milliseconds(rounds, [&] { static_cast<void>(field.statistics(picture.array)); });
    std::vector<std::uint8_t> pixels;
    const auto draw = [&](backend::Picture::Format format, backend::Picture::Curve curve) {
        picture.format = format;
        picture.curve = curve;
        pixels.assign(backend::picture_bytes(picture, field.kernel().domain()), 0);
        const double time = milliseconds(rounds, [&] { field.kernel().draw(field.state(), picture, pixels); });
        const auto [low, high] = std::minmax_element(pixels.begin(), pixels.end());
        if (*low == *high) throw core::InternalError("verification failed: the picture is blank");
        return time;
    };
    using Format = backend::Picture::Format;
    using Curve = backend::Picture::Curve;
    figures.index = draw(Format::index, Curve::linear);
    figures.rgb = draw(Format::rgb24, Curve::linear);
    figures.cyberpunk = draw(Format::yuv420, Curve::cyberpunk);
    figures.yuv = draw(Format::yuv420, Curve::linear);
    figures.encode = encode(run, picture, file, threads, size <= 1024 ? 120 : 12);
    return figures;
}

int run(int count, char** words) {
    const int cores = core::available_cores();
    const Options options(count, words,
                          "Milliseconds per frame. encode: H.264 as the .mp4 sink makes it, on as many threads, nothing else running.",
                          {{"sizes", "512,1024,2048,4096"}, {"threads", cores > 1 ? std::to_string(cores) + ",1" : "1"}, {"rounds", "15"}});
    const std::filesystem::path file = std::filesystem::temp_directory_path() / format("mottle-bench-%d.mp4", static_cast<int>(getpid()));
    Json results = Json::array();
    Table table({"size", "threads", "statistics", "index", "rgb24", "yuv420", "yuv420, article's curve", "encode"});
    for (const int size : options.integers("sizes")) {
        for (const int threads : options.integers("threads")) {
            const Figures f = measure(size, threads, static_cast<int>(options.number("rounds")), file);
            table.add({std::to_string(size), std::to_string(threads), format("%.3f", f.range), format("%.3f", f.index),
                       format("%.3f", f.rgb), format("%.3f", f.yuv), format("%.3f", f.cyberpunk), format("%.2f", f.encode)});
            results.add(Json::object()
                            .set("size", size)
                            .set("threads", threads)
                            .set("statistics_ms", f.range)
                            .set("index_ms", f.index)
                            .set("rgb24_ms", f.rgb)
                            .set("yuv420_ms", f.yuv)
                            .set("cyberpunk_ms", f.cyberpunk)
                            .set("encode_ms", f.encode));
        }
    }
    table.print();
    options.write(provenance("frame_rate", "auto", options.integers("threads").front()).set("results", results));
    return 0;
}

}  // namespace

int benchmark(int count, char** words) { return guarded(run, count, words); }

}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::benchmark(count, words); }
