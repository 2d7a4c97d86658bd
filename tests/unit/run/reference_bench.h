// tests/unit/run/reference_bench.h: runs from text on the reference device, in f64 unless flags say otherwise, and a folder for their files
#pragma once
#include "kernel_cache.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/simulation.h"

#include "unit/run/listener.h"

#include <filesystem>
#include <string>

#include <unistd.h>

struct ReferenceBench {
    mottle::core::ThreadTeam team{1};
    Listener observer;
    mottle::core::Context context{team, observer, kernel_cache()};
    std::filesystem::path folder = std::filesystem::temp_directory_path() / ("mottle_run_" + std::to_string(::getpid()));

    ReferenceBench() { std::filesystem::create_directories(folder); }
    ~ReferenceBench() { std::filesystem::remove_all(folder); }

    mottle::run::Spec spec(const std::string& text, const std::string& flags = "") const {
        const auto document = mottle::core::parse_document(text, "test.toml");
        const std::string precision = flags.find("precision") == std::string::npos ? "precision = 'f64'\n" : "";
        return mottle::run::read_spec(document, "test", "",
                                      mottle::core::parse_document("device = 'reference'\n" + precision + flags, "flags"));
    }
};
