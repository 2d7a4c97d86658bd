// apps/cli/completion.cpp: mottle completion: scripts for bash, zsh and fish, from the tables of flags.cpp
#include "commands.h"
#include "flags.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/frame/palette.h"
#include "mottle/model/library.h"

#include <iostream>

namespace mottle::cli {

namespace {

constexpr std::string_view kSwitches = "--quiet --json --force --delaunay";

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

std::string flag_words(bool of_emit) {
    std::string words = of_emit ? "--what --preset --set" : "-o --preset --set " + std::string(kSwitches);
    for (const Flag& flag : flags()) {
        if (!of_emit || flag.of_emit) words += " " + std::string(flag.name);
    }
    return words + " --help";
}

/// The lines of a shell `case` that set the words after a flag.
std::string value_cases(std::string_view before, std::string_view after) {
    std::string text;
    for (const Flag& flag : flags()) {
        if (!flag.values.empty())
            text += "        " + std::string(flag.name) + ") " + std::string(before) + values_of(flag) + std::string(after) + " ;;\n";
    }
    return text;
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
           R"(        --what) words="kernel ir model" ;;
        --preset) words=$(mottle show "${COMP_WORDS[2]}" 2>/dev/null | sed -n '/^presets/,$s/^  \([^ ]*\).*/\1/p') ;;
        -o) COMPREPLY=($(compgen -f -- "$word")); return ;;
        *)
            case "$command" in
                completion) words="bash zsh fish" ;;
                bench) words="--seconds --threads --quiet --json --help" ;;
                tune) words=")" +
           model_words() + " " + flag_words(false) + R"( --seconds" ;;
                sweep) words=")" +
           model_words() + " " + flag_words(false) + R"( --over" ;;
                run) words=")" +
           model_words() + " " + flag_words(false) + R"( --watch" ;;
                emit) words=")" +
           model_words() + " " + flag_words(true) + R"(" ;;
                show | check) words=")" +
           model_words() + R"(" ;;
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
    const std::string of_model = "complete -c mottle -n '__fish_seen_subcommand_from run sweep tune emit show check' ";
    text += of_model + "-a '" + model_words() + " (__fish_complete_suffix .toml)'\n";
    text += "complete -c mottle -n '__fish_seen_subcommand_from completion' -a 'bash zsh fish'\n";
    const std::string of_run = "complete -c mottle -n '__fish_seen_subcommand_from run sweep tune' ";
    const std::string of_both = "complete -c mottle -n '__fish_seen_subcommand_from run sweep tune emit' ";
    for (const Flag& flag : flags()) {
        const std::string values = values_of(flag);
        text += (flag.of_emit ? of_both : of_run) + "-l " + std::string(flag.name.substr(2)) + " -x" +
                (values.empty() ? "" : " -a '" + values + "'") + "\n";
    }
    text += of_both + "-l preset -x\n" + of_both + "-l set -x\n" + of_run + "-s o -r\n";
    for (const std::string& name : core::split(kSwitches, ' ')) text += of_run + "-l " + name.substr(2) + "\n";
    text += "complete -c mottle -n '__fish_seen_subcommand_from run' -l watch\n";
    text += "complete -c mottle -n '__fish_seen_subcommand_from sweep' -l over -x\n";
    text += "complete -c mottle -n '__fish_seen_subcommand_from tune bench' -l seconds -x\n";
    text += "complete -c mottle -n '__fish_seen_subcommand_from bench' -l threads -x\n";
    for (const char* name : {"quiet", "json"})
        text += "complete -c mottle -n '__fish_seen_subcommand_from bench' -l " + std::string(name) + "\n";
    return text + "complete -c mottle -n '__fish_seen_subcommand_from emit' -l what -x -a 'kernel ir model'\n";
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
