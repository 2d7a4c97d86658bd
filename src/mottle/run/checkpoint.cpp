// mottle/run/checkpoint.cpp: the state of a run in a file
#include "mottle/run/checkpoint.h"

#include "mottle/core/document.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/hash.h"
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
#include <string_view>
#include <vector>

namespace mottle::run {
namespace {

static_assert(std::endian::native == std::endian::little, "the file holds numbers as they lie in memory");

constexpr std::string_view kStateTitle = "mottle state 1\n", kSeparator = "---\n";
constexpr std::size_t kHashLength = 32;

std::string quoted(const std::filesystem::path& file) { return "'" + file.string() + "'"; }

/// A field as bytes, and back.
template <class Real>
void append_rows(const field::Field& field, ir::Array array, std::string& bytes) {
    const domain::Domain& domain = field.kernel().domain();
    std::vector<Real> row(core::at(domain::row_length(domain)));
    for (core::Index y = 0; y < domain::row_count(domain); ++y) {
        field.kernel().read_row(field.state(), array, y, std::span<Real>(row));
        bytes.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(Real));
    }
}

template <class Real>
void put_rows(field::Field& field, ir::Array array, std::string_view bytes) {
    const domain::Domain& domain = field.kernel().domain();
    const auto length = core::at(domain::row_length(domain));
    std::vector<Real> row(length);
    std::vector<double> wide(length);
    for (core::Index y = 0; y < domain::row_count(domain); ++y) {
        std::memcpy(row.data(), bytes.data() + core::at(y) * length * sizeof(Real), length * sizeof(Real));
        for (std::size_t i = 0; i < length; ++i) wide[i] = static_cast<double>(row[i]);
        field.kernel().write_row(field.state(), array, y, wide);
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

std::string header(const Identity& identity, const Standing& standing, double time) {
    std::string text;
    auto line = [&](const std::string& key, const std::string& value) {
        text.append(key).append(" = ").append(core::toml_string(value)).append("\n");
    };
    line("program", identity.program);
    line("domain", identity.domain);
    line("scale", identity.scale);
    line("precision", identity.precision);
    line("step", std::to_string(standing.step));
    line("time", exact(time));
    line("dt", identity.dt);
    if (!identity.stages.empty()) line("stages", identity.stages);
    if (!identity.seed.empty()) line("seed", identity.seed);
    const auto numbers = [&](const std::string& key, const std::vector<double>& values) {
        std::string words;
        for (const double value : values) words += exact(value) + " ";
        if (!values.empty()) line(key, words);
    };
    numbers("until", standing.until);
    numbers("accuracy", standing.accuracy);
    text += "[parameters]\n";
    for (const auto& [name, value] : identity.parameters) line(core::toml_string(name), value);
    text += "[contents]\n";
    for (const field::Content& content : identity.contents) line(core::toml_string(content.name), content.hash);
    text += "[frames]\n";
    for (const auto& [name, count] : standing.frames) line(core::toml_string(name), std::to_string(count));
    return text;
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

/// A state that has been read, whole and of this run.
struct State {
    std::string bytes;
    core::Node table;
    std::size_t first, end;  ///< of the fields in `bytes`
};

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
    if (text_of(table, "program") != identity.program)
        refuse(file, "it was saved with other equations, boundary rules, another stencil, method or mesh, or by another version of Mottle");
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
    std::optional<std::string> bytes = core::read_file(file);
    if (!bytes) refuse(file, "there is no such file, or it cannot be read");
    if (!bytes->starts_with(kStateTitle)) refuse(file, "it was not written by --checkpoint");
    const std::size_t end = bytes->find("\n" + std::string(kSeparator));
    const std::size_t whole = bytes->size() - std::min(bytes->size(), kHashLength);
    if (end == std::string::npos || core::hash_hex(core::hash_text(std::string_view(*bytes).substr(0, whole))) != bytes->substr(whole))
        refuse(file, "it is damaged or incomplete");
    core::Node table = core::parse_document(bytes->substr(kStateTitle.size(), end + 1 - kStateTitle.size()), file.string());
    require_same_run(file, table, identity);
    return {std::move(*bytes), std::move(table), end + 1 + kSeparator.size(), whole};
}

Standing standing_of(const std::filesystem::path& file, const State& state) {
    double step = 0;
    if (!core::parse_number(text_of(state.table, "step"), step) || !(step >= 0 && step <= static_cast<double>(kMostSteps)))
        refuse(file, "its step is not a number from 0 to 2^53");
    Standing standing{.step = static_cast<Index>(step)};
    const auto read = [&](const std::string& key, const std::string& flag, std::vector<double>& values) {
        std::istringstream numbers(text_of(state.table, key));
        for (std::string word; numbers >> word;) {
            double number = 0;
            if (!core::parse_number(word, number)) refuse(file, "its record of " + flag + " is not a number");
            values.push_back(number);
        }
    };
    read("until", "--until", standing.until);
    read("accuracy", "--tolerance", standing.accuracy);
    if (const core::Node* frames = state.table.find("frames")) {
        for (const core::Member& member : frames->members) {
            double count = 0;
            if (core::parse_number(text_of(*frames, member.key), count) && count >= 1 && count <= static_cast<double>(kMostSteps))
                standing.frames[member.key] = static_cast<Index>(count);
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
                      .dt = exact(dt),
                      .stages = program.staged ? std::to_string(ir::stages_of(spec.method)) : "",
                      .seed = ir::has_noise(program) ? std::to_string(spec.initial.seed) : "",
                      .contents = field::contents_of(spec.model, spec.domain, spec.initial)};
    identity.by_tolerance = spec.tolerance.has_value();
    for (field::Content& content : identity.contents) content.name = core::utf8_text(content.name);
    if (const auto* mesh = std::get_if<domain::Mesh>(&spec.domain)) identity.scale = exact(mesh->scale);
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
    std::string bytes = std::string(kStateTitle) + header(identity, standing, time) + std::string(kSeparator);
    bytes.reserve(bytes.size() + (companion ? 2 : 1) * field.names().size() * field_bytes(field) + kHashLength);
    for (const field::Field* each : {&field, companion}) {
        if (!each) continue;
        for (const std::string& name : each->names()) {
            const ir::Array array = each->find(name);
            each->kernel().program().f64 ? append_rows<double>(*each, array, bytes) : append_rows<float>(*each, array, bytes);
        }
    }
    bytes += core::hash_hex(core::hash_text(bytes));
    core::AtomicFile out(file);
    out.write(std::as_bytes(std::span(bytes)));
    out.commit();
}

bool is_checkpoint(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string title(kStateTitle.size(), ' ');
    return in.read(title.data(), static_cast<std::streamsize>(title.size())) && title == kStateTitle;
}

std::string frames_key(const Output& output) { return core::utf8_text(output.sink.file.string()); }

std::optional<double> dt_of_checkpoint(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
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
    return standing_of(file, read_state(file, identity));
}

bool is_finished(const std::filesystem::path& file, const Standing& standing, core::Index steps, std::string& notice) {
    if (standing.step < steps) return false;
    if (standing.step == steps) {
        notice = "already finished: the state in " + quoted(file) + " is at step " + core::grouped(steps) + ", the end of this run";
        return true;
    }
    throw core::InputError("the state in " + quoted(file) + " is at step " + core::grouped(standing.step) + ", and this run ends at step " +
                           core::grouped(steps) + "; give more --steps");
}

Standing load_checkpoint(const std::filesystem::path& file, field::Field& field, const Identity& identity, core::Context& context,
                         field::Field* companion) {
    const State state = read_state(file, identity);
    Standing standing = standing_of(file, state);
    const std::size_t each = field_bytes(field), held = standing.accuracy.empty() ? 1 : 2;
    if (state.end - state.first != each * field.names().size() * held) refuse(file, "it is damaged or incomplete");
    std::string_view rest = std::string_view(state.bytes).substr(state.first);
    for (field::Field* into : {&field, held == 2 ? companion : nullptr}) {
        if (!into) continue;
        for (const std::string& name : into->names()) {
            const ir::Array array = into->find(name);
            into->kernel().program().f64 ? put_rows<double>(*into, array, rest) : put_rows<float>(*into, array, rest);
            rest.remove_prefix(each);
        }
    }
    tell_changed_parameters(state.table, identity, context.observer);
    return standing;
}

}  // namespace mottle::run
