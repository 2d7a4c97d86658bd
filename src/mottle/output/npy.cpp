// mottle/output/npy.cpp: states as NumPy arrays
#include "mottle/output/npy.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/stopwatch.h"
#include "mottle/output/surface_data.h"

#include <bit>
#include <cmath>
#include <limits>

namespace mottle::output {
namespace {

static_assert(std::endian::native == std::endian::little, "the files are written as the numbers lie in memory");

template <class Real>
void read_states(const field::Field& field, std::span<std::byte> bytes) {
    const backend::Kernel& kernel = field.kernel();
    const auto* mesh = std::get_if<domain::Mesh>(&kernel.domain());
    const core::Index rows = domain::row_count(kernel.domain());
    const auto length = core::at(domain::row_length(kernel.domain()));
    const std::span<Real> values(reinterpret_cast<Real*>(bytes.data()), bytes.size() / sizeof(Real));
    std::vector<Real> vertices(mesh ? length : 0);
    std::size_t at = 0;
    for (const std::string& name : field.names()) {
        const ir::Array array = field.find(name);
        if (mesh) {
            const std::size_t count = mesh->surface->vertex_of.size();
            kernel.read_row(field.state(), array, 0, std::span<Real>(vertices));
            spread<Real>(*mesh->surface, vertices, values.subspan(at, count));
            at += count;
            continue;
        }
        for (core::Index row = 0; row < rows; ++row, at += length) kernel.read_row(field.state(), array, row, values.subspan(at, length));
    }
    for (Real& x : values) {
        if (std::isnan(x)) x = std::numeric_limits<Real>::quiet_NaN();
    }
}

void write_states(const field::Field& field, core::AtomicFile& file) {
    const bool mesh = std::holds_alternative<domain::Mesh>(field.kernel().domain());
    const std::uint64_t bytes = bytes_of_array(field.kernel());
    for (const std::string& name : field.names())
        field.kernel().save_array(field.state(), field.find(name), {file.temporary(), file.leave_room(bytes), true, mesh});
}

}  // namespace

std::string npy_header(const std::string& descr, const std::vector<core::Index>& shape) {
    std::string sizes;
    for (const core::Index size : shape) sizes += std::to_string(size) + ", ";
    if (shape.size() > 1) sizes.resize(sizes.size() - 2);  // a tuple of one keeps its comma
    std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
    constexpr std::size_t kPrefix = 10, kAlignment = 64;
    while ((kPrefix + header.size() + 1) % kAlignment != 0) header += ' ';
    header += '\n';
    std::string result = "\x93NUMPY";
    result += '\x01';
    result += '\x00';
    result += static_cast<char>(header.size() & 0xFF);
    result += static_cast<char>(header.size() >> 8);
    return result + header;
}

std::uint64_t bytes_of_array(const backend::Kernel& kernel) {
    std::uint64_t bytes = kernel.program().f64 ? sizeof(double) : sizeof(float);
    for (const core::Index size : domain::shape(kernel.domain())) bytes *= core::at(size);
    return bytes;
}

std::vector<core::Index> state_shape(const field::Field& field) {
    std::vector<core::Index> shape = domain::shape(field.kernel().domain());
    shape.insert(shape.begin(), static_cast<core::Index>(field.names().size()));
    return shape;
}

void read_state(const field::Field& field, std::vector<std::byte>& values) {
    values.resize(bytes_of_array(field.kernel()) * field.names().size());
    field.kernel().program().f64 ? read_states<double>(field, values) : read_states<float>(field, values);
}

States::States(const FileName& name, core::Index frames_before, const field::Field& field)
    : name_(name), header_(npy_header(field.kernel().program().f64 ? "<f8" : "<f4", state_shape(field))), before_(frames_before) {}

void States::write(core::Moment, field::Field& field) {
    const core::Stopwatch watch(seconds_);
    ++taken_;
    file_.reset();
    auto file = std::make_unique<core::AtomicFile>(name_.at(name_.numbered() ? before_ + taken_ : 1));
    file->write(std::as_bytes(std::span(header_)));
    write_states(field, *file);
    file_ = std::move(file);  // whole: what could not be written is not kept
    if (name_.numbered()) commit();
}

void States::finish() {
    if (finished_) return;
    finished_ = true;
    if (!file_) return;
    const core::Stopwatch watch(seconds_);
    commit();
}

void States::commit() {
    file_->commit();
    file_.reset();
    ++saved_;
}

std::vector<std::filesystem::path> States::files() const {
    if (!finished_ || saved_ == 0) return {};
    const core::Index first = name_.numbered() ? before_ + 1 : 1;
    if (saved_ == 1) return {name_.at(first)};
    return {name_.at(first), name_.at(first + saved_ - 1)};
}

}  // namespace mottle::output
