// tests/conformance/cuda/compiled.h: models as texts for NVRTC, and what it says of them: registers, spills, arithmetic
#pragma once
#include "mottle/backend/cuda/device/compile.h"
#include "mottle/core/error.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/read_spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace conformance {

/// Why NVRTC is not here; empty where it is.
inline std::string no_compiler() {
    try {
        mottle::backend::cuda::compiler_version();
        return "";
    } catch (const mottle::core::DeviceError& error) {
        return error.message();
    }
}

/// Of the tests that take NVRTC, for each architecture.
class NvrtcTest : public testing::TestWithParam<mottle::backend::cuda::Architecture> {
   protected:
    void SetUp() override {
        if (const std::string reason = no_compiler(); !reason.empty()) GTEST_SKIP() << reason;
    }
};

inline constexpr int kTileSpills =
    288;  ///< bytes of a level of 64 rows, where two blocks share the registers; its loop has some 500 instructions
inline constexpr int kWholeSpills = 192;  ///< bytes of a step of a whole plane, or of the loads and stores around its steps
inline constexpr int kSpills = 64;        ///< bytes; a few words in loops of some thousand instructions

/// A model on a grid, and its Program.
struct Lowered {
    mottle::run::Spec spec;
    mottle::ir::Program program;
    const mottle::domain::Grid& grid() const { return std::get<mottle::domain::Grid>(spec.domain); }
};

/// `model`: of the library, or a text.
inline Lowered lowered(const std::string& model, const std::string& size, bool f64, const std::string& boundary = "") {
    const std::string flags = "[grid]\nsize = \"" + size + "\"\n[method]\nprecision = \"" + (f64 ? "f64" : "f32") + "\"\n";
    mottle::core::Node overlay = mottle::core::parse_document(flags, "flags");
    if (!boundary.empty()) overlay.at("boundary") = mottle::core::text_node(boundary, "--boundary");
    const mottle::core::Node document =
        model.find('\n') == std::string::npos ? mottle::model::load_document(model) : mottle::core::parse_document(model, "compile.toml");
    Lowered result{mottle::run::read_spec(document, "compile", "", overlay), {}};
    result.program = mottle::ir::lower(mottle::ir::build(result.spec.model), result.spec.method, result.spec.domain);
    return result;
}

/// The names of its models.
inline std::vector<std::string> library() {
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(MOTTLE_SOURCE_DIR "/models")) names.push_back(file.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

/// What ptxas says of a kernel.
struct Cost {
    int registers = 0, spills = 0;  ///< bytes that go to memory and back
};
/// The words of ptxas, by kernel.
inline std::map<std::string, Cost> costs_of(const mottle::backend::cuda::Compiled& compiled) {
    std::map<std::string, Cost> costs;
    std::string kernel;
    std::istringstream lines(compiled.log);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_search(line, match, std::regex("entry function '(\\w+)'"))) kernel = match[1];
        if (std::regex_search(line, match, std::regex("(\\d+) bytes spill stores, (\\d+) bytes spill loads")))
            costs[kernel].spills = std::stoi(match[1]) + std::stoi(match[2]);
        if (std::regex_search(line, match, std::regex("Used (\\d+) registers"))) costs[kernel].registers = std::stoi(match[1]);
    }
    return costs;
}

inline std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++found;
    return found;
}

/// Every f32 operation flushes, nothing is approximate, and fused are only the sums that the text fuses.
/// `copies`: of a loop's body that the compiler may make.
inline void expect_exact(const std::string& text, const std::string& ptx, const std::string& what, std::size_t copies = 1) {
    EXPECT_EQ(count(ptx, ".approx"), 0u) << what;
    EXPECT_EQ(count(ptx, "mad.f"), 0u) << what;
    std::istringstream lines(ptx);
    const std::regex arithmetic(R"(^\s*(add|sub|mul|fma|div|sqrt|neg|abs|min|max|setp|rcp|cvt)\.[a-z.0-9]*f(32|64)\b)");
    const std::regex rounded(R"(^\s*(add|sub|mul|fma|div|sqrt)\.)");
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (!std::regex_search(line, match, arithmetic)) continue;
        const bool flushes = match.str().find(".ftz") != std::string::npos, rounds = match.str().find(".rn") != std::string::npos;
        EXPECT_TRUE(flushes || match[2] != "32") << what << ": " << line;
        EXPECT_TRUE(rounds || !std::regex_search(line, rounded)) << what << ": " << line;
    }
    EXPECT_GT(count(ptx, ".rn."), 0u) << what;
    EXPECT_LE(count(ptx, "fma.rn"), copies * (count(text, "__fmaf_rn(") + count(text, "__fma_rn("))) << what;
}

}  // namespace conformance
