// apps/cli/completion.cpp: mottle completion: scripts for bash, zsh and fish, from the tables of flags.cpp
#include "commands.h"
#include "flags.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/frame/palette.h"
#include "mottle/model/library.h"

#include <algorithm>
#include <iostream>

namespace mottle::cli {

namespace {

constexpr std::string_view kSpokenSwitches = "--quiet --json", kSwitches = "--force --delaunay";

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string command_words() {
    std::vector<std::string> words;
    for (const Command& command : commands()) words.emplace_back(command.name);
    return joined(words);
}

std::string model_words() {
    std::vector<std::string> words;
    for (const model::LibraryModel& entry : model::library()) words.emplace_back(entry.name);
    return joined(words);
}

/// The words that may follow a flag; "" for anything.
std::string values_of(const Flag& flag) { return flag.values == "@palette" ? joined(frame::palette_names()) : std::string(flag.values); }

bool is_of(const OwnFlag& flag, std::string_view command) {
    const std::vector<std::string> commands = core::split(std::string(flag.commands), ' ');
    return std::find(commands.begin(), commands.end(), command) != commands.end();
}

enum class Takes { flags_of_run, flags_of_check, flags_of_emit, own_flags };

/// All flags of a command.
std::string flag_words(std::string_view command, Takes takes) {
    std::string words;
    const bool all = takes == Takes::flags_of_run || takes == Takes::flags_of_check;
    if (takes == Takes::flags_of_run) words += std::string(kSpokenSwitches) + " ";
    if (all) words += "-o " + std::string(kSwitches) + " ";
    if (takes != Takes::own_flags) words += "--preset --set ";
    for (const Flag& flag : flags()) {
        if (all || (takes == Takes::flags_of_emit && flag.of_emit)) words += std::string(flag.name) + " ";
    }
    for (const OwnFlag& flag : own_flags()) {
        if (is_of(flag, command)) words += std::string(flag.name) + " ";
    }
    return words + "--help";
}

/// The lines of a shell `case` that set the words after a flag.
std::string value_cases(std::string_view before, std::string_view after) {
    std::string text;
    const auto add = [&](std::string_view name, const std::string& values) {
        if (!values.empty()) text += "        " + std::string(name) + ") " + std::string(before) + values + std::string(after) + " ;;\n";
    };
    for (const Flag& flag : flags()) add(flag.name, values_of(flag));
    for (const OwnFlag& flag : own_flags()) add(flag.name, std::string(flag.values));
    return text;
}

std::string model_case(const std::string& command, Takes takes) {
    return "                " + command + ") words=\"" + model_words() + " " + flag_words(command, takes) + "\" ;;\n";
}

std::string bash_script() {
    return R"(_mottle() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W ")" +
           command_words() + R"(" -- "$word"))
        return
    fi
    case "$before" in
)" + value_cases("words=\"", "\"") +
           R"(        --preset) words=$(mottle show "${COMP_WORDS[2]}" 2>/dev/null | sed -n '/^presets/,$s/^  \([^ ]*\).*/\1/p') ;;
        -o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        *)
            case "$command" in
                completion) words="bash zsh fish" ;;
                bench) words=")" +
           flag_words("bench", Takes::own_flags) + "\" ;;\n" + model_case("tune", Takes::flags_of_run) +
           model_case("sweep", Takes::flags_of_run) + model_case("live", Takes::flags_of_run) + model_case("run", Takes::flags_of_run) +
           model_case("check", Takes::flags_of_check) + model_case("emit", Takes::flags_of_emit) + R"(                show) words=")" +
           model_words() +
           R"(" ;;
            esac
            COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -X '!*.toml' -- "$word"))
            return ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o filenames -F _mottle mottle
)";
}

std::string zsh_script() { return "#compdef mottle\nautoload -Uz bashcompinit && bashcompinit\n" + bash_script(); }

std::string fish_script() {
    std::string text = "complete -c mottle -f\n";
    for (const Command& command : commands()) {
        text +=
            "complete -c mottle -n __fish_use_subcommand -a " + std::string(command.name) + " -d '" + std::string(command.about) + "'\n";
    }
    const std::string of_model = "complete -c mottle -n '__fish_seen_subcommand_from run live sweep tune emit show check' ";
    text += of_model + "-a '" + model_words() + " (__fish_complete_suffix .toml)'\n";
    text += "complete -c mottle -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
    const std::string of_run = "complete -c mottle -n '__fish_seen_subcommand_from run live sweep tune check' ";
    const std::string of_spoken = "complete -c mottle -n '__fish_seen_subcommand_from run live sweep tune' ";
    const std::string of_both = "complete -c mottle -n '__fish_seen_subcommand_from run live sweep tune check emit' ";
    for (const Flag& flag : flags()) {
        const std::string values = values_of(flag);
        text += (flag.of_emit ? of_both : of_run) + "-l " + std::string(flag.name.substr(2)) + " -x" +
                (values.empty() ? "" : " -a '" + values + "'") + "\n";
    }
    text += of_both + "-l preset -x\n" + of_both + "-l set -x\n" + of_run + "-s o -r\n";
    for (const std::string& name : core::split(kSpokenSwitches, ' ')) text += of_spoken + "-l " + name.substr(2) + "\n";
    for (const std::string& name : core::split(kSwitches, ' ')) text += of_run + "-l " + name.substr(2) + "\n";
    for (const OwnFlag& flag : own_flags()) {
        text += "complete -c mottle -n '__fish_seen_subcommand_from " + std::string(flag.commands) + "' -l " +
                std::string(flag.name.substr(2)) + (flag.takes_value ? " -x" : "") +
                (flag.values.empty() ? "" : " -a '" + std::string(flag.values) + "'") + "\n";
    }
    return text;
}

}  // namespace

int completion(const std::string& shell) {
    if (shell == "bash")
        std::cout << bash_script();
    else if (shell == "zsh")
        std::cout << zsh_script();
    else if (shell == "fish")
        std::cout << fish_script();
    else
        throw core::InputError("no completions for '" + shell + "'; there are bash, zsh and fish");
    return kDone;
}

}  // namespace mottle::cli
