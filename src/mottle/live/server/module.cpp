// mottle/live/server/module.cpp: what the program calls in this module
#include "mottle/live/live.h"
#include "mottle/live/server/page.h"
#include "mottle/live/server/server.h"

#include "mottle/core/error.h"

extern "C" __attribute__((visibility("default"))) void mottle_serve(const mottle::live::Options& options, mottle::core::Context& context) {
    using namespace mottle;
    const std::string_view page = live::page();
    if (page.empty())
        throw core::DeviceError(
            "the page of `mottle live` was not built, for want of Node.js: install nodejs and npm (in Mottle's folder: ./dev live does it "
            "all), and build again");
    live::OfferedFiles files;
    live::Session session(live::Project(options, files.folder()), context, files);
    const live::Server server(session, files, page, options.host, options.port);
    if (options.ready) options.ready(server.url());
    session.run();
}
