// tests/conformance/cuda/ensemble_cases.h: states of small planes that advance together; the corpus of texts is written from the same list
#pragma once
#include "conformance/cuda/cases.h"

#include <string>
#include <vector>

namespace conformance {

struct EnsembleCase {
    std::string group;
    Case test;
    int members = 3;
    bool together = true;  ///< in one launch; else one after another
    std::string schedule = {};
};

/// Few neighbours: along x alone, and a field with none.
inline const char* const kAlongRows = R"toml(
[equations]
u = "0.1*dx(v) + 0.2*(v - u)"
v = "0.3*u*(1 - v)"
[initial]
u = "X"
v = "Y"
[time]
dt = 0.3
)toml";

/// All of them, for a card.
inline std::vector<EnsembleCase> card_ensembles() {
    std::vector<EnsembleCase> cases;
    const std::string mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    const std::string turned = "left=robin(1, 2, 0.1*cos(t)),right=flux(0.1),top=no-flux,bottom=value(0.2 + 0.1*sin(t))";
    const std::string rows_wrap = "left=periodic,right=periodic,top=no-flux,bottom=value(0.3)";
    const std::string columns_wrap = "left=no-flux,right=value(0.3),top=periodic,bottom=periodic";
    for (const bool f64 : {false, true}) {
        auto add = [&](const std::string& group, const std::string& model, const std::string& size, const std::string& boundary,
                       const std::string& stencil = "5") -> EnsembleCase& {
            Case test;
            test.model = model, test.size = size, test.boundary = boundary, test.stencil = stencil, test.f64 = f64;
            test.launches = {5, 1, 8, 2, 3};
            EnsembleCase& added = cases.emplace_back();
            added.group = group, added.test = test;
            added.members = f64 ? 6 : 3;  // so many that one launch is predicted to be faster than one after another
            return added;
        };
        for (const std::string& boundary : {std::string("periodic"), std::string("no-flux"), std::string("value(0.3)"),
                                            std::string("still"), rows_wrap, columns_wrap, mixed, turned}) {
            add("Boundaries", kGrayScott, "60x37", boundary).members = 5;
            add("Boundaries", kFunctions, "33x18", boundary).members = f64 ? 12 : 4;
        }
        // lanes of one to nine columns; rows that fill the warps, and that end in the middle of the last one
        std::vector<std::string> sizes = {"1x9", "7x3", "64x1", "31x33", "64x64", "50x47", "4x128"};
        if (!f64) sizes.insert(sizes.end(), {"100x47", "96x50", "130x20", "128x32", "256x9"});
        for (const std::string& size : sizes) {
            add("Sizes", kGrayScott, size, "periodic");
            add("Sizes", kGrayScott, size, mixed);
        }
        for (const char* stencil : {"9", "0.1,0.2,0.05,0.15,-0.9,0.1,0.2,0,0.1"}) {
            add("Stencils", kGrayScott, "64x40", "periodic", stencil);
            add("Stencils", kGrayScott, "45x40", mixed, stencil);
            add("Stencils", kGrayScott, "40x41", columns_wrap, stencil);
        }
        // three fields, maps, coordinates and a clamp
        for (const std::string& boundary : {std::string("periodic"), std::string("still"), mixed, rows_wrap})
            add("Maps", kTables, "50x30", boundary);
        for (const std::string& boundary : {std::string("periodic"), mixed})
            add("Alone", kAlongRows, "50x19", boundary);  // warps do not meet
        // just held by a block, and just not
        add("Limits", kGrayScott, f64 ? "64x128" : "128x144", "periodic");
        add("Limits", kGrayScott, f64 ? "64x129" : "128x145", "periodic").together = false;
        add("Limits", kOneField, f64 ? "128x96" : "200x96", mixed, "9").members = 8;
        // several stages
        for (const std::string& boundary : {std::string("periodic"), std::string("no-flux"), std::string("value(0.3)"),
                                            std::string("still"), rows_wrap, columns_wrap, mixed, turned})
            add("Held", kSwiftHohenberg, "60x37", boundary).members = 12;
        for (const std::string& boundary : {std::string("periodic"), std::string("still"), mixed, columns_wrap})
            add("HeldMaps", kHeldPair, "32x18", boundary).members = 12;
        for (const std::string& boundary : {std::string("periodic"), mixed}) {
            for (const char* size : {"1x9", "7x3", "64x1", "50x47", "64x64"})
                add("HeldSizes", kSwiftHohenberg, size, boundary).members = 12;
            add("HeldFar", kTripleLaplacian, "42x26", boundary).members = 12;
            add("HeldFar", kHeld, "32x32", boundary, "9").members = 12;
        }
        for (const std::string& boundary : {std::string("periodic"), mixed}) {
            add("Methods", by_method(kGrayScott, "midpoint"), "30x26", boundary).members = 12;
            add("Methods", by_method(kGrayScott, "rk4"), "16x13", boundary).members = 12;
            if (!f64) add("Methods", by_stages(kGrayScott, "rkl1", 3), "16x13", boundary).members = 12;
        }
        if (f64) {
            EnsembleCase& vanishing = add("HeldFlush", kHeldVanishing, "40x20", "no-flux");
            vanishing.test.launches = {5, 4}, vanishing.members = 12;
        }
        // members with seeds of their own
        add("Noise", kNoise, "30x26", mixed).members = 12;
        // one after another: columns that fill no lanes, a schedule that is asked for
        add("Apart", kGrayScott, "101x20", "periodic").together = false;
        EnsembleCase& asked = add("Apart", kGrayScott, "64x40", "periodic");
        asked.together = false, asked.schedule = "steps=3 rows=4";
        EnsembleCase& surface = add("Apart", kGrayScott, "", "no-flux");
        surface.test.mesh = "sphere:2", surface.test.scale = 10, surface.together = false;
        // the eighth step flushes, which is another one of each member's second launch
        if (f64) add("Flush", kVanishing, "40x20", "no-flux").test.launches = {5, 4};
        // what depends on t takes a row of numbers for each step: more than go into one launch
        if (f64) add("Long", kGrayScott, "4x2", mixed).test.launches = {4, 5000, 3};
    }
    return cases;
}

inline std::vector<EnsembleCase> emulated_ensembles() { return in_one_precision(card_ensembles()); }

}  // namespace conformance
