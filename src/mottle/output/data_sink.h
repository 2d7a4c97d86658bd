// mottle/output/data_sink.h: files of a state that other programs read: the last state, a numbered file per frame, or a series with its index
#pragma once
#include "mottle/output/file_name.h"
#include "mottle/output/sink.h"

#include <functional>

namespace mottle::output {

class DataSink : public Sink {
   public:
    /// The bytes of a state's file.
    using Encode = std::function<std::string(core::Moment at, field::Field& field)>;

    /// `part` is the extension of the files of a series.
    /// Throws: InputError if the index that is to be gone on with is not there, or has fewer entries.
    DataSink(const FileName& name, std::string part, const SinkSpec& spec, Encode encode);
    void write(core::Moment at, field::Field& field) override;
    void publish() override;
    void finish() override;
    std::vector<std::filesystem::path> files() const override;
    double seconds() const override { return seconds_; }
    double waited() const override { return seconds_; }

   private:
    bool is_series() const { return name_.holds(Contents::index); }
    std::filesystem::path part_of_series(core::Index number) const;
    void save(const std::filesystem::path& path, const std::string& bytes);

    FileName name_;
    std::string part_;
    Encode encode_;
    std::string last_;    ///< the file of the last state
    std::string series_;  ///< lines of the index
    core::Index before_, taken_ = 0;
    bool saved_ = false, finished_ = false;
    double seconds_ = 0;
};

}  // namespace mottle::output
