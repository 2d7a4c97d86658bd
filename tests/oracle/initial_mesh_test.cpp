// tests/oracle/initial_mesh_test.cpp: sources and coordinates on the vertices of a mesh against plain loops over the vertices of the file
#include "mottle/domain/mesh/create.h"
#include "mottle/field/source.h"
#include "mottle/image/png.h"
#include "mottle/ir/functions/philox.h"
#include "mottle/model/model.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

namespace initial_mesh_test {

using namespace mottle;
namespace fs = std::filesystem;

/// A tetrahedron whose file has an unused vertex first, a copy of a vertex last, colours, and texture coordinates.
constexpr const char* kPly = R"(ply
format ascii 1.0
element vertex 6
property float x
property float y
property float z
property uchar red
property float s
property float t
element face 4
property list uchar int vertex_indices
end_header
9 9 9 1 0 0
0 0 0 10 0.25 0.75
2 0 0 20 0.75 0.75
0 3 0 30 0.25 0.25
0 0 4 40 0.75 0.25
0 0 0 50 0 0
3 1 3 2
3 5 2 4
3 1 4 3
3 2 3 4
)";

class InitialOnAMesh : public testing::Test {
   protected:
    InitialOnAMesh() : folder_(fs::temp_directory_path() / ("mottle_initial_mesh_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
        std::ofstream(folder_ / "tetra.ply") << kPly;
    }
    ~InitialOnAMesh() override { fs::remove_all(folder_); }

    std::vector<double> values(const std::string& expression, double scale = 1, const std::string& mesh = "tetra.ply") {
        core::ThreadTeam team(1);
        const domain::Domain domain = domain::create_mesh(domain::load_surface({mesh, {}}, folder_, team), scale, team);
        const core::Node document =
            core::parse_document("[equations]\nu = 'lap(u)'\n[grid]\nsize = '2x2x2'\n[initial]\nu = '" + expression + "'\n", "m.toml");
        const model::Model model = model::check(document, "m");
        field::InitialSpec initial;
        initial.seed = 5;
        initial.folder = folder_;
        std::vector<double> cells(static_cast<std::size_t>(domain::row_length(domain)));
        field::create_row_expression(ir::lower_position(model.equations[0].initial, model, domain), domain, initial)(0, 0, cells);
        return cells;
    }

    fs::path folder_;
};

using Values = std::vector<double>;

TEST_F(InitialOnAMesh, coordinates_are_lengths_of_the_equations_and_places_in_the_box) {
    EXPECT_EQ(values("x + 10*y + 100*z"), (Values{0, 2, 30, 400}));
    EXPECT_EQ(values("x + 10*y + 100*z", 0.5), (Values{0, 1, 15, 200}));
    EXPECT_EQ(values("X + 10*Y + 100*Z", 0.5), (Values{0, 1, 10, 100}));
}

TEST_F(InitialOnAMesh, noise_is_drawn_by_the_number_in_the_file) {
    Values expected;
    for (std::uint64_t number = 1; number <= 4; ++number) expected.push_back(ir::uniform_draw(5, number, ir::kInitialStep, 0));
    EXPECT_EQ(values("noise(0, 1)"), expected);
}

TEST_F(InitialOnAMesh, attributes_are_the_numbers_of_the_first_copy) { EXPECT_EQ(values("attr(\"red\") + 1"), (Values{11, 21, 31, 41})); }

TEST_F(InitialOnAMesh, shapes_measure_in_space) {
    EXPECT_EQ(values("near(0, 0, 3, 1.5)"), (Values{0, 0, 0, 1}));
    EXPECT_EQ(values("near(0, 0, 1.5, 0.75)", 0.5), (Values{0, 0, 0, 1}));
    EXPECT_EQ(values("disk(0, 1, 0, 3)"), (Values{1, 0, 1, 0}));  // about (0, 3, 0): 3, sqrt(13), 0, 5
    EXPECT_EQ(values("disk(0, 1, 0, 1.5)", 0.5), (Values{1, 0, 1, 0}));
    EXPECT_EQ(values("box(0, 0, 0.5, 1)"), (Values{1, 0, 0, 1}));  // half open
    const Values gauss = values("gauss(1, 0, 2)");
    EXPECT_NEAR(gauss[0], std::exp(-0.5), 1e-15);
    EXPECT_NEAR(gauss[1], 1, 1e-15);
    EXPECT_NEAR(gauss[2], std::exp(-13.0 / 8), 1e-15);
}

TEST_F(InitialOnAMesh, images_are_read_at_texture_coordinates) {
    image::Image picture;
    picture.width = picture.height = 2;
    picture.channels = 1;
    picture.pixels = {0, 51, 102, 255};  // the top row first
    image::write_png(folder_ / "map.png", picture);
    EXPECT_EQ(values("image(\"map.png\")"), (Values{0, 0.2, 0.4, 1}));
}

TEST_F(InitialOnAMesh, spots_lie_round_vertices_near_drawn_places) {
    core::ThreadTeam team(1);
    const auto surface = domain::load_surface({"sphere:3", {}}, {}, team);
    const double radius = 0.3;
    Values expected(surface->position.size());
    for (std::uint64_t spot = 0; spot < 4; ++spot) {
        domain::Point place;
        for (std::uint32_t d = 0; d < 3; ++d) {
            double lo = 1e9, hi = -1e9;
            for (const domain::Point& p : surface->position) {
                lo = std::min(lo, p[d]);
                hi = std::max(hi, p[d]);
            }
            place[d] = lo + ir::uniform_draw(5, spot, ir::kInitialStep, d) * (hi - lo);
        }
        auto distance = [](const domain::Point& a, const domain::Point& b) {
            return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
        };
        std::size_t nearest = 0;
        for (std::size_t v = 0; v < surface->position.size(); ++v) {
            if (distance(surface->position[v], place) < distance(surface->position[nearest], place)) nearest = v;
        }
        for (std::size_t v = 0; v < surface->position.size(); ++v) {
            if (distance(surface->position[v], surface->position[nearest]) <= radius) expected[v] = 1;
        }
    }
    EXPECT_EQ(values("spots(4, 0.3)", 1, "sphere:3"), expected);
    EXPECT_EQ(values("spots(4, 0.6)", 2, "sphere:3"), expected) << "the radius is a length of the equations";
}

}  // namespace initial_mesh_test
