// mottle/run/checkpoint.cpp: the state of a run in a file
#include "mottle/run/checkpoint.h"

#include "mottle/core/document.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/hash.h"
#include "mottle/core/shared_file.h"
#include "mottle/core/text.h"
#include "mottle/core/toml_text.h"
#include "mottle/ir/lower/draw_numbers.h"
#include "mottle/ir/functions/white_noise.h"
#include "mottle/run/tune/schedule_book.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>
#include <span>
#include <string_view>
#include <vector>

namespace mottle::run {
namespace {

static_assert(std::endian::native == std::endian::little, "the file holds numbers as they lie in memory");

constexpr std::string_view kStateTitle = "mottle state 1\n", kSeparator = "---\n";
constexpr std::size_t kHashLength = 32;

std::string quoted(const std::filesystem::path& file) { return "'" + file.string() + "'"; }

/// A state as it is written: whatever its size, a row is in memory.
class StateFile {
   public:
    explicit StateFile(const std::filesystem::path& file) : out_(file) {}
    void write(std::span<const std::byte> bytes) {
        hasher_.add(bytes);
        out_.write(bytes);
    }
    /// Cells of a field that lies in several processes: each writes its own, and then they are read once for the hash.
    void write_array(const field::Field& field, ir::Array array, std::uint64_t bytes) {
        const std::uint64_t first = out_.leave_room(bytes);
        field.kernel().save_array(field.state(), array, {out_.temporary(), first});
        const core::SharedFile file = core::SharedFile::open(out_.temporary(), core::SharedFile::Use::reads);
        std::vector<std::byte> piece;
        for (std::uint64_t done = 0; done < bytes; done += piece.size()) {
            piece.resize(std::min(bytes - done, kPiece));
            if (!file.read(first + done, piece))
                throw core::OutputError("cannot read back " + core::name_to_come(out_.temporary()).string());
            hasher_.add(piece);
        }
    }
    void commit() {
        const std::string hash = core::hash_hex(hasher_.value());
        out_.write(std::as_bytes(std::span(hash)));
        out_.commit(core::Survives::power_failures);
    }

   private:
    static constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    core::AtomicFile out_;
    core::Hasher hasher_;
};

/// A field row by row.
template <class Real>
void write_rows(const field::Field& field, ir::Array array, StateFile& out) {
    const domain::Domain& domain = field.kernel().domain();
    std::vector<Real> row(core::at(domain::row_length(domain)));
    for (core::Index y = 0; y < domain::row_count(domain); ++y) {
        field.kernel().read_row(field.state(), array, y, std::span<Real>(row));
        out.write(std::as_bytes(std::span(row)));
    }
}

std::size_t field_bytes(const field::Field& field) {
    return core::at(domain::cell_count(field.kernel().domain())) * (field.kernel().program().f64 ? sizeof(double) : sizeof(float));
}

/// A number that reads back to the same bits.
std::string exact(double value) { return core::number_text(value); }

/// What a mesh puts into a program beside its shape: the weights of the rows, and the tensors as they are written. The weights of these come from
/// parameters, maps and attributes, which Identity holds by themselves: parameters may change.
std::string weights_text(const domain::Domain& domain) {
    const auto* mesh = std::get_if<domain::Mesh>(&domain);
    if (!mesh) return "";
    std::string text = " " + core::hash_of(mesh->operators->laplacian) + " " + core::hash_of(mesh->operators->mass);
    for (const auto& gradient : mesh->operators->gradient) text += " " + core::hash_of(gradient);
    for (const domain::TensorRows& tensor : mesh->tensors) text += " " + tensor.name;
    return text;
}

std::filesystem::path full_path(const std::filesystem::path& file) {
    std::error_code failed;
    const std::filesystem::path full = std::filesystem::absolute(file, failed);
    return (failed ? file : full).lexically_normal();
}

/// By paths seen from the folder of `state`, so that a folder with all files of a run may be moved.
template <class Value>
std::map<std::string, Value> seen_from(const std::filesystem::path& state, const std::map<std::string, Value>& by_path) {
    std::map<std::string, Value> seen;
    for (const auto& [path, value] : by_path) {
        const std::filesystem::path relative = std::filesystem::path(path).lexically_relative(full_path(state).parent_path());
        seen[relative.empty() ? path : relative.string()] = value;
    }
    return seen;
}

std::string path_from(const std::filesystem::path& state, const std::string& seen) {
    return (full_path(state).parent_path() / seen).lexically_normal().string();
}

std::string header(const std::filesystem::path& file, const Identity& identity, const Standing& standing, double time) {
    std::string text;
    auto line = [&](const std::string& key, const std::string& value) {
        text.append(key).append(" = ").append(core::toml_string(value)).append("\n");
    };
    line("program", identity.program);
    line("domain", identity.domain);
    line("scale", identity.scale);
    if (!identity.spacing.empty()) line("spacing", identity.spacing);
    line("precision", identity.precision);
    line("step", std::to_string(standing.step));
    line("time", exact(time));
    line("dt", identity.dt);
    if (standing.origin != 0) line("origin", exact(standing.origin));
    if (!identity.stages.empty()) line("stages", identity.stages);
    if (!identity.seed.empty()) line("seed", identity.seed);
    const auto numbers = [&](const std::string& key, const std::vector<double>& values) {
        std::string words;
        for (const double value : values) words += exact(value) + " ";
        if (!values.empty()) line(key, words);
    };
    numbers("until", standing.until);
    if (standing.rest) numbers("rest", {standing.rest->tolerance, standing.rest->newton ? 1.0 : 0.0, standing.rest->uniform ? 1.0 : 0.0});
    if (standing.accuracy) numbers("accuracy", stepper::numbers_of(*standing.accuracy));
    text += "[parameters]\n";
    for (const auto& [name, value] : identity.parameters) line(core::toml_string(name), value);
    text += "[contents]\n";
    for (const field::Content& content : identity.contents) line(core::toml_string(content.name), content.hash);
    text += "[frames]\n";
    for (const auto& [name, count] : seen_from(file, standing.frames)) line(core::toml_string(name), std::to_string(count));
    const std::map<std::string, Shown> all_shown = seen_from(file, standing.shown);
    text += "[shown]\n";
    for (const auto& [name, shown] : all_shown) line(core::toml_string(name), core::utf8_text(shown.style));
    text += "[ranges]\n";
    for (const auto& [name, shown] : all_shown) {
        if (shown.range) line(core::toml_string(name), exact((*shown.range)[0]) + " " + exact((*shown.range)[1]));
    }
    return text;
}

/// Nothing can be read of what is no file: opening a pipe would wait for somebody to write.
std::ifstream open_file(const std::filesystem::path& path) {
    std::error_code failed;
    return std::filesystem::is_regular_file(path, failed) ? std::ifstream(path, std::ios::binary) : std::ifstream();
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
    throw core::InputError("cannot resume from " + quoted(file) + ": " + why);
}

std::string text_of(const core::Node& table, const std::string& key) {
    const core::Node* node = table.find(key);
    return node && node->kind == core::Node::Kind::text ? node->text : std::string();
}

std::string text_of(const core::Node& table, const std::string& inner, const std::string& key) {
    const core::Node* node = table.find(inner);
    return node ? text_of(*node, key) : std::string();
}

void tell_changed_parameters(const core::Node& table, const Identity& identity, core::Observer& observer) {
    for (const auto& [name, now] : identity.parameters) {
        const std::string before = text_of(table, "parameters", name);
        double number = 0;
        if (before.empty() || before == now) continue;
        observer.notice(core::parse_number(now, number) ? name + " is " + now + " from here on; before, it was " + before
                                                        : "the map '" + name + "' changes from here on");
    }
    const std::string seed = text_of(table, "seed");
    if (!seed.empty() && seed != identity.seed)
        observer.notice("the noise uses seed " + identity.seed + " from here on; before, it used seed " + seed);
}

/// A state that is whole and of this run.
struct State {
    core::FileIdentity file;
    core::Node table;
    std::uint64_t first, end;  ///< of the fields in the file
};

/// The beginning of a file up to the first `end`, which is part of it; nothing if it does not come.
std::optional<std::string> text_to(std::istream& in, std::string_view end) {
    constexpr std::size_t kPiece = std::size_t{1} << 16, kMost = std::size_t{1} << 26;
    std::string text, piece(kPiece, ' ');
    while (in && text.size() < kMost) {
        in.read(piece.data(), static_cast<std::streamsize>(kPiece));
        const std::size_t before = text.size() - std::min(text.size(), end.size());
        text.append(piece, 0, static_cast<std::size_t>(in.gcount()));
        if (const std::size_t found = text.find(end, before); found != std::string::npos) return text.substr(0, found + end.size());
    }
    return std::nullopt;
}

/// Whether a file of `size` bytes ends with the hash of all before it.
bool is_whole(std::istream& in, std::uint64_t size) {
    constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
    if (size < kHashLength) return false;
    core::Hasher hasher;
    std::string piece;
    in.clear();
    in.seekg(0);
    for (std::uint64_t left = size - kHashLength; left > 0; left -= piece.size()) {
        piece.resize(std::min(left, kPiece));
        if (!in.read(piece.data(), static_cast<std::streamsize>(piece.size()))) return false;
        hasher.add(std::as_bytes(std::span(piece)));
    }
    piece.resize(kHashLength);
    return in.read(piece.data(), static_cast<std::streamsize>(kHashLength)) && piece == core::hash_hex(hasher.value());
}

void require_same_run(const std::filesystem::path& file, const core::Node& table, const Identity& identity) {
    const std::string domain = text_of(table, "domain"), precision = text_of(table, "precision"), scale = text_of(table, "scale");
    if (domain != identity.domain) refuse(file, "it contains a " + domain + ", but this run is on a " + identity.domain);
    if (precision != identity.precision)
        refuse(file, "it is in " + precision + ", but this run is in " + identity.precision + "; use --precision " + precision);
    for (const field::Content& content : identity.contents) {
        const std::string before = text_of(table, "contents", content.name);
        if (!before.empty() && before != content.hash)
            refuse(file,
                   "'" + content.name +
                       "' has changed since, and the rest of the run would match neither the old nor the new one; restore the old one, " +
                       "or restart without --resume");
    }
    if (scale != identity.scale)
        refuse(file,
               "its lengths are those of the mesh times " + scale + ", and in this run times " + identity.scale + "; use --scale " + scale);
    const bool same = text_of(table, "program") == identity.program;
    const std::string spacing = text_of(table, "spacing");
    if (!same && !spacing.empty() && spacing != identity.spacing)
        refuse(file, "its spacing is " + spacing + ", but this run has " + identity.spacing + "; use --spacing " + spacing);
    if (!same)
        refuse(file,
               "it was saved with other equations, boundary rules, another spacing, stencil, method or mesh, or by another version of "
               "Mottle");
    const std::string dt = text_of(table, "dt");
    if (dt != identity.dt && identity.by_tolerance)
        refuse(file, "its moments are " + dt + " apart, and those of this run " + identity.dt +
                         "; a run by --tolerance is continued to the end for which it was started: give the same --time");
    if (dt != identity.dt) refuse(file, "its dt is " + dt + ", but this run uses " + identity.dt + "; use --dt " + dt);
    const std::string stages = text_of(table, "stages");
    if (stages != identity.stages)
        refuse(file, "its steps have " + stages + " stages, but those of this run " + identity.stages + "; use --stages " + stages);
}

State read_state(const std::filesystem::path& file, const Identity& identity) {
    if (!open_file(file).is_open()) refuse(file, "there is no such file, or it cannot be read");
    if (!is_checkpoint(file)) refuse(file, "it was not written by --checkpoint");
    // Before the file is read: if another state takes its name from here on, load_checkpoint finds at its end that it is not the one that was seen.
    core::FileIdentity seen = core::identify_file(file, core::kHeadOfFile);  // its step is there
    const std::uint64_t size = seen.size;
    std::ifstream in(file, std::ios::binary);
    const std::optional<std::string> text = text_to(in, "\n" + std::string(kSeparator));
    if (!text || !is_whole(in, size)) refuse(file, "it is damaged or incomplete");
    core::Node table =
        core::parse_document(text->substr(kStateTitle.size(), text->size() - kSeparator.size() - kStateTitle.size()), file.string());
    require_same_run(file, table, identity);
    return {std::move(seen), std::move(table), text->size(), size - kHashLength};
}

bool has_other_parameters(const core::Node& table, const Identity& identity) {
    return std::any_of(identity.parameters.begin(), identity.parameters.end(),
                       [&](const auto& parameter) { return text_of(table, "parameters", parameter.first) != parameter.second; });
}

Standing standing_of(const std::filesystem::path& file, const State& state, const Identity& identity) {
    double step = 0;
    if (!core::parse_number(text_of(state.table, "step"), step) || !(step >= 0 && step <= static_cast<double>(kMostSteps)))
        refuse(file, "its step is not a number from 0 to 2^53");
    Standing standing{.step = static_cast<Index>(step), .changed = has_other_parameters(state.table, identity)};
    const auto numbers_in = [&](const std::string& text, const std::string& flag) {
        std::vector<double> values;
        std::istringstream numbers(text);
        for (std::string word; numbers >> word;) {
            double number = 0;
            if (!core::parse_number(word, number)) refuse(file, "its record of " + flag + " is not a number");
            values.push_back(number);
        }
        return values;
    };
    if (const std::vector<double> origin = numbers_in(text_of(state.table, "origin"), "the time of step 0"); origin.size() == 1)
        standing.origin = origin[0];
    standing.until = numbers_in(text_of(state.table, "until"), "--until");
    const std::vector<double> rest = numbers_in(text_of(state.table, "rest"), "--until");
    if (rest.size() == 3) standing.rest = Rest{rest[0], rest[1] > 0, rest[2] > 0};
    const std::vector<double> accuracy = numbers_in(text_of(state.table, "accuracy"), "--tolerance");
    if (!accuracy.empty()) {
        standing.accuracy = stepper::progress_of(accuracy);
        if (!standing.accuracy) refuse(file, "its record of --tolerance is not one");
    }
    if (const core::Node* frames = state.table.find("frames")) {
        for (const core::Member& member : frames->members) {
            double count = 0;
            if (core::parse_number(text_of(*frames, member.key), count) && count >= 0 && count <= static_cast<double>(kMostSteps))
                standing.frames[path_from(file, member.key)] = static_cast<Index>(count);
        }
    }
    if (const core::Node* shown = state.table.find("shown")) {
        for (const core::Member& member : shown->members) {
            Shown& own = standing.shown[path_from(file, member.key)] = {.style = text_of(*shown, member.key)};
            const std::vector<double> range = numbers_in(text_of(state.table, "ranges", member.key), "the range of '" + member.key + "'");
            if (range.size() == 2) own.range = {range[0], range[1]};
        }
    }
    return standing;
}

}  // namespace

Identity identify(const ir::Program& program, const Spec& spec, double dt) {
    Identity identity{.program = core::hash_hex(core::hash_text(problem_key(program, spec.domain) + weights_text(spec.domain))),
                      .domain = core::utf8_text(domain::describe(spec.domain)),
                      .scale = "",
                      .precision = program.f64 ? "f64" : "f32",
                      .spacing = "",
                      .dt = exact(dt),
                      .stages = program.staged ? std::to_string(ir::stages_of(spec.method)) : "",
                      .seed = ir::has_noise(program) ? std::to_string(spec.initial.seed) : "",
                      .contents = field::contents_of(spec.model, spec.domain, spec.initial)};
    identity.by_tolerance = spec.tolerance.has_value();
    for (field::Content& content : identity.contents) content.name = core::utf8_text(content.name);
    if (const auto* mesh = std::get_if<domain::Mesh>(&spec.domain)) identity.scale = exact(mesh->scale);
    if (const auto* grid = std::get_if<domain::Grid>(&spec.domain)) identity.spacing = domain::spacing_text(*grid);
    for (const model::Parameter& parameter : spec.model.parameters) {
        std::string text = exact(parameter.value);
        if (parameter.map)
            text = model::print(*parameter.map) + (ir::draws_numbers(*parameter.map) ? ", seed " + std::to_string(spec.initial.seed) : "");
        identity.parameters.emplace_back(parameter.name, core::utf8_text(std::move(text)));
    }
    return identity;
}

void save_checkpoint(const std::filesystem::path& file, const field::Field& field, const Identity& identity, const Standing& standing,
                     double time, const field::Field* companion) {
    StateFile out(file);
    const std::string table = std::string(kStateTitle) + header(file, identity, standing, time) + std::string(kSeparator);
    out.write(std::as_bytes(std::span(table)));
    for (const field::Field* each : {&field, companion}) {
        if (!each) continue;
        for (const std::string& name : each->names()) {
            const ir::Array array = each->find(name);
            if (each->kernel().is_distributed())
                out.write_array(*each, array, field_bytes(*each));
            else
                each->kernel().program().f64 ? write_rows<double>(*each, array, out) : write_rows<float>(*each, array, out);
        }
    }
    out.commit();
}

bool is_checkpoint(const std::filesystem::path& file) {
    std::ifstream in = open_file(file);
    std::string title(kStateTitle.size(), ' ');
    return in.read(title.data(), static_cast<std::streamsize>(title.size())) && title == kStateTitle;
}

std::string frames_key(const Output& output) { return core::utf8_text(full_path(output.sink.file).string()); }

std::optional<double> dt_of_checkpoint(const std::filesystem::path& file) {
    std::ifstream in = open_file(file);
    std::string line;
    if (!std::getline(in, line) || line + "\n" != kStateTitle) return std::nullopt;
    constexpr int kMostLines = 16;  // of the table, before other tables
    for (int i = 0; i < kMostLines && std::getline(in, line); ++i) {
        const std::string_view start = "dt = \"";
        double dt = 0;
        if (line.starts_with(start) && core::parse_number(line.substr(start.size(), line.size() - start.size() - 1), dt)) return dt;
    }
    return std::nullopt;
}

// A state replaces what stands in its file, which must not be a model, a mesh or an output.
void require_own_file(const Spec& spec) {
    core::check_writable(spec.checkpoint);
    std::error_code ignored;
    if (std::filesystem::exists(spec.checkpoint, ignored) && std::filesystem::file_size(spec.checkpoint, ignored) > 0 &&
        !is_checkpoint(spec.checkpoint)) {
        throw core::InputError(quoted(spec.checkpoint) + " exists and was not written by --checkpoint; name another file for the state");
    }
    const std::filesystem::path own = std::filesystem::weakly_canonical(spec.checkpoint, ignored);
    for (const Output& output : spec.outputs) {
        if (!output.make && std::filesystem::weakly_canonical(output.sink.file, ignored) == own)
            throw core::InputError(quoted(spec.checkpoint) + " is an output, too; name another file for the state");
    }
}

Standing check_checkpoint(const std::filesystem::path& file, const Identity& identity) {
    return standing_of(file, read_state(file, identity), identity);
}

bool rests(const Standing& standing, const Spec& spec) {
    return standing.rest && spec.steady && *spec.steady >= standing.rest->tolerance && !standing.changed &&
           (!spec.newton || standing.rest->newton);
}

bool is_finished(const std::filesystem::path& file, const Standing& standing, const Spec& spec, core::Index steps, std::string& notice) {
    const std::string at = "the state in " + quoted(file) + " is at step " + core::grouped(standing.step);
    if (standing.step > steps) throw core::InputError(at + ", and this run ends at step " + core::grouped(steps) + "; give more --steps");
    if (rests(standing, spec))
        notice = "already finished: " + at + ", where the run came to rest";
    else if (standing.step == steps)
        notice = "already finished: " + at + ", the end of this run";
    else
        return false;
    return true;
}

Standing load_checkpoint(const std::filesystem::path& file, field::Field& field, const Identity& identity, core::Context& context,
                         field::Field* companion) {
    const State state = read_state(file, identity);
    Standing standing = standing_of(file, state, identity);
    const std::uint64_t each = field_bytes(field), held = standing.accuracy ? 2 : 1;
    if (state.end - state.first != each * field.names().size() * held) refuse(file, "it is damaged or incomplete");
    backend::CellFile from{file, state.first};
    for (field::Field* into : {&field, held == 2 ? companion : nullptr}) {
        if (!into) continue;
        for (const std::string& name : into->names()) {
            const ir::Array array = into->find(name);
            if (!into->kernel().load_array(into->state(), array, from)) refuse(file, "it cannot be read to its end");
            from.first += each;
        }
    }
    if (core::identify_file(file, core::kHeadOfFile) != state.file) refuse(file, "another state has taken its place meanwhile");
    tell_changed_parameters(state.table, identity, context.observer);
    return standing;
}

}  // namespace mottle::run
