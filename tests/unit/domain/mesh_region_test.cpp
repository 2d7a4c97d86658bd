// tests/unit/domain/mesh_region_test.cpp: a face belongs to a region with all three corners, whichever lies outside
#include "mottle/domain/mesh/region.h"

#include "mottle/core/error.h"
#include "mottle/domain/repair/repair.h"

#include <gtest/gtest.h>

namespace mesh_region_test {

using namespace mottle;

// A fan of four faces round vertex 0, which each face names in another place.
domain::Surface fan(core::ThreadTeam& team) {
    domain::TriangleSoup soup;
    soup.name = "fan";
    soup.position = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    soup.faces = {{0, 1, 2}, {3, 0, 2}, {3, 4, 0}, {4, 1, 0}};
    soup.polygons = 4;
    return domain::repair(soup, team);
}

TEST(MeshRegion, EveryCornerCounts) {
    core::ThreadTeam team(1);
    const domain::Surface whole = fan(team);
    ASSERT_EQ(whole.faces.size(), 4U);
    // by vertex that is outside: the faces that do not name it
    const std::vector<std::vector<domain::Triangle>> left = {
        {}, {{3, 0, 2}, {3, 4, 0}}, {{3, 4, 0}, {4, 1, 0}}, {{0, 1, 2}, {4, 1, 0}}, {{0, 1, 2}, {3, 0, 2}}};
    for (std::size_t out = 0; out < 5; ++out) {
        std::vector<bool> inside(5, true);
        inside[out] = false;
        if (left[out].empty()) {
            EXPECT_THROW(domain::part_of(whole, inside, team), core::InputError);
            continue;
        }
        const domain::Surface part = domain::part_of(whole, inside, team);
        std::vector<domain::Triangle> found;
        for (const domain::Triangle& face : part.faces) {
            domain::Triangle original{};
            for (std::size_t k = 0; k < 3; ++k) original[k] = part.original[static_cast<std::size_t>(face[k])];
            found.push_back(original);
        }
        EXPECT_EQ(found, left[out]) << "without vertex " << out;
        EXPECT_EQ(part.outside.size(), 2U);
        EXPECT_EQ(part.report.outside_region, 2);
    }
}

}  // namespace mesh_region_test
