// mottle/output/file_name.h: what an output's name asks for: kind of file, and one file or a numbered one per frame
#pragma once
#include "mottle/core/context.h"

#include <filesystem>
#include <string>

namespace mottle::output {

class FileName {
   public:
    enum class Kind { mp4, gif, png, npy, csv, ply, vtp, vtu, pvd, glb, vti };

    /// Throws: InputError (unknown or missing extension, a % that is not one pattern like %05d, a pattern in the name of a video or of an index).
    explicit FileName(const std::filesystem::path& path);

    Kind kind() const { return kind_; }
    bool video() const { return kind_ == Kind::mp4 || kind_ == Kind::gif; }
    /// An index of the files of all frames.
    bool series() const { return kind_ == Kind::pvd; }
    /// Files that hold the geometry with its fields.
    bool data() const { return kind_ >= Kind::ply; }
    bool numbered() const { return digits_ > 0; }
    /// The full path of frame `number`, or of the one file.
    std::filesystem::path at(core::Index number) const;

   private:
    Kind kind_ = Kind::mp4;
    std::filesystem::path folder_;
    std::string before_, after_;  ///< of the name, around the number
    int digits_ = 0;              ///< 0: no number
    bool zeros_ = false;
};

}  // namespace mottle::output
