// mottle/run/settings/collisions.cpp: finds files that are written twice, in a time that grows as their number does
#include "mottle/run/settings/collisions.h"

#include "mottle/core/error.h"
#include "mottle/output/file_name.h"

#include <cctype>
#include <optional>
#include <unordered_map>

#include <sys/stat.h>

namespace mottle::run {
namespace {

namespace fs = std::filesystem;

/// What a file is, whichever way it is named: the number of one that exists, else its path behind all links.
std::string identity_of(fs::path path) {
    std::error_code none;
    constexpr int kMostLinks = 16;
    for (int i = 0; i < kMostLinks && fs::is_symlink(path, none); ++i) path = path.parent_path() / fs::read_symlink(path, none);
    struct stat found {};
    if (stat(path.c_str(), &found) == 0) return std::to_string(found.st_dev) + ":" + std::to_string(found.st_ino);
    return fs::weakly_canonical(fs::absolute(path, none), none).string();
}

/// A name with a number in it: what stands around the number, in a folder.
std::string slot_of(const std::string& folder, const std::string& before, const std::string& after) {
    return folder + "\n" + before + "\n" + after;
}

class Files {
   public:
    /// `what`: "the output 'a.png'". Throws where it is one that was added before.
    void add(const std::string& what, const fs::path& file) {
        if (const std::string* other = find(file)) refuse(*other, what);
        files_.emplace(identity_of(file), what);
        const std::string folder = identity_of(parent_of(file)), name = file.filename().string();
        for_each_number(name, [&](std::size_t first, std::size_t last) {
            named_.emplace(slot_of(folder, name.substr(0, first), name.substr(last)), std::pair(what, name));
        });
    }

    void add_series(const std::string& what, const output::FileName& series) {
        const fs::path one = series.at(1);
        const std::string folder = identity_of(parent_of(one));
        const std::string &before = series.before(), &after = series.after();
        const std::string slot = slot_of(folder, before, after);
        // a file that is there already and fits
        for (auto [found, end] = named_.equal_range(slot); found != end; ++found) {
            if (fits(series, found->second.second, before, after)) refuse(found->second.first, what);
        }
        if (const auto found = series_.find(slot); found != series_.end()) refuse(found->second.first, what);
        for (const core::Index number : {1, 2, 10, 100, 1000}) {
            if (const std::string* other = find(series.at(number))) refuse(*other, what);
        }
        series_.emplace(slot, std::pair(what, series));
    }

    /// What a file is called that was added before; null if there is none.
    const std::string* find(const fs::path& file) const {
        if (const auto found = files_.find(identity_of(file)); found != files_.end()) return &found->second;
        if (series_.empty()) return nullptr;
        const std::string folder = identity_of(parent_of(file)), name = file.filename().string();
        const std::string* other = nullptr;
        for_each_number(name, [&](std::size_t first, std::size_t last) {
            const std::string before = name.substr(0, first), after = name.substr(last);
            const auto found = series_.find(slot_of(folder, before, after));
            if (found != series_.end() && fits(found->second.second, name, before, after)) other = &found->second.first;
        });
        return other;
    }

   private:
    [[noreturn]] static void refuse(const std::string& first, const std::string& second) {
        throw core::InputError(second + " would replace " + first + ": both are the same file; give one of them another name");
    }

    static fs::path parent_of(const fs::path& file) {
        const fs::path parent = file.parent_path();
        return parent.empty() ? fs::path(".") : parent;
    }

    static bool fits(const output::FileName& series, const std::string& name, const std::string& before, const std::string& after) {
        std::string digits = name.substr(before.size(), name.size() - before.size() - after.size());
        digits.erase(0, digits.find_first_not_of(' '));
        constexpr std::size_t kMostDigits = 18;
        if (digits.empty() || digits.size() > kMostDigits) return false;
        const core::Index number = std::stoll(digits);
        return number >= 1 && series.at(number).filename().string() == name;
    }

    /// Every part of the name that could be a number: digits, and blanks before them.
    template <class Use>
    static void for_each_number(const std::string& name, Use&& use) {
        constexpr std::size_t kMostDigits = 32;  // of a run: longer ones are no numbers of frames
        const auto digit = [&](std::size_t i) { return std::isdigit(static_cast<unsigned char>(name[i])) != 0; };
        for (std::size_t first = 0; first < name.size(); ++first) {
            if (!digit(first) && name[first] != ' ') continue;
            std::size_t last = first;
            while (last < name.size() && name[last] == ' ') ++last;
            for (; last < name.size() && digit(last) && last - first < kMostDigits; ++last) use(first, last + 1);
        }
    }

    std::unordered_map<std::string, std::string> files_;  ///< by identity
    std::unordered_multimap<std::string, std::pair<std::string, std::string>> named_;
    std::unordered_map<std::string, std::pair<std::string, output::FileName>> series_;
};

/// The files of the frames that an index names.
std::optional<output::FileName> frames_of(const output::FileName& index, const fs::path& file, const domain::Domain& domain) {
    if (!index.holds(output::Contents::index)) return std::nullopt;
    fs::path frames = file;
    frames.replace_filename(file.stem().string() + "-%05d" + (std::holds_alternative<domain::Mesh>(domain) ? ".vtu" : ".vti"));
    return output::FileName(frames);
}

}  // namespace

void refuse_collisions(const Spec& spec, const NamedFiles& inputs) {
    Files files;
    for (const auto& [what, file] : inputs) {
        std::error_code none;  // a shape is no file; two inputs may be one
        if (!file.empty() && fs::exists(file, none) && !files.find(file))
            files.add(what + " '" + file.string() + "' that the run reads", file);
    }
    for (const Output& output : spec.outputs) {
        if (output.make) continue;
        const std::string what = "the output '" + output.sink.file.string() + "'";
        const output::FileName name(output.sink.file);
        if (name.numbered()) {
            files.add_series(what, name);
        } else {
            files.add(what, output.sink.file);
        }
        if (const auto frames = frames_of(name, output.sink.file, spec.domain)) files.add_series(what, *frames);
    }
    if (spec.checkpoint.empty()) return;
    if (const std::string* other = files.find(spec.checkpoint))
        throw core::InputError("the state '" + spec.checkpoint.string() + "' would replace " + *other +
                               "; name another file for the state");
}

}  // namespace mottle::run
