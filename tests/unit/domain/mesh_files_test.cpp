// tests/unit/domain/mesh_files_test.cpp: real meshes and broken ones: counts that an independent script made, and the message of every bad file
#include "mottle/core/error.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/domain/readers/read.h"
#include "mottle/domain/repair/repair.h"
#include "mottle/domain/repair/topology.h"
#include "test_meshes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <ostream>

namespace mesh_files_test {

using namespace mottle;
namespace fs = std::filesystem;

/// Counts of a file as it is stored, none of its vertices a copy of another; edges, loops and vertices after second copies of faces are left out.
struct Known {
    std::string file;
    core::Index vertices, faces, components, characteristic, loops, non_manifold_edges, non_manifold_vertices, inconsistent, unreferenced,
        duplicates;
};
void PrintTo(const Known& known, std::ostream* out) { *out << known.file; }

const std::vector<Known>& known_files() {
    static const std::vector<Known> files = {
        {"spot.obj", 2930, 5856, 1, 2, 0, 0, 0, 0, 0, 0},
        {"spot_remeshed.obj", 11533, 23062, 1, 2, 0, 0, 0, 0, 0, 0},
        {"snake_tube.obj", 19106, 38208, 1, 2, 0, 0, 0, 0, 0, 0},
        {"bunny_hr.obj", 29834, 59664, 1, 2, 0, 0, 0, 0, 0, 0},
        {"bunny_lowres.off", 3485, 6966, 1, 2, 0, 0, 0, 0, 0, 0},
        {"stanford_bunny.obj", 35947, 69451, 1, -3, 5, 0, 0, 0, 1113, 0},
        {"mountain.obj", 25600, 50562, 1, 1, 1, 0, 0, 0, 0, 0},
        {"plane_holes.obj", 8519, 16747, 1, -25, 27, 0, 0, 0, 0, 0},
        {"scorpion.obj", 49997, 99990, 1, 2, 0, 0, 0, 0, 0, 0},
        {"human_man.obj", 6890, 13776, 1, 2, 0, 0, 0, 0, 0, 0},
        {"dragon_res4_nonmanifold.ply", 5205, 11102, 1, 509, 217, 494, 7, 90, 2, 502},
        {"bad/fan3.obj", 5, 3, 1, 1, 1, 1, 0, 0, 0, 0},
        {"bad/hourglass_ico.obj", 23, 40, 1, 3, 0, 0, 1, 0, 0, 0},
        {"bad/moebius.obj", 280, 448, 1, 0, 1, 0, 0, 4, 0, 0},
        {"bad/triple_vierbein.obj", 75, 108, 1, 1, 1, 20, 0, 3, 0, 0},
    };
    return files;
}

domain::Surface load(const fs::path& path) {
    core::ThreadTeam team(2);
    return domain::repair(domain::read_mesh(path), team);
}

class MeshFile : public testing::TestWithParam<Known> {};

TEST_P(MeshFile, has_the_counts_of_the_independent_script) {
    const Known& known = GetParam();
    const fs::path path = tests::mesh_file(known.file);
    if (path.empty()) GTEST_SKIP() << "MOTTLE_TEST_MESHES has no " << known.file;
    const domain::Surface s = load(path);
    EXPECT_EQ(static_cast<core::Index>(s.vertex_of.size()), known.vertices);
    EXPECT_EQ(s.report.file_vertices, known.vertices);
    EXPECT_EQ(s.report.welded, 0);
    EXPECT_EQ(s.report.unreferenced, known.unreferenced);
    EXPECT_EQ(s.report.zero_area_faces + s.report.repeated_index_faces, 0);
    EXPECT_EQ(s.report.duplicate_faces, known.duplicates);
    EXPECT_EQ(static_cast<core::Index>(s.faces.size()), known.faces - known.duplicates);
    EXPECT_EQ(static_cast<core::Index>(s.position.size()), known.vertices - known.unreferenced);
    EXPECT_EQ(static_cast<core::Index>(s.loops.size()), known.loops);
    EXPECT_EQ(s.report.non_manifold_edges, known.non_manifold_edges);
    EXPECT_EQ(s.report.non_manifold_vertices, known.non_manifold_vertices);
    EXPECT_EQ(s.report.inconsistent_edges, known.inconsistent);
    const domain::Topology topology = domain::topology_of(s);
    EXPECT_EQ(topology.components, known.components);
    EXPECT_EQ(static_cast<core::Index>(s.position.size()) - topology.edges + static_cast<core::Index>(s.faces.size()),
              known.characteristic - known.duplicates);
}

std::string known_name(const testing::TestParamInfo<Known>& info) {
    return tests::surface_test_name(testing::TestParamInfo<std::string>(info.param.file, 0));
}
INSTANTIATE_TEST_SUITE_P(files, MeshFile, testing::ValuesIn(known_files()), known_name);

TEST(MeshFiles, weld_the_dragon_into_one_closed_manifold) {
    const fs::path path = tests::mesh_file("dragon_871k.ply");
    if (path.empty()) GTEST_SKIP() << "MOTTLE_TEST_MESHES has no dragon_871k.ply";
    const domain::Surface s = load(path);
    EXPECT_EQ(s.position.size(), 435545u);
    EXPECT_EQ(s.faces.size(), 871306u);
    EXPECT_EQ(s.report.welded, 2100);
    EXPECT_EQ(s.report.zero_area_faces, 108);
    EXPECT_EQ(s.loops.size(), 0u);
    EXPECT_EQ(s.report.non_manifold_edges + s.report.non_manifold_vertices + s.report.inconsistent_edges, 0);
    EXPECT_EQ(domain::topology_of(s).components, 1);
}

TEST(MeshFiles, weld_the_teapot) {
    const fs::path path = tests::mesh_file("teapot.obj");
    if (path.empty()) GTEST_SKIP() << "MOTTLE_TEST_MESHES has no teapot.obj";
    const domain::Surface s = load(path);
    EXPECT_EQ(s.report.welded, 403);
    EXPECT_EQ(s.position.size(), 3644u - 403);
}

/// What becomes of a broken file: counts after repair, or the message.
struct Broken {
    std::string file;
    std::string outcome;
};
void PrintTo(const Broken& broken, std::ostream* out) { *out << broken.file; }

std::string outcome(const fs::path& folder, const std::string& file) {
    try {
        core::ThreadTeam team(1);
        const domain::Mesh mesh = domain::create_mesh(domain::load_surface({file, {}}, folder, team), 1, team);
        const domain::Surface& s = *mesh.surface;
        const domain::MeshReport& r = s.report;
        std::string text = std::to_string(s.position.size()) + " V " + std::to_string(s.faces.size()) + " F";
        auto add = [&](const char* name, core::Index count) {
            if (count > 0) text += std::string(" ") + name + " " + std::to_string(count);
        };
        add("welded", r.welded);
        add("unreferenced", r.unreferenced);
        add("flat", r.zero_area_faces);
        add("repeated", r.repeated_index_faces);
        add("copies", r.duplicate_faces);
        add("inconsistent", r.inconsistent_edges);
        return text;
    } catch (const core::InputError& error) {
        std::string text = error.what();
        const std::string prefix = folder.string() + "/";
        for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) text.erase(at, prefix.size());
        return text;
    }
}

const std::vector<Broken>& broken_files() {
    static const std::vector<Broken> files = {
        {"concave_quad.obj", "4 V 2 F copies 2"},
        {"dup_face.obj", "4 V 2 F copies 1"},
        {"dup_vertices_seam.obj", "4 V 2 F welded 2"},
        {"empty.obj", "empty.obj: no usable face: the file has none; a mesh needs at least one triangle"},
        {"far_offset.obj", "4 V 2 F"},
        {"flipped_face.obj", "4 V 2 F inconsistent 1"},
        {"index_range.obj", "index_range.obj:5: a face uses vertex 9, but the file has 4"},
        {"index_zero.obj", "index_zero.obj:5:3: the index of a vertex is 0; OBJ counts from 1\n  f 0 1 2\n    ^"},
        {"inf.obj", "inf.obj:2:3: a coordinate is '1e400', beyond the range of f64\n  v 1e400 0 0\n    ^~~~~"},
        {"isolated_vertex.obj", "4 V 2 F unreferenced 1"},
        {"lying_count.stl",
         "lying_count.stl: byte 80: the file says that it has 1,000,000,000 triangles, which take 50,000,000,084 bytes, but it has only "
         "134"},
        {"nan.obj", "nan.obj:2:3: a coordinate is 'nan'; it must be finite\n  v nan 0 0\n    ^~~"},
        {"neg_index_crlf_cont.obj", "4 V 2 F"},
        {"repeated_index.obj", "4 V 2 F repeated 1"},
        {"stl_box_ascii.stl", "8 V 12 F welded 28"},
        {"stl_box_binary.stl", "8 V 12 F welded 28"},
        {"tiny_scale.obj",
         "tiny_scale.obj: the weights of the surface reach inf per square of length, which f64 cannot hold; choose another --scale or "
         "--across"},
        {"truncated.ply",
         "truncated.ply:9: the file says that it has 4 elements 'vertex' of at least 6 bytes, but only 18 bytes follow the header"},
        {"truncated_binary.ply",
         "truncated_binary.ply: byte 175: the file says that it has 1,000,000 elements 'vertex' of at least 12 bytes, but only 36 bytes "
         "follow the header"},
        {"verts_only.obj", "verts_only.obj: no usable face: the file has none; a mesh needs at least one triangle"},
        {"zero_area.obj", "4 V 2 F unreferenced 1 flat 1"},
    };
    return files;
}

class BrokenMeshFile : public testing::TestWithParam<Broken> {};

TEST_P(BrokenMeshFile, is_mended_or_refused) {
    const fs::path path = tests::mesh_file("bad/" + GetParam().file);
    if (path.empty()) GTEST_SKIP() << "MOTTLE_TEST_MESHES has no bad/" << GetParam().file;
    EXPECT_EQ(outcome(path.parent_path(), GetParam().file), GetParam().outcome);
}

std::string broken_name(const testing::TestParamInfo<Broken>& info) {
    return tests::surface_test_name(testing::TestParamInfo<std::string>(info.param.file, 0));
}
INSTANTIATE_TEST_SUITE_P(files, BrokenMeshFile, testing::ValuesIn(broken_files()), broken_name);

TEST(MeshFiles, keep_the_places_of_vertices_without_a_face) {
    const fs::path path = tests::mesh_file("bad/isolated_vertex.obj");
    if (path.empty()) GTEST_SKIP() << "MOTTLE_TEST_MESHES has no bad/isolated_vertex.obj";
    core::ThreadTeam team(1);
    const auto surface = domain::load_surface({path.string(), {}}, {}, team);
    ASSERT_EQ(surface->vertex_of.size(), 5u);
    EXPECT_EQ(surface->vertex_of[4], -1);
    ASSERT_EQ(surface->bare.size(), 1u);
    EXPECT_EQ(surface->bare[0], (std::pair<domain::Vertex, domain::Point>(4, {5, 5, 5})));
}

TEST(MeshFiles, of_a_tiny_surface_work_with_a_scale) {
    const fs::path path = tests::mesh_file("bad/tiny_scale.obj");
    if (path.empty()) GTEST_SKIP() << "MOTTLE_TEST_MESHES has no bad/tiny_scale.obj";
    core::ThreadTeam team(1);
    const domain::Mesh mesh = domain::create_mesh(domain::load_surface({path.string(), {}}, {}, team), 1e160, team);
    for (const double m : mesh.operators->mass) EXPECT_NEAR(m, mesh.operators->mass[0] > 0.2 ? m : 0, 1);
    EXPECT_NEAR(mesh.operators->mass[0] + mesh.operators->mass[1] + mesh.operators->mass[2] + mesh.operators->mass[3], 1, 1e-12);
}

/// Reads `bytes` as a file of that name.
domain::TriangleSoup read_bytes(const std::string& name, const std::string& bytes) {
    const fs::path path = fs::path(testing::TempDir()) / ("mottle-" + name);
    std::ofstream(path, std::ios::binary) << bytes;
    return domain::read_mesh(path);
}

TEST(MeshFiles, of_points_and_triangles_alone_are_read_on_several_threads_to_the_same_bits) {
    std::string text = "# made\no thing\nvn 0 0 1\n";
    for (int i = 0; i < 400; ++i) text += "v " + std::to_string(i / 7.0) + "  " + std::to_string(i * i % 91 * 1e-3) + "\t-1e-2 \r\n";
    for (int i = 3; i <= 400; ++i) {
        const std::string a = std::to_string(i), b = std::to_string(i - 1), c = std::to_string(i - 2);
        text += i % 3 == 0 ? "f " + a + "//1 " + b + "//1 " + c + "//1\n" : "  f " + a + " " + b + "\t" + c + "\n\n";
    }
    const domain::TriangleSoup strict = domain::read_obj(text, "m.obj");
    for (const int threads : {1, 2, 3, 7}) {
        core::ThreadTeam team(threads);
        const auto plain = domain::read_plain_obj(text, team);
        ASSERT_TRUE(plain) << threads;
        EXPECT_EQ(plain->position, strict.position);
        EXPECT_EQ(plain->faces, strict.faces);
        EXPECT_EQ(plain->polygons, strict.polygons);
        // Whatever it does not know is left to the strict reader.
        for (const char* more : {"f 1 2 3 4\n", "f 1/1 2/2 3/3\n", "vt 0 0\n", "f 1 2 -1\n", "f 1 2 401\n", "f 0 1 2\n", "v 1 2\n",
                                 "v 1 2 3 4\n", "v 1 2 nan\n", "v 1 2 +3\n", "# goes on \\\n", "f 1 2 \\\n3\n", "what\n", "v 1//1 2 3\n",
                                 "f 1//1 2//a 3//1\n", "f 1//1 2//1 3//1\\\n", "v 1 2 3 # here\n", "f 1 2 3x\n", "v 1e999 0 0\n"})
            EXPECT_FALSE(domain::read_plain_obj(text + more, team)) << more;
    }
    core::ThreadTeam team(2);
    EXPECT_FALSE(domain::read_plain_obj("", team));
    EXPECT_FALSE(domain::read_plain_obj("v 0 0 0\n", team));
    // A large file goes this way.
    while (text.size() < (1u << 20)) text += "# " + std::string(70, 'x') + "\n";
    const fs::path path = fs::path(testing::TempDir()) / "mottle-large.obj";
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(domain::read_mesh(path, &team).faces, strict.faces);
}

/// The bytes of a number, the most significant first.
template <class Number>
std::string big_endian(Number number) {
    std::string bytes(sizeof number, ' ');
    std::memcpy(bytes.data(), &number, sizeof number);
    std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

TEST(MeshFiles, of_binary_ply_hold_numbers_of_every_type_in_both_orders) {
    const std::string head =
        " 1.0\nelement vertex 3\nproperty double x\nproperty float y\nproperty double z\nproperty short s\nproperty char c\nproperty "
        "ushort w\n"
        "property int i\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
    const double xs[] = {-0.1, 1.25e100, 3e-200}, zs[] = {7.5, -1e-3, 0};
    const float ys[] = {-2.5F, 0.1F, 1e30F};
    const std::int16_t ss[] = {-1, -32768, 300};
    const std::int8_t cs[] = {-128, -1, 5};
    const std::uint16_t ws[] = {65535, 256, 1};
    const std::int32_t is[] = {-2000000000, -1, 77};
    for (const bool big : {true, false}) {
        const auto put = [big](auto number) {
            std::string bytes = big_endian(number);
            if (!big) std::reverse(bytes.begin(), bytes.end());
            return bytes;
        };
        std::string bytes = std::string("ply\nformat binary_") + (big ? "big" : "little") + "_endian" + head;
        for (std::size_t k = 0; k < 3; ++k)
            bytes += put(xs[k]) + put(ys[k]) + put(zs[k]) + put(ss[k]) + put(cs[k]) + put(ws[k]) + put(is[k]);
        bytes += std::string(1, '\3') + put(std::int32_t{0}) + put(std::int32_t{1}) + put(std::int32_t{2});
        const domain::TriangleSoup soup = read_bytes("types.ply", bytes);
        ASSERT_EQ(soup.position.size(), 3U);
        const auto attribute = [&](const std::string& name) {
            for (const domain::Attribute& each : soup.attributes) {
                if (each.name == name) return each.values;
            }
            return std::vector<double>();
        };
        for (std::size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(soup.position[k], (domain::Point{xs[k], static_cast<double>(ys[k]), zs[k]})) << big;
            EXPECT_EQ(attribute("s").at(k), ss[k]) << big;
            EXPECT_EQ(attribute("c").at(k), cs[k]) << big;
            EXPECT_EQ(attribute("w").at(k), ws[k]) << big;
            EXPECT_EQ(attribute("i").at(k), is[k]) << big;
        }
        EXPECT_EQ(soup.faces, (std::vector<domain::Triangle>{{0, 1, 2}}));
    }
}

TEST(MeshFiles, may_begin_with_a_byte_order_mark) {
    const std::string mark = "\xEF\xBB\xBF";
    const std::string
        obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        off = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        stl = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n",
        ply =
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
            "property list uchar int vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    EXPECT_EQ(read_bytes("mark.obj", mark + obj).faces.size(), 1u);
    EXPECT_EQ(read_bytes("mark.off", mark + off).faces.size(), 1u);
    EXPECT_EQ(read_bytes("mark.stl", mark + stl).faces.size(), 1u);
    EXPECT_EQ(read_bytes("mark.ply", mark + ply).faces.size(), 1u);
}

TEST(MeshFiles, of_ply_may_hold_no_index_beyond_what_is_counted) {
    const std::string head =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"
        "property list uchar int vertex_index\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
    for (const std::string index : {"9223372036854775807", "-9223372036854775808"}) {
        try {
            read_bytes("far.ply", head + "3 0 1 " + index + "\n");
            ADD_FAILURE() << index;
        } catch (const core::InputError& error) {
            EXPECT_NE(std::string(error.what()).find("beyond what a mesh can have"), std::string::npos) << error.what();
        }
    }
}

TEST(MeshFiles, of_binary_stl_keep_the_place_of_each_number) {
    // The format: 80 bytes, a count, then for each triangle 12 numbers of 32 bits (normal, three vertices: x y z each) and two bytes, little-endian.
    std::string bytes(80, ' ');
    const auto append = [&](const auto& number) {
        char raw[sizeof number];
        std::memcpy(raw, &number, sizeof number);
        bytes.append(raw, sizeof number);
    };
    append(std::uint32_t{2});
    for (int face = 0; face < 2; ++face) {
        for (int k = 0; k < 3; ++k) append(0.0F);
        for (int corner = 0; corner < 3; ++corner) {
            append(static_cast<float>(100 * face + 10 * corner + 1));
            append(static_cast<float>(corner == face ? 7 : -3));
            append(static_cast<float>(corner * corner) + 0.25F);
        }
        append(std::uint16_t{0});
    }
    const domain::TriangleSoup soup = read_bytes("numbers.stl", bytes);
    ASSERT_EQ(soup.faces.size(), 2u);
    for (std::size_t face = 0; face < 2; ++face) {
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const domain::Point& p = soup.position[core::at(soup.faces[face][corner])];
            EXPECT_EQ(p[0], static_cast<double>(100 * face + 10 * corner + 1));
            EXPECT_EQ(p[1], corner == face ? 7 : -3);
            EXPECT_EQ(p[2], static_cast<double>(corner * corner) + 0.25);
        }
    }
}

TEST(MeshFiles, of_ascii_stl_may_be_in_capitals) {
    const domain::TriangleSoup soup =
        read_bytes("capitals.stl",
                   "SOLID S\nFACET NORMAL 0 0 1\nOUTER LOOP\nVERTEX 0 0 0\nVERTEX 1 0 0\nVERTEX 0 2 0\nENDLOOP\nENDFACET\nENDSOLID S\n");
    ASSERT_EQ(soup.faces.size(), 1u);
    EXPECT_EQ(soup.position[2][1], 2);
}

TEST(MeshFiles, of_off_with_a_negative_count_say_so) {
    try {
        read_bytes("negative.off", "OFF\n-4 2 0\n0 0 0\n");
        FAIL() << "read";
    } catch (const core::InputError& error) {
        EXPECT_NE(std::string(error.what()).find("the number of vertices is negative: -4"), std::string::npos) << error.what();
    }
}

TEST(MeshFiles, far_from_the_origin_have_the_weights_of_those_at_it) {
    const fs::path path = tests::mesh_file("bad/far_offset.obj");
    if (path.empty()) GTEST_SKIP() << "MOTTLE_TEST_MESHES has no bad/far_offset.obj";
    core::ThreadTeam team(1);
    const domain::Mesh far = domain::create_mesh(domain::load_surface({path.string(), {}}, {}, team), 1, team);
    const domain::Mesh near = domain::create_mesh(domain::load_surface({"plane:2x2,one", {}}, {}, team), 1, team);
    double far_sum = 0, near_sum = 0;
    for (double w : far.operators->laplacian) far_sum += w;
    for (double w : near.operators->laplacian) near_sum += w;
    EXPECT_NEAR(far_sum, near_sum, 1e-12);
}

}  // namespace mesh_files_test
