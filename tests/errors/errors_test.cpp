// tests/errors/errors_test.cpp: every message a model or run file can cause, word for word: <subject>/<name>.toml gives <name>.expected
#include "mottle/core/document.h"
#include "mottle/core/error.h"
#include "mottle/field/source.h"
#include "mottle/ir/lower/expression.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/settings/preparation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

namespace errors_test {

namespace fs = std::filesystem;

struct Case {
    std::string name;  ///< the file below this folder, without its extension: "syntax/syntax-minus-sign"
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

fs::path folder() { return fs::path(MOTTLE_SOURCE_DIR) / "tests" / "errors"; }

std::vector<Case> cases() {
    std::vector<Case> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder())) {
        if (entry.path().extension() == ".toml") found.push_back({fs::relative(entry.path(), folder()).replace_extension().string()});
    }
    std::sort(found.begin(), found.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
    return found;
}

std::string read(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

/// What the start and the maps read.
void rehearse(const mottle::model::ExprPtr& expression, const mottle::run::Spec& spec) {
    using namespace mottle;
    if (expression) field::create_row_expression(ir::lower_position(expression, spec.model, spec.domain), spec.domain, spec.initial);
}

/// What stops a run of this file before its first step: the exit code, then the message.
std::string outcome(const std::string& name) {
    using namespace mottle;
    const std::string title = fs::path(name).filename().string();
    try {
        const core::Node document = core::parse_document(read(folder() / (name + ".toml")), title + ".toml");
        run::Spec spec = run::read_spec(document, title, "", core::Node{});
        core::ThreadTeam team(1);
        run::prepare(spec, team);
        for (const model::Equation& equation : spec.model.equations) rehearse(equation.initial, spec);
        for (const model::Parameter& parameter : spec.model.parameters) rehearse(parameter.map, spec);
    } catch (const core::Error& error) {
        return "exit " + std::to_string(error.exit_code()) + "\n" + error.what() + "\n";
    }
    return "no error\n";
}

class ErrorMessage : public testing::TestWithParam<Case> {};

TEST_P(ErrorMessage, is_as_expected) {
    const std::string& name = GetParam().name;
    const fs::path expected = folder() / (name + ".expected");
    ASSERT_TRUE(fs::exists(expected)) << "there is no " << expected << "; the message is\n" << outcome(name);
    EXPECT_EQ(outcome(name), read(expected));
}

std::string test_name(const testing::TestParamInfo<Case>& info) {
    std::string name = fs::path(info.param.name).filename().string();
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(files, ErrorMessage, testing::ValuesIn(cases()), test_name);

}  // namespace errors_test
