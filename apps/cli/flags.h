// apps/cli/flags.h: every command and flag of the program, once: the parser, the help and the completions read these tables
#pragma once
#include "mottle/core/document.h"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mottle::cli {

struct Command {
    std::string_view name, argument, about;  ///< argument: "MODEL", "FILE", "SHELL", "" for none
};
std::span<const Command> commands();

/// A flag with one value that becomes the key of a run.
struct Flag {
    std::string_view name, key;
    std::string_view values;  ///< for completion: words with blanks between, "@palette", or "" for anything
    bool of_emit;             ///< `mottle emit` takes it too
};
std::span<const Flag> flags();

/// A flag of some commands alone, for completion.
struct OwnFlag {
    std::string_view name, commands;  ///< commands with blanks between
    bool takes_value;
    std::string_view values;  ///< as Flag::values
};
std::span<const OwnFlag> own_flags();

/// Values as typed, by flag name; -o and --set may come several times.
struct TypedFlags {
    std::map<std::string, std::string, std::less<>> values;
    std::vector<std::string> settings, outputs;
    bool force = false;
    std::string delaunay;  ///< "true", "false" or not typed
};

/// The document that run::read_spec lays upon everything else. Throws: InputError (a --set without =).
core::Node settings_of(const TypedFlags& typed);

/// The text of `mottle COMMAND --help`; of "" that of the program.
std::string help_text(std::string_view command);

}  // namespace mottle::cli
