// mottle/run/checkpoint.cpp: the state of a run in a file
#include "mottle/run/checkpoint.h"

#include "mottle/core/document.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/hash.h"
#include "mottle/core/text.h"
#include "mottle/run/schedule_book.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace mottle::run {
namespace {

static_assert(std::endian::native == std::endian::little, "the file holds numbers as they lie in memory");

constexpr std::string_view kTitle = "mottle state 1\n", kSeparator = "---\n";
constexpr std::size_t kHashLength = 32;

std::string quoted(const std::filesystem::path& file) { return "'" + file.string() + "'"; }

/// A field as bytes, and back.
template <class Real>
void append_rows(const field::Field& field, ir::Array array, std::string& bytes) {
    const domain::Domain& domain = field.kernel().domain();
    std::vector<Real> row(static_cast<std::size_t>(domain::row_length(domain)));
    for (core::Index y = 0; y < domain::row_count(domain); ++y) {
        field.kernel().read_row(field.state(), array, y, std::span<Real>(row));
        bytes.append(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(Real));
    }
}

template <class Real>
void put_rows(field::Field& field, ir::Array array, std::string_view bytes) {
    const domain::Domain& domain = field.kernel().domain();
    const auto length = static_cast<std::size_t>(domain::row_length(domain));
    std::vector<Real> row(length);
    std::vector<double> wide(length);
    for (core::Index y = 0; y < domain::row_count(domain); ++y) {
        std::memcpy(row.data(), bytes.data() + static_cast<std::size_t>(y) * length * sizeof(Real), length * sizeof(Real));
        for (std::size_t i = 0; i < length; ++i) wide[i] = static_cast<double>(row[i]);
        field.kernel().write_row(field.state(), array, y, wide);
    }
}

std::size_t field_bytes(const field::Field& field) {
    return static_cast<std::size_t>(domain::cell_count(field.kernel().domain())) *
           (field.kernel().program().f64 ? sizeof(double) : sizeof(float));
}

/// A number that reads back to the same bits.
std::string exact(double value) { return core::number_text(value); }

std::string header(const field::Field& field, const model::Model& model, core::Moment at, double dt, std::span<const double> until) {
    const ir::Program& program = field.kernel().program();
    std::string text = "program = \"" + problem_key(program, field.kernel().domain()) + "\"\n";
    text += "domain = \"" + domain::describe(field.kernel().domain()) + "\"\nprecision = \"" + (program.f64 ? "f64" : "f32") + "\"\n";
    text += "step = \"" + std::to_string(at.step) + "\"\ntime = \"" + exact(at.time) + "\"\ndt = \"" + exact(dt) + "\"\n";
    if (!until.empty()) {
        text += "until = \"";
        for (const double number : until) text += exact(number) + " ";
        text += "\"\n";
    }
    text += "[parameters]\n";
    for (const model::Parameter& parameter : model.parameters) {
        if (!parameter.map) text += "\"" + parameter.name + "\" = \"" + exact(parameter.value) + "\"\n";
    }
    return text;
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
    throw core::InputError("cannot go on from " + quoted(file) + ": " + why);
}

std::string text_of(const core::Node& table, const char* key) {
    const core::Node* node = table.find(key);
    return node && node->kind == core::Node::Kind::text ? node->text : std::string();
}

void tell_changed_parameters(const core::Node& table, const model::Model& model, core::Observer& observer) {
    const core::Node* parameters = table.find("parameters");
    for (const model::Parameter& parameter : model.parameters) {
        if (parameter.map || !parameters) continue;
        const std::string before = text_of(*parameters, parameter.name.c_str()), now = exact(parameter.value);
        if (!before.empty() && before != now) observer.notice(parameter.name + " is " + now + " from here on, it was " + before);
    }
}

}  // namespace

void save_checkpoint(const std::filesystem::path& file, const field::Field& field, const model::Model& model, core::Moment at, double dt,
                     std::span<const double> until) {
    std::string bytes = std::string(kTitle) + header(field, model, at, dt, until) + std::string(kSeparator);
    bytes.reserve(bytes.size() + field.names().size() * field_bytes(field) + kHashLength);
    for (const std::string& name : field.names()) {
        const ir::Array array = field.find(name);
        field.kernel().program().f64 ? append_rows<double>(field, array, bytes) : append_rows<float>(field, array, bytes);
    }
    bytes += core::hash_hex(core::hash_text(bytes));
    core::AtomicFile out(file);
    out.write(std::as_bytes(std::span(bytes)));
    out.commit();
}

bool is_checkpoint(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::string title(kTitle.size(), ' ');
    return in.read(title.data(), static_cast<std::streamsize>(title.size())) && title == kTitle;
}

Standing load_checkpoint(const std::filesystem::path& file, field::Field& field, const model::Model& model, double dt,
                         core::Context& context) {
    const std::optional<std::string> bytes = core::read_file(file);
    if (!bytes) refuse(file, "there is no such file, or it cannot be read");
    if (!bytes->starts_with(kTitle)) refuse(file, "it is no state that --checkpoint has written");
    const std::size_t end = bytes->find("\n" + std::string(kSeparator));
    const std::size_t whole = bytes->size() - std::min(bytes->size(), kHashLength);
    if (end == std::string::npos || core::hash_hex(core::hash_text(std::string_view(*bytes).substr(0, whole))) != bytes->substr(whole))
        refuse(file, "it is damaged or cut short");
    const core::Node table = core::parse_document(bytes->substr(kTitle.size(), end + 1 - kTitle.size()), file.string());
    const bool f64 = field.kernel().program().f64;
    const std::string here = domain::describe(field.kernel().domain()), precision = f64 ? "f64" : "f32";
    if (text_of(table, "domain") != here) refuse(file, "it holds a " + text_of(table, "domain") + ", and this run is on a " + here);
    if (text_of(table, "precision") != precision)
        refuse(file, "it is in " + text_of(table, "precision") + ", and this run in " + precision + "; use --precision " +
                         text_of(table, "precision"));
    if (text_of(table, "program") != problem_key(field.kernel().program(), field.kernel().domain()))
        refuse(file, "it was made by other equations, borders or stencils, on another mesh, or by another version of Mottle");
    if (text_of(table, "dt") != exact(dt))
        refuse(file, "its dt is " + text_of(table, "dt") + ", and that of this run " + exact(dt) + "; use --dt " + text_of(table, "dt"));
    const std::size_t first = end + 1 + kSeparator.size(), each = field_bytes(field);
    if (whole - first != each * field.names().size()) refuse(file, "it is damaged or cut short");
    double step = 0;
    if (!core::parse_number(text_of(table, "step"), step) || !(step >= 0)) refuse(file, "its step is not a number");
    std::string_view rest = std::string_view(*bytes).substr(first);
    for (const std::string& name : field.names()) {
        const ir::Array array = field.find(name);
        f64 ? put_rows<double>(field, array, rest) : put_rows<float>(field, array, rest);
        rest.remove_prefix(each);
    }
    tell_changed_parameters(table, model, context.observer);
    Standing standing{static_cast<core::Index>(step), {}};
    std::istringstream numbers(text_of(table, "until"));
    for (std::string word; numbers >> word;) {
        double number = 0;
        if (!core::parse_number(word, number)) refuse(file, "what it keeps of --until is not a number");
        standing.until.push_back(number);
    }
    return standing;
}

}  // namespace mottle::run
