// tests/unit/model/docs_test.cpp: every model in docs/model-language.md is one, and its tables name every word of the language
#include "mottle/core/error.h"
#include "mottle/model/model.h"
#include "mottle/model/names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace docs_test {

using namespace mottle;

std::string page() {
    std::ifstream file(std::string(MOTTLE_SOURCE_DIR) + "/docs/model-language.md");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> toml_blocks(const std::string& text) {
    std::vector<std::string> blocks;
    const std::string open = "```toml\n", close = "```\n";
    for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
        at += open.size();
        const std::size_t end = text.find(close, at);
        blocks.push_back(text.substr(at, end - at));
        at = end + close.size();
    }
    return blocks;
}

TEST(ModelLanguagePage, its_models_are_models) {
    const std::vector<std::string> blocks = toml_blocks(page());
    ASSERT_EQ(blocks.size(), 5u);
    for (const std::string& block : blocks) {
        try {
            model::check(core::parse_document(block, "docs.toml"), "docs");
        } catch (const core::Error& error) {
            ADD_FAILURE() << error.what() << "\nin\n" << block;
        }
    }
}

TEST(ModelLanguagePage, names_every_reserved_word) {
    const std::string text = page();
    const std::size_t begin = text.find("These words are reserved:"), end = text.find("## Equations");
    ASSERT_NE(begin, std::string::npos);
    std::istringstream words(text.substr(begin, end - begin));
    std::vector<std::string> listed;
    for (std::string word; words >> word;) listed.push_back(word);
    auto lists = [&](std::string_view word) { return std::find(listed.begin(), listed.end(), word) != listed.end(); };
    for (const model::Function& function : model::functions()) {
        if (!model::is_name(function.name)) continue;
        EXPECT_TRUE(lists(function.name)) << function.name;
    }
    for (const char* word : {"x", "X", "t", "pi", "dt", "and", "if"}) EXPECT_TRUE(lists(word)) << word;
}

}  // namespace docs_test
