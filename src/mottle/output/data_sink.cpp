// mottle/output/data_sink.cpp: encodes states by the extension of their file and saves them
#include "mottle/output/data_sink.h"

#include "mottle/core/files.h"
#include "mottle/output/grid_data.h"
#include "mottle/output/surface_data.h"

#include <chrono>

namespace mottle::output {
namespace {

constexpr std::size_t kSeriesDigits = 5;

std::string encode(FileName::Kind kind, const SurfaceData& data) {
    switch (kind) {
        case FileName::Kind::ply:
            return encode_ply(data);
        case FileName::Kind::vtp:
            return encode_vtp(data);
        case FileName::Kind::glb:
            return encode_glb(data);
        default:  // the parts of a series too
            return encode_vtu(data);
    }
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

std::filesystem::path DataSink::part_of_series(core::Index number) const {
    std::string digits = std::to_string(number);
    if (digits.size() < kSeriesDigits) digits.insert(0, kSeriesDigits - digits.size(), '0');
    const std::filesystem::path index = name_.at(1);
    return index.parent_path() / (index.stem().string() + "-" + digits + part_);
}

void DataSink::write(core::Moment at, field::Field& field) {
    const double start = now();
    std::string bytes = encode_(at, field);
    ++taken_;
    if (is_series()) {
        const std::filesystem::path part = part_of_series(before_ + taken_);
        save(part, bytes);
        series_.emplace_back(at.time, part.filename().string());
    } else if (name_.numbered()) {
        save(name_.at(before_ + taken_), bytes);
    } else {
        last_ = std::move(bytes);
    }
    seconds_ += now() - start;
}

void DataSink::finish() {
    if (finished_) return;
    finished_ = true;
    if (taken_ == 0 || name_.numbered()) return;
    const double start = now();
    save(name_.at(1), is_series() ? encode_pvd(series_) : last_);
    seconds_ += now() - start;
}

void DataSink::save(const std::filesystem::path& path, const std::string& bytes) {
    core::AtomicFile file(path);
    file.write(std::as_bytes(std::span(bytes)));
    file.commit();
    saved_ = true;
}

std::vector<std::filesystem::path> DataSink::files() const {
    if (!finished_ || !saved_) return {};
    if (!name_.numbered()) return {name_.at(1)};
    if (taken_ == 1) return {name_.at(before_ + 1)};
    return {name_.at(before_ + 1), name_.at(before_ + taken_)};
}

std::unique_ptr<Sink> make_surface_sink(const FileName& name, const SinkSpec& spec, const field::Field& field) {
    const auto painter = std::make_shared<frame::Painter>(spec.style, field, spec.declared_range);
    return std::make_unique<DataSink>(name, ".vtu", spec.frames_before,
                                      [painter, kind = name.kind()](core::Moment at, field::Field& state) {
                                          return encode(kind, surface_data(state, *painter, at.time));
                                      });
}

std::unique_ptr<Sink> make_grid_sink(const FileName& name, const SinkSpec& spec) {
    return std::make_unique<DataSink>(name, ".vti", spec.frames_before,
                                      [](core::Moment at, field::Field& state) { return encode_vti(state, at.time); });
}

}  // namespace mottle::output
