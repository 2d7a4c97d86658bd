// apps/cli/flags.cpp: the tables of commands and flags, and flags as a document
#include "flags.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <array>

namespace mottle::cli {

namespace {

constexpr std::array kCommands = {
    Command{"run", "MODEL", "run a model and write pictures, video and data"},
    Command{"live", "MODEL", "run a model in a browser page: watch it, paint into it, change it"},
    Command{"sweep", "MODEL", "run a model for many values of its parameters, side by side"},
    Command{"models", "", "list the built-in models"},
    Command{"show", "MODEL", "equations, parameters and presets of a model"},
    Command{"check", "MODEL", "check a model or run file with all its presets, or one run of it"},
    Command{"devices", "", "list the devices of this machine"},
    Command{"tune", "MODEL", "find the fastest schedule for a run on this machine, and keep it"},
    Command{"bench", "", "check and measure Mottle against the limits of this machine"},
    Command{"mesh", "FILE", "describe a mesh: mottle mesh info FILE"},
    Command{"emit", "MODEL", "print the kernel, the program or the model that would run"},
    Command{"completion", "SHELL", "print completions for bash, zsh or fish"},
};

constexpr std::array kFlags = {
    Flag{"--size", "size", "", true},
    Flag{"--spacing", "spacing", "", true},
    Flag{"--stencil", "stencil", "5 9", true},
    Flag{"--mesh", "mesh", "sphere torus plane: cylinder ellipsoid snake", true},
    Flag{"--across", "across", "", true},
    Flag{"--scale", "mesh_scale", "", true},
    Flag{"--refine", "refine", "1 2", true},
    Flag{"--subdivision", "subdivision", "loop midpoint", true},
    Flag{"--region", "region", "", true},
    Flag{"--boundary", "boundary", "periodic no-flux value( outside( flux( robin( still", true},
    Flag{"--method", "method", "auto euler midpoint heun rk4 rkl1 rkl2 sts1 sts2 imex imex2 etdrk4", true},
    Flag{"--stages", "stages", "", true},
    Flag{"--tolerance", "tolerance", "1e-2 1e-3 1e-4", true},
    Flag{"--precision", "precision", "f32 f64", true},
    Flag{"--steps", "steps", "", true},
    Flag{"--time", "time", "", true},
    Flag{"--dt", "dt", "auto", true},
    Flag{"--until", "until", "steady=", true},
    Flag{"--frames", "frames", "", false},
    Flag{"--every", "every", "", false},
    Flag{"--at", "at", "", false},
    Flag{"--fps", "fps", "", false},
    Flag{"--palette", "palette", "@palette", false},
    Flag{"--field", "field", "", false},
    Flag{"--range", "range", "auto frame", false},
    Flag{"--scale-pixels", "scale", "", false},
    Flag{"--cells-per-pixel", "cells", "", false},
    Flag{"--pixels", "pixels", "1280x720 1920x1080", false},
    Flag{"--camera", "camera", "", false},
    Flag{"--turn", "turn", "360", false},
    Flag{"--background", "background", "transparent white black paper night gray sky sand green", false},
    Flag{"--chroma", "chroma", "420 444", false},
    Flag{"--encoder", "encoder", "auto x264 nvenc", false},
    Flag{"--device", "device", "auto cpu cpu:avx512 cpu:avx2 cpu:portable reference", true},
    Flag{"--devices", "devices", "0,1", false},
    Flag{"--threads", "threads", "", true},
    Flag{"--schedule", "schedule", "", true},
    Flag{"--seed", "seed", "", true},
    Flag{"--checkpoint", "checkpoint", "", false},
    Flag{"--checkpoint-every", "checkpoint_every", "", false},
    Flag{"--resume", "resume", "", false},
};

constexpr std::array kOwnFlags = {
    OwnFlag{"--watch", "run", false, ""},
    OwnFlag{"--over", "sweep", true, ""},
    OwnFlag{"--seconds", "tune bench", true, ""},
    OwnFlag{"--what", "emit", true, "kernel ir model"},
    OwnFlag{"--threads", "bench", true, ""},
    OwnFlag{"--quiet", "bench", false, ""},
    OwnFlag{"--json", "bench models", false, ""},
    OwnFlag{"--port", "live", true, ""},
    OwnFlag{"--host", "live", true, "127.0.0.1 0.0.0.0"},
    OwnFlag{"--no-open", "live", false, ""},
    OwnFlag{"--ranks", "check", true, ""},
    OwnFlag{"--network", "check", true, "2us,12GB/s 50us,1GB/s"},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }
std::span<const Flag> flags() { return kFlags; }
std::span<const OwnFlag> own_flags() { return kOwnFlags; }

core::Node settings_of(const TypedFlags& typed) {
    core::Node settings;
    for (const Flag& flag : kFlags) {
        const auto found = typed.values.find(flag.name);
        if (found != typed.values.end()) settings.at(flag.key) = core::text_node(found->second, std::string(flag.name));
    }
    for (const std::string& setting : typed.settings) {
        const std::size_t equals = setting.find('=');
        const std::string name(core::trim(setting.substr(0, equals)));
        if (equals == std::string::npos || name.empty()) {
            throw core::InputError("--set is written NAME=VALUE, for example --set F=0.03, not '" + setting + "'");
        }
        const std::string value(core::trim(setting.substr(equals + 1)));
        const std::string origin = "--set " + name;
        double number = 0;
        const bool is_number = core::parse_number(value, number);
        core::Node& parameters = settings.at("parameters");
        if (parameters.find(name)) throw core::InputError("--set " + name + " is given twice; give it once");
        parameters.at(name) = is_number ? core::number_node(number, origin) : core::text_node(value, origin);
    }
    if (!typed.outputs.empty()) {
        core::Node list;
        list.kind = core::Node::Kind::array;
        for (const std::string& file : typed.outputs) {
            core::Node output;
            output.at("file") = core::text_node(file, "-o");
            output.span = output.at("file").span;
            list.items.push_back(output);
        }
        settings.at("output") = list;
    }
    if (!typed.delaunay.empty() && typed.delaunay != "true" && typed.delaunay != "false")
        throw core::InputError("--delaunay takes true (or no value) or false, not '" + typed.delaunay + "'");
    for (const auto& [key, value] : {std::pair("force", std::string(typed.force ? "true" : "")), std::pair("delaunay", typed.delaunay)}) {
        if (value.empty()) continue;
        core::Node& node = settings.at(key);
        node.kind = core::Node::Kind::boolean;
        node.boolean = value == "true";
        node.span.file = std::string("--") + key;
    }
    return settings;
}

}  // namespace mottle::cli
