// mottle/run/tune/schedule_book.cpp: keys, lines with check sums, and writing under a lock
#include "mottle/run/tune/schedule_book.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/hash.h"
#include "mottle/core/provenance.h"
#include "mottle/device/registry.h"

#include <algorithm>
#include <cerrno>
#include <span>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace mottle::run {

namespace {

constexpr std::string_view kBookTitle = "mottle schedules 1";
constexpr std::size_t kKeyLength = 32, kCheckLength = 8;
constexpr std::size_t kMostEntries = 1000;  // the oldest give way

/// Held until the end of its scope; where the file system knows no locks, nothing is.
class Lock {
   public:
    explicit Lock(const std::filesystem::path& path) : descriptor_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
        while (descriptor_ >= 0 && flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    ~Lock() {
        if (descriptor_ >= 0) close(descriptor_);
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    int descriptor_;
};

std::string shape_text(const domain::Domain& domain) {
    if (const auto* grid = std::get_if<domain::Grid>(&domain)) return domain::describe_size(grid->size);
    const auto& mesh = std::get<domain::Mesh>(domain);
    return std::to_string(mesh.vertex_count()) + " " + core::hash_of(mesh.operators->first) + " " +
           core::hash_of(mesh.operators->neighbour);
}

std::string check_of(const std::string& key, const std::string& schedule) {
    return core::hash_hex(core::hash_text(key + " " + schedule)).substr(0, kCheckLength);
}

std::string line_of(const std::string& key, const std::string& schedule) { return key + " " + check_of(key, schedule) + " " + schedule; }

/// The schedule of a line that is whole, else nothing.
std::optional<std::string> schedule_of(const std::string& line) {
    constexpr std::size_t kStart = kKeyLength + kCheckLength + 2;
    if (line.size() < kStart) return std::nullopt;
    std::string schedule = line.substr(kStart);
    return line_of(line.substr(0, kKeyLength), schedule) == line ? std::optional(std::move(schedule)) : std::nullopt;
}

/// The whole lines of a book, oldest first; none of a file that is no book.
std::vector<std::string> lines_of(const std::filesystem::path& file) {
    std::vector<std::string> lines;
    const std::optional<std::string> text = core::read_file(file);
    if (!text || !text->starts_with(std::string(kBookTitle) + "\n")) return lines;
    for (std::size_t at = kBookTitle.size() + 1; at < text->size();) {
        const std::size_t end = std::min(text->find('\n', at), text->size());
        std::string line = text->substr(at, end - at);
        if (schedule_of(line)) lines.push_back(std::move(line));
        at = end + 1;
    }
    return lines;
}

}  // namespace

std::string problem_key(const ir::Program& program, const domain::Domain& domain) {
    ir::Program problem = program;  // a map may be exchanged for one that varies along other axes
    for (ir::ArrayInfo& array : problem.arrays) array.varies = ir::ArrayInfo().varies;
    return core::hash_hex(core::hash_text(shape_text(domain) + "\n" + ir::print(problem)));
}

std::string device_text(const Spec& spec, const backend::Backend& backend) {
    std::string text = spec.device + ", " + backend.name() + ", " + backend.description();
    if (spec.device == "auto" && device::may_take_a_card(spec.device)) text += ", with CUDA";  // it may take a card when it compiles
    return text;
}

std::string schedule_key(const ir::Program& program, const domain::Domain& domain, const std::string& device, int threads) {
    const std::string text = core::build_id() + "\n" + core::cpu_name() + "\n" + device + "\n" + std::to_string(threads) + "\n" +
                             shape_text(domain) + "\n" + ir::print(program);
    return core::hash_hex(core::hash_text(text));
}

ScheduleBook::ScheduleBook(const std::filesystem::path& cache) : file_(cache.empty() ? cache : cache / "schedules.txt") {}

bool ScheduleBook::exists() const {
    std::error_code ignored;
    return !file_.empty() && std::filesystem::exists(file_, ignored);
}

std::optional<backend::Schedule> ScheduleBook::find(const std::string& key, backend::Family family) const {
    if (file_.empty()) return std::nullopt;
    for (const std::string& line : lines_of(file_)) {
        if (!line.starts_with(key + " ")) continue;
        try {
            return backend::parse_schedule(*schedule_of(line), family);
        } catch (const core::InputError&) {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

bool ScheduleBook::remember(const std::string& key, const backend::Schedule& schedule) {
    return rewrite(key, line_of(key, backend::print(schedule)));
}

bool ScheduleBook::forget(const std::string& key) {
    if (file_.empty()) return true;
    const std::vector<std::string> lines = lines_of(file_);
    const bool kept = std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(key + " "); });
    return !kept || rewrite(key, "");
}

bool ScheduleBook::rewrite(const std::string& key, const std::string& line) const {
    if (file_.empty()) return false;
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    const Lock lock(file_.string() + ".lock");
    std::vector<std::string> lines = lines_of(file_);
    std::erase_if(lines, [&](const std::string& other) { return other.starts_with(key + " "); });
    if (!line.empty()) lines.push_back(line);
    if (lines.size() > kMostEntries) lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kMostEntries));
    std::string text = std::string(kBookTitle) + "\n";
    for (const std::string& kept : lines) text += kept + "\n";
    try {
        core::AtomicFile file(file_);
        file.write(std::as_bytes(std::span(text)));
        file.commit();
    } catch (const core::OutputError&) {
        return false;
    }
    return true;
}

}  // namespace mottle::run
