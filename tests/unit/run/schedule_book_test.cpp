// tests/unit/run/schedule_book_test.cpp: schedules that are kept, keys that tell runs apart, books that are damaged
#include "mottle/run/settings/read_spec.h"
#include "mottle/run/tune/schedule_book.h"

#include "mottle/device/registry.h"
#include "mottle/core/files.h"
#include "mottle/run/simulation.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <thread>

#include <unistd.h>

namespace schedule_book_test {

using namespace mottle;
using backend::Family;

struct Cache {
    std::filesystem::path path = std::filesystem::temp_directory_path() / ("mottle_book_" + std::to_string(::getpid()));
    std::filesystem::path file = path / "schedules.txt";
    Cache() { std::filesystem::remove_all(path); }
    ~Cache() { std::filesystem::remove_all(path); }
    std::string text() const { return core::read_file(file).value_or("no file"); }
    void write(const std::string& text) const { std::ofstream(file, std::ios::binary) << text; }
};

const std::string kA(32, 'a'), kB(32, 'b');

std::string found(const run::ScheduleBook& book, const std::string& key) {
    const auto schedule = book.find(key, Family::plane);
    return schedule ? backend::print(*schedule) : "nothing";
}

TEST(ScheduleBook, KeepsReplacesAndForgets) {
    const Cache cache;
    run::ScheduleBook book(cache.path);
    EXPECT_FALSE(book.exists());
    EXPECT_EQ(found(book, kA), "nothing");
    EXPECT_TRUE(book.forget(kA));
    EXPECT_FALSE(book.exists()) << "nothing to forget, nothing written";
    ASSERT_TRUE(book.remember(kA, backend::parse_schedule("steps=12 rows=4", Family::plane)));
    ASSERT_TRUE(book.remember(kB, backend::parse_schedule("steps=8 parts=6", Family::plane)));
    ASSERT_TRUE(run::ScheduleBook(cache.path).exists());
    EXPECT_EQ(found(run::ScheduleBook(cache.path), kA), "steps=12 rows=4");
    EXPECT_EQ(found(run::ScheduleBook(cache.path), kB), "steps=8 bands=6");
    ASSERT_TRUE(book.remember(kA, backend::parse_schedule("steps=2", Family::plane)));
    EXPECT_EQ(found(book, kA), "steps=2");
    ASSERT_TRUE(book.forget(kA));
    EXPECT_EQ(found(book, kA), "nothing");
    EXPECT_EQ(found(book, kB), "steps=8 bands=6");
}

TEST(ScheduleBook, ADamagedBookLosesTheDamagedEntriesAlone) {
    const Cache cache;
    run::ScheduleBook book(cache.path);
    ASSERT_TRUE(book.remember(kA, backend::parse_schedule("steps=12 rows=4", Family::plane)));
    ASSERT_TRUE(book.remember(kB, backend::parse_schedule("steps=8", Family::plane)));
    std::string text = cache.text();
    text[text.find("steps=12") + 6] = '3';
    cache.write(text);
    EXPECT_EQ(found(book, kA), "nothing") << "the check sum does not fit";
    EXPECT_EQ(found(book, kB), "steps=8");
    for (const std::string& broken :
         {std::string(), std::string("\0\xff\n", 3), std::string("mottle schedules 1"), "mottle schedules 1\n" + kA + "\n" + kA + " 1234",
          std::string("another title\n") + text.substr(text.find('\n') + 1)}) {
        cache.write(broken);
        EXPECT_EQ(found(book, kA), "nothing") << broken;
        EXPECT_EQ(found(book, kB), "nothing") << broken;
        EXPECT_TRUE(book.remember(kA, backend::parse_schedule("steps=6", Family::plane)));
        EXPECT_EQ(found(book, kA), "steps=6") << "a broken book is begun anew";
    }
}

TEST(ScheduleBook, ACacheThatCannotBeWrittenIsNoError) {
    const Cache cache;
    std::filesystem::create_directories(cache.file);  // a folder where the file should be
    run::ScheduleBook book(cache.path);
    EXPECT_FALSE(book.remember(kA, backend::parse_schedule("steps=6", Family::plane)));
    EXPECT_EQ(found(book, kA), "nothing");
    run::ScheduleBook none{std::filesystem::path()};
    EXPECT_FALSE(none.exists());
    EXPECT_FALSE(none.remember(kA, backend::parse_schedule("steps=6", Family::plane)));
}

TEST(ScheduleBook, WritersAtTheSameTimeLoseNothing) {
    const Cache cache;
    auto write = [&](char letter) {
        run::ScheduleBook book(cache.path);
        for (char digit = '0'; digit <= '9'; ++digit)
            EXPECT_TRUE(book.remember(std::string(31, letter) + digit, backend::parse_schedule("steps=5", Family::plane)));
    };
    std::vector<std::thread> writers;
    for (const char letter : {'a', 'b', 'c', 'd'}) writers.emplace_back(write, letter);
    for (std::thread& writer : writers) writer.join();
    const run::ScheduleBook book(cache.path);
    for (const char letter : {'a', 'b', 'c', 'd'}) {
        for (char digit = '0'; digit <= '9'; ++digit) EXPECT_EQ(found(book, std::string(31, letter) + digit), "steps=5") << letter << digit;
    }
    for (const auto& entry : std::filesystem::directory_iterator(cache.path)) EXPECT_NE(entry.path().extension(), ".tmp");
}

run::Spec spec_of(const std::string& text) {
    return run::read_spec(core::parse_document(text, "test.toml"), "test", "", core::parse_document("", "flags"));
}

std::string key_of(const std::string& text, const std::string& device = "cpu", int threads = 2) {
    const run::Spec spec = spec_of(text);
    return run::schedule_key(ir::lower(ir::build(spec.model), spec.method, spec.domain), spec.domain, device, threads);
}

const std::string kHeat = "equations.u = 'D*lap(u)'\nparameters.D = 0.5\ninitial.u = 'X'\n";

TEST(ScheduleKey, ChangesWithAllThatChangesTheTimeAndWithNothingElse) {
    const std::string heat = key_of(kHeat + "grid.size = '64x32'\n");
    EXPECT_EQ(heat.size(), 32u);
    EXPECT_EQ(heat, key_of(kHeat + "grid.size = '64x32'\ntime.steps = 7\n[[output]]\nfile = 'a.png'\n"));
    EXPECT_EQ(heat, key_of("equations.u = 'D*lap(u)'\nparameters.D = 0.25\ninitial.u = 'Y'\ngrid.size = '64x32'\n"))
        << "parameters and starts change no kernel";
    const std::set<std::string> keys = {heat,
                                        key_of(kHeat + "grid.size = '32x64'\n"),
                                        key_of(kHeat + "grid.size = '64x32'\nmethod.precision = 'f64'\n"),
                                        key_of(kHeat + "grid.size = '64x32'\ngrid.stencil = 9\n"),
                                        key_of(kHeat + "grid.size = '64x32'\nboundary.left = 'still'\nboundary.right = 'still'\n"),
                                        key_of("equations.u = 'D*lap(u) - u'\nparameters.D = 0.5\ninitial.u = 'X'\ngrid.size = '64x32'\n"),
                                        key_of(kHeat + "grid.size = '64x32'\n", "cuda"),
                                        key_of(kHeat + "grid.size = '64x32'\n", "cpu", 3),
                                        key_of(kHeat + "mesh.shape = 'plane:8x9'\n"),
                                        key_of(kHeat + "mesh.shape = 'plane:9x8'\n"),
                                        key_of(kHeat + "mesh.shape = 'plane:8x9,one'\n"),
                                        key_of(kHeat + "mesh.shape = 'sphere:2'\n")};
    EXPECT_EQ(keys.size(), 12u);
}

TEST(ScheduleBook, ARunTakesItsScheduleUnlessItHasOne) {
    if (!MOTTLE_HAVE_JIT) GTEST_SKIP() << "built without LLVM";
    const Cache cache;
    core::ThreadTeam team(2);
    core::Observer observer;
    core::Context context{team, observer, cache.path};
    auto schedule = [&](const run::Spec& spec) {
        return std::get<backend::PlaneSchedule>(run::Simulation(spec, context).kernel().schedule());
    };
    run::Spec spec = spec_of(kHeat + "grid.size = '64x64'\n[run]\ndevice = 'cpu'\n");
    const backend::PlaneSchedule chosen = schedule(spec);
    ASSERT_NE(chosen.steps, 3);
    const std::string key = run::schedule_key(ir::lower(ir::build(spec.model), spec.method, spec.domain), spec.domain,
                                              run::device_text(spec, *device::create_backend("cpu")), 2);
    run::ScheduleBook book(cache.path);
    ASSERT_TRUE(book.remember(key, backend::parse_schedule("steps=3 rows=2", Family::plane)));
    EXPECT_EQ(schedule(spec).steps, 3);
    EXPECT_EQ(schedule(spec).rows, 2);
    spec.schedule = backend::parse_schedule("steps=5", Family::plane);
    EXPECT_EQ(schedule(spec).steps, 5) << "what the user says wins";
    spec.schedule = {};
    spec.use_book = false;
    EXPECT_EQ(schedule(spec).steps, chosen.steps);
    spec.use_book = true;
    cache.write("mottle schedules 1\nrubbish");
    EXPECT_EQ(schedule(spec).steps, chosen.steps) << "a broken book is none";
}

}  // namespace schedule_book_test
