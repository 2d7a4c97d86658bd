// mottle/output/table.h: .csv of a run: a line for each frame, with the statistics of every field
#pragma once
#include "mottle/core/files.h"
#include "mottle/output/file_name.h"
#include "mottle/output/sink.h"

#include <optional>

namespace mottle::output {

/// Columns: step, time, then least, greatest, mean and standard deviation of each field in model order ("u.min", "u.max", "u.mean", "u.std").
class Table : public Sink {
   public:
    /// Throws: InputError if the lines that are to be kept are not there, or are of other fields.
    Table(const FileName& name, const SinkSpec& spec, const field::Field& field);
    void write(core::Moment at, field::Field& field) override;
    void publish() override;
    void finish() override;
    std::vector<std::filesystem::path> files() const override;

   private:
    void add(const std::string& line);

    FileName name_;
    std::string header_;
    std::optional<core::AtomicFile> file_;  ///< from the first line on
    bool changed_ = false, finished_ = false;
    bool is_full_ = false;  ///< the disk, with which the table ends
};

/// "u.min,u.max,u.mean,u.std", and the numbers under it.
std::string statistics_header(const std::string& field);
std::string statistics_text(const backend::Statistics& statistics);

}  // namespace mottle::output
