// mottle/output/table.cpp: .csv of a run
#include "mottle/output/table.h"

#include "mottle/core/text.h"

namespace mottle::output {

std::string statistics_header(const std::string& field) { return field + ".min," + field + ".max," + field + ".mean," + field + ".std"; }

std::string statistics_text(const backend::Statistics& statistics) {
    std::string text = core::number_text(statistics.min);
    for (const double number : {statistics.max, statistics.mean, statistics.std}) text += "," + core::number_text(number);
    return text;
}

void Table::write(core::Moment at, field::Field& field) {
    const std::vector<std::string> names = field.names();
    if (!file_) {
        file_ = std::make_unique<core::AtomicFile>(name_.at(1));
        std::string header = "step,time";
        for (const std::string& name : names) header += "," + statistics_header(name);
        add(header);
    }
    std::string line = std::to_string(at.step) + "," + core::number_text(at.time);
    for (const std::string& name : names) line += "," + statistics_text(field.statistics(field.find(name)));
    add(line);
}

void Table::add(const std::string& line) {
    const std::string text = line + "\n";
    file_->write(std::as_bytes(std::span(text)));
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
