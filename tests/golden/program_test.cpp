// tests/golden/program_test.cpp: the printed Programs of four models; a change of theirs changes the bits of every run, so it must be meant
#include "mottle/core/files.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/model/model.h"
#include "mottle/run/settings/read_spec.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace program_test {

using namespace mottle;

struct Golden {
    const char* file;
    const char* model;
    const char* shape;  ///< null: a grid
    bool f64;
};
class Program : public testing::TestWithParam<Golden> {};

// Where a change is meant: MOTTLE_WRITE_GOLDEN=1 writes the files anew; their diff belongs to the review.
TEST_P(Program, IsAsItWas) {
    const Golden& golden = GetParam();
    core::ThreadTeam team(1);
    run::Spec spec = run::read_spec(model::load_document(golden.model), golden.model, "", core::Node());
    if (golden.shape) spec.domain = domain::create_mesh(domain::load_surface({golden.shape, {}}, "", team), 1, team);
    spec.method.f64 = golden.f64;
    const std::string text = ir::print(ir::lower(ir::build(spec.model), spec.method, spec.domain));
    const std::string path = std::string(MOTTLE_SOURCE_DIR "/tests/golden/") + golden.file;
    if (std::getenv("MOTTLE_WRITE_GOLDEN")) std::ofstream(path) << text;
    EXPECT_EQ(text, core::read_file(path).value_or("")) << path;
}

std::string name_of(const testing::TestParamInfo<Golden>& info) {
    std::string name = info.param.file;
    name.resize(name.find('.'));
    for (char& c : name) c = c == '-' ? '_' : c;
    return name;
}

// folded coefficients and products; a held stage; elementary functions in f64 with its flush; sums over the one-ring
INSTANTIATE_TEST_SUITE_P(Models, Program,
                         testing::Values(Golden{"gray-scott.ir", "gray-scott", nullptr, false},
                                         Golden{"swift-hohenberg.ir", "swift-hohenberg", nullptr, false},
                                         Golden{"barkley.ir", "barkley", nullptr, true},
                                         Golden{"chemotaxis-on-a-sphere.ir", "chemotaxis", "sphere:1", false}),
                         name_of);

}  // namespace program_test
