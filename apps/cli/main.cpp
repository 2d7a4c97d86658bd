// apps/cli/main.cpp: parses the command line, runs a command, turns errors into messages and exit codes
#include "command_thread.h"
#include "commands.h"
#include "flags.h"
#include "ranks.h"
#include "report.h"
#include "terminal.h"

#include "mottle/core/provenance.h"
#include "mottle/core/text.h"
#include "mottle/ranks/launcher.h"
#include "mottle/run/tune/tune.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <iostream>
#include <new>

namespace mottle::cli {

namespace {

/// Help is set by hand in help.cpp.
class Help : public CLI::Formatter {
   public:
    std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
        return help_text(app->get_parent() ? app->get_name() : "");
    }
};

constexpr double kMostSeconds = 3600;

struct Typed {
    TypedFlags flags;
    RunArguments run;
    std::string argument, what = "kernel", seconds;
    std::string threads, scale, refine, subdivision;
    std::vector<std::string> over;
    std::string host = "127.0.0.1", port;
    bool stays_closed = false;
    std::string ranks, network;  ///< of check
};

void add_settings(CLI::App& command, Typed& typed, bool emit) {
    command.add_option("model", typed.run.model.model)->required();
    command.add_option("--preset", typed.run.model.preset);
    command.add_option("--set", typed.flags.settings)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag("--delaunay{true}", typed.flags.delaunay);
    for (const Flag& flag : flags()) {
        if (emit && !flag.of_emit) continue;
        command.add_option_function<std::string>(std::string(flag.name), [&typed, name = flag.name](const std::string& value) {
            typed.flags.values[std::string(name)] = value;
        });
    }
}

/// All that describes a run.
void add_description(CLI::App& command, Typed& typed) {
    add_settings(command, typed, false);
    command.add_option("-o,--output", typed.flags.outputs)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command.add_flag("--force", typed.flags.force);
}

void add_run(CLI::App& command, Typed& typed) {
    add_description(command, typed);
    command.add_flag("--quiet", typed.run.quiet);
    command.add_flag("--json", typed.run.json);
}

/// The value of --seconds, else `usual`. Throws: InputError.
double seconds_of(const std::string& typed, double usual) {
    double seconds = usual;
    if (!typed.empty() && (!core::parse_number(typed, seconds) || !(seconds > 0 && seconds <= kMostSeconds))) {
        throw core::InputError("--seconds must be a number above 0 and at most " + core::number_text(kMostSeconds) + ", not '" + typed +
                               "'");
    }
    return seconds;
}

/// The value of --threads of bench, else all cores (0). Throws: InputError.
int threads_of(const std::string& typed) {
    constexpr double kMost = 1024;
    double threads = 0;
    if (!typed.empty() && (!core::parse_number(typed, threads) || !(threads >= 1 && threads <= kMost) || threads != std::floor(threads))) {
        throw core::InputError("--threads must be a whole number from 1 to " + core::number_text(kMost) + ", not '" + typed + "'");
    }
    return static_cast<int>(threads);
}

/// The value of --port, else 0. Throws: InputError.
int port_of(const std::string& typed) {
    constexpr long long kMost = 65535;
    long long port = 0;
    if (!typed.empty() && (!core::parse_integer(typed, port) || port < 0 || port > kMost))
        throw core::InputError("--port must be a whole number from 0 (any free port) to " + std::to_string(kMost) + ", not '" + typed +
                               "'");
    return static_cast<int>(port);
}

/// `value`, one of `known`. Throws: InputError.
void require_one_of(const std::string& flag, const std::string& value, const std::vector<std::string>& known) {
    if (std::find(known.begin(), known.end(), value) != known.end()) return;
    throw core::InputError(flag + " is " + core::listed(known, "or") + ", not '" + value + "'");
}

/// Throws: InputError for the commands that do not know of ranks.
void require_one_rank(const std::string& command) {
    const std::vector<std::string> alone = {"live", "bench"};
    if (std::find(alone.begin(), alone.end(), command) == alone.end()) return;
    throw core::InputError("`mottle " + command +
                           "` runs in one process: start it without mpirun, and give --threads; `mottle run`, `mottle sweep` and " +
                           "`mottle tune` take as many ranks as there are");
}

int dispatch(const std::string& command, Typed& typed) {
    if (command == "models") return models(typed.run.json);
    if (command == "show") return show(typed.argument);
    if (command == "devices") return devices();
    if (command == "mesh") {
        require_one_of("what follows `mottle mesh`", typed.what, {"info"});
        return mesh_info({typed.argument, typed.scale, typed.refine, typed.subdivision, typed.flags.delaunay == "true", typed.run.json});
    }
    if (command == "completion") return completion(typed.argument);
    if (command == "bench" && typed.run.link) require_one_rank(command);
    if (command == "bench")
        return bench({seconds_of(typed.seconds, BenchArguments{}.seconds), threads_of(typed.threads), typed.run.quiet, typed.run.json});
    if (command == "emit") {
        require_one_of("--what", typed.what, {"kernel", "ir", "model"});
        typed.flags.force = true;  // nothing is allocated
    }
    typed.run.model.flags = settings_of(typed.flags);
    if (typed.run.link) require_one_rank(command);
    if (command == "check") return check({typed.run.model, typed.ranks, typed.network});
    if (command == "sweep") return sweep(typed.run, typed.over);
    if (command == "live")
        return live({typed.run.model, typed.host, port_of(typed.port), !typed.stays_closed, typed.run.quiet, typed.run.json});
    if (command == "tune") return tune(typed.run, seconds_of(typed.seconds, run::kTuneSeconds));
    return command == "emit" ? emit(typed.run.model, typed.what) : run(typed.run);
}

/// The parser's words for what no command knows, with the nearest name.
std::string unknown_arguments(const CLI::App& app) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const CLI::App& command = chosen.empty() ? app : *chosen.front();
    std::vector<std::string> extras = app.remaining(true);
    if (extras.empty()) return "the command line cannot be parsed";
    std::string word = extras.front();
    std::vector<std::string> known;
    if (chosen.empty()) {
        for (const Command& entry : commands()) known.emplace_back(entry.name);
        return "unknown command '" + word + "'" + core::did_you_mean(word, known, "`mottle` lists the commands");
    }
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    if (word.starts_with("-")) {
        word = word.substr(0, word.find('='));
        return "unknown flag '" + word + "'" +
               core::did_you_mean(word, known, "`mottle " + command.get_name() + " --help` lists the flags");
    }
    return "'" + word + "' is one argument too many for `mottle " + command.get_name() + "`";
}

/// What else the parser refuses, in our words: its own speak of its options.
std::string parse_problem(const CLI::App& app, const CLI::ParseError& error) {
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    const std::string command = chosen.empty() ? "mottle" : "mottle " + chosen.front()->get_name();
    std::string text = error.what();
    const std::string kind = error.get_name(), flag = text.substr(0, text.find(':'));
    if (kind == "ArgumentMismatch" && text.find("At Most 1") != std::string::npos) return flag + " is given twice; give it once";
    if (kind == "ArgumentMismatch") return flag + " needs a value; `" + command + " --help` shows it";
    if (kind == "RequiredError") {
        const std::string missing = text.substr(0, text.find(' '));
        return "`" + command + "` needs " +
               (missing == "model"  ? "MODEL"
                : missing == "info" ? "the word info"
                                    : missing) +
               "; `" + command + " --help` shows examples";
    }
    return text;
}

int fail(const std::string& kind, const std::string& message, const std::string& whole, const std::optional<core::Span>& span, int code,
         bool json) {
    print_error(whole);
    if (json) std::cout << json_error(kind, message, span) << std::flush;
    return code;
}

int guarded(const std::function<int()>& work, bool json, const std::string& command_line) {
    const std::string request =
        "\nThis is a bug in Mottle. Please report it with these two lines:\n" + core::build_id() + "\n" + command_line;
    try {
        const int code = work();
        std::cout << std::flush;
        if (!std::cout)
            return fail("output", "cannot write to standard output", "cannot write to standard output", std::nullopt, kOutput, false);
        return code;
    } catch (const core::InternalError& error) {
        return fail(error.kind(), error.message(), error.what() + request, error.span(), error.exit_code(), json);
    } catch (const core::Error& error) {
        return fail(error.kind(), error.message(), error.what(), error.span(), error.exit_code(), json);
    } catch (const std::bad_alloc&) {
        const std::string message = "this machine has too little memory; use a smaller --size";
        return fail("device", message, message, std::nullopt, kDevice, json);
    } catch (const std::exception& error) {
        return fail("internal", error.what(), error.what() + request, std::nullopt, kInternal, json);
    }
}

/// mottle help [COMMAND].
int help(const std::string& command) {
    std::vector<std::string> known;
    for (const Command& entry : commands()) known.emplace_back(entry.name);
    if (!command.empty() && std::find(known.begin(), known.end(), command) == known.end()) {
        throw core::InputError("unknown command '" + command + "'" + core::did_you_mean(command, known, "`mottle` lists the commands"));
    }
    std::cout << help_text(command);
    return kDone;
}

bool wants_json(int argc, char** argv) {
    return std::any_of(argv, argv + argc, [](const char* word) { return std::strcmp(word, "--json") == 0; });
}

/// The words after the name of the program; "--delaunay true" and "--delaunay false" are one word each, as a switch has no value of its own.
std::vector<std::string> words_of(int argc, char** argv) {
    std::vector<std::string> words;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (!words.empty() && words.back() == "--delaunay" && (word == "true" || word == "false"))
            words.back() += "=" + word;
        else
            words.push_back(word);
    }
    return words;
}

/// All flags of one command but --help.
void add_flags(const Command& entry, CLI::App& command, Typed& typed) {
    if (entry.name == "run") {
        add_run(command, typed);
        command.add_flag("--watch", typed.run.watch);
    } else if (entry.name == "live") {
        add_run(command, typed);
        command.add_option("--port", typed.port);
        command.add_option("--host", typed.host);
        command.add_flag("--no-open", typed.stays_closed);
    } else if (entry.name == "sweep") {
        add_run(command, typed);
        command.add_option("--over", typed.over)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    } else if (entry.name == "emit") {
        add_settings(command, typed, true);
        command.add_option("--what", typed.what);
    } else if (entry.name == "check") {
        add_description(command, typed);
        command.add_option("--ranks", typed.ranks);
        command.add_option("--network", typed.network);
    } else if (entry.name == "tune") {
        add_run(command, typed);
        command.add_option("--seconds", typed.seconds);
    } else if (entry.name == "bench") {
        command.add_option("--seconds", typed.seconds);
        command.add_option("--threads", typed.threads);
        command.add_flag("--quiet", typed.run.quiet);
        command.add_flag("--json", typed.run.json);
    } else if (entry.name == "mesh") {
        command.add_option("info", typed.what)->required();
        command.add_option(std::string(entry.argument), typed.argument)->required();
        command.add_flag("--delaunay{true}", typed.flags.delaunay);
        command.add_option("--scale", typed.scale);
        command.add_option("--refine", typed.refine);
        command.add_option("--subdivision", typed.subdivision);
        command.add_flag("--json", typed.run.json);
    } else if (entry.name == "models") {
        command.add_flag("--json", typed.run.json);
    } else if (!entry.argument.empty()) {
        command.add_option(std::string(entry.argument), typed.argument)->required();
    }
}

void add_commands(CLI::App& app, Typed& typed, int argc, char** argv) {
    for (const Command& entry : commands()) {
        CLI::App& command = *app.add_subcommand(std::string(entry.name), std::string(entry.about));
        // the flags of all commands take longer to set up than those of one to read
        if (std::any_of(argv, argv + argc, [&](const char* word) { return word == entry.name; })) add_flags(entry, command, typed);
    }
}

int parse_and_run(int argc, char** argv, ranks::Link* link) {
    Typed typed;
    typed.run.link = link;
    CLI::App app("Mottle", "mottle");
    app.formatter(std::make_shared<Help>());
    app.require_subcommand(0, 1);
    app.set_version_flag("--version", "mottle " + core::version());
    add_commands(app, typed, argc, argv);
    const bool json = wants_json(argc, argv);
    std::string command_line;
    for (int i = 0; i < argc; ++i) command_line += (i > 0 ? " " : "") + std::string(argv[i]);
    if (argc > 1 && std::strcmp(argv[1], "help") == 0) return guarded([&] { return help(argc > 2 ? argv[2] : ""); }, json, command_line);
    try {
        std::vector<std::string> words = words_of(argc, argv);
        std::reverse(words.begin(), words.end());  // as the parser takes them
        app.parse(std::move(words));
    } catch (const CLI::ExtrasError&) {
        const std::string message = unknown_arguments(app);
        return fail("input", message, message, std::nullopt, kInput, json);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success))
            return guarded([&] { return app.exit(error) == 0 ? kDone : kInput; }, json, command_line);
        const std::string message = parse_problem(app, error);
        return fail("input", message, message, std::nullopt, kInput, json);
    }
    const std::vector<CLI::App*> chosen = app.get_subcommands();
    if (chosen.empty()) return guarded([] { return help(""); }, json, command_line);
    return guarded([&] { return dispatch(chosen.front()->get_name(), typed); }, json, command_line);
}

int run_program(int argc, char** argv) {
    const auto interrupted = [&] {
        return fail("interrupted", "interrupted", "interrupted", std::nullopt, kInterrupted, wants_json(argc, argv));
    };
    const int rank = ranks::rank_by_launcher();
    if (rank > 0) return serve_as_rank();
    const auto lead = [&] { return lead_ranks([&](ranks::Link& link) { return parse_and_run(argc, argv, &link); }); };
    return run_command([&] { return rank == 0 ? guarded(lead, wants_json(argc, argv), "mottle") : parse_and_run(argc, argv, nullptr); },
                       interrupted);
}

}  // namespace

}  // namespace mottle::cli

int main(int argc, char** argv) {
    mottle::cli::open_standard_streams();
    return mottle::cli::run_program(argc, argv);
}
