// tests/unit/core/provenance_test.cpp: version, build id and CPU name
#include "mottle/core/provenance.h"

#include <gtest/gtest.h>

namespace provenance_test {

using namespace mottle::core;

TEST(Provenance, TheBuildIdStartsWithTheVersion) {
    EXPECT_EQ(version(), "0.1.0");
    EXPECT_EQ(build_id().rfind(version() + " ", 0), 0u) << build_id();
    EXPECT_GT(build_id().size(), version().size() + 12);
}

TEST(Provenance, TheCpuHasAName) {
    EXPECT_FALSE(cpu_name().empty());
    EXPECT_EQ(cpu_name().find('\n'), std::string::npos);
}

}  // namespace provenance_test
