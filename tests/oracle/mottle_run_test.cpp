// tests/oracle/mottle_run_test.cpp: the comparison of the oracle tests can fail
#include "oracle/mottle_run.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

namespace oracle {

TEST(OracleDriver, NoticesAWrongCellAStandstillAndAUniformField) {
    Outcome outcome;
    outcome.grid = {2, 2, 1, 1};
    outcome.start = {{0, 0, 0, 0}};
    outcome.end = {{1, 2, 3, 4}};
    expect_agreement(outcome, {{1, 2, 3, 4}});
    EXPECT_NONFATAL_FAILURE(expect_agreement(outcome, {{1, 2, 3, 4.00000000001}}), "cell (1, 1)");
    outcome.start = outcome.end;
    EXPECT_NONFATAL_FAILURE(expect_agreement(outcome, {{1, 2, 3, 4}}), "stood still");
    outcome.start = {{0, 0, 0, 0}};
    outcome.end = {{1, 1, 1, 1}};
    EXPECT_NONFATAL_FAILURE(expect_agreement(outcome, {{1, 1, 1, 1}}), "is uniform");
    outcome.end = {{1, std::nan(""), 1, 1}};
    static Outcome broken;
    broken = outcome;
    EXPECT_FATAL_FAILURE(expect_agreement(broken, {{1, 1, 1, 1}}), "cell 1");
}

}  // namespace oracle
