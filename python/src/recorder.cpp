// python/src/recorder.cpp: sinks whose frames a program asks for
#include "recorder.h"

#include "document.h"
#include "simulation.h"

#include "mottle/core/error.h"
#include "mottle/image/png.h"
#include "mottle/output/file_name.h"
#include "mottle/run/settings/outputs.h"

#include <pybind11/stl.h>

#include <memory>

namespace mottle::python {

namespace py = pybind11;

namespace {

class Recorder {
   public:
    Recorder(std::shared_ptr<Simulation> simulation, const std::string& file, const py::dict& keys) : simulation_(std::move(simulation)) {
        const run::Spec& spec = simulation_->spec();
        const core::Node node = node_of_arguments(keys);
        run::Output output = run::read_picture(spec.picture, node, spec.model, spec.domain);
        output.sink.file = file;
        output.sink.light = simulation_->light();
        if (const core::Node* frames = node.find("frames")) output.sink.frame_count = static_cast<core::Index>(frames->number);
        output::check_sink(output.sink, spec.domain);
        simulation_->session().call_aside(
            [&] { sink_ = output::create_sink(output.sink, simulation_->field(), simulation_->session().context()); });
    }
    ~Recorder() {  // a forked process leaves what has threads be
        if (simulation_->session().is_orphan()) static_cast<void>(sink_.release());
    }
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    void write() {
        if (finished_) throw core::InputError("this recording has been finished; begin another one");
        last_ = simulation_->run().now();
        simulation_->session().call([&] { sink_->write(last_, simulation_->run().field()); });
        ++frames_;
    }
    std::vector<std::string> finish() {
        if (!finished_) {
            finished_ = true;
            simulation_->session().call([&] {
                if (frames_ > 0) sink_->end(last_, simulation_->run().field());
                sink_->finish();
            });
        }
        std::vector<std::string> files;
        for (const auto& file : sink_->files()) files.push_back(file.string());
        return files;
    }

   private:
    std::shared_ptr<Simulation> simulation_;
    std::unique_ptr<output::Sink> sink_;
    core::Moment last_;
    core::Index frames_ = 0;
    bool finished_ = false;
};

}  // namespace

void bind_recorder(py::module_& module) {
    py::class_<Recorder>(module, "Recorder")
        .def(py::init<std::shared_ptr<Simulation>, const std::string&, const py::dict&>())
        .def("write", &Recorder::write)
        .def("finish", &Recorder::finish);
    module.def("png_pixels", [](const std::string& path) {
        const image::Image picture = image::read_png(path);
        return py::array_t<std::uint8_t>({py::ssize_t{picture.height}, py::ssize_t{picture.width}, py::ssize_t{picture.channels}},
                                         picture.pixels.data());
    });
    module.def("png_bytes", [](const py::array_t<std::uint8_t, py::array::c_style | py::array::forcecast>& pixels) {
        if (pixels.ndim() != 3 || pixels.size() == 0 || (pixels.shape(2) != 1 && pixels.shape(2) != 3 && pixels.shape(2) != 4))
            throw core::InputError("a picture is an array of (height, width, 1, 3 or 4) bytes");
        const image::Image picture{.width = static_cast<int>(pixels.shape(1)),
                                   .height = static_cast<int>(pixels.shape(0)),
                                   .channels = static_cast<int>(pixels.shape(2)),
                                   .pixels = {pixels.data(), pixels.data() + pixels.size()}};
        return py::bytes(image::png_bytes(picture));
    });
}

}  // namespace mottle::python
