// mottle/output/surface_sink.h: files of a surface with its fields: the last state, a numbered file per frame, or a series with its index
#pragma once
#include "mottle/output/file_name.h"
#include "mottle/output/sink.h"

namespace mottle::output {

class SurfaceSink : public Sink {
   public:
    /// `field` lives on a mesh.
    SurfaceSink(const FileName& name, const SinkSpec& spec, const field::Field& field);
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
    frame::Painter painter_;
    std::string last_;  ///< the file of the last state
    std::vector<std::pair<double, std::string>> series_;
    core::Index taken_ = 0;
    bool saved_ = false, finished_ = false;
    double seconds_ = 0;
};

}  // namespace mottle::output
