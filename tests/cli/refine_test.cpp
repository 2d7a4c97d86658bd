// tests/cli/refine_test.cpp: meshes made finer, and what is said of lengths, as typed
#include "cli/program.h"

#include <gtest/gtest.h>

#include <string>

namespace refine_test {

using cli::Folder;
using cli::Result;

const std::string kTuring = R"toml(
[equations]
u = "lap(u) + 0.1 - u + u^2*v"
v = "40*lap(v) + 0.9 - u^2*v"
[fields]
u = { range = [0, 4] }
v = { range = [0, 2] }
[initial]
u = "1 + noise(-0.1, 0.1)"
v = "0.9 + noise(-0.1, 0.1)"
)toml";

/// The vertices of a PLY file of doubles, as `--json` of a run says: `count` of them, three numbers each, from the text of an OBJ.
const char* kTetrahedron = "v 1 1 1\nv -1 -1 1\nv -1 1 -1\nv 1 -1 -1\nf 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n";

TEST(Refine, FilesHoldTheFineMeshWithThePlacesOfTheFileFirst) {
    const Folder folder;
    folder.write("m.toml", kTuring);
    folder.write("t.obj", kTetrahedron);
    const std::string run = "mottle run m.toml --mesh t.obj --scale 9 --steps 4 --dt 0.001 ";
    Result result = folder.run(run + "--refine 2 --subdivision midpoint -o a.npy -o a.vtu");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NE(folder.read("a.npy").find("'shape': (2, 34)"), std::string::npos) << "4 + 6 + 24";
    EXPECT_NE(folder.read("a.vtu").find("NumberOfPoints=\"34\" NumberOfCells=\"64\""), std::string::npos);
    folder.run("mottle run m.toml --mesh t.obj --scale 9 --steps 4 --dt 0.001 -o c.vtu");
    // the first three of the coordinates, raw doubles behind the length of their array
    const auto first_points = [&](const std::string& name) {
        const std::string file = folder.read(name);
        const std::size_t points = file.find("Name=\"Points\""), offset = file.find("offset=\"", points);
        const std::size_t data = file.find("encoding=\"raw\">\n_") + 17 + std::stoul(file.substr(offset + 8)) + 8;
        return file.substr(data, 4 * 24);
    };
    EXPECT_EQ(first_points("a.vtu"), first_points("c.vtu"));
    folder.run(run + "--refine 1 -o b.vtu");
    EXPECT_NE(first_points("b.vtu"), first_points("c.vtu")) << "Loop's subdivision moves them";
}

TEST(Refine, RunFilesEmitAndMeshInfoKnowIt) {
    const Folder folder;
    folder.write("m.toml", kTuring);
    folder.write("t.obj", kTetrahedron);
    folder.write(
        "r.toml",
        "model = 'm.toml'\n[mesh]\nfile = 't.obj'\nscale = 9\nrefine = 2\nsubdivision = 'midpoint'\n[time]\nsteps = 4\ndt = 0.001\n");
    EXPECT_NE(folder.run("mottle run r.toml").out.find("t.obj (34 vertices)"), std::string::npos);
    const Result emitted = folder.run("mottle emit r.toml --what model > e.toml && mottle run e.toml");
    EXPECT_NE(emitted.out.find("t.obj (34 vertices)"), std::string::npos) << emitted.err;
    const Result info = folder.run("mottle mesh info t.obj --refine 3");
    EXPECT_NE(info.out.find("refined     130 vertices, 256 faces\n"), std::string::npos) << info.out;  // of the file's faces it said 4
    EXPECT_NE(info.out.find("130 vertices, 256 triangles"), std::string::npos) << info.out;
    for (const auto& [flags, words] :
         {std::pair("--refine 9", "refine"), std::pair("--refine -1", "refine"), std::pair("--refine 1.5", "refine"),
          std::pair("--refine 1 --subdivision round", "subdivision must be loop or midpoint, not 'round'")}) {
        for (const std::string command : {"mottle run m.toml --steps 1 --mesh t.obj ", "mottle mesh info t.obj "}) {
            const Result result = folder.run(command + flags);
            EXPECT_EQ(result.code, 3) << command << flags;
            EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
        }
    }
    const Result grid = folder.run("mottle run m.toml --size 8x8 --steps 1 --refine 1");
    EXPECT_NE(grid.code, 0) << "a grid has nothing to refine";
}

TEST(Refine, WavelengthsAreFewRatherThanJaggedAndANoteSaysHowToHaveMore) {
    const Folder folder;
    folder.write("m.toml", "wavelength = 15\n" + kTuring);
    const Result coarse = folder.run("mottle run m.toml --mesh sphere:3 --steps 1");
    EXPECT_NE(coarse.err.find("; --refine 4 draws 12 smoothly, with 256 times the vertices"), std::string::npos) << coarse.err;
    const Result fine = folder.run("mottle run m.toml --mesh sphere:3 --refine 4 --steps 1");
    EXPECT_NE(fine.err.find("12 wavelengths of 15 across sphere:3"), std::string::npos) << fine.err;
    EXPECT_EQ(fine.err.find("--refine"), std::string::npos) << fine.err;
}

// 14.94 is where the quadratic formula has its greatest root: tests/unit/ir/favoured_wave_test.cpp.
TEST(Lengths, OfAMeshOfOnesOwnAreToldBeforeTheFirstStep) {
    const Folder folder;
    folder.write("m.toml", kTuring);
    const Result small = folder.run("mottle run m.toml --mesh sphere:3 --time 0.01");
    EXPECT_EQ(small.code, 0);
    EXPECT_NE(small.err.find("the equations favour waves of length 14.9, 0.134 across the surface: --scale 90 shows some 12"),
              std::string::npos)
        << small.err;
    const Result endless = folder.run("mottle run m.toml --mesh sphere:5 --time 100 --method euler");
    EXPECT_EQ(endless.code, 3);
    EXPECT_NE(endless.err.find("--scale 90 shows some 12"), std::string::npos) << endless.err;
    EXPECT_EQ(folder.run("mottle check m.toml --mesh sphere:5 --time 100 --method euler").code, 3);
    // Steps of many stages follow the reaction, and are not fewer at another scale: this said "in 1 step".
    const Result staged = folder.run("mottle check m.toml --mesh sphere:4 --time 100");
    EXPECT_NE(staged.out.find("rkl2"), std::string::npos) << staged.out;
    EXPECT_NE(staged.out.find("--scale 90 shows some 12, in less than a second"), std::string::npos) << staged.out;
    const Result scaled = folder.run("mottle run m.toml --mesh sphere:3 --scale 90 --time 1");
    EXPECT_EQ(scaled.err.find("favour"), std::string::npos) << scaled.err;
    const Result known = folder.run("mottle run gray-scott --mesh sphere:3 --steps 1");
    EXPECT_EQ(known.err.find("favour"), std::string::npos) << known.err;
}

}  // namespace refine_test
