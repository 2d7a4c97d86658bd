// mottle/output/data_sink.h: files of a state that other programs read: the last state, a numbered file per frame, or a series with its index
#pragma once
#include "mottle/core/files.h"
#include "mottle/output/file_name.h"
#include "mottle/output/sink.h"

#include <functional>
#include <memory>

namespace mottle::output {

class DataSink : public Sink {
   public:
    /// Writes a state's file.
    using Encode = std::function<void(core::Moment at, field::Field& field, core::AtomicFile& file)>;

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
    void commit(core::AtomicFile& file, core::Survives survives = core::Survives::kills);
    void save_index(core::Survives survives);

    FileName name_;
    std::string part_;
    Encode encode_;
    std::unique_ptr<core::AtomicFile> last_;  ///< of the last state, since the field goes on changing; not yet under its name
    std::string series_;                      ///< lines of the index
    core::Index before_, taken_ = 0;
    core::Index published_ = 0;  ///< of those taken
    bool saved_ = false, finished_ = false;
    double seconds_ = 0;
};

}  // namespace mottle::output
