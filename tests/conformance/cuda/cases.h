// tests/conformance/cuda/cases.h: what the emulated device runs; the corpus of texts is written from the same list
#pragma once
#include "conformance/cuda/held_cases.h"
#include "conformance/cuda/noise_cases.h"
#include "conformance/sum_models.h"

#include <string>
#include <vector>

namespace conformance {

inline const char* const kOneField = R"toml(
[equations]
u = "0.12*lap(u) + 0.4*u*(1 - u)"
[initial]
u = "X"
[time]
dt = 0.9
)toml";

/// v is below 2^-340 when the eighth step flushes it.
inline const char* const kVanishing = R"toml(
[equations]
u = "0.1*lap(u) + 0.1*v"
v = "1e-14*lap(v) - v"
[initial]
u = "X"
v = "Y"
[time]
dt = 1
)toml";

/// One stage on a mesh: an odd number of fields, all weights and tensors, maps that neighbours read, coordinates, a clamp.
inline const char* const kBesideOnMeshes = R"toml(
[equations]
a = "div(b*grad(a)) + 0.1*dot(grad(a), grad(b)) - 0.2*a/(1 + b^2) + 0.05*sin(t)"
b = "D*lap(b) + 0.02*norm2(grad(c)) + where(a > 0.5, 0.1, -0.1)*Z + 0.1*min(a, Y) - 0.1*b + div(tensor(0.1, s, -y, x, 0.2)*grad(a))"
c = "0.2*lap(c) + div(c*grad(a)) + 0.1*lap(a) - c + 0.3*abs(a - b) + div(m*grad(b)) + 0.01*lap(m)"
[parameters]
D = 0.15
s = 0.02
m = "0.05 + 0.05*X*Y"
[clamp]
c = [-1, 1]
[initial]
a = "X"
b = "Y"
c = "0.5*X*Y"
[time]
dt = 0.1
)toml";

/// Two stages of a step.
inline const char* const kHeldOnMeshes = R"toml(
[equations]
u = "-0.01*lap(lap(u)) + 0.1*lap(u) + 0.1*u*(1 - u)"
[initial]
u = "X"
[time]
dt = 0.3
)toml";

/// Several steps in one pass over the patches of a mesh.
inline void patch_cases(std::vector<EmulatedCase>& cases) {
    const std::string mixed = "value(0.2 + 0.1*sin(t))";
    auto patches = [&](const std::string& group, const char* model, const std::string& boundary, bool f64, const char* mesh, double scale,
                       int steps, int threads, const std::vector<int>& launches) {
        cases.push_back({group,
                         {model, "", boundary, "", f64, launches, mesh, scale},
                         "steps=" + std::to_string(steps) + " chunk=" + std::to_string(threads)});
    };
    const std::string cow = MOTTLE_SOURCE_DIR "/examples/meshes/spot.obj";
    for (bool f64 : {false, true}) {
        // whole passes, then short ones
        const std::vector<int> launches = f64 ? std::vector<int>{3, 1, 12} : std::vector<int>{3, 1, 9};
        for (const char* model : {kGrayScott, kBesideOnMeshes, kOneField, kFunctions}) {
            patches("Patches", model, "no-flux", f64, "sphere:3", 10, 3, 128, launches);
            patches("Patches", model, "no-flux", f64, "plane:31x23", 2, 2, 128, launches);
        }
        for (const int steps : {2, 3, 4}) {
            patches("PatchSteps", kGrayScott, "no-flux", f64, "torus:3,1,24", 20, steps, 256, {steps, 1, 2 * steps + 1, 8});
            // the first launch is of fewer steps than the text has room for
            patches("PatchSteps", kGrayScott, "no-flux", f64, "sphere:2", 10, steps, 256, {1, steps, 2 * steps - 1});
            patches("PatchSteps", kBesideOnMeshes, mixed, f64, "plane:37x29", 2, steps, 256, {steps, 1, 2 * steps + 1, 8});
        }
        for (const char* mesh : {"sphere:0", "plane:2x2", "plane:3x161,one", "plane:13x9"})  // one patch, and long thin ones
            patches("PatchShapes", kGrayScott, "no-flux", f64, mesh, 2, 3, 128, launches);
        patches("PatchShapes", kGrayScott, mixed, f64, "plane:21x17+sphere:2", 10, 3, 256, launches);  // of two components
        for (const int threads : {32, 500, 1024}) patches("PatchSizes", kGrayScott, "no-flux", f64, "plane:41x33", 2, 2, threads, launches);
        cases.push_back({"PatchShapes", {kGrayScott, "", "no-flux", "", f64, launches, cow, 600.0}, "steps=4 chunk=512"});
    }
    for (const int steps : {6, 8}) patches("PatchDeep", kGrayScott, mixed, false, "plane:61x47", 2, steps, 1024, {steps, 5, 2 * steps + 1});
    patches("PatchDeep", kGrayScott, mixed, true, "plane:61x47", 2, 8, 512, {8, 5, 11, 8});
    cases.push_back({"PatchDeep", {kGrayScott, "", "no-flux", "", false, {9, 16}, "sphere:4", 20}, ""});  // what the cost model takes
    for (const int later : {1, 9}) patches("PatchFlush", kVanishing, "no-flux", true, "sphere:2", 10, 4, 256, {8, later});
    // a step of several stages takes a launch for each, whatever is asked
    patches("MeshStages", kEverythingOnMeshes, "no-flux", false, "sphere:2", 10, 3, 128, {3, 1});
}

/// Planes that stay in registers: blocks that exchange their edges, from one that is its own neighbour to a card full of them.
inline void persistent_cases(std::vector<EmulatedCase>& cases) {
    const std::string mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    const std::string turned = "left=robin(1, 2, 0.1*cos(t)),right=flux(0.1),top=no-flux,bottom=value(0.2 + 0.1*sin(t))";
    const std::string rows_wrap = "left=periodic,right=periodic,top=no-flux,bottom=value(0.3)";
    const std::string columns_wrap = "left=no-flux,right=value(0.3),top=periodic,bottom=periodic";
    const std::vector<int> launches = {5, 1, 8, 2, 11};
    for (const bool f64 : {false, true}) {
        auto stays = [&](const std::string& group, const char* model, const std::string& size, const std::string& boundary, int steps,
                         int processors, const std::string& stencil = "5") {
            const std::string schedule = "steps=" + std::to_string(steps) + " chunk=0";
            cases.push_back({"Persistent" + group, {model, size, boundary, stencil, f64, launches}, schedule, processors});
        };
        for (const std::string& boundary : {std::string("periodic"), std::string("no-flux"), std::string("value(0.3)"),
                                            std::string("still"), rows_wrap, columns_wrap, mixed, turned}) {
            stays("", kGrayScott, "60x37", boundary, 3, 9);
            stays("", kFunctions, "50x29", boundary, f64 ? 2 : 4, 6);
        }
        // rows and columns that the blocks do not share evenly, lanes of one to four columns, a block that is its own neighbour on all sides
        for (const char* size : {"24x20", "1x9", "7x3", "4x2"}) {
            stays("Alone", kGrayScott, size, "periodic", 3, 1);
            stays("Alone", kGrayScott, size, mixed, 3, 1);
        }
        for (const char* size : {"1x60", "101x20", "27x41", "64x3"}) {
            stays("Sizes", kGrayScott, size, "periodic", 3, 12);
            stays("Sizes", kGrayScott, size, mixed, 3, 12);
        }
        stays("Sizes", kGrayScott, f64 ? "130x50" : "260x50", "periodic", 4, 3);
        stays("Sizes", kGrayScott, f64 ? "106x62" : "212x62", mixed, 4, 6);
        for (const int steps : {2, 4, 5, 6, 7, 8}) {
            stays("Steps", kGrayScott, "70x39", "periodic", steps, 10);
            stays("Steps", kGrayScott, "46x35", mixed, steps, 10);
        }
        for (const char* stencil : {"9", "0.1,0.2,0.05,0.15,-0.9,0.1,0.2,0,0.1"}) {
            stays("Stencils", kGrayScott, "64x40", "periodic", 3, 8, stencil);
            stays("Stencils", kGrayScott, "44x40", mixed, 3, 8, stencil);
            stays("Stencils", kGrayScott, "41x41", columns_wrap, 2, 8, stencil);
        }
        // three fields, maps, coordinates and a clamp
        for (const std::string& boundary : {std::string("periodic"), std::string("outside(0.1 + 0.1*cos(t))"), std::string("still"), mixed})
            stays("Maps", kTables, "50x30", boundary, 2, 8);
        stays("Maps", kOneField, "50x30", mixed, 6, 8);
        stays("Many", kGrayScott, "230x60", "periodic", 2, 132);
    }
    held_persistent_cases(cases);
    for (const int later : {1, 9})
        cases.push_back({"PersistentFlush", {kVanishing, "40x20", "no-flux", "5", true, {8, later}}, "steps=3 chunk=0", 4});
    // taken unasked where many steps follow each other, and passes for few
    cases.push_back({"PersistentUnasked", {kGrayScott, "50x29", "periodic", "5", false, {64, 8, 5}}, "", 16});
    // more steps than a launch makes
    cases.push_back({"PersistentLong", {kGrayScott, "6x5", mixed, "5", false, {8200, 7}}, "steps=4 chunk=0", 1});
    // not offered: more cells than registers, one step
    cases.push_back({"TileApart", {kGrayScott, "640x90", "periodic", "5", false, {6}}, "steps=3 chunk=0", 2});
    cases.push_back({"UnfusedApart", {kGrayScott, "40x30", "periodic", "5", false, {6}}, "steps=1 chunk=0"});
}

/// Small domains: what a text does does not depend on their size.
/// Steps with sums over all cells, phase by phase.
inline void sum_cases(std::vector<EmulatedCase>& cases) {
    const std::string mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    for (const bool f64 : {false, true}) {
        auto sums = [&](const std::string& model, const std::string& size, const std::string& schedule) {
            cases.push_back({"Sums", {model, size, mixed, "5", f64, {3, 1, 9}}, schedule});
        };
        for (const char* model : {kFieldMean, kExpressionMean, kNestedMean}) sums(model, "37x13", "steps=1");
        sums(by_method(kExpressionMean, "rk4"), "37x13", "steps=1");
        sums(by_stages(kExpressionMean, "rkl2", 3), "37x13", "steps=1");
        sums(kFieldMean, "140x30", "chunk=16");
        sums(kExpressionMean, "140x40", "steps=3 rows=4");
        sums(kFieldMean, "37x13x5", "chunk=3");
        for (const char* model : {kExpressionMean, kNestedMean})
            cases.push_back({"Sums", {model, "", "value(0.2 + 0.1*sin(t))", "", f64, {3, 1, 9}, "plane:13x9", 10}, "steps=1"});
        if (f64) cases.push_back({"Sums", {kVanishingMean, "40x20", "no-flux", "5", f64, {8, 9}}, "steps=1"});
    }
}

/// All of them, for a card.
inline std::vector<EmulatedCase> card_cases() {
    std::vector<EmulatedCase> cases;
    sum_cases(cases);
    const std::string mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    const std::string turned = "left=robin(1, 2, 0.1*cos(t)),right=flux(0.1),top=no-flux,bottom=value(0.2 + 0.1*sin(t))";
    const std::vector<int> launches = {3, 1, 9};
    for (bool f64 : {false, true}) {
        for (const char* model : {kGrayScott, kHeld, kEverything, kFunctions}) {
            for (const char* boundary : {"periodic", "no-flux", "value(0.3)", "outside(0.1 + 0.1*cos(t))", "still"})
                cases.push_back({"Unfused", {model, "21x13", boundary, "5", f64, launches}, "steps=1"});
            cases.push_back({"Unfused", {model, "37x9", mixed, "5", f64, launches}, "steps=1"});
            for (const char* size : {"1x1", "2x2", "1x37", "64x1", "17x61"})
                cases.push_back({"UnfusedSizes", {model, size, mixed, "5", f64, launches}, "steps=1"});
        }
        for (const char* boundary :
             {"v.top=value(0.2 + 0.1*sin(t)),v.bottom=no-flux", "no-flux,v=periodic", "v.left=value(0.2),v.right=no-flux"})
            cases.push_back({"UnfusedMixed", {kWrapping, "21x13", boundary, "9", f64, launches}, "steps=1"});
        // asked for several steps a pass, which this cannot have
        cases.push_back(
            {"UnfusedMixed", {kGrayScott, "140x20", "v.top=value(0.2),v.bottom=no-flux", "5", f64, launches}, "steps=3 chunk=9"});
        cases.push_back({"UnfusedMixed", {kGrayScott, "140x20", "no-flux,v=periodic", "5", f64, launches}, "steps=3 chunk=9"});
        cases.push_back({"UnfusedMixed", {kHeld, "140x20", "no-flux,w=periodic", "5", f64, launches}, "steps=3 chunk=9"});
        for (const char* stencil : {"9", "0.05,0.2,0.05,0.2,-1,0.2,0.05,0.2,0.05", "0.1,0.2,0.05,0.15,-0.9,0.1,0.2,0,0.1"}) {
            cases.push_back({"UnfusedStencils", {kEverything, "20x15", "outside(0.2)", stencil, f64, launches}, "steps=1"});
            cases.push_back({"UnfusedStencils", {kHeld, "20x15", "periodic", stencil, f64, launches}, "steps=1"});
        }
        for (const char* boundary : {"periodic", "no-flux", "value(0.3)"})
            cases.push_back({"UnfusedDepth", {kGrayScott, "9x7x5", boundary, "5", f64, launches}, "steps=1"});
    }
    auto stream = [&](const std::string& group, const Case& test, int steps, int chunk) {
        cases.push_back({group, test, "steps=" + std::to_string(steps) + " chunk=" + std::to_string(chunk)});
    };
    for (bool f64 : {false, true}) {
        const std::vector<int> passes = f64 ? std::vector<int>{8} : std::vector<int>{6};
        for (const char* boundary : {"periodic", "no-flux", "value(0.3)", "still"}) {
            stream("Stream", {kGrayScott, "300x50", boundary, "5", f64, passes}, f64 ? 4 : 3, 16);  // inner warps among border warps
            stream("Stream", {kFunctions, "140x20", boundary, "5", f64, passes}, f64 ? 4 : 3, 9);
        }
        for (const std::string& boundary : {mixed, turned}) {
            for (const char* size : {"300x50", "111x37", "113x5", "3x40", "1x1", "64x1"})
                stream("StreamBorders", {kGrayScott, size, boundary, "5", f64, {3, 3, 5}}, 3, 16);
        }
        for (const char* size : {"1x9", "7x3", "112x30", "225x33"})
            stream("StreamWraps", {kGrayScott, size, "periodic", "5", f64, {3, 3, 5}}, 3, 16);
        for (const char* stencil : {"9", "0.1,0.2,0.05,0.15,-0.9,0.1,0.2,0,0.1"}) {
            stream("StreamStencils", {kGrayScott, "280x40", "periodic", stencil, f64, passes}, f64 ? 4 : 3, 12);
            stream("StreamStencils", {kGrayScott, "130x20", mixed, stencil, f64, passes}, f64 ? 4 : 3, 12);
        }
        for (const char* boundary : {"periodic", "outside(0.1 + 0.1*cos(t))", "still"})
            stream("StreamMaps", {kTables, "290x40", boundary, "5", f64, passes}, f64 ? 4 : 3, 13);
        stream("StreamMaps", {kTables, "131x23", mixed, "9", f64, passes}, f64 ? 4 : 3, 13);
    }
    stream("StreamDeep", {kGrayScott, "340x60", "periodic", "5", false, {6, 12, 5}}, 6, 20);
    stream("StreamDeep", {kGrayScott, "340x60", mixed, "5", false, {8, 15}}, 8, 30);
    stream("StreamDeep", {kGrayScott, "150x40", mixed, "5", true, {4, 4, 9, 3}}, 4, 16);
    held_cases(cases);
    one_step_cases(cases);
    auto tile = [&](const std::string& group, const Case& test, int steps, const std::string& shape) {
        cases.push_back({group, test, "steps=" + std::to_string(steps) + " " + shape});
    };
    for (bool f64 : {false, true}) {
        const int steps = f64 ? 4 : 3;
        const std::vector<int> passes = f64 ? std::vector<int>{8} : std::vector<int>{6};
        for (const char* boundary : {"periodic", "no-flux", "value(0.3)", "still"}) {
            tile("Tile", {kGrayScott, "330x110", boundary, "5", f64, passes}, steps, "rows=4");  // inner tiles among border tiles
            tile("Tile", {kFunctions, "141x40", boundary, "5", f64, passes}, steps, "rows=4");
        }
        for (const std::string& boundary : {mixed, turned}) {
            for (const char* size : {"330x110", "111x37", "113x5", "3x40", "1x2", "64x1"})
                tile("TileBorders", {kGrayScott, size, boundary, "5", f64, {3, 3, 5}}, 3, "rows=4");
        }
        // whole rows that wrap have no border, others do
        for (const char* size : {"4x2", "4x9", "7x3", "112x30", "228x65", "225x33"})
            tile("TileWraps", {kGrayScott, size, "periodic", "5", f64, {3, 3, 5}}, 3, "rows=4");
        for (const char* stencil : {"9", "0.1,0.2,0.05,0.15,-0.9,0.1,0.2,0,0.1"}) {
            tile("TileStencils", {kGrayScott, "280x70", "periodic", stencil, f64, passes}, steps, "rows=4");
            tile("TileStencils", {kGrayScott, "130x20", mixed, stencil, f64, passes}, steps, "rows=4");
        }
        for (const char* boundary : {"periodic", "outside(0.1 + 0.1*cos(t))", "still"})
            tile("TileMaps", {kTables, "292x70", boundary, "5", f64, passes}, steps, "rows=4");
        tile("TileMaps", {kTables, "131x23", mixed, "9", f64, passes}, steps, "rows=4");
        for (const char* shape : {"rows=4", "rows=6", "rows=8", "rows=8 parts=12"}) {
            tile("TileHeights", {kOneField, "230x140", mixed, "5", f64, passes}, steps, shape);
            tile("TileHeights", {kGrayScott, "228x140", "periodic", "9", f64, passes}, steps, shape);
        }
    }
    tile("TileDeep", {kGrayScott, "340x150", "periodic", "5", false, {8, 12, 5}}, 8, "rows=8");
    tile("TileDeep", {kGrayScott, "341x150", mixed, "5", false, {8, 15}}, 8, "parts=12");
    tile("TileDeep", {kGrayScott, "150x40", mixed, "5", true, {8, 4, 9, 3}}, 8, "rows=8");
    held_tile_cases(cases);
    const std::string closed = mixed + ",front=value(0.3),back=outside(0.2 + 0.1*cos(t))";
    const std::string opened = "left=value(0.1),right=outside(0.3),top=periodic,bottom=periodic,front=no-flux,back=value(0.2 + 0.1*sin(t))";
    for (bool f64 : {false, true}) {
        const int steps = f64 ? 2 : 3;
        const std::vector<int> passes = f64 ? std::vector<int>{8} : std::vector<int>{6};
        for (const std::string& boundary : {std::string("periodic"), std::string("no-flux"), std::string("still"), closed, opened})
            stream("Volume", {kGrayScott, "130x22x7", boundary, "5", f64, passes}, steps, 7);
        // smaller than a tile, and than what one pass reaches; inner strips among border strips; rows that end within a lane's columns
        for (const char* size : {"2x2x2", "3x5x3", "7x40x2", "5x1x7", "260x9x5", "251x20x4", "121x19x9"}) {
            stream("VolumeSizes", {kGrayScott, size, "periodic", "5", f64, passes}, steps, 4);
            stream("VolumeSizes", {kGrayScott, size, closed, "5", f64, passes}, steps, 4);
        }
        for (const std::string& boundary : {std::string("periodic"), closed})
            stream("VolumeMaps", {kDeepTables, "63x21x8", boundary, "5", f64, f64 ? passes : std::vector<int>{4}}, 2, 5);
    }
    for (const int depth : {2, 3, 4, 9}) {
        stream("VolumeDeep", {kOneField, "21x33x" + std::to_string(depth), closed, "5", false, {8}}, 4, 3);
        stream("VolumeDeep", {kOneField, "150x33x" + std::to_string(depth), "periodic", "5", true, {8}}, 4, 16);
    }
    stream("VolumeDeep", {kGrayScott, "40x30x20", "periodic", "5", false, {3, 3, 5, 1, 7}}, 3, 6);
    stream("VolumeDeep", {kGrayScott, "37x23x12", closed, "5", true, {4, 4, 9, 3}}, 4, 16);
    for (const int later : {1, 9}) {
        cases.push_back({"UnfusedFlush", {kVanishing, "21x13", "periodic", "5", true, {8, later}}, "steps=1"});
        stream("StreamFlush", {kVanishing, "40x20", "no-flux", "5", true, {8, later}}, 4, 16);
        tile("TileFlush", {kVanishing, "40x20", "no-flux", "5", true, {8, later}}, 4, "rows=4");
        stream("VolumeFlush", {kVanishing, "20x13x6", "no-flux", "5", true, {8, later}}, 2, 16);
    }
    held_volume_cases(cases);
    noise_cases(cases);
    // no rows beside, so that warps do not meet: their lanes do, at the sides
    stream("VolumeAlone", {kAcross, "30x9x12", closed, "5", false, {6}}, 3, 5);
    // the scales make the steps of the models stable
    for (bool f64 : {false, true}) {
        for (const auto& [mesh, scale] : {std::pair{"sphere:2", 10.0},
                                          {"plane:13x9", 2.0},
                                          {"torus:3,1,16", 4.0},
                                          {MOTTLE_SOURCE_DIR "/examples/meshes/spot.obj", 100.0}})
            cases.push_back({"Mesh", {kEverythingOnMeshes, "", "no-flux", "", f64, launches, mesh, scale}, "steps=1"});
        cases.push_back({"Mesh", {kEverythingOnMeshes, "", "value(0.2 + 0.1*sin(t))", "", f64, launches, "plane:13x9", 2.0}, "steps=1"});
        for (const char* model : {kGrayScott, kFunctions})
            cases.push_back({"Mesh", {model, "", "periodic", "", f64, launches, "sphere:2", 10.0}, "steps=1"});
        for (const char* schedule : {"order=file chunk=128", "order=morton chunk=1000", "steps=1 chunk=1024"})
            cases.push_back({"MeshOrders", {kEverythingOnMeshes, "", "no-flux", "", f64, launches, "plane:61x47", 2.0}, schedule});
        // beyond 16 bits a number takes 32
        cases.push_back({"MeshOrders", {kGrayScott, "", "no-flux", "", f64, {2}, "plane:501x401", 2.0}, "order=morton"});
    }
    patch_cases(cases);
    persistent_cases(cases);
    method_cases(cases);
    return cases;
}

inline std::vector<EmulatedCase> emulated_cases() { return in_one_precision(card_cases()); }

/// Launches that repeat; those that depend on t never do.
inline std::vector<EmulatedCase> recorded_cases() {
    const std::vector<int> launches = {12, 12, 12, 7, 12, 7, 12, 7, 7, 7, 7, 7};  // odd numbers of passes are made again, too
    std::vector<EmulatedCase> cases;
    for (bool f64 : {false, true}) {
        for (const char* schedule : {"steps=1", "steps=3 chunk=16"}) {
            cases.push_back({"Recorded", {kGrayScott, "21x13", "value(0.3)", "5", f64, launches}, schedule});
            cases.push_back({"Timed", {kGrayScott, "21x13", "value(0.3 + 0.1*sin(t))", "5", f64, launches}, schedule});
        }
        for (const char* schedule : {"steps=1", "steps=3 chunk=16"})
            cases.push_back({"Recorded", {kHeld, "21x13", "periodic", "5", f64, launches}, schedule});
        for (const char* schedule : {"steps=1", "steps=3 chunk=128"}) {
            cases.push_back({"Recorded", {kGrayScott, "", "value(0.3)", "", f64, launches, "plane:13x9", 2}, schedule});
            cases.push_back({"Timed", {kGrayScott, "", "value(0.3 + 0.1*sin(t))", "", f64, launches, "plane:13x9", 2}, schedule});
        }
        cases.push_back({"Recorded", {kHeldOnMeshes, "", "no-flux", "", f64, launches, "plane:13x9", 2}, "steps=1"});
    }
    return cases;
}

}  // namespace conformance
