// tests/ranks/mpirun.h: tests of the program under mpirun: skipped where there is none, but not in continuous integration
#pragma once
#include "cli/program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace mpirun {

using cli::Folder;
using cli::Result;

constexpr int kPatience = 240;  // seconds after which a command has hung; it is long, since machines that run tests are busy

// Once in a long while mpirun, after its processes have ended, writes to one of them and is killed by SIGPIPE: its code is then 141 and not theirs.
inline const std::string kMpirun = "env --ignore-signal=PIPE mpirun --oversubscribe --allow-run-as-root --bind-to none ";

inline std::string on(int ranks) { return kMpirun + "-n " + std::to_string(ranks) + " "; }

class Test : public testing::Test {
   protected:
    void SetUp() override {
        const bool must = std::getenv("CI") != nullptr;
        ASSERT_TRUE(MOTTLE_HAVE_MPI || !must) << "built without Open MPI";
        if (!MOTTLE_HAVE_MPI) GTEST_SKIP() << "built without Open MPI";
        const bool there = folder.run("mpirun --version").code == 0;
        ASSERT_TRUE(there || !must) << "no mpirun here; packages-all.txt names it";
        if (!there) GTEST_SKIP() << "no mpirun here";
        if (const Result result = folder.run(on(2) + "true"); result.code != 0)
            GTEST_SKIP() << "mpirun starts nothing here: " << result.err;
    }
    Folder folder;
};

/// How often `words` occur in what was said.
inline int count_of(const Result& result, const std::string& words) {
    const std::string text = result.out + result.err;
    int count = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++count;
    return count;
}

/// Starts `command` in the background, and sends `signal` to rank `rank` `seconds` after it has written `file`; the code of `command` is that of the script.
inline std::string signalled(const std::string& command, const std::string& signal, int rank, double seconds = 0,
                             const std::string& file = "a.state") {
    return "touch before; timeout " + std::to_string(kPatience) + " " + command + " & while [ ! " + file +
           " -nt before ] && kill -0 $!; do sleep 0.05; done; sleep " + std::to_string(seconds) + "; for p in $(pgrep -x mottle); do " +
           "if tr '\\0' '\\n' < /proc/$p/environ | grep -qx \"PWD=$PWD\" && tr '\\0' '\\n' < /proc/$p/environ | " +
           "grep -qx OMPI_COMM_WORLD_RANK=" + std::to_string(rank) + "; then kill -" + signal +
           " $p; fi; done; date +%s > killed; wait $!; code=$?; date +%s > ended; exit $code";
}

}  // namespace mpirun
