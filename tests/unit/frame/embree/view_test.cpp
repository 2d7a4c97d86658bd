// tests/unit/frame/embree/view_test.cpp: what a camera sees and in which colours, against plain loops over all faces
#include "mottle/frame/view.h"

#include "mottle/core/error.h"
#include "mottle/frame/palette.h"
#include "unit/frame/small_surface.h"

#include <gtest/gtest.h>

#include <functional>

#include <algorithm>
#include <cmath>
#include <limits>

extern "C" mottle::frame::RayCaster* mottle_open_caster(const mottle::frame::Triangles& triangles);

namespace view_test {

using namespace mottle;
using Format = backend::Picture::Format;
using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vector cross(const Vector& a, const Vector& b) { return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]}; }
Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

struct Found {
    std::int64_t face = -1;
    double u = 0, v = 0, distance = 1e300;
};

/// Moeller and Trumbore against every face, in f64.
Found nearest(const Vector& eye, const Vector& direction, const std::vector<frame::Vec3>& points,
              const std::vector<domain::Triangle>& faces) {
    Found best;
    auto point = [&](domain::Vertex v) {
        const auto& p = points[static_cast<std::size_t>(v)];
        return Vector{p[0], p[1], p[2]};
    };
    for (std::size_t f = 0; f < faces.size(); ++f) {
        const Vector a = point(faces[f][0]), p = minus(point(faces[f][1]), a), q = minus(point(faces[f][2]), a);
        const Vector h = cross(direction, q), s = minus(eye, a), r = cross(s, p);
        const double determinant = dot(p, h);
        if (determinant == 0) continue;
        const double u = dot(s, h) / determinant, v = dot(direction, r) / determinant, distance = dot(q, r) / determinant;
        if (u >= 0 && v >= 0 && u + v <= 1 && distance > 0 && distance < best.distance)
            best = {static_cast<std::int64_t>(f), u, v, distance};
    }
    return best;
}

/// The sample of each pixel with one, nullptr elsewhere; `edges` counts samples per pixel.
std::vector<const frame::Sample*> single_samples(const std::vector<frame::VisibleRow>& rows, int width, std::vector<int>& counts) {
    std::vector<const frame::Sample*> samples(rows.size() * static_cast<std::size_t>(width), nullptr);
    counts.assign(samples.size(), 0);
    for (std::size_t y = 0; y < rows.size(); ++y) {
        std::size_t next = 0;
        for (const auto& run : rows[y].runs) {
            for (int x = run.first; x < run.first + run.length; ++x, next += static_cast<std::size_t>(run.samples)) {
                const std::size_t at = y * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
                counts[at] = run.samples;
                if (run.samples == 1) samples[at] = &rows[y].samples[next];
            }
        }
        EXPECT_EQ(next, rows[y].samples.size());
    }
    return samples;
}

TEST(View, SeesWhatAPlainLoopOverAllFacesSees) {
    core::ThreadTeam team(2);
    domain::Surface surface = small::ball(1);
    for (auto& p : surface.position) p = {3 * p[0] + 100, 1.5 * p[1] + 7, 0.8 * p[2]};
    surface.faces.erase(surface.faces.begin() + 5);  // a hole through which the inside shows
    const frame::LitSurface lit = frame::light_up(surface, mottle_open_caster, team, 0);
    const std::array<int, 2> pixels = {60, 40};
    const frame::Sight sight = frame::aim({{{20, 35}}, 1}, lit.points, pixels, 0, false);
    std::vector<frame::VisibleRow> rows;
    frame::look(lit, sight, pixels, rows, team);
    std::vector<int> counts;
    const auto samples = single_samples(rows, pixels[0], counts);
    std::vector<Found> found;
    for (int y = 0; y < pixels[1]; ++y) {
        for (int x = 0; x < pixels[0]; ++x) {
            Vector direction{};
            for (std::size_t d = 0; d < 3; ++d) direction[d] = sight.corner[d] + (x + 0.5) * sight.across[d] + (y + 0.5) * sight.down[d];
            found.push_back(nearest(sight.eye, direction, lit.points, lit.faces));
        }
    }
    int compared = 0, edges = 0, empty = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (counts[i] == 1) {
            ASSERT_GE(found[i].face, 0) << i;
            double close = 1;  // of a hit near the rim of its face the neighbour is as right
            for (const double w : {found[i].u, found[i].v, 1 - found[i].u - found[i].v}) close = std::min(close, w);
            if (close < 1e-4) continue;
            EXPECT_EQ(samples[i]->vertex, lit.faces[static_cast<std::size_t>(found[i].face)]) << i;
            EXPECT_NEAR(samples[i]->weight[0] / 65536.0, found[i].u, 1e-4);
            EXPECT_NEAR(samples[i]->weight[1] / 65536.0, found[i].v, 1e-4);
            ++compared;
        } else if (counts[i] == 0) {
            EXPECT_LT(found[i].face, 0) << i;
            ++empty;
        } else {
            ++edges;
        }
        const bool last = (i + 1) % static_cast<std::size_t>(pixels[0]) == 0;
        if (!last && (found[i].face < 0) != (found[i + 1].face < 0)) {
            EXPECT_EQ(counts[i], frame::kEdgeSamples);
            EXPECT_EQ(counts[i + 1], frame::kEdgeSamples);
        }
    }
    EXPECT_GT(compared, 300);
    EXPECT_GT(edges, 50);
    EXPECT_GT(empty, 300);
}

double linear_of(double byte) { return byte / 255 <= 0.04045 ? byte / 255 / 12.92 : std::pow((byte / 255 + 0.055) / 1.055, 2.4); }
double byte_of(double linear) { return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055); }

std::shared_ptr<const frame::LitSurface> lit_ball(core::ThreadTeam& team) {
    return std::make_shared<const frame::LitSurface>(frame::light_up(small::ball(3), mottle_open_caster, team, 0));
}

struct Scene {
    explicit Scene(frame::Background background = frame::Rgb{200, 100, 0})
        : ground(background), view(lit_ball(team), {{{20, 35}}, 1}, size, false, background, team) {
        picture.palette = frame::palette("viridis");
        for (const auto& p : small::ball(3).position) values.push_back(static_cast<float>(0.5 + 0.5 * p[0] * p[1]));
    }
    std::vector<std::uint8_t> draw(Format format) {
        picture.format = format;
        std::vector<std::uint8_t> out(backend::picture_bytes(format, size), 77);
        view.draw(picture, values, out);
        return out;
    }

    const std::array<int, 2> size = {64, 48};
    frame::Background ground;
    core::ThreadTeam team{2};
    frame::View view;
    backend::Picture picture;
    std::vector<float> values;
};

TEST(View, ColoursFollowThePlainFormula) {
    Scene scene;
    const auto rgb = scene.draw(Format::rgb24);
    std::vector<int> counts;
    const auto samples = single_samples(scene.view.rows(), scene.size[0], counts);
    double brightest = 0, darkest = 1e9;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        for (std::size_t k = 0; k < 3; ++k) {
            if (counts[i] == 0) {
                EXPECT_EQ(rgb[3 * i + k], (*scene.ground)[k]);
            } else if (counts[i] == 1) {
                const auto& s = *samples[i];
                const double u = s.weight[0] / 65536.0, v = s.weight[1] / 65536.0;
                auto value = [&](std::size_t corner) {
                    return static_cast<double>(scene.values[static_cast<std::size_t>(s.vertex[corner])]);
                };
                const double mixed = (1 - u - v) * value(0) + u * value(1) + v * value(2), shade = s.shade / 16384.0,
                             gloss = s.gloss / 65535.0;
                brightest = std::max(brightest, shade), darkest = std::min(darkest, shade);
                // Rounding may choose the next palette entry.
                double least = 1e9;
                for (const double nudge : {-1e-5, 0.0, 1e-5}) {
                    const auto index = static_cast<std::size_t>(std::clamp(256 * (mixed + nudge), 0.0, 255.0));
                    const double expected = byte_of(std::min(1.0, linear_of(scene.picture.palette[index][k]) * shade + gloss));
                    least = std::min(least, std::abs(rgb[3 * i + k] - expected));
                }
                EXPECT_LE(least, 1.6) << "pixel " << i << " channel " << k;
            }
        }
    }
    EXPECT_GT(brightest, 0.8);
    EXPECT_LT(darkest, 0.35);
}

TEST(View, FormatsAgree) {
    Scene scene;
    const auto rgb = scene.draw(Format::rgb24), full = scene.draw(Format::yuv444), half = scene.draw(Format::yuv420);
    const std::size_t count = 64 * 48;
    for (std::size_t i = 0; i < count; ++i) {
        const auto yuv = backend::yuv_of({rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]});
        for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(full[k * count + i], yuv[k]);
        EXPECT_EQ(half[i], yuv[0]);
    }
    for (std::size_t k = 1; k < 3; ++k) {
        for (std::size_t y = 0; y < 24; ++y) {
            for (std::size_t x = 0; x < 32; ++x) {
                int sum = 0;
                for (const std::size_t at :
                     {2 * y * 64 + 2 * x, 2 * y * 64 + 2 * x + 1, (2 * y + 1) * 64 + 2 * x, (2 * y + 1) * 64 + 2 * x + 1})
                    sum += full[k * count + at];
                EXPECT_EQ(half[count + (k - 1) * count / 4 + y * 32 + x], (sum + 2) >> 2);
            }
        }
    }
    const auto colours = frame::surface_colours(scene.picture.palette, scene.ground);
    const auto indices = scene.draw(Format::index);
    double error = 0;
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t k = 0; k < 3; ++k) error += std::abs(colours[indices[i]][k] - rgb[3 * i + k]);
    }
    EXPECT_LT(error / static_cast<double>(3 * count), 12) << "mean distance of the 256 colours, bytes";
}

TEST(View, TheColoursOfAGifHoldHighlightsAndLeaveTheBackgroundAlone) {
    for (const auto& [palette, ground] : {std::pair("lagoon", frame::kDefaultBackground), std::pair("viridis", frame::Rgb{28, 30, 36}),
                                          std::pair("gray", frame::Rgb{255, 255, 255})}) {
        Scene scene(ground);
        scene.picture.palette = frame::palette(palette);
        for (float& value : scene.values) value = 0;  // the darkest colour: gloss shows most
        const auto rgb = scene.draw(Format::rgb24), indices = scene.draw(Format::index);
        const auto colours = frame::surface_colours(scene.picture.palette, scene.ground);
        std::vector<int> counts;
        const auto samples = single_samples(scene.view.rows(), scene.size[0], counts);
        int glossy = 0;
        double worst = 0;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            if (counts[i] == 0) {
                EXPECT_EQ(indices[i], 0) << "speckled at pixel " << i;
            }
            if (counts[i] != 1 || samples[i]->gloss < 800) continue;
            ++glossy;
            for (std::size_t k = 0; k < 3; ++k)
                worst = std::max(worst, std::abs(static_cast<double>(colours[indices[i]][k]) - rgb[3 * i + k]));
        }
        EXPECT_GT(glossy, 20);
        EXPECT_LT(worst, 30) << palette;  // a ring of gray is 60 away
    }
}

TEST(View, TransparencyIsTheShareOfThePixel) {
    Scene scene(std::nullopt);
    const auto rgba = scene.draw(Format::rgba32);
    std::vector<int> counts;
    single_samples(scene.view.rows(), scene.size[0], counts);
    double covered = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] < 2) {
            EXPECT_EQ(rgba[4 * i + 3], 255 * counts[i]);
        }
        covered += rgba[4 * i + 3] / 255.0;
    }
    // The ball fills 92 % of the height; its silhouette is a disc.
    const double radius = 0.46 * 48, disc = 3.14159265 * radius * radius;
    EXPECT_NEAR(covered / disc, 1, 0.03);
    Scene solid;
    const auto opaque = solid.draw(Format::rgba32), rgb = solid.draw(Format::rgb24);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        EXPECT_EQ(opaque[4 * i + 3], 255);
        EXPECT_EQ(opaque[4 * i], rgb[3 * i]);
    }
}

TEST(View, VerticesWithoutANumberArePlain) {
    Scene scene;
    for (float& value : scene.values) value = std::numeric_limits<float>::quiet_NaN();
    const auto rgb = scene.draw(Format::rgb24);
    std::vector<int> counts;
    single_samples(scene.view.rows(), scene.size[0], counts);
    for (std::size_t i = 0; i < counts.size(); ++i) {
        if (counts[i] != 1) continue;
        EXPECT_EQ(rgb[3 * i], rgb[3 * i + 1]);
        EXPECT_EQ(rgb[3 * i], rgb[3 * i + 2]);
    }
}

TEST(View, AnyNumberOfThreadsDrawsTheSame) {
    Scene scene;
    const auto rgb = scene.draw(Format::rgb24);
    core::ThreadTeam one(1);
    frame::View view(lit_ball(one), {{{20, 35}}, 1}, scene.size, false, scene.ground, one);
    std::vector<std::uint8_t> out(rgb.size());
    view.draw(scene.picture, scene.values, out);
    EXPECT_EQ(out, rgb);
}

TEST(View, TurningAllTheWayComesBack) {
    Scene scene;
    const auto before = scene.draw(Format::rgb24);
    scene.view.turn(90);
    EXPECT_NE(scene.draw(Format::rgb24), before);
    scene.view.turn(0);
    EXPECT_EQ(scene.draw(Format::rgb24), before);
}

TEST(View, SeesAllOfAPictureThatTheSurfaceSurrounds) {
    core::ThreadTeam team(2);
    const auto lit = lit_ball(team);
    frame::View view(lit, {{{0, 0}}, 0.01}, {32, 24}, false, frame::Rgb{0, 0, 0}, team);
    std::vector<int> counts;
    single_samples(view.rows(), 32, counts);
    EXPECT_EQ(std::count(counts.begin(), counts.end(), 0), 0);
}

TEST(SurfaceLight, IsMadeOnceForASurface) {
    core::ThreadTeam team(2);
    const domain::Surface ball = small::ball(1), square = small::square();
    frame::SurfaceLight light;
    const auto first = light.on(ball, mottle_open_caster, team);
    EXPECT_EQ(light.on(ball, mottle_open_caster, team), first);
    EXPECT_EQ(light.on(square, mottle_open_caster, team)->vertex_count(), square.position.size());
}

// The ball without its upper half (z > 0): the values end at the cut, the rest is drawn as it was, without colour.
TEST(View, DrawsWhatLiesOutsideARegionWithoutAValue) {
    core::ThreadTeam team(2);
    const domain::Surface ball = small::ball(3);
    domain::Surface part;
    std::vector<domain::Vertex> number(ball.position.size(), -1);
    for (const domain::Triangle& face : ball.faces) {
        const bool inside =
            std::all_of(face.begin(), face.end(), [&](int v) { return ball.position[static_cast<std::size_t>(v)][2] <= 0; });
        (inside ? part.faces : part.outside).push_back(face);
        if (!inside) continue;
        for (const int v : face) number[static_cast<std::size_t>(v)] = 0;
    }
    for (std::size_t v = 0; v < number.size(); ++v) {
        const auto index = static_cast<domain::Vertex>(v);
        if (number[v] < 0) {
            part.bare.emplace_back(index, ball.position[v]);
        } else {
            number[v] = static_cast<domain::Vertex>(part.position.size());
            part.position.push_back(ball.position[v]);
            part.original.push_back(index);
        }
        part.vertex_of.push_back(number[v]);
    }
    for (domain::Triangle& face : part.faces) {
        for (domain::Vertex& v : face) v = number[static_cast<std::size_t>(v)];
    }
    const domain::Surface whole = frame::whole_surface(part);
    EXPECT_EQ(whole.position.size(), ball.position.size());
    EXPECT_EQ(whole.faces.size(), ball.faces.size());
    for (const int most : {0, 100'000}) {  // as it is, and refined
        const auto lit =
            std::make_shared<const frame::LitSurface>(frame::light_up(part, mottle_open_caster, team, static_cast<std::size_t>(most)));
        ASSERT_EQ(lit->vertex_count(), ball.position.size());
        std::vector<float> values(lit->vertex_count(), NAN);
        std::fill_n(values.begin(), part.position.size(), 1.0F);
        backend::Picture picture;
        picture.palette.fill({0, 0, 0});
        picture.palette[255] = {255, 0, 0};
        const std::array<int, 2> size = {60, 60};
        std::size_t red = 0, gray = 0;
        for (const double turn : {0.0, 180.0}) {  // z towards the camera, then away from it
            frame::View view(lit, {{{turn, 0}}, 1}, size, false, frame::Rgb{0, 0, 255}, team);
            std::vector<std::uint8_t> pixels(3 * 60 * 60);
            view.draw(picture, values, pixels);
            for (std::size_t i = 0; i < pixels.size(); i += 3) {
                const int r = pixels[i], g = pixels[i + 1], b = pixels[i + 2];
                if (b > 200 && r < 50) continue;  // the background
                red += r > 60 && g < r / 3;
                gray += r > 40 && std::abs(r - g) < 12 && std::abs(r - b) < 12;
            }
        }
        EXPECT_GT(red, 1000U) << most;
        EXPECT_GT(gray, 1000U) << most;
    }
}

TEST(View, RefinedSurfacesShowTheSameOnlyRounder) {
    Scene scene;
    const auto straight = scene.draw(Format::rgb24);
    const auto lit = std::make_shared<const frame::LitSurface>(frame::light_up(small::ball(3), mottle_open_caster, scene.team));
    EXPECT_EQ(lit->refinements.size(), 3U);
    EXPECT_EQ(lit->vertex_count(), scene.values.size());
    frame::View view(lit, {{{20, 35}}, 1}, scene.size, false, scene.ground, scene.team);
    std::vector<std::uint8_t> rounder(straight.size());
    view.draw(scene.picture, scene.values, rounder);
    EXPECT_NE(rounder, straight);
    double difference = 0;
    for (std::size_t i = 0; i < rounder.size(); ++i) difference += std::abs(rounder[i] - straight[i]);
    EXPECT_LT(difference / static_cast<double>(rounder.size()), 3);
}

TEST(LitSurface, NormalsOfABallPointOutwardsAndPlaceAndSizeDoNotMatter) {
    core::ThreadTeam team(2);
    domain::Surface surface = small::ball(3);
    for (auto& p : surface.position) p = {1e-160 * p[0], 1e-160 * p[1], 1e-160 * p[2]};
    const frame::LitSurface lit = frame::light_up(surface, mottle_open_caster, team);
    EXPECT_EQ(lit.vertex_count(), surface.position.size());
    for (std::size_t v = 0; v < lit.points.size(); ++v) {
        double along = 0;
        for (std::size_t d = 0; d < 3; ++d) along += static_cast<double>(lit.points[v][d]) * static_cast<double>(lit.normals[v][d]);
        EXPECT_GT(along, 0.99);
        EXPECT_NEAR(lit.openness[v], 1, 0.01);  // nothing hides the sky over a ball
    }
}

// A wall beside a floor hides the sky as the cosine counts it: a ray straight up weighs most. At a distance d from a long wall of height H that is (1 - d/sqrt(d^2 + H^2))/2,
// less what lies beyond the reach of the rays.
TEST(LitSurface, AWallHidesTheSkyByTheCosine) {
    core::ThreadTeam team(2);
    domain::Surface room;
    constexpr int kAcross = 21, kAlong = 61;
    constexpr double kStep = 0.04, kHeight = 0.25, kReach = 0.6, kStart = 0.02;
    const auto add_sheet = [&room](int rows, int columns, const std::function<domain::Point(int, int)>& point) {
        const int first = static_cast<int>(room.position.size());
        for (int i = 0; i < rows; ++i) {
            for (int j = 0; j < columns; ++j) room.position.push_back(point(i, j));
        }
        for (int i = 0; i + 1 < rows; ++i) {
            for (int j = 0; j + 1 < columns; ++j) {
                const int a = first + i * columns + j;
                room.faces.push_back({a, a + columns, a + columns + 1});
                room.faces.push_back({a, a + columns + 1, a + 1});
            }
        }
    };
    add_sheet(kAcross, kAlong, [](int i, int j) { return domain::Point{kStart + kStep * i, kStep * j, 0}; });  // seen from above
    add_sheet(2, kAlong, [](int i, int j) { return domain::Point{0, kStep * j, kHeight * i}; });
    small::complete(room);
    const frame::LitSurface lit = frame::light_up(room, mottle_open_caster, team, 0);
    const auto at = [](int i, int j) { return static_cast<std::size_t>(i * kAlong + j); };
    ASSERT_GT(lit.normals[at(5, 30)][2], 0.99F);
    const double scale = static_cast<double>(lit.points[at(0, 1)][1] - lit.points[at(0, 0)][1]) / kStep;  // of the unit ball
    for (const int i : {3, 5, 8}) {
        const double d = kStart + kStep * i;
        double hidden = 0;
        constexpr int kSum = 400;
        for (int u = 0; u < kSum; ++u) {  // share of the sky: out^2 = u for directions that are counted by the cosine
            for (int v = 0; v < kSum; ++v) {
                const double out = std::sqrt((u + 0.5) / kSum), angle = 2 * 3.14159265358979 * (v + 0.5) / kSum;
                const double x = out * std::cos(angle), up = std::sqrt(1 - out * out);
                if (x < 0 && d / -x * scale <= kReach && d / -x * up <= kHeight) hidden += 1.0 / (kSum * kSum);
            }
        }
        double mean = 0;
        for (int j = 22; j < 38; ++j) mean += static_cast<double>(lit.openness[at(i, j)]) / 16;
        EXPECT_NEAR(mean, 1 - hidden, 0.025) << d;
    }
}

TEST(LitSurface, ATubeIsDarkInside) {
    core::ThreadTeam team(2);
    domain::Surface tube;
    constexpr int kRound = 24;
    for (int ring = 0; ring < 9; ++ring) {
        for (int k = 0; k < kRound; ++k) {
            const double angle = k * 2 * 3.14159265358979 / kRound;
            tube.position.push_back({0.15 * std::cos(angle), -1 + 0.25 * ring, 0.15 * std::sin(angle)});
            if (ring == 8) continue;
            const int a = ring * kRound + k, b = ring * kRound + (k + 1) % kRound;
            tube.faces.push_back({a, b, a + kRound});  // seen from inside
            tube.faces.push_back({b, b + kRound, a + kRound});
        }
    }
    small::complete(tube);
    const frame::LitSurface lit = frame::light_up(tube, mottle_open_caster, team);
    EXPECT_LT(lit.openness[4 * kRound], 0.2);
    EXPECT_GT(lit.openness[0], lit.openness[4 * kRound] + 0.1);
}

}  // namespace view_test
