// mottle/live/server/messages.h: what a page asks for, parsed from JSON; docs/live-protocol.md has each message
#pragma once
#include "mottle/core/context.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace mottle::live {

using core::Index;

inline constexpr std::size_t kMostMessageBytes = std::size_t{32} << 20;

/// A point in cells of a grid, or in the lengths of a surface's file.
using Place = std::array<double, 3>;

/// Parts of a view that change; the others stay.
struct ChangeView {
    std::optional<std::string> field;
    bool whole = false;                           ///< all of the plane from now on
    std::optional<std::array<double, 4>> region;  ///< x0, y0, x1, y1 in cells
    std::optional<std::array<int, 2>> pixels;
    std::optional<int> axis;
    std::optional<Index> slice;
    std::optional<int> bytes;  ///< of a value: 1 or 2
};
struct Acknowledge {
    std::uint32_t frame = 0;
};
struct SetVisible {
    bool visible = true;
};
struct Play {
    bool playing = true;
};
struct MakeSteps {
    Index steps = 1;
};
/// Steps per second; `automatic`: the steps of the model within some seconds; `most`: as many as possible.
struct Pace {
    enum class Kind { automatic, most, fixed } kind = Kind::automatic;
    double steps_per_second = 0;
    bool operator==(const Pace&) const = default;
};
struct Restart {
    std::optional<std::uint64_t> seed;
    bool new_seed = false;
};
struct SetParameter {
    std::string name;
    double value = 0;
};
struct Stroke {
    std::uint32_t number = 0;
    std::string field;
    double value = 0;
    bool adds = false;  ///< else cells move towards `value`
    double radius = 0;
    double soft = 0;  ///< the share of the radius over which the stroke fades
    std::vector<Place> points;
};
struct Undo {
    bool forward = false;  ///< redo
};
struct SetProbe {
    int probe = 0;
    std::optional<Place> at;  ///< nothing: the probe ends
};
struct ChangeModel {
    std::string text;
    bool restart = false;
};
struct OpenModel {
    std::string model, text, preset;  ///< a built-in model, or else a text
};
struct TakePreset {
    std::string preset;
};
struct ChangeSettings {
    std::vector<std::pair<std::string, std::optional<std::string>>> keys;  ///< nothing: what the model says
};
struct GoBack {};
struct DropImage {
    std::string name, png;         ///< `png`: the bytes of the file
    std::string field, parameter;  ///< one of them
};
struct MapAxis {
    std::string parameter;
    double from = 0, to = 0;
    int count = 2;
};
struct MakeMap {
    std::vector<MapAxis> axes;  ///< one or two: across, and upwards
    int cells = 96;
    Index steps = 0;  ///< 0: those of the model
    std::string field;
};
struct StopMap {};
/// How a picture is coloured; what is missing is that of the model.
struct Look {
    std::string field, palette;
    std::optional<std::array<double, 2>> range;
};
struct Record {
    bool on = true;
    double fps = 30;
    Look look;
};
struct Save {
    std::string what;
    Look look;
};

using Request = std::variant<ChangeView, Acknowledge, SetVisible, Play, MakeSteps, Pace, Restart, SetParameter, Stroke, Undo, SetProbe,
                             ChangeModel, OpenModel, TakePreset, ChangeSettings, GoBack, DropImage, MakeMap, StopMap, Record, Save>;

struct Message {
    std::string verb;          ///< the value of `do`
    std::optional<double> id;  ///< comes back as `about`
    Request request;
};

/// Throws: InputError that says what is wrong with it.
Message parse_message(std::string_view json);

/// What a message that parse_message refuses is called, as far as it can be read.
struct Heading {
    std::string verb;
    std::optional<double> id;
};
Heading heading_of(std::string_view json);

/// The values of the words that name a kind of file to save.
inline constexpr std::array<std::string_view, 8> kSavedKinds = {"png", "npy", "state", "model", "model+state", "vtu", "ply", "glb"};

}  // namespace mottle::live
