// python/src/live.cpp: a server with a thread of its own, which knows nothing of Python
#include "live.h"

#include "document.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/live/live.h"
#include "mottle/model/library.h"
#include "mottle/run/settings/read_spec.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <unistd.h>

namespace mottle::python {

namespace py = pybind11;

namespace {

std::string text_of(const py::object& text, const std::string& name) {
    if (!text.is_none()) return text.cast<std::string>();
    for (const model::LibraryModel& each : model::library()) {
        if (each.name == name) return std::string(each.text);
    }
    return "";
}

class Live {
   public:
    /// Returns once the page can be opened. Throws: Error as live::Serve.
    Live(const py::object& text, const std::string& file, const std::string& name, const std::string& preset, const py::dict& arguments,
         const std::string& host, int port, const std::string& cache)
        : state_(std::make_shared<State>()) {
        live::Options& options = state_->options;
        options.document = document_of(text, file, name);
        options.text = text_of(text, name);
        options.name = name;
        options.preset = preset;
        options.flags = node_of_arguments(arguments);
        options.host = host;
        options.port = port;
        options.ready = [state = state_.get()](const std::string& url) {
            const std::scoped_lock lock(state->mutex);
            state->url = url;
            state->changed.notify_all();
        };
        state_->cache = cache;
        const live::Serve serve = live::open_live_module();
        thread_ = std::thread([state = state_, serve] { state->run(serve); });
        try {
            wait();
        } catch (...) {
            close();
            throw;
        }
    }
    ~Live() { close(); }
    Live(const Live&) = delete;
    Live& operator=(const Live&) = delete;

    std::string url() const { return state_->url; }
    bool is_over() {
        const std::scoped_lock lock(state_->mutex);
        return state_->over;
    }
    /// Ends it, and waits for that.
    void close() {
        if (!thread_.joinable()) return;
        if (getpid() != process_) return thread_.detach();  // a forked process has no such thread
        state_->cancellation.ask();
        const py::gil_scoped_release release;
        thread_.join();
    }

   private:
    struct State {
        live::Options options;
        std::string cache;
        core::Cancellation cancellation;
        std::mutex mutex;
        std::condition_variable changed;
        std::string url;
        std::exception_ptr failure;
        bool over = false;

        void run(live::Serve serve) noexcept {
            std::exception_ptr found;
            try {
                const core::CancellationScope scope(&cancellation);
                const run::Spec spec = run::read_spec(options.document, options.name, options.preset, options.flags);
                core::ThreadTeam team(spec.threads > 0 ? spec.threads : core::available_cores());
                core::Observer silent;
                core::Context context{team, silent, cache};
                serve(options, context);
            } catch (const core::Interrupted&) {
            } catch (...) {
                found = std::current_exception();
            }
            const std::scoped_lock lock(mutex);
            failure = found;
            over = true;
            changed.notify_all();
        }
    };

    void wait() {
        using namespace std::chrono_literals;
        while (true) {
            {
                const py::gil_scoped_release release;
                std::unique_lock lock(state_->mutex);
                if (state_->changed.wait_for(lock, 50ms, [&] { return state_->over || !state_->url.empty(); })) break;
            }
            if (PyErr_CheckSignals() != 0) throw py::error_already_set();
        }
        const std::scoped_lock lock(state_->mutex);
        if (state_->failure) std::rethrow_exception(state_->failure);
    }

    const pid_t process_ = getpid();
    std::shared_ptr<State> state_;
    std::thread thread_;
};

}  // namespace

void bind_live(py::module_& module) {
    py::class_<Live>(module, "Live")
        .def(py::init<const py::object&, const std::string&, const std::string&, const std::string&, const py::dict&, const std::string&,
                      int, const std::string&>())
        .def("url", &Live::url)
        .def("is_over", &Live::is_over)
        .def("close", &Live::close);
}

}  // namespace mottle::python
