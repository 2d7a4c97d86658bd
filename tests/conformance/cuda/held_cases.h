// tests/conformance/cuda/held_cases.h: cases of steps with held stages, several of them in one pass or in one launch
#pragma once
#include "conformance/cuda/emulated_case.h"

namespace conformance {

/// One held stage.
inline const char* const kSwiftHohenberg = R"toml(
[equations]
u = "r*u - (lap(lap(u)) + 2*lap(u) + u) + g*u^2 - u^3"
[parameters]
r = 0.3
g = 0.5
[initial]
u = "0.4*X - 0.2*Y"
[time]
dt = 0.01
)toml";

/// Two held stages: the first reads no neighbours and holds an array of each field; maps and coordinates in both.
inline const char* const kHeldTwice = R"toml(
[equations]
u = "0.1*lap(u) - 0.01*lap(lap(u^2 + m*v) + 0.5*Y*dot(grad(m), grad(u))) + 0.05*(X - u) + 0.02*dx(v)"
v = "0.1*lap(v) + 0.02*lap(v^2*x/100) - 0.1*v"
[parameters]
m = "0.6 + 0.4*X*Y"
[initial]
u = "X"
v = "0.5*Y"
[time]
dt = 0.1
)toml";

/// The same as kVanishing by way of a held stage.
inline const char* const kHeldVanishing = R"toml(
[equations]
u = "0.1*lap(u) + 0.1*v"
v = "1e-15*lap(lap(v)) - v"
[initial]
u = "X"
v = "Y"
[time]
dt = 1
)toml";

/// Two fields, one held with neighbours and one without, a map and coordinates; no stage reads more than three arrays in rows beside.
inline const char* const kHeldPair = R"toml(
[equations]
u = "0.1*lap(u) - 0.01*lap(lap(u)) + 0.05*(X - u) + 0.02*m*v"
v = "0.05*lap(v^2*x/100 + m*v) - 0.1*v + 0.02*Y*u"
[parameters]
m = "0.6 + 0.4*X*Y"
[initial]
u = "X"
v = "0.5*Y"
[time]
dt = 0.1
)toml";

/// The same in a volume.
inline const char* const kHeldDeep = R"toml(
[equations]
u = "0.1*lap(u) - 0.01*lap(lap(u)) + 0.05*(X - u) + 0.02*m*v"
v = "0.03*lap(v^2*z/30 + m*v) - 0.1*v + 0.02*Y*u"
[parameters]
m = "0.6 + 0.4*X*Z"
[initial]
u = "X"
v = "0.5*Y"
[time]
dt = 0.1
)toml";

/// The stages of a single step in one pass, of methods too: with four stages two fields hold no more.
inline void one_step_cases(std::vector<EmulatedCase>& cases) {
    const std::string mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    for (const bool f64 : {false, true}) {
        auto once = [&](const std::string& group, const std::string& model, const std::string& size, const std::string& boundary,
                        const std::string& schedule) {
            cases.push_back({group + "OneStep", {model, size, boundary, "5", f64, {3, 1, 9}}, "steps=1 " + schedule});
        };
        for (const std::string& boundary : {std::string("periodic"), mixed}) {
            for (const std::string& model : {std::string(kSwiftHohenberg), std::string(kHeldTwice), by_method(kGrayScott, "rk4")})
                once("Stream", model, "140x30", boundary, "chunk=16");
            once("Tile", by_method(kGrayScott, "midpoint"), "140x40", boundary, "rows=4");
            for (const std::string& model : {std::string(kHeld), std::string(kTripleLaplacian), by_method(kSwiftHohenberg, "heun")})
                once("Volume", model, "37x13x5", boundary, "chunk=3");
        }
    }
    for (const int later : {1, 9}) {
        const Case test{kHeldVanishing, "40x20", "no-flux", "5", true, {8, later}};
        cases.push_back({"StreamOneStep", test, "steps=1 chunk=16"});
        cases.push_back({"TileOneStep", test, "steps=1 rows=4"});
    }
}

/// Several steps of several stages in one pass over a plane.
inline void held_cases(std::vector<EmulatedCase>& cases) {
    const std::string mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    const std::string turned = "left=robin(1, 2, 0.1*cos(t)),right=flux(0.1),top=no-flux,bottom=value(0.2 + 0.1*sin(t))";
    auto held = [&](const std::string& group, const Case& test, int steps, int chunk) {
        cases.push_back({group, test, "steps=" + std::to_string(steps) + " chunk=" + std::to_string(chunk)});
    };
    for (bool f64 : {false, true}) {
        const int steps = f64 ? 4 : 3;
        const std::vector<int> passes = f64 ? std::vector<int>{8} : std::vector<int>{6};
        for (const std::string& boundary :
             {std::string("periodic"), std::string("no-flux"), std::string("value(0.3)"), std::string("still"), mixed, turned}) {
            held("StreamHeld", {kSwiftHohenberg, "300x50", boundary, "5", f64, passes}, steps, 16);  // inner warps among border warps
            held("StreamHeldTwice", {kHeldTwice, "290x50", boundary, "5", f64, passes}, steps, 13);
        }
        for (const std::string& boundary : {mixed, turned}) {
            for (const char* size : {"300x50", "111x37", "113x5", "3x40", "1x2", "64x1"})
                held("StreamHeldBorders", {kHeld, size, boundary, "5", f64, {2, 2, 3}}, 2, 16);
        }
        held("StreamHeldConductivities", {kConductivities, "131x23", turned, "5", f64, passes}, steps, 13);
        for (const char* size : {"1x9", "7x3", "120x30", "225x33"})
            held("StreamHeldWraps", {kHeld, size, "periodic", "5", f64, {2, 2, 3}}, 2, 16);
        for (const char* stencil : {"9", "0.1,0.2,0.05,0.15,-0.9,0.1,0.2,0,0.1"}) {
            held("StreamHeldStencils", {kHeld, "280x40", "periodic", stencil, f64, passes}, steps, 12);
            held("StreamHeldStencils", {kHeldTwice, "130x20", mixed, stencil, f64, passes}, steps, 12);
        }
        for (const std::string& boundary : {std::string("periodic"), mixed})
            held("StreamHeldFar", {kTripleLaplacian, "211x33", boundary, "5", f64, passes}, steps, 11);
    }
    for (const int steps : {2, 4, 5, 6, 7}) held("StreamHeldSteps", {kSwiftHohenberg, "230x41", mixed, "5", false, {steps + 1}}, steps, 17);
    held("StreamHeldDeep", {kSwiftHohenberg, "340x60", "periodic", "5", false, {8, 15}}, 8, 30);
    held("StreamHeldDeep", {kTripleLaplacian, "150x40", mixed, "5", false, {8, 9}}, 8, 30);  // a third of the columns stays valid
    held("StreamHeldDeep", {kSwiftHohenberg, "150x40", mixed, "5", true, {8, 3, 9}}, 8, 16);
    for (const int later : {1, 9}) held("StreamHeldFlush", {kHeldVanishing, "40x20", "no-flux", "5", true, {8, later}}, 4, 16);
}

/// The same by tiles.
inline void held_tile_cases(std::vector<EmulatedCase>& cases) {
    const std::string mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    const std::string turned = "left=robin(1, 2, 0.1*cos(t)),right=flux(0.1),top=no-flux,bottom=value(0.2 + 0.1*sin(t))";
    auto held = [&](const std::string& group, const Case& test, int steps, const std::string& shape = "rows=4") {
        cases.push_back({group, test, "steps=" + std::to_string(steps) + " " + shape});
    };
    for (const bool f64 : {false, true}) {
        const int steps = f64 ? 4 : 3;
        const std::vector<int> passes = f64 ? std::vector<int>{8} : std::vector<int>{6};
        for (const std::string& boundary :
             {std::string("periodic"), std::string("no-flux"), std::string("value(0.3)"), std::string("still"), mixed, turned}) {
            held("TileHeld", {kSwiftHohenberg, "300x80", boundary, "5", f64, passes}, steps);  // inner tiles among border tiles
            held("TileHeldMaps", {kHeldPair, "140x60", boundary, "5", f64, f64 ? passes : std::vector<int>{4}}, 2);
        }
        for (const std::string& boundary : {mixed, turned}) {
            for (const char* size : {"111x37", "113x5", "3x40", "1x2", "64x1"})
                held("TileHeldBorders", {kHeldPair, size, boundary, "5", f64, {2, 2, 3}}, 2);
        }
        for (const char* size : {"4x9", "7x3", "120x30", "225x33"})
            held("TileHeldWraps", {kHeldPair, size, "periodic", "5", f64, {2, 2, 3}}, 2);
        held("TileHeldStencils", {kHeldPair, "130x40", mixed, "9", f64, {2, 2}}, 2);
        for (const std::string& boundary : {std::string("periodic"), mixed})
            held("TileHeldFar", {kTripleLaplacian, "211x33", boundary, "5", f64, passes}, steps);
        for (const char* shape : {"rows=6", "rows=8", "rows=8 parts=12"})
            held("TileHeldHeights", {kSwiftHohenberg, "230x90", mixed, "5", f64, passes}, steps, shape);
    }
    held("TileHeldDeep", {kSwiftHohenberg, "340x90", "periodic", "5", false, {8, 15}}, 8, "rows=8");
    for (const int later : {1, 9}) held("TileHeldFlush", {kHeldVanishing, "40x20", "no-flux", "5", true, {8, later}}, 4);
}

/// Several steps of several stages in one pass over a volume.
inline void held_volume_cases(std::vector<EmulatedCase>& cases) {
    const std::string closed =
        "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux,front=value(0.3),back=outside(0.2 + 0.1*cos(t))";
    const std::string opened = "left=value(0.1),right=outside(0.3),top=periodic,bottom=periodic,front=no-flux,back=value(0.2 + 0.1*sin(t))";
    auto held = [&](const std::string& group, const Case& test, int steps, int chunk) {
        cases.push_back({"VolumeHeld" + group, test, "steps=" + std::to_string(steps) + " chunk=" + std::to_string(chunk)});
    };
    for (const bool f64 : {false, true}) {
        const std::vector<int> passes = f64 ? std::vector<int>{8} : std::vector<int>{6};
        for (const std::string& boundary : {std::string("periodic"), std::string("no-flux"), std::string("still"), closed, opened})
            held("", {kSwiftHohenberg, "130x22x7", boundary, "5", f64, passes}, 2, 7);
        // smaller than a tile, and than what one pass reaches; inner strips among border strips; rows that end within a lane's columns
        for (const char* size : {"2x2x2", "3x5x3", "7x40x2", "5x1x7", "260x9x5", "121x19x9"}) {
            held("Sizes", {kSwiftHohenberg, size, "periodic", "5", f64, {3, 2}}, 2, 4);
            held("Sizes", {kSwiftHohenberg, size, closed, "5", f64, {3, 2}}, 2, 4);
        }
        for (const std::string& boundary : {std::string("periodic"), closed})
            held("Maps", {kHeldDeep, "63x21x8", boundary, "5", f64, {4}}, 2, 5);
        // three stages
        for (const std::string& boundary : {std::string("periodic"), closed})
            held("Far", {kTripleLaplacian, "41x23x9", boundary, "5", f64, {4}}, 2, 5);
    }
    for (const int steps : {3, 4}) {
        held("Steps", {kSwiftHohenberg, "37x23x12", "periodic", "5", false, {steps, 1, 2 * steps + 1}}, steps, 6);
        held("Steps", {kSwiftHohenberg, "37x23x12", closed, "5", false, {steps, 1, 2 * steps + 1}}, steps, 16);
    }
    for (const int later : {1, 9}) held("Flush", {kHeldVanishing, "20x13x6", "no-flux", "5", true, {8, later}}, 2, 16);
}

/// Planes that stay in registers with steps of several stages.
inline void held_persistent_cases(std::vector<EmulatedCase>& cases) {
    const std::string mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    const std::string turned = "left=robin(1, 2, 0.1*cos(t)),right=flux(0.1),top=no-flux,bottom=value(0.2 + 0.1*sin(t))";
    const std::string columns_wrap = "left=no-flux,right=value(0.3),top=periodic,bottom=periodic";
    for (const bool f64 : {false, true}) {
        auto stays = [&](const std::string& group, const char* model, const std::string& size, const std::string& boundary, int steps,
                         int processors, const std::string& stencil = "5") {
            cases.push_back({"PersistentHeld" + group,
                             {model, size, boundary, stencil, f64, {5, 1, 8, 2, 11}},
                             "steps=" + std::to_string(steps) + " chunk=0",
                             processors});
        };
        for (const std::string& boundary : {std::string("periodic"), std::string("still"), columns_wrap, mixed, turned}) {
            stays("", kSwiftHohenberg, "60x37", boundary, 3, 9);
            stays("Maps", kHeldPair, "50x29", boundary, 2, 16);
        }
        for (const char* size : {"24x20", "1x9", "7x3", "4x2"}) {
            stays("Alone", kSwiftHohenberg, size, "periodic", 2, 1);
            stays("Alone", kSwiftHohenberg, size, mixed, 2, 1);
        }
        for (const char* size : {"1x60", "27x41", "64x3"}) {
            stays("Sizes", kSwiftHohenberg, size, "periodic", 3, 12);
            stays("Sizes", kSwiftHohenberg, size, mixed, 3, 12);
        }
        for (const int steps : {2, 4}) stays("Steps", kSwiftHohenberg, "46x35", mixed, steps, 16);
        stays("Stencils", kHeld, "44x40", mixed, 2, 20, "9");
        for (const std::string& boundary : {std::string("periodic"), mixed}) stays("Far", kTripleLaplacian, "41x33", boundary, 2, 20);
    }
    for (const int later : {1, 9})
        cases.push_back({"PersistentHeldFlush", {kHeldVanishing, "40x20", "no-flux", "5", true, {8, later}}, "steps=3 chunk=0", 4});
}

/// The stages of a method, with what the operators of each hold; borders at their times.
inline void method_cases(std::vector<EmulatedCase>& cases) {
    const std::string mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    const std::string closed = mixed + ",front=value(0.3),back=outside(0.2 + 0.1*cos(t))";
    for (const bool f64 : {false, true}) {
        const auto plane = [&](const std::string& group, const char* model, const std::string& method, const std::string& size,
                               const std::string& schedule, int processors = 0) {
            for (const std::string& boundary : {std::string("periodic"), mixed}) {
                EmulatedCase one{group + "Methods", {by_method(model, method), size, boundary, "5", f64, {2, 2, 3}}, schedule};
                if (processors > 0) one.processors = processors;
                cases.push_back(one);
            }
        };
        for (const char* model : {kEverything, kHeld, kGrayScott}) plane("Unfused", model, "rk4", "21x13", "steps=1");
        const auto staged = [&](const std::string& group, const char* model, const std::string& method, const std::string& size,
                                const std::string& schedule) {
            const bool volume = size.find('x') != size.rfind('x');
            cases.push_back(
                {group + "Stages", {by_stages(model, method, 3), size, volume ? closed : mixed, "5", f64, {2, 2, 3}}, schedule});
        };
        staged("Unfused", kEverything, "rkl2", "21x13", "steps=1");
        staged("Stream", kGrayScott, "rkl1", "130x20", "steps=2 chunk=9");
        staged("Stream", kGrayScott, "rkl2", "130x20", "steps=3 chunk=9");
        staged("Stream", kGrayScott, "sts2", "130x20", "steps=3 chunk=9");
        staged("StreamHeld", kSwiftHohenberg, "rkl2", "60x20", "steps=2 chunk=9");
        staged("Tile", kGrayScott, "rkl2", "130x40", "steps=2 rows=4");
        staged("Volume", kGrayScott, "rkl2", "41x13x6", "steps=2 chunk=5");
        cases.push_back({"MeshStages",
                         {by_stages(kEverythingOnMeshes, "rkl2", 3), "", "value(0.2 + 0.1*sin(t))", "", f64, {2, 2, 3}, "plane:13x9", 2.0},
                         "steps=1"});
        cases.push_back(
            {"PatchStages", {by_stages(kGrayScott, "rkl2", 3), "", "no-flux", "", f64, {2, 2, 3}, "plane:13x9", 2.0}, "steps=4"});
        plane("StreamHeld", kGrayScott, "heun", "130x20", "steps=2 chunk=9");
        plane("StreamHeld", kSwiftHohenberg, "rk4", "60x20", "steps=2 chunk=9");
        plane("TileHeld", kGrayScott, "midpoint", "130x40", "steps=2 rows=4");
        plane("PersistentHeld", kSwiftHohenberg, "heun", "50x29", "steps=2 chunk=0", 16);
        for (const std::string& boundary : {std::string("periodic"), closed})
            cases.push_back(
                {"VolumeHeldMethods", {by_method(kGrayScott, "midpoint"), "41x13x6", boundary, "5", f64, {2, 2, 3}}, "steps=2 chunk=5"});
        cases.push_back({"MeshMethods",
                         {by_method(kEverythingOnMeshes, "rk4"), "", "value(0.2 + 0.1*sin(t))", "", f64, {2, 2, 3}, "plane:13x9", 2.0},
                         "steps=1"});
    }
}

}  // namespace conformance
