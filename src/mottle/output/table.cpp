// mottle/output/table.cpp: .csv of a run
#include "mottle/output/table.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/output/continuation.h"

#include <utility>

namespace mottle::output {

std::string statistics_header(const std::string& field) { return field + ".min," + field + ".max," + field + ".mean," + field + ".std"; }

std::string statistics_text(const backend::Statistics& statistics) {
    std::string text = core::number_text(statistics.min);
    for (const double number : {statistics.max, statistics.mean, statistics.std}) text += "," + core::number_text(number);
    return text;
}

Table::Table(const FileName& name, const SinkSpec& spec, const field::Field& field) : name_(name), header_("step,time") {
    for (const std::string& each : field.names()) header_ += "," + statistics_header(each);
    if (spec.frames_kept == 0) return;
    const std::string old = core::read_file(name_.at(1)).value_or("");
    if (!old.starts_with(header_ + "\n")) refuse_continuing(spec, "it is not a table of these fields");
    const std::size_t end = end_of_lines(old, spec.frames_kept + 1);
    if (end == std::string::npos) refuse_continuing(spec, "it has fewer lines");
    file_.emplace(name_.at(1));
    file_->write(std::as_bytes(std::span(old).first(end)));
    changed_ = true;
}

void Table::write(core::Moment at, field::Field& field) {
    if (is_full_) return;
    if (!file_) {
        file_.emplace(name_.at(1));
        add(header_);
    }
    std::string line = std::to_string(at.step) + "," + core::number_text(at.time);
    for (const std::string& name : field.names()) line += "," + statistics_text(field.statistics(field.find(name)));
    add(line);
    changed_ = true;
}

void Table::publish() {
    if (finished_ || !std::exchange(changed_, false)) return;
    file_->commit_copy(core::Survives::power_failures);
}

void Table::add(const std::string& line) {
    const std::string text = line + "\n";
    try {
        file_->write(std::as_bytes(std::span(text)));
        file_->flush();
    } catch (const core::OutputError& failure) {  // of a full disk, which leaves the lines before
        file_->cut_to_whole_lines();
        is_full_ = true;
        throw core::OutputError(failure.message() + "; the lines before are kept");
    }
}

void Table::finish() {
    if (finished_ || !file_) return;
    finished_ = true;
    file_->commit();
}

std::vector<std::filesystem::path> Table::files() const {
    if (!finished_) return {};
    return {name_.at(1)};
}

}  // namespace mottle::output
