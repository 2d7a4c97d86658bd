// mottle/live/server/project.h: what a live run is a run of: the text of a model, a preset and all settings made since
#pragma once
#include "mottle/live/live.h"
#include "mottle/live/server/messages.h"
#include "mottle/run/settings/spec.h"

#include <filesystem>
#include <set>
#include <string>

namespace mottle::live {

/// The name, in errors, of a text that a page opens.
inline constexpr std::string_view kPageFile = "<page>";

/// A value: each change makes another one, which replaces the present one when its run has begun.
class Project {
   public:
    /// What the command line named. `folder`: private to this program, for pictures that a page drops.
    Project(const Options& options, std::filesystem::path folder);

    /// Throws: ModelError, InputError; InputError for a file that the command line did not name.
    run::Spec spec() const;
    /// The same, where `before` is the spec of the project `of`: a surface that has stayed the same is not read and prepared again.
    run::Spec spec(const Project& of, const run::Spec& before) const;
    /// The run as a file: every setting written out, `dt` and `steps` as they are given here.
    std::string model_text(run::Spec spec, double dt, Index steps) const;
    /// A sweep over `map` of this model, all members drawn into `file`.
    core::Node flags_of_map(const MakeMap& map) const;

    /// The same with another text. Parameters whose value in the text has changed take that value. Throws: InputError (no TOML).
    Project with_text(const std::string& text) const;
    /// Another model from its start. Throws: InputError (no such model, no TOML).
    Project with_model(const OpenModel& open) const;
    Project with_preset(const std::string& preset) const;
    /// Throws: InputError (a key that a page may not change).
    Project with_settings(const ChangeSettings& settings) const;
    Project with_parameter(const std::string& name, double value) const;
    Project with_seed(std::uint64_t seed) const;
    Project with_dt(double dt) const;
    /// `range`: what black and white mean. Throws: InputError.
    Project with_image(const DropImage& image, const std::filesystem::path& file, std::array<double, 2> range) const;

    /// Keeps the method that was chosen for `spec`, for which a dt that somebody types later is meant.
    void remember_method(const run::Spec& spec);

    const std::string& text() const { return text_; }
    const std::string& name() const { return name_; }
    const std::string& preset() const { return preset_; }
    const core::Node& document() const { return document_; }
    const core::Node& flags() const { return flags_; }
    /// The name of the text in errors.
    const std::string& file_name() const { return file_name_; }
    const std::filesystem::path& folder() const { return folder_; }
    /// Those that a page dropped and that the text or a setting names.
    std::set<std::filesystem::path> dropped_pictures() const;

   private:
    /// Throws: InputError for a mesh, a model or a picture that is neither built in nor named by the command line.
    void require_allowed_tables() const;
    void require_allowed_pictures(const run::Spec& spec) const;
    void require_allowed_picture(const std::string& picture, const core::Span& span) const;
    /// Leaves the method of a surface open where nobody says one.
    void choose_method(run::Spec& spec) const;

    core::Node document_, flags_;
    std::string text_, name_, preset_, file_name_;
    std::string chosen_method_;  ///< with steps of at most `chosen_dt_`; "" where none was chosen
    double chosen_dt_ = 0;
    std::filesystem::path folder_;
    std::set<std::string> meshes_, models_, pictures_;  ///< files that the command line named, as the text names them
};

/// Whether two runs have the same cells, so that fields may be kept.
bool same_cells(const run::Spec& a, const run::Spec& b);

}  // namespace mottle::live
