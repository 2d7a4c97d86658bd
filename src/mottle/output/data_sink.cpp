// mottle/output/data_sink.cpp: encodes states by the extension of their file and saves them
#include "mottle/output/data_sink.h"

#include "mottle/core/files.h"
#include "mottle/core/stopwatch.h"
#include "mottle/output/continuation.h"
#include "mottle/output/surface_data.h"

namespace mottle::output {
namespace {

constexpr std::size_t kSeriesDigits = 5;

}  // namespace

DataSink::DataSink(const FileName& name, std::string part, const SinkSpec& spec, Encode encode)
    : name_(name), part_(std::move(part)), encode_(std::move(encode)), before_(spec.frames_before) {
    if (!is_series() || spec.frames_kept == 0) return;
    std::optional<std::string> kept = read_pvd_entries(core::read_file(name_.at(1)).value_or(""), spec.frames_kept);
    if (!kept) refuse_continuing(spec, "it is not an index of that many");
    series_ = std::move(*kept);
    before_ = spec.frames_kept;
}

std::filesystem::path DataSink::part_of_series(core::Index number) const {
    std::string digits = std::to_string(number);
    if (digits.size() < kSeriesDigits) digits.insert(0, kSeriesDigits - digits.size(), '0');
    const std::filesystem::path index = name_.at(1);
    return index.parent_path() / (index.stem().string() + "-" + digits + part_);
}

void DataSink::write(core::Moment at, field::Field& field) {
    const core::Stopwatch watch(seconds_);
    ++taken_;
    last_.reset();
    const std::filesystem::path path = is_series() ? part_of_series(before_ + taken_) : name_.at(name_.numbered() ? before_ + taken_ : 1);
    auto file = std::make_unique<core::AtomicFile>(path);
    encode_(at, field, *file);
    if (is_series() || name_.numbered())
        commit(*file);
    else
        last_ = std::move(file);  // whole: what could not be written is not kept
    if (is_series()) series_ += pvd_entry(at.time, path.filename().string());
}

void DataSink::publish() {
    if (!is_series() || finished_ || taken_ == 0) return;
    const core::Stopwatch watch(seconds_);
    for (; published_ < taken_; ++published_) core::bring_to_disk(part_of_series(before_ + published_ + 1));
    save_index(core::Survives::power_failures);
}

void DataSink::finish() {
    if (finished_) return;
    finished_ = true;
    if (taken_ == 0 || name_.numbered()) return;
    const core::Stopwatch watch(seconds_);
    if (is_series()) save_index(core::Survives::kills);
    if (last_) commit(*last_);
    last_.reset();
}

void DataSink::commit(core::AtomicFile& file, core::Survives survives) {
    file.commit(survives);
    saved_ = true;
}

void DataSink::save_index(core::Survives survives) {
    core::AtomicFile file(name_.at(1));
    const std::string index = encode_pvd(series_);
    file.write(std::as_bytes(std::span(index)));
    commit(file, survives);
}

std::vector<std::filesystem::path> DataSink::files() const {
    if (!finished_ || !saved_) return {};
    if (!name_.numbered()) return {name_.at(1)};
    if (taken_ == 1) return {name_.at(before_ + 1)};
    return {name_.at(before_ + 1), name_.at(before_ + taken_)};
}

}  // namespace mottle::output
