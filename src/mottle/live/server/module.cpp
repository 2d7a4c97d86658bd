// mottle/live/server/module.cpp: what the program calls in this module
#include "mottle/live/live.h"
#include "mottle/live/server/page.h"
#include "mottle/live/server/server.h"

#include "mottle/core/error.h"

#include <memory>

extern "C" __attribute__((visibility("default"))) void mottle_serve(const mottle::live::Options& options, mottle::core::Context& context) {
    using namespace mottle;
    const std::string_view page = live::page();
    if (page.empty())
        throw core::DeviceError(
            "the page of `mottle live` was not built, for want of Node.js: install nodejs and npm (in Mottle's folder: ./dev live does it "
            "all), and build again");
    auto files = std::make_unique<live::OfferedFiles>();
    auto session = std::make_unique<live::Session>(live::Project(options, files->folder()), context, *files);
    auto server = std::make_unique<live::Server>(*session, *files, page, options.host, options.port);
    if (options.ready) options.ready(server->url());
    session->run();
    if (!options.process_ends) return;
    files->remove();
    // Threads of the server may still use all three.
    static_cast<void>(server.release());
    static_cast<void>(session.release());
    static_cast<void>(files.release());
}
