// tests/cli/borders_test.cpp: mottle run with borders: what it tells of their rules, and those of single fields
#include "cli/program.h"

#include <gtest/gtest.h>

#include <regex>
#include <string>

namespace borders_test {

using cli::Folder;
using cli::Result;

// lap(2*u) is held, and its border is not that of u.
TEST(Borders, TellsOfBordersThatAHeldExpressionDoesNotHave) {
    const Folder folder;
    const std::string run = " --size 16x8 --steps 5 --dt 0.05 --device reference --boundary ";
    for (const char* equation : {"lap(2*u + 0.01*white())", "lap(u^2*white())", "div(grad(max(u, white())))"}) {
        folder.write("m.toml", "[equations]\nu = \"" + std::string(equation) + "\"\n[initial]\nu = \"1\"\n");
        EXPECT_NE(folder.run("mottle run m.toml" + run + "'value(1)'").err.find("homogeneous form"), std::string::npos) << equation;
        EXPECT_EQ(folder.run("mottle run m.toml" + run + "no-flux").err.find("homogeneous form"), std::string::npos) << equation;
    }
    for (const char* equation : {"2*lap(u)", "bilap(u)*0.01", "div(u*grad(u))", "lap(2*u)", "lap(u^2)", "div(grad(max(u, 0)))"}) {
        folder.write("m.toml", "[equations]\nu = \"" + std::string(equation) + "\"\n[initial]\nu = \"1\"\n");
        EXPECT_EQ(folder.run("mottle run m.toml" + run + "'value(1)'").err.find("homogeneous form"), std::string::npos) << equation;
    }
    // one stage holds both, and the other value looks at neighbours
    folder.write("m.toml", "[equations]\nu = \"lap(u*white()) - 0.01*bilap(u)\"\n[initial]\nu = \"1\"\n");
    const std::string both = folder.run("mottle run m.toml" + run + "'value(1)'").err;
    EXPECT_NE(both.find("' is stored for an operator, with the homogeneous form"), std::string::npos) << both;
    EXPECT_EQ(both.find("'lap(u)' is stored"), std::string::npos) << both;
}

// The fields of a stage have the rules as they are given, at the time of the stage.
TEST(Borders, TellsNothingOfBordersThatChangeWithTime) {
    const Folder folder;
    const std::string run = "mottle run m.toml --size 16x8 --steps 5 --dt 0.05 --device reference --method rk4 --boundary ";
    for (const char* rule : {"'value(sin(t))'", "'flux(sin(t))'", "'robin(1 + t, 1, 2)'", "'outside(t)'"}) {
        folder.write("m.toml", "[equations]\nu = \"lap(u)\"\n[initial]\nu = \"1\"\n");
        EXPECT_EQ(folder.run(run + rule).err.find("homogeneous form"), std::string::npos) << rule;
        folder.write("m.toml", "[equations]\nu = \"lap(u^2*white())\"\n[initial]\nu = \"1\"\n");
        EXPECT_NE(folder.run(run + rule).err.find("homogeneous form"), std::string::npos) << rule;
    }
}

// The mean stays where what leaves on one side enters on the other, and only where it does not there is a note.
TEST(Borders, TellsWhereAWrappingFieldIsNotConserved) {
    const Folder folder;
    const std::regex mean("\"u\": .\"min\": [^,]*, \"max\": [^,]*, \"mean\": ([^,]*),");
    const std::string mixed = "left=no-flux,right=no-flux,u.left=periodic,u.right=periodic", ends = "v.left=no-flux,v.right=value(1)";
    for (const std::string conductivity : {"m", "(0.1 + 0.2*X)", "(0.1 + 0.2*Y)", "(0.1 + u^2)", "(0.1 + v^2)", "0.2"}) {
        folder.write("m.toml", "[equations]\nu = 'div(" + conductivity + "*grad(u))'\nv = '0.1*lap(v)'\n[parameters]\nm = '0.1 + 0.3*X'\n" +
                                   "[initial]\nu = 'sin(1.3*x)^2 + X'\nv = 'X'\n[grid]\nsize = '12x7'\n[time]\ndt = 0.1\n" +
                                   "[method]\nprecision = 'f64'\n[run]\ndevice = 'reference'\n");
        for (const std::string& boundary : {mixed, ends, std::string("periodic"), std::string("no-flux")}) {
            const std::string run = "mottle run m.toml --json --boundary '" + boundary + "' --steps ";
            const Result start = folder.run(run + "0"), end = folder.run(run + "300");
            std::smatch before, after;
            ASSERT_TRUE(std::regex_search(start.out, before, mean) && std::regex_search(end.out, after, mean)) << start.out << end.err;
            const bool conserved = std::abs(std::stod(before[1]) - std::stod(after[1])) < 1e-9;
            EXPECT_EQ(end.err.find("is not the flux into the other") == std::string::npos, conserved)
                << conductivity << ", " << boundary << "\n"
                << end.err;
        }
    }
}

// The grid's own rule, periodic, speaks for no field here: rows must not wrap.
TEST(Borders, RulesOfEveryFieldReplaceThoseOfTheGrid) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const Folder folder;
    folder.write("m.toml",
                 "[equations]\nu = 'lap(u)'\n[initial]\nu = 'X + Y'\n[grid]\nsize = '20x10'\n"
                 "[boundary.u]\nleft = 'no-flux'\nright = 'value(1)'\ntop = 'value(0)'\nbottom = 'no-flux'\n");
    ASSERT_EQ(folder.run("for d in cpu reference; do mottle run m.toml --steps 40 --device $d -o $d.npy || exit; done").code, 0);
    EXPECT_EQ(folder.run("cmp cpu.npy reference.npy").code, 0);
}

TEST(Borders, AFieldMayWrapAlongRowsWhereOthersDoNot) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const Folder folder;
    folder.write("m.toml",
                 "[equations]\nu = '0.2*lap(u) - v'\nv = '0.2*lap(v) + u'\n[initial]\nu = 'X + Y'\nv = 'X*Y'\n[grid]\nsize = '20x10'\n");
    ASSERT_EQ(folder
                  .run("for d in cpu reference; do mottle run m.toml --dt 0.1 --boundary 'v.left=value(0),v.right=no-flux' --steps 40 "
                       "--device $d -o $d.npy || exit; done")
                  .code,
              0);
    EXPECT_EQ(folder.run("cmp cpu.npy reference.npy").code, 0);
}

}  // namespace borders_test
