// tests/conformance/cuda/noise_cases.h: white() in kernels of every kind: cells of halos have the numbers of the cells that they stand for
#pragma once
#include "conformance/cuda/emulated_case.h"

#include <string>
#include <vector>

namespace conformance {

inline void noise_cases(std::vector<EmulatedCase>& cases) {
    const std::string mixed = "left=no-flux,right=value(0.2 + 0.1*sin(t)),top=outside(0.4),bottom=no-flux";
    const std::string closed = mixed + ",front=value(0.3),back=outside(0.2 + 0.1*cos(t))";
    for (const bool f64 : {false, true}) {
        for (const char* model : {kNoise, kHeldNoise})
            cases.push_back({"UnfusedNoise", {model, "21x13", mixed, "5", f64, {3, 1, 9}}, "steps=1"});
        for (const std::string& boundary : {std::string("periodic"), mixed})
            cases.push_back({"StreamNoise", {kNoise, "140x20", boundary, "5", f64, {5, 2}}, "steps=2 chunk=9"});
        cases.push_back({"TileNoise", {kNoise, "141x40", "periodic", "5", f64, {5, 2}}, "steps=2 rows=4"});
        cases.push_back({"PersistentNoise", {kNoise, "60x37", "periodic", "5", f64, {5, 1, 8}}, "steps=2 chunk=0", 9});
        cases.push_back({"VolumeNoise", {kNoise, "40x13x7", closed, "5", f64, {4, 1}}, "steps=2 chunk=7"});
        cases.push_back({"PatchesNoise", {kNoise, "", "no-flux", "", f64, {3, 1, 4}, "sphere:3", 10}, "steps=2 chunk=128"});
        cases.push_back({"MeshNoise", {by_method(kNoise, "heun"), "", "no-flux", "", f64, {3, 1}, "plane:31x23", 1}, "steps=1"});
    }
}

}  // namespace conformance
