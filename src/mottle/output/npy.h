// mottle/output/npy.h: NumPy's .npy files: the last state, or a numbered file per frame
#pragma once
#include "mottle/core/files.h"
#include "mottle/output/file_name.h"
#include "mottle/output/sink.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace mottle::output {

/// The magic, version 1.0 and header of an array in C order; `descr` is "<f4" or "<f8". A multiple of 64 bytes long.
std::string npy_header(const std::string& descr, const std::vector<core::Index>& shape);

/// Of one array of a state.
std::uint64_t bytes_of_array(const backend::Kernel& kernel);

/// The shape of an array of States, and the values of all fields as it holds them; `values` takes its size and is kept where it has it.
std::vector<core::Index> state_shape(const field::Field& field);
void read_state(const field::Field& field, std::vector<std::byte>& values);

/// One array per file: (fields in model order, [z,] y, x), of a mesh (fields, vertices in the numbering of its file), in the precision of the run. NaN is written as 7fc00000 (7ff8000000000000).
class States : public Sink {
   public:
    States(const FileName& name, core::Index frames_before, const field::Field& field);
    void write(core::Moment at, field::Field& field) override;
    void finish() override;
    std::vector<std::filesystem::path> files() const override;
    double seconds() const override { return seconds_; }
    double waited() const override { return seconds_; }

   private:
    void commit();

    FileName name_;
    std::string header_;
    std::unique_ptr<core::AtomicFile> file_;  ///< the last state, since the field goes on changing; not yet under its name
    core::Index before_, taken_ = 0, saved_ = 0;
    bool finished_ = false;
    double seconds_ = 0;
};

}  // namespace mottle::output
