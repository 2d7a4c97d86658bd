// tests/ranks/files_test.cpp: files and pictures that all ranks make together, beside those of plain loops and of one process
#include "conformance/suite.h"
#include "rough_mesh.h"

#include "mottle/core/files.h"
#include "mottle/field/field.h"
#include "mottle/image/png.h"
#include "mottle/model/parse.h"
#include "mottle/ranks/backend.h"
#include "mottle/ranks/relay.h"
#include "mottle/ranks/threads.h"
#include "mottle/run/settings/preparation.h"
#include "mottle/run/settings/read_spec.h"
#include "mottle/stepper/stepper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>

#include <unistd.h>

namespace conformance {
namespace files_test {

namespace fs = std::filesystem;
using namespace mottle;
using domain::Index;

/// Rank 0 of ranks whose rank `astray` hears of a file with another name, as if it did not share the file system.
class Astray final : public ranks::Relay {
   public:
    using Relay::Relay;
    void send(int to, int channel, std::span<const std::byte> bytes) override {
        std::vector<std::byte> message(bytes.begin(), bytes.end());
        if (to == astray) {
            const std::span<const std::byte> name = std::as_bytes(std::span(std::string_view("mottle_files")));
            for (auto found = message.begin(); found != message.end(); *found = std::byte{'n'}) {
                found = std::search(found, message.end(), name.begin(), name.end());
                if (found == message.end()) break;
            }
        }
        Relay::send(to, channel, message);
    }

    int astray = -1;
};

class Ranks {
   public:
    explicit Ranks(int count) : ranks_(count), first_(ranks_.first()), link_(first_) {}
    ~Ranks() { link_.end(0); }
    std::unique_ptr<backend::Backend> backend() { return ranks::create_ranks_backend(device::create_backend("cpu"), {"cpu"}, 1, link_); }
    void lead_astray(int rank) { first_.astray = rank; }

   private:
    ranks::ServingRanks ranks_;
    Astray first_;
    ranks::Link link_;
};

/// Gray-Scott on a grid of a size, or on a mesh file, on a number of ranks (0: without).
class SmallRun {
   public:
    SmallRun(const std::string& where, bool f64, int count) : team_(2), context_{team_, observer_, {}} {
        const std::string flags = (fs::exists(where) ? "[mesh]\nfile = \"" : "[grid]\nsize = \"") + where + "\"\n[method]\nprecision = \"" +
                                  (f64 ? "f64" : "f32") + "\"\n";
        spec_ = run::read_spec(core::parse_document(kGrayScott, "files.toml"), "files", "", core::parse_document(flags, "flags"));
        if (count > 0) ranks_ = std::make_unique<Ranks>(count);
        backend_ = count > 0 ? ranks_->backend() : device::create_backend("cpu");
        program_ = ir::lower(ir::build(spec_.model), spec_.method, spec_.domain);
        kernel_ = backend_->compile(program_, spec_.domain, {}, context_);
        field_ = std::make_unique<field::Field>(*kernel_);
    }

    /// Random numbers, some of which are NaN.
    void fill() {
        std::mt19937 random(3);
        for (ir::Array array = 0; array < 2; ++array) {
            std::vector<double>& all = cells_.emplace_back();
            for (Index row = 0; row < domain::row_count(spec_.domain); ++row) {
                std::vector<double> cells(core::at(domain::row_length(spec_.domain)));
                for (double& x : cells) x = static_cast<double>(std::uniform_real_distribution<float>(-0.2F, 1.2F)(random));
                if (row % 5 == 3) cells[core::at(row) % cells.size()] = -std::numeric_limits<double>::quiet_NaN();
                kernel_->write_row(field_->state(), array, row, cells);
                all.insert(all.end(), cells.begin(), cells.end());
            }
        }
    }
    /// Both fields with this start.
    std::vector<double> started(const std::string& expression, const fs::path& pictures) {
        model::Model model = spec_.model;
        for (model::Equation& equation : model.equations)
            equation.initial = model::parse({expression, {"files.toml", 1, 1, 1, core::make_source(expression)}});
        const field::Field field(*kernel_, model, {0, pictures}, context_);
        std::vector<double> all = field.values(0);
        const std::vector<double> second = field.values(1);
        all.insert(all.end(), second.begin(), second.end());
        return all;
    }
    std::vector<double> after(Index steps) {
        stepper::Stepper stepper(*field_, run::input_values(program_, spec_.model, 0), *spec_.dt, context_);
        stepper.advance_to(steps);
        std::vector<double> all = field_->values(0);
        const std::vector<double> second = field_->values(1);
        all.insert(all.end(), second.begin(), second.end());
        return all;
    }

    Ranks& ranks() { return *ranks_; }
    backend::Kernel& kernel() { return *kernel_; }
    backend::State& state() { return field_->state(); }
    const std::vector<double>& cells(int array) const { return cells_[core::at(array)]; }

   private:
    core::ThreadTeam team_;
    core::Observer observer_;
    core::Context context_;
    run::Spec spec_;
    std::unique_ptr<Ranks> ranks_;
    std::unique_ptr<backend::Backend> backend_;
    ir::Program program_;
    std::unique_ptr<backend::Kernel> kernel_;
    std::unique_ptr<field::Field> field_;
    std::vector<std::vector<double>> cells_;
};

/// A head of 12 bytes and both arrays, each number as it lies in memory.
template <class Real>
std::string expected_file(const SmallRun& run, bool one_nan) {
    std::string bytes = "twelve bytes";
    for (const int array : {0, 1}) {
        for (const double x : run.cells(array)) {
            Real number = static_cast<Real>(x);
            if (one_nan && std::isnan(number)) number = std::numeric_limits<Real>::quiet_NaN();
            bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
        }
    }
    return bytes;
}

class RanksFiles : public testing::Test {
   protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "mottle_files_XXXXXX").string();
        ASSERT_NE(mkdtemp(name.data()), nullptr);
        folder_ = name;
    }
    void TearDown() override { fs::remove_all(folder_); }

    /// Saves both arrays of `run`.
    std::string saved(SmallRun& run, bool one_nan) const {
        const fs::path path = folder_ / "a";
        core::AtomicFile file(path);
        file.write(std::as_bytes(std::span(std::string_view("twelve bytes"))));
        const std::size_t scalar = run.kernel().program().f64 ? sizeof(double) : sizeof(float);
        for (const ir::Array array : {0, 1}) {
            const std::uint64_t first = file.leave_room(run.cells(0).size() * scalar);
            run.kernel().save_array(run.state(), array, {file.temporary(), first, one_nan});
        }
        file.commit();
        return *core::read_file(path);
    }

    fs::path folder_;
};

// Planes in strips and in blocks, volumes, odd sizes, pieces of a row.
TEST_F(RanksFiles, AllRanksWriteOneFile) {
    for (const char* size : {"61x103", "203x37", "13x17x19", "331x1"}) {
        for (const bool f64 : {false, true}) {
            for (const int count : {0, 1, 2, 4, 7}) {
                for (const bool one_nan : {true, false}) {
                    SmallRun run(size, f64, count);
                    run.fill();
                    const std::string expected = f64 ? expected_file<double>(run, one_nan) : expected_file<float>(run, one_nan);
                    EXPECT_TRUE(saved(run, one_nan) == expected) << size << " on " << count;
                }
            }
        }
    }
}

// Each reads its own cells, and halos come before the first step; also where a rank has another file or none, and rank 0 does it for all.
TEST_F(RanksFiles, AllRanksReadOneFile) {
    const std::string mesh = folder_ / "rough.obj";
    std::ofstream(mesh) << rough::mesh(23, 19);
    for (const std::string& size : {std::string("61x103"), std::string("203x37"), std::string("13x17x19"), mesh}) {
        std::mt19937 random(5);
        std::string bytes = "twelve bytes";
        const std::string numbers = [&] {
            SmallRun sized(size, false, 0);
            std::string text;
            for (Index i = 0; i < 2 * domain::cell_count(sized.kernel().domain()); ++i) {
                const float number = std::uniform_real_distribution<float>(0.2F, 0.6F)(random);
                text.append(reinterpret_cast<const char*>(&number), sizeof number);
            }
            return text;
        }();
        const fs::path path = folder_ / "state";
        std::ofstream(path, std::ios::binary) << bytes << numbers;
        const auto after = [&](int count, int astray) {
            SmallRun run(size, false, count);
            if (astray > 0) run.ranks().lead_astray(astray);
            for (const ir::Array array : {0, 1})
                EXPECT_TRUE(run.kernel().load_array(run.state(), array, {path, bytes.size() + core::at(array) * numbers.size() / 2}));
            return run.after(40);
        };
        const std::vector<double> expected = after(0, 0);
        for (const int count : {1, 2, 4, 7}) EXPECT_TRUE(after(count, 0) == expected) << size << " on " << count;
        EXPECT_TRUE(after(3, 1) == expected) << size << ", rank 1 astray";
        EXPECT_TRUE(after(3, 2) == expected) << size << ", rank 2 astray";
    }
}

TEST_F(RanksFiles, ARankWithoutTheFileIsWrittenByRankZero) {
    SmallRun run("61x103", false, 3);
    run.fill();
    run.ranks().lead_astray(2);
    EXPECT_TRUE(saved(run, true) == expected_file<float>(run, true));
}

// Numbers and colours for each vertex of the mesh file, and those of vertices for a saved state; also where a rank has no such file.
TEST_F(RanksFiles, AllRanksWriteTheFileOfASurface) {
    const fs::path mesh = folder_ / "rough.obj";
    std::ofstream(mesh) << rough::mesh(23, 19);
    for (const bool f64 : {false, true}) {
        for (const auto& [count, astray] :
             {std::pair(0, 0), std::pair(1, 0), std::pair(2, 0), std::pair(3, 0), std::pair(7, 0), std::pair(3, 2)}) {
            SmallRun run(mesh, f64, count);
            run.fill();
            if (astray > 0) run.ranks().lead_astray(astray);
            const domain::Surface& surface = *std::get<domain::Mesh>(run.kernel().domain()).surface;
            ASSERT_FALSE(surface.bare.empty() || surface.report.welded == 0);
            const std::vector<double>& cells = run.cells(1);
            backend::CellColours colours{{}, {1, 2, 3}};
            for (std::size_t i = 0; i < 256; ++i) colours.picture.palette[i] = {static_cast<std::uint8_t>(i), 7, 9};
            std::string numbers = "head", shades = "head";
            for (const domain::Vertex v : surface.vertex_of) {
                const double x = v < 0 ? std::numeric_limits<double>::quiet_NaN() : cells[core::at(v)];
                const auto narrow = static_cast<float>(x);
                numbers.append(f64 ? reinterpret_cast<const char*>(&x) : reinterpret_cast<const char*>(&narrow),
                               f64 ? sizeof x : sizeof narrow);
                const double clamped = std::clamp(256 * x, 0.0, 255.0);
                shades += std::isnan(x) ? std::string("\1\2\3") : std::string{static_cast<char>(clamped), 7, 9};
            }
            const auto saved_as = [&](const std::optional<backend::CellColours>& wanted, std::size_t bytes) {
                const fs::path path = folder_ / "a";
                core::AtomicFile file(path);
                file.write(std::as_bytes(std::span(std::string_view("head"))));
                const std::uint64_t first = file.leave_room(bytes);
                run.kernel().save_array(run.state(), 1, {file.temporary(), first, true, true, wanted});
                file.commit();
                return *core::read_file(path);
            };
            EXPECT_TRUE(saved_as({}, numbers.size() - 4) == numbers) << count << " ranks, " << astray << " astray";
            EXPECT_TRUE(saved_as(colours, shades.size() - 4) == shades) << count << " ranks, " << astray << " astray";
            EXPECT_TRUE(saved(run, false) == (f64 ? expected_file<double>(run, false) : expected_file<float>(run, false)))
                << count << " ranks";
        }
    }
}

// A rank that sees another picture, or none, gets its cells from rank 0.
TEST_F(RanksFiles, PicturesOfStartsAreReadByAllRanksThatSeeThem) {
    image::Image picture{50, 41, 3, {}};
    for (int i = 0; i < 50 * 41 * 3; ++i) picture.pixels.push_back(static_cast<std::uint8_t>(i * 37 + i / 11));
    image::write_png(folder_ / "a.png", picture);
    fs::path other = folder_;
    other.replace_filename("n" + folder_.filename().string().substr(1));
    fs::create_directories(other);
    std::reverse(picture.pixels.begin(), picture.pixels.end());
    image::write_png(other / "a.png", picture);
    const auto start = [&](int count, int astray) {
        SmallRun run("61x103", false, count);
        if (astray > 0) run.ranks().lead_astray(astray);
        return run.started("image(\"a.png\")", folder_);
    };
    const std::vector<double> expected = start(0, 0);
    for (const auto& [count, astray] : {std::pair(1, 0), std::pair(3, 0), std::pair(3, 1), std::pair(3, 2)})
        EXPECT_TRUE(start(count, astray) == expected) << count << " ranks, " << astray << " astray";
    fs::remove_all(other);
    EXPECT_TRUE(start(3, 1) == expected) << "rank 1 sees no picture";
}

TEST_F(RanksFiles, AFileThatEndsEarlyIsNotRead) {
    const fs::path path = folder_ / "state";
    std::ofstream(path, std::ios::binary) << std::string(61 * 103 * sizeof(float) - 1, 'a');
    for (const int count : {0, 3}) {
        SmallRun run("61x103", false, count);
        EXPECT_FALSE(run.kernel().load_array(run.state(), 0, {path, 0}));
    }
}

TEST_F(RanksFiles, PicturesAreThoseOfOneProcess) {
    for (const char* size : {"61x103", "203x37", "13x17x19", "64x1"}) {
        SmallRun alone(size, false, 0);
        alone.fill();
        for (const int count : {1, 2, 4, 7}) {
            SmallRun run(size, false, count);
            run.fill();
            for (const auto format : {backend::Picture::Format::index, backend::Picture::Format::rgb24, backend::Picture::Format::yuv420,
                                      backend::Picture::Format::yuv444}) {
                for (const auto& [scale, cells] : {std::pair(1, 1), std::pair(3, 1), std::pair(1, 2), std::pair(1, 5)}) {
                    backend::Picture picture;
                    picture.array = 1;
                    picture.format = format;
                    picture.scale = scale;
                    picture.cells = size == std::string("64x1") ? 1 : cells;
                    picture.curve = backend::Picture::Curve::cyberpunk;
                    for (std::size_t i = 0; i < 256; ++i) {
                        const auto shade = static_cast<std::uint8_t>(i);
                        picture.palette[i] = {shade, static_cast<std::uint8_t>(255 - i / 2), static_cast<std::uint8_t>(i * i / 255)};
                    }
                    const std::size_t bytes = backend::picture_bytes(picture, alone.kernel().domain());
                    std::vector<std::uint8_t> expected(bytes, 1), drawn(bytes, 2);
                    alone.kernel().draw(alone.state(), picture, expected);
                    run.kernel().draw(run.state(), picture, drawn);
                    EXPECT_TRUE(drawn == expected) << size << " on " << count << ", " << scale << ", " << cells;
                }
            }
        }
    }
}

}  // namespace files_test
}  // namespace conformance
