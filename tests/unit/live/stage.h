// tests/unit/live/stage.h: a project and a place for its files, as the tests of the live module need them
#pragma once
#include "kernel_cache.h"
#include "mottle/live/server/offered_files.h"
#include "mottle/core/error.h"
#include "mottle/live/server/player.h"

#include <string>
#include <vector>

namespace mottle::live {

/// Two fields of which v decays and u spreads, on 12 x 8 cells, f64.
inline const std::string kSpread =
    "equations.u = 'D*lap(u)'\nequations.v = '-r*v'\nparameters.D = { value = 0.1, min = 0, max = 0.2 }\nparameters.r = 0.5\n"
    "initial.u = 'X'\ninitial.v = '1 + Y'\nfields.u.range = [0, 4]\ngrid.size = '12x8'\nmethod.precision = 'f64'\ntime.dt = "
    "0.25\ntime.steps = 100\n"
    "run.device = 'reference'\n";

struct Ear : core::Observer {
    std::vector<std::string> notices;
    void notice(const std::string& message) override { notices.push_back(message); }
};

struct Stage {
    core::ThreadTeam team{2};
    Ear ear;
    core::Context context{team, ear, kernel_cache()};
    OfferedFiles files;

    static Options options(const std::string& text, const std::string& flags = "") {
        Options options;
        options.text = text;
        options.document = core::parse_document(text, "test.toml");
        options.name = "test";
        options.flags = core::parse_document(flags, "flags");
        return options;
    }
    Project project(const std::string& text = kSpread, const std::string& flags = "") const {
        return {options(text, flags), files.folder()};
    }
};

inline std::vector<double> values(const Player& player, const std::string& field) {
    return player.field().values(player.field().find(field));
}

/// Exactly that many steps.
inline void step(Player& player, Index steps) {
    const Index end = player.simulation().now().step + steps;
    while (player.simulation().now().step < end && !player.divergence()) player.advance(1, end - player.simulation().now().step);
}

/// A field of the run of `text`, after that many steps.
inline std::vector<double> fields_of(const std::string& text, Index steps, const std::string& field, const std::string& flags = "") {
    Stage stage;
    Player player(stage.project(text, flags), stage.context);
    step(player, steps);
    return values(player, field);
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
    return text;
}

}  // namespace mottle::live
