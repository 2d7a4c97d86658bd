// mottle/run/settings/mesh_settings.h: [mesh] tables and --mesh, --across, --scale, --region, --delaunay -> a mesh
#pragma once
#include "mottle/run/settings/spec.h"

#include <filesystem>

namespace mottle::run {

/// The mesh settings of all sources.
class MeshSettings {
   public:
    /// Applies the tables of one layer, the winning one last. `own`: typed by the user, not a preset's or a library model's. `folder`: for relative files.
    /// Throws: InputError with place: unknown key, a grid and a mesh in one layer.
    void apply(const core::Node& tables, bool own, bool preset, const std::filesystem::path& folder);

    bool names_mesh() const { return source_.has_value(); }

    struct Made {
        domain::Mesh mesh;
        std::string source, region;     ///< Spec::mesh, Spec::region
        domain::Refinement refinement;  ///< that has been done
        bool lengths_of_file = false;   ///< nothing sets a scale
        std::vector<std::string> notices;
    };
    /// Reads or makes the surface, decides the scale and forms the operators, for the model, threads, precision and force of `spec`.
    /// `given`: what the name kGivenMesh stands for, and whether a coarse file is refined where no source says how often.
    /// Throws: InputError.
    Made make(const Spec& spec, const Given& given = {}) const;

   private:
    /// Reads or makes the surface, refined as often as was asked for or as its pattern needs.
    std::shared_ptr<const domain::Surface> load(const Spec& spec, const Given& given, Made& made, core::ThreadTeam& team) const;
    std::shared_ptr<const domain::Surface> restricted(const std::shared_ptr<const domain::Surface>& surface, double scale, const Spec& spec,
                                                      core::ThreadTeam& team) const;
    double scale_of(const domain::Surface& surface, const Spec& spec, Made& made) const;
    /// The wavelengths along the longest side that are wanted, whether or not the mesh draws them smoothly.
    double wanted_across(const domain::Surface& surface) const;
    /// How often a file without a setting of its own is refined to hold most of the wavelengths that are wanted.
    int refinements_for_pattern(const domain::Surface& surface, const Spec& spec) const;
    /// How often to refine the mesh for `wanted` wavelengths, of which `smooth` are drawn smoothly by one that has been refined `times` times.
    static std::string advice_on_refining(double wanted, double smooth, int times);
    static double scale_of_cells(const domain::Surface& surface, const Spec& spec, Made& made);

    std::optional<core::Text> source_, region_;
    std::filesystem::path folder_;
    std::optional<double> across_, scale_;
    core::Span across_span_;
    bool across_own_ = false;
    bool delaunay_ = false;
    domain::Refinement refinement_;
    bool refinement_given_ = false;
    bool made_for_cells_ = false;  ///< a preset gives the size of a grid
};

}  // namespace mottle::run
