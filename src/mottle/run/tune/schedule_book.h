// mottle/run/tune/schedule_book.h: the schedules that `mottle tune` found, kept in one file of the cache folder
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/backend/schedule.h"
#include "mottle/domain/domain.h"
#include "mottle/ir/program/program.h"
#include "mottle/run/settings/spec.h"

#include <filesystem>
#include <optional>
#include <string>

namespace mottle::run {

/// The device as part of a schedule's key: its name as given, and the description of a backend that has not compiled anything yet.
std::string device_text(const Spec& spec, const backend::Backend& backend);

/// A hash of what is computed: the printed program and the size of the grid, or the rows of the mesh.
std::string problem_key(const ir::Program& program, const domain::Domain& domain);
/// What a schedule was measured for: 32 hexadecimal digits of the printed Program (precision included), the shape of the domain (sizes of a grid;
/// vertices of a mesh and a hash of its rows), the device asked for and what the backend calls itself, the CPU, the threads, and the build of Mottle.
std::string schedule_key(const ir::Program& program, const domain::Domain& domain, const std::string& device, int threads);

/// A text file: a line "KEY CHECK schedule" per entry, the newest last. Unreadable entries are ignored and failed writes are dropped: a damaged book never
/// stops a run.
class ScheduleBook {
   public:
    /// `cache`: core::Context::cache; empty: a book without entries that keeps nothing.
    explicit ScheduleBook(const std::filesystem::path& cache);

    /// Whether there is a file to look into: forming a key takes time.
    bool exists() const;
    /// `family`: that of the backend and the domain that `key` was made of.
    std::optional<backend::Schedule> find(const std::string& key, backend::Family family) const;
    /// Replaces the entry of `key`. Processes that write at the same time lose nothing of each other's. False if the file could not be written.
    bool remember(const std::string& key, const backend::Schedule& schedule);
    /// Takes the entry of `key` out, if there is one. False as above.
    bool forget(const std::string& key);
    const std::filesystem::path& file() const { return file_; }

   private:
    bool rewrite(const std::string& key, const std::string& line) const;

    std::filesystem::path file_;
};

}  // namespace mottle::run
