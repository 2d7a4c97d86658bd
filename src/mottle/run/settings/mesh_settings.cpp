// mottle/run/settings/mesh_settings.cpp: which mesh a run is on, and how long its lengths are in the equations
#include "mottle/run/settings/mesh_settings.h"

#include "mottle/core/error.h"
#include "mottle/core/system_memory.h"
#include "mottle/core/text.h"
#include "mottle/domain/mesh/create.h"
#include "mottle/domain/operators/operators.h"
#include "mottle/domain/mesh/quality.h"
#include "mottle/domain/mesh/region.h"
#include "mottle/domain/operators/spectrum.h"
#include "mottle/field/source.h"
#include "mottle/field/tensors.h"
#include "mottle/ir/lower/draw_numbers.h"
#include "mottle/ir/lower/expression.h"
#include "mottle/run/settings/memory.h"
#include "mottle/run/settings/settings.h"

#include <algorithm>
#include <cmath>

namespace mottle::run {

using core::Node;

namespace {

constexpr double kAcross = 12, kRound = 4;  // wavelengths over the longest side; over the other one, of a long thin surface
constexpr double kFewestEdges = 6;          // of the mesh in a wavelength
constexpr double kBytesPerVertex = 800;     // of geometry and rows while they are made
constexpr double kMostOfPattern = 2.0 / 3;  // of the wavelengths that are wanted: a mesh that holds so many is not refined unasked
constexpr double kMostUnasked = 65'536;     // vertices: so fine, a mesh is not made unless somebody says so

double positive(const Node& node, const char* what) {
    const double value = expect_real(node, what);
    if (value <= 0) throw core::InputError(std::string(what) + " must be above 0, it is " + core::number_text(value), node.span);
    return value;
}

double area_of(const domain::Surface& surface) {
    double area = 0;
    for (const domain::Triangle& face : surface.faces) {
        const domain::Point& p = surface.position[core::at(face[0])];
        domain::Point a, b;
        for (std::size_t d = 0; d < 3; ++d) {
            a[d] = surface.position[core::at(face[1])][d] - p[d];
            b[d] = surface.position[core::at(face[2])][d] - p[d];
        }
        const double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
        area += 0.5 * std::sqrt(x * x + y * y + z * z);
    }
    return area;
}

/// Wavelengths over the longest side where nobody says how many: a strip of that length and of the surface's area is the girth of a snake or of a tube
/// wide, and as many wavelengths as make scales rather than bands go over it.
double usual_across(double longest, double area) { return std::max(kAcross, kRound * longest * longest / area); }

/// What was wrong with a surface, and what was done about it; nothing where it was as it should be.
std::string text_of_repairs(const domain::MeshReport& report) {
    std::string mended;
    auto tell = [&](Index count, const char* one, const char* many) {
        if (count > 0) mended += (mended.empty() ? "" : ", ") + core::counted(count, one, many);
    };
    tell(report.welded, "copy of a vertex welded", "copies of vertices welded");
    tell(report.unreferenced, "vertex without a face", "vertices without a face");
    tell(report.zero_area_faces, "face without area left out", "faces without area left out");
    tell(report.repeated_index_faces, "face that repeats a vertex left out", "faces that repeat a vertex left out");
    tell(report.duplicate_faces, "copy of a face left out", "copies of faces left out");
    tell(report.outside_region, "face outside the region", "faces outside the region");
    tell(report.non_manifold_edges, "edge of more than two faces", "edges of more than two faces");
    tell(report.non_manifold_vertices, "vertex where surfaces touch", "vertices where surfaces touch");
    tell(report.inconsistent_edges, "edge where orientation changes", "edges where orientation changes");
    return mended;
}

}  // namespace

void MeshSettings::apply(const Node& tables, bool own, bool preset, const std::filesystem::path& folder) {
    const Node* grid = tables.find("grid");
    const Node* mesh = tables.find("mesh");
    if (mesh) core::check_keys(*mesh, {"file", "shape", "across", "scale", "region", "delaunay", "refine", "subdivision"}, "[mesh]");
    const Node* file = mesh ? mesh->find("file") : nullptr;
    const Node* shape = mesh ? mesh->find("shape") : nullptr;
    if (file && shape) throw core::InputError("[mesh]: file and shape are two meshes; give only one", shape->span);
    const Node* named = file ? file : shape;
    if (named && grid && !preset) throw core::InputError("a grid and a mesh are both given; give only one", named->span);
    if (grid && !preset) source_.reset();
    if (grid && preset && grid->find("size")) made_for_cells_ = true;
    if (named) {
        source_ = core::Text{core::expect_text(*named, file ? "mesh" : "shape"), named->span};
        folder_ = folder;
        if (shape && !domain::is_shape(source_->text)) domain::make_shape(*source_);  // says what shapes there are
    }
    const Node* across = mesh ? mesh->find("across") : nullptr;
    const Node* scale = mesh ? mesh->find("scale") : nullptr;
    if (across && scale) throw core::InputError("[mesh]: across and scale both set the scale of lengths; give only one", scale->span);
    if (across) {
        across_ = positive(*across, "across");
        across_span_ = across->span;
        across_own_ = own;
        scale_.reset();
    }
    if (const Node* region = mesh ? mesh->find("region") : nullptr)
        region_ = core::Text{core::expect_text(*region, "region"), region->span};
    if (const Node* delaunay = mesh ? mesh->find("delaunay") : nullptr) delaunay_ = core::expect_boolean(*delaunay, "delaunay");
    if (const Node* refine = mesh ? mesh->find("refine") : nullptr) {
        refinement_.times = static_cast<int>(expect_count(*refine, "refine", 0, domain::kMostRefinements));
        refinement_given_ = true;
    }
    if (const Node* subdivision = mesh ? mesh->find("subdivision") : nullptr) {
        const std::string& word = core::expect_text(*subdivision, "subdivision");
        if (word != "loop" && word != "midpoint")
            throw core::InputError("subdivision must be loop or midpoint, not '" + word + "'", subdivision->span);
        refinement_.subdivision = word == "loop" ? domain::Subdivision::loop : domain::Subdivision::midpoint;
    }
    if (scale) {
        scale_ = positive(*scale, "scale");
        across_.reset();
    }
}

/// A preset that was made for a grid and knows no wavelength has its lengths in cells: an edge of the mesh stands for one.
double MeshSettings::scale_of_cells(const domain::Surface& surface, const Spec& spec, Made& made) {
    const double scale = std::get<domain::Grid>(spec.domain).spacing[0] / domain::mean_edge(surface);
    made.notices.push_back("the mean edge of " + surface.name +
                           " corresponds to one cell of the preset's grid: lengths of the file are multiplied by " +
                           core::plain_text(scale) + "; --scale sets it");
    return scale;
}

double MeshSettings::wanted_across(const domain::Surface& surface) const {
    return across_.value_or(usual_across(domain::longest_side(domain::bounds(surface.position)), area_of(surface)));
}

int MeshSettings::refinements_for_pattern(const domain::Surface& surface, const Spec& spec) const {
    if (refinement_given_ || scale_ || !spec.model.wavelength) return 0;
    const double coarser = kMostOfPattern * wanted_across(surface) / domain::smooth_waves(surface);
    const double room = kMostUnasked / static_cast<double>(surface.position.size());
    int times = 0;  // each halves the edges and makes four times as many vertices
    while (times < domain::kMostRefinements && std::pow(2, times) < coarser && std::pow(4, times + 1) <= room) ++times;
    return times;
}

double MeshSettings::scale_of(const domain::Surface& surface, const Spec& spec, Made& made) const {
    if (scale_) return *scale_;
    if (!spec.model.wavelength) {
        if (across_ && across_own_) {
            throw core::InputError(
                "across is a number of wavelengths, and the model does not give its wavelength: set wavelength in the model, or use "
                "--scale",
                across_span_);
        }
        made.lengths_of_file = !made_for_cells_;
        return made_for_cells_ ? scale_of_cells(surface, spec, made) : 1;
    }
    const double longest = domain::longest_side(domain::bounds(surface.position)), edge = domain::mean_edge(surface),
                 area = area_of(surface);
    const double smooth = domain::smooth_waves(surface);
    const double wanted = wanted_across(surface);
    const double across = across_ && across_own_ ? wanted : std::min(wanted, smooth);
    const double finest = longest / edge / kFewestEdges;
    if (across_own_ && across > finest && !spec.force) {
        throw core::InputError("across = " + core::number_text(across) + " leaves " + core::plain_text(longest / edge / across) +
                                   " edges of the mesh in a wavelength, and a pattern needs " + core::number_text(kFewestEdges) +
                                   ": at most " + core::plain_text(finest) + " fit this mesh; " +
                                   advice_on_refining(wanted, smooth, made.refinement.times) + ", and --force runs it anyway",
                               across_span_);
    }
    const double scale = across * *spec.model.wavelength / longest;
    made.notices.push_back(
        core::plain_text(across) + " wavelengths of " + core::number_text(*spec.model.wavelength) + " across " + surface.name +
        (across > kAcross && !across_ ? ", " + core::plain_text(area / longest / longest * across) + " round it" : "") + ", " +
        core::plain_text(longest / edge / across) + " edges in each: lengths of the file are multiplied by " + core::plain_text(scale) +
        (wanted > smooth ? "; " + advice_on_refining(wanted, smooth, made.refinement.times) : ""));
    return scale;
}

std::string MeshSettings::advice_on_refining(double wanted, double smooth, int times) {
    const int more = std::max(1, static_cast<int>(std::ceil(std::log2(wanted / smooth))));
    return "--refine " + std::to_string(times + more) + " draws " + core::plain_text(wanted) + " smoothly, with " +
           core::number_text(std::pow(4, more)) + " times the vertices";
}

std::shared_ptr<const domain::Surface> MeshSettings::restricted(const std::shared_ptr<const domain::Surface>& surface, double scale,
                                                                const Spec& spec, core::ThreadTeam& team) const {
    const model::ExprPtr expression = model::parse_position(*region_, spec.model, "the region");
    if (ir::draws_numbers(*expression)) {
        throw core::ModelError("a region cannot be random: use coordinates, near(x, y, z, r), attr(\"name\") or image(\"file.png\")",
                               region_->span);
    }
    domain::Mesh whole;
    whole.surface = surface;
    whole.scale = scale;
    const domain::Domain domain = whole;
    std::vector<double> values(surface->position.size());
    field::create_row_expression(ir::lower_position(expression, spec.model, domain), domain, spec.initial)(0, 0, values);
    std::vector<bool> inside;
    inside.reserve(values.size());
    for (const double value : values) inside.push_back(value > 0);
    return std::make_shared<const domain::Surface>(domain::part_of(*surface, inside, team));
}

std::shared_ptr<const domain::Surface> MeshSettings::load(const Spec& spec, const Given& given, Made& made, core::ThreadTeam& team) const {
    const double room =
        spec.force ? static_cast<double>(domain::kMostVertices) : static_cast<double>(core::available_memory()) / kBytesPerVertex;
    const auto most = static_cast<Index>(std::min(room, static_cast<double>(domain::kMostVertices)));
    const bool in_memory = given.mesh && source_->text == kGivenMesh, is_shape = domain::is_shape(source_->text);
    made.refinement = refinement_;
    const auto read = [&] {
        return in_memory ? domain::surface_of(*given.mesh, team, most, made.refinement)
                         : domain::load_surface(*source_, folder_, team, most, made.refinement);
    };
    std::shared_ptr<const domain::Surface> surface = read();
    made.source = in_memory  ? kGivenMesh
                  : is_shape ? source_->text
                             : std::filesystem::absolute(folder_ / source_->text).lexically_normal().string();
    const int times = given.refines && !is_shape ? refinements_for_pattern(*surface, spec) : 0;
    if (times == 0) return surface;
    made.refinement.times = times;
    made.notices.push_back(surface->name + ": each triangle is cut into " + core::number_text(std::pow(4, times)) + " (--refine " +
                           std::to_string(times) + "), since its " + core::grouped(std::ssize(surface->position)) + " vertices draw only " +
                           core::plain_text(domain::smooth_waves(*surface)) + " wavelengths smoothly; --refine 0 leaves it as it is");
    return read();
}

MeshSettings::Made MeshSettings::make(const Spec& spec, const Given& given) const {
    Made made;
    core::ThreadTeam team(spec.threads > 0 ? spec.threads : core::available_cores());
    std::shared_ptr<const domain::Surface> surface = load(spec, given, made, team);
    const double scale = scale_of(*surface, spec, made);
    if (region_) {
        surface = restricted(surface, scale, spec, team);
        made.region = region_->text;
    }
    made.mesh = domain::create_mesh(surface, scale, team, delaunay_, spec.dt ? domain::Stiffness::gershgorin : domain::Stiffness::lanczos);
    if (delaunay_) {
        const Index left = domain::negative_weights(*made.mesh.operators);
        made.notices.push_back(surface->name + ": delaunay flipped " + core::grouped(made.mesh.operators->flips) +
                               " edges along the surface; " +
                               (left == 0 ? "no weight is negative" : core::grouped(left) + " weights are still negative by rounding"));
    }
    if (!spec.method.f64) domain::check_f32_range(made.mesh);
    field::add_tensors(made.mesh, spec.model, spec.initial, team);
    if (const std::string mended = text_of_repairs(surface->report); !mended.empty()) made.notices.push_back(surface->name + ": " + mended);
    return made;
}

}  // namespace mottle::run
