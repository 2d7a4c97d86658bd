// mottle/live/live.h: a run that people watch, paint into and change in a browser: what to serve, and the module that serves it
#pragma once
#include "mottle/core/context.h"
#include "mottle/core/document.h"

#include <functional>
#include <string>

namespace mottle::live {

/// What is shown first, and where.
struct Options {
    core::Node document;  ///< of a model or run file, as for run::read_spec
    std::string text;     ///< that it was read from, for the editor of the page
    std::string name, preset;
    core::Node flags;
    std::string host = "127.0.0.1";  ///< the address to listen on
    int port = 0;                    ///< 0: any that is free
    /// The process ends right afterwards, by std::_Exit: then the server is not taken down, which takes some seconds.
    bool process_ends = false;
    /// Hears the address of the page, once it can be opened.
    std::function<void(const std::string& url)> ready;
};

/// Serves until the core::Cancellation of this thread is asked. `context.observer` hears the notes of the run.
/// Throws: Error of the model as run::Simulation does; DeviceError (the address cannot be listened on; the module was built without the page).
using Serve = void (*)(const Options& options, core::Context& context);

/// The symbol of the module that serves.
inline constexpr const char* kServe = "mottle_serve";

/// Opens lib/mottle/mottle_live.so. Throws: DeviceError that names the packages if it is missing.
Serve open_live_module();

}  // namespace mottle::live
