// mottle/output/file_name.h: the name of an output: its kind of file, and whether it is one file or a numbered one per frame
#pragma once
#include "mottle/output/format.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace mottle::output {

class FileName {
   public:
    /// Throws: InputError (unknown or missing extension, a % that is not one pattern like %05d, a pattern in the name of a video or of an index).
    explicit FileName(const std::filesystem::path& path);

    const Format& format() const { return *format_; }
    bool holds(Contents contents) const { return format_->contents == contents; }
    bool video() const { return holds(Contents::video) || holds(Contents::animation); }
    /// Files that hold the geometry with its fields, or an index of them.
    bool data() const { return holds(Contents::geometry) || holds(Contents::index); }
    bool numbered() const { return digits_ > 0; }
    /// Of the name, around the number.
    const std::string& before() const { return before_; }
    const std::string& after() const { return after_; }
    /// The full path of frame `number`, or of the one file.
    std::filesystem::path at(core::Index number) const;
    /// Whether a file of this output may be called `name`, which holds no folder; of an index also the files that it names.
    bool may_be_called(std::string_view name) const;

   private:
    const Format* format_;
    std::filesystem::path folder_;
    std::string before_, after_;
    int digits_ = 0;  ///< 0: no number
    bool zeros_ = false;
};

}  // namespace mottle::output
