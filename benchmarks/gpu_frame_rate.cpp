// mottle/benchmarks/gpu_frame_rate.cpp: time per frame on a CUDA device: steps alone, frames drawn by the host, frames drawn there in batches
#include "harness/kernel_run.h"
#include "harness/report.h"
#include "mottle/backend/cuda/device/api.h"
#include "mottle/backend/cuda/backend.h"
#include "mottle/backend/cuda/read_out/frames.h"
#include "mottle/core/error.h"
#include "mottle/frame/palette.h"
#include "mottle/output/frame_queue.h"

#include <chrono>
#include <iostream>
#include <thread>

namespace mottle::benchmarks {
namespace {

using backend::cuda::FramePainter, backend::cuda::FrameSlots, backend::cuda::FrameSlot;
using core::Index;

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

backend::Picture picture_of(const backend::Kernel& kernel) {
    backend::Picture picture;
    picture.array = kernel.program().state_count() - 1;
    picture.lo = 0.2, picture.hi = 0.5;
    picture.format = backend::Picture::Format::yuv420;
    picture.palette = frame::palette(frame::kDefaultPalette);
    return picture;
}

/// The device's bytes against the host's.
bool is_right(const KernelRun& run, const backend::Picture& picture) {
    const std::size_t bytes = backend::picture_bytes(picture, run.kernel().domain());
    std::vector<std::uint8_t> ours(bytes), hosts(bytes);
    run.kernel().draw(run.state(), picture, ours);
    run.kernel().Kernel::draw(run.state(), picture, hosts);
    return ours == hosts;
}

/// Frames of a plane of noise on the device, `batch` of them per transfer, while steps go on; a queue's thread takes them as an encoder would.
class Batches {
   public:
    Batches(std::shared_ptr<backend::cuda::Device> device, const domain::Grid& grid, const backend::Picture& picture, std::size_t batch,
            const std::filesystem::path& cache)
        : grid_(grid),
          picture_(picture),
          batch_(batch),
          frame_bytes_(backend::picture_bytes(picture, grid)),
          cells_(device, static_cast<std::size_t>(grid.size[0] * grid.size[1]) * sizeof(float)),
          painter_(device, false, cache),
          slots_(device),
          queue_(batch * frame_bytes_, [](std::span<const std::uint8_t>) {}) {
        std::vector<float> cells(static_cast<std::size_t>(grid.size[0] * grid.size[1]));
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = static_cast<float>(i % 977) / 977.0F;
        device->upload(cells_.address(), cells.data(), cells.size() * sizeof(float));
    }
    void draw() {
        if (drawn_ == 0) slot_ = &slots_.take(batch_ * frame_bytes_);
        // A plane of its own: what is timed does not depend on what it shows.
        painter_.launch(picture_, grid_, cells_.address(), grid_.size[0], slot_->picture.address() + drawn_ * frame_bytes_);
        if (++drawn_ < batch_) return;
        drawn_ = 0;
        const std::span<std::uint8_t> out = queue_.acquire();
        queue_.push(slots_.send(*slot_, out));
    }
    void close() { queue_.close(); }

   private:
    const domain::Grid& grid_;
    const backend::Picture& picture_;
    std::size_t batch_, frame_bytes_, drawn_ = 0;
    backend::cuda::Memory cells_;
    FramePainter painter_;
    FrameSlots slots_;
    FrameSlot* slot_ = nullptr;
    output::FrameQueue queue_;
};

int run(int count, char** words) {
    const Options options(
        count, words, "time per frame on a CUDA device",
        {{"sizes", "512,1024,4096"}, {"steps", "33"}, {"frames", "320"}, {"rounds", "5"}, {"cache", ""}, {"required", "no"}, {"json", ""}});
    if (const backend::cuda::DriverReport cuda = backend::look_for_cuda(); !cuda.available && !options.flag("required")) {
        std::cout << "skipped: " << cuda.description << "\n";
        return 0;
    }
    core::ThreadTeam team(static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
    core::Observer observer;
    core::Context context{team, observer, options.text("cache")};
    auto opened = backend::cuda::open_driver_device();
    auto device = backend::create_cuda_backend([opened] { return opened; });
    const auto steps = static_cast<Index>(options.number("steps"));
    const int frames = (static_cast<int>(options.number("frames")) + 159) / 160 * 160;  // whole batches of every size
    Json json = Json::object(), results = Json::array();
    json.set("provenance", provenance("gpu_frame_rate", "cuda", 1)).set("steps_per_frame", static_cast<int>(steps));
    Table table({"grid", "frames", "us per frame", "of them the frame's own"});
    bool right = true;
    for (const int n : options.integers("sizes")) {
        const std::string size = std::to_string(n) + "x" + std::to_string(n);
        const Lowered lowered = lower("gray-scott", size, "", "5", false, team);
        KernelRun run(*device, lowered, "", context);
        run.advance(steps);
        const backend::Picture picture = picture_of(run.kernel());
        if (!is_right(run, picture)) {
            std::cout << size << ": WRONG BYTES, not timed\n";
            right = false;
            continue;
        }
        const auto& grid = std::get<domain::Grid>(run.kernel().domain());
        std::vector<std::uint8_t> out(backend::picture_bytes(picture, grid));
        double alone = 0;
        auto measure = [&](const std::string& name, int of, const std::function<void()>& draw, const std::function<void()>& close) {
            std::vector<double> each;
            for (int round = 0; round <= static_cast<int>(options.number("rounds")); ++round) {
                const double seconds = seconds_of([&] {
                    for (int i = 0; i < of; ++i) {
                        run.advance(steps);
                        draw();
                    }
                });
                if (round > 0) each.push_back(seconds / of);  // the first warms up
            }
            close();
            const double middle = median(each);
            if (name == "none") alone = middle;
            table.add({size, name, format("%.1f", 1e6 * middle), format("%.1f", 1e6 * (middle - alone))});
            // at once, as the file: who is stopped early has measured this
            std::cout << size << ", " << name << ": " << format("%.1f us per frame", 1e6 * middle) << std::endl;
            results.add(Json::object().set("grid", size).set("frames", name).set("seconds_per_frame", middle));
            options.write(Json(json).set("results", results));
        };
        auto nothing = [] {};
        measure("none", frames, nothing, nothing);
        measure(
            "drawn by the host", 32, [&] { run.kernel().Kernel::draw(run.state(), picture, out); }, nothing);
        measure(
            "drawn there, waited for", frames, [&] { run.kernel().draw(run.state(), picture, out); }, nothing);
        for (const std::size_t batch : {std::size_t{1}, std::size_t{10}, std::size_t{32}}) {
            Batches batches(opened, grid, picture, batch, context.cache);
            measure(
                "drawn there, " + std::to_string(batch) + " per transfer", frames, [&] { batches.draw(); }, [&] { batches.close(); });
        }
    }
    table.print();
    return right ? 0 : 1;
}

}  // namespace
}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::guarded(mottle::benchmarks::run, count, words); }
