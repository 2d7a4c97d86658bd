// apps/cli/live.cpp: mottle live
#include "command_thread.h"
#include "commands.h"
#include "ranks.h"
#include "terminal.h"

#include "mottle/core/cache_folder.h"
#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/text.h"
#include "mottle/core/toml_text.h"
#include "mottle/live/live.h"
#include "mottle/model/library.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/read_spec.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>

#include <fcntl.h>
#include <spawn.h>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace mottle::cli {

namespace {

/// The text of a built-in model or of a file.
std::string text_of(const std::string& model) {
    for (const model::LibraryModel& each : model::library()) {
        if (each.name == model) return std::string(each.text);
    }
    return core::read_file(model).value_or("");
}

/// Asks the desktop to open `url`; where there is none nothing happens.
void open_browser(const std::string& url) {
    if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
    std::string program = "xdg-open", address = url;
    std::array<char*, 3> words{program.data(), address.data(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (const int stream : {0, 1, 2})
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", stream == 0 ? O_RDONLY : O_WRONLY, 0);
    pid_t child = 0;
    posix_spawnp(&child, program.c_str(), &actions, nullptr, words.data(), environ);  // if it fails the address has been printed
    posix_spawn_file_actions_destroy(&actions);
}

/// What runs behind the question whether the model of a link is to run.
constexpr const char* kModelBesideLink = "gray-scott";

/// "#model=..." of a link that a page has copied; "" of what is none. The page shows the text and asks before it runs. Throws: InputError.
std::string model_in_link(const std::string& typed) {
    constexpr std::string_view kKey = "#model=";
    const std::size_t at = typed.find(kKey);
    const bool is_address = typed.starts_with("http://") || typed.starts_with("https://");
    if (!is_address && at != 0) return "";
    const std::string model = at == std::string::npos ? "" : typed.substr(at + kKey.size());
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    if (model.empty() || model.find_first_not_of(kDigits) != std::string::npos)
        throw core::InputError("this link holds no model: one that a page has copied ends in '#model=' and letters, digits, '-' and '_'");
    return std::string(kKey) + model;
}

bool is_loopback(const std::string& host) { return host == "127.0.0.1" || host == "localhost" || host == "[::1]"; }

}  // namespace

int live(const LiveArguments& arguments) {
    ModelArguments model = arguments.model;
    const std::string link = model_in_link(model.model);
    if (!link.empty()) model.model = kModelBesideLink;
    live::Options options;
    options.document = model::load_document(model.model);
    options.text = text_of(model.model);
    options.name = model_name(model.model);
    options.preset = model.preset;
    options.flags = model.flags;
    options.host = arguments.host;
    options.port = arguments.port;
    options.process_ends = true;
    options.ready = [&](const std::string& page) {
        const std::string url = page + link;
        if (arguments.json)
            std::cout << "{\"url\": \"" << url << "\"}\n" << std::flush;
        else
            std::cout << "live at  " << url << "\nCtrl-C ends it.\n" << std::flush;
        if (arguments.opens) open_browser(url);
    };
    TerminalObserver observer(arguments.quiet);
    if (!is_loopback(arguments.host))
        observer.notice("warning: anyone who reaches " + arguments.host +
                        " and knows the address below can control this run; without --host only this computer can");
    const live::Serve serve = live::open_live_module();
    const int threads = run::read_threads(options.document, options.preset, options.flags);
    core::ThreadTeam team(threads > 0 ? threads : core::available_cores());
    tell_many_threads(team.size(), observer);
    core::Context context{team, observer, core::cache_folder()};
    {
        const FilesOpen files;
        serve(options, context);
    }
    return kInterrupted;
}

}  // namespace mottle::cli
