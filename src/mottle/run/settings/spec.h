// mottle/run/settings/spec.h: everything a run needs; read_spec makes it of a file, a preset and flags
#pragma once
#include "mottle/backend/schedule.h"
#include "mottle/core/document.h"
#include "mottle/domain/domain.h"
#include "mottle/domain/repair/triangle_soup.h"
#include "mottle/field/field.h"
#include "mottle/ir/lower/system.h"
#include "mottle/model/model.h"
#include "mottle/output/sink.h"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mottle::run {

using core::Index;

inline constexpr Index kDefaultSteps = 10000;
inline constexpr Index kDefaultFrames = 300;
inline constexpr double kHandOver =
    1e-4;  ///< the tolerance at which a run to a steady state is left to Newton's method, unless one is given
inline constexpr Index kMostSteps = Index{1} << 53;  ///< the time of a step is a double

/// As the name of a method: one is chosen.
inline constexpr const char* kAutomaticMethod = "auto";

/// When frames are drawn: by `at` if it is set, else by `every`, else by `frames`.
struct FrameTimes {
    Index frames = kDefaultFrames;  ///< frame i of n over S steps is drawn at step floor(i*S/n)
    bool exact = true;              ///< more frames than steps are an error; else as many as there are steps
    Index every = 0;                ///< steps k, 2k, ... and S
    bool last_only = false;         ///< the file holds one picture or state: that of the end
    core::Text at;                  ///< expression of n: the step of frame n = 1..frames, rounded
};

/// One file (or one series of files), or a sink of the caller's own, and when it gets its frames.
struct Output {
    output::SinkSpec sink;
    FrameTimes times;
    output::SinkMaker make = nullptr;  ///< of a sink of one's own; else `sink.file` says what is written
};

struct Spec {
    model::Model model;
    std::string preset;  ///< "" if none
    domain::Domain domain;
    std::string region;  ///< the part of the mesh, an expression; "" for all of it
    std::string mesh;    ///< the shape or the full path of the file that the domain was made of; "" on a grid
    ir::Method method;
    bool method_given = false;                                    ///< else a run with weakly damped waves takes rk4
    bool method_chosen = false;                                   ///< rk4 was chosen for this reason
    bool method_asked = false;                                    ///< --method auto: chosen even where a preset says a dt
    bool method_open = false;                                     ///< to be chosen, with dt, before the run begins (method_choice.h)
    std::string method_choice;                                    ///< what was chosen, and why; "" where Euler's method stays
    double longest_dt = std::numeric_limits<double>::infinity();  ///< of an automatic dt: what follows the rates of the start
    int stages = 0;                                               ///< of a step, as given: of methods with any number of them; 0: chosen
    std::optional<double> dt;                                     ///< none: 0.9 of the explicit bound
    bool dt_is_advice =
        false;  ///< dt comes from a preset or model made for planes: on a mesh or in a volume a shorter stable dt replaces it; or it was written for a method with fixed stages, and
                ///< this one takes any number
    bool steps_are_advice = false;  ///< so do the steps: on a mesh their number is adapted to reach the same time
    Index steps = kDefaultSteps;
    std::optional<double> end_time;  ///< set: steps = round(end_time / dt)
    std::optional<double> steady;    ///< --until steady=tol
    bool newton = false;             ///< at rest by `steady`, or at the last step, Newton's method goes on
    std::optional<double>
        tolerance;  ///< of the error at the end, by the standard deviation: steps are as long as it allows, and dt, if there is one, only counts time
    std::vector<Output> outputs;
    Output picture;  ///< without a file: the settings of the preset and the flags for any output
    std::string device = "auto";
    std::vector<std::string> devices;  ///< several that share the run, of which `device` is the first; or none
    int threads = 0;                   ///< 0: all cores
    double share_of_machine =
        1;  ///< the part of the cells that this machine holds: less than 1 where ranks run on several, 0 where none are held
    core::Text schedule_text;       ///< as it was written; "": left to the book and to the cost model
    backend::Schedule schedule;     ///< what the text says for this device and domain
    bool use_book = true;           ///< where no schedule is given: one that `mottle tune` found, if there is one
    domain::Refinement refinement;  ///< of the mesh
    bool lengths_of_file = false;   ///< the equations use the lengths of the mesh file, because nothing sets a scale
    field::InitialSpec initial;
    std::filesystem::path checkpoint;  ///< where the state is kept; "": nowhere
    double checkpoint_every = 60;      ///< wall seconds between two states
    std::filesystem::path resume;      ///< the state to go on from; "": the initial one
    bool force = false;                ///< run even where memory looks too small
    std::vector<std::string> notices;  ///< notices about the settings
};

/// What a program that uses the library hands over in memory.
struct Given {
    std::map<std::string, std::shared_ptr<const std::vector<double>>> arrays = {};  ///< as field::InitialSpec
    std::shared_ptr<const domain::TriangleSoup> mesh = nullptr;                     ///< what the key mesh = "given" stands for
    int ranks = 1;                                                                  ///< that share the run
    double share_of_machine = 1;                                                    ///< as Spec has it
    output::LooksAtFolder looks_at_folders = output::LooksAtFolder::yes;            ///< of outputs
    bool refines = false;  ///< a file of a mesh too coarse for the usual number of wavelengths is refined, where nobody says how often
};
inline constexpr const char* kGivenMesh = "given";

}  // namespace mottle::run
