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
    DataSink(const FileName& name, std::string part, core::Index frames_before, Encode encode)
        : name_(name), part_(std::move(part)), encode_(std::move(encode)), before_(frames_before) {}
    void write(core::Moment at, field::Field& field) override;
    void finish() override;
    std::vector<std::filesystem::path> files() const override;
    double seconds() const override { return seconds_; }
    double waited() const override { return seconds_; }

   private:
    bool is_series() const { return name_.kind() == FileName::Kind::pvd; }
    std::filesystem::path part_of_series(core::Index number) const;
    void save(const std::filesystem::path& path, const std::string& bytes);

    FileName name_;
    std::string part_;
    Encode encode_;
    std::string last_;  ///< the file of the last state
    std::vector<std::pair<double, std::string>> series_;
    core::Index before_, taken_ = 0;
    bool saved_ = false, finished_ = false;
    double seconds_ = 0;
};

/// A file of a surface by its extension; colours are those of `spec`'s style. `field` lives on a mesh.
std::unique_ptr<Sink> make_surface_sink(const FileName& name, const SinkSpec& spec, const field::Field& field);
/// VTK's image data: a value of every field per cell, of a grid of any dimension.
std::unique_ptr<Sink> make_grid_sink(const FileName& name, const SinkSpec& spec);

}  // namespace mottle::output
