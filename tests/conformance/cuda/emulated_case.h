// tests/conformance/cuda/emulated_case.h: a case that the emulated device runs
#pragma once
#include "conformance/suite.h"

#include <bit>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace conformance {

struct EmulatedCase {
    std::string group;  ///< the test that runs it
    Case test;
    std::string schedule;
    int processors = 132;  ///< of the emulated card
};

/// Of two cases of a group that differ in the precision one, in an order without a period (Thue and Morse's): one code writes the texts of both
/// precisions, and every text that the emulation runs has to be compiled.
template <class Each>
std::vector<Each> in_one_precision(const std::vector<Each>& cases) {
    const auto alike = [](const Each& a, const Each& b) {
        const Case &x = a.test, &y = b.test;
        return x.model == y.model && x.size == y.size && x.boundary == y.boundary && x.stencil == y.stencil && x.mesh == y.mesh;
    };
    std::map<std::string, std::vector<std::size_t>> singles, doubles;  // by group
    for (std::size_t i = 0; i < cases.size(); ++i) (cases[i].test.f64 ? doubles : singles)[cases[i].group].push_back(i);
    std::vector<bool> kept(cases.size(), true);
    unsigned pair = 0;
    for (const auto& [group, first] : singles) {
        const std::vector<std::size_t>& second = doubles[group];
        for (std::size_t i = 0; i < first.size() && i < second.size(); ++i) {
            if (alike(cases[first[i]], cases[second[i]])) kept[std::popcount(pair++) % 2 == 0 ? second[i] : first[i]] = false;
        }
    }
    std::vector<Each> left;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (kept[i]) left.push_back(cases[i]);
    }
    return left;
}

/// The first case of each group in each precision: kernels of every kind, for what asks nothing of what a kernel computes.
template <class Each>
std::vector<Each> one_of_each_kind(const std::vector<Each>& cases) {
    std::vector<Each> left;
    std::map<std::pair<std::string, bool>, bool> seen;
    for (const Each& each : cases) {
        if (!std::exchange(seen[{each.group, each.test.f64}], true)) left.push_back(each);
    }
    return left;
}

}  // namespace conformance
