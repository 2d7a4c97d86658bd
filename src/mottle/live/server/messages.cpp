// mottle/live/server/messages.cpp: JSON -> a request; everything that comes from outside is checked here
#include "mottle/live/server/messages.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace mottle::live {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostPoints = 4096, kMostName = 256, kMostText = std::size_t{1} << 20;
constexpr double kMostWhole = 0x1p53;
constexpr int kMostDepth = 16;
constexpr std::size_t kMostValues = 65536;  // a stroke of the most points has some 16,000

[[noreturn]] void refuse(const std::string& message) { throw core::InputError(message); }

double number(const Json& value, const std::string& what) {
    if (!value.is_number()) refuse("'" + what + "' is a number");
    const double found = value.get<double>();
    if (!std::isfinite(found)) refuse("'" + what + "' must be a finite number");
    return found;
}

double number_in(const Json& value, const std::string& what, double lowest, double highest) {
    const double found = number(value, what);
    if (!(found >= lowest && found <= highest))
        refuse("'" + what + "' must be a number from " + core::number_text(lowest) + " to " + core::number_text(highest));
    return found;
}

Index whole(const Json& value, const std::string& what, double lowest, double highest = kMostWhole) {
    const double found = number_in(value, what, lowest, highest);
    if (found != std::floor(found)) refuse("'" + what + "' must be a whole number");
    return static_cast<Index>(found);
}

std::string text(const Json& value, const std::string& what, std::size_t most = kMostName) {
    if (!value.is_string()) refuse("'" + what + "' is text");
    std::string found = value.get<std::string>();
    if (found.size() > most) refuse("'" + what + "' is longer than " + core::grouped(static_cast<long long>(most)) + " bytes");
    return found;
}

bool truth(const Json& value, const std::string& what) {
    if (!value.is_boolean()) refuse("'" + what + "' must be true or false");
    return value.get<bool>();
}

/// The member of a message, which must be there.
const Json& member(const Json& message, const char* key) {
    const auto found = message.find(key);
    if (found == message.end()) refuse(std::string("'") + key + "' is missing");
    return *found;
}

/// Calls take(value, key) where the message has the key and it is not null.
template <class Take>
void if_there(const Json& message, const char* key, const Take& take) {
    const auto found = message.find(key);
    if (found != message.end() && !found->is_null()) take(*found, std::string(key));
}

std::string optional_text(const Json& message, const char* key, std::size_t most = kMostName) {
    std::string found;
    if_there(message, key, [&](const Json& value, const std::string& what) { found = text(value, what, most); });
    return found;
}

template <std::size_t Count>
std::array<double, Count> numbers(const Json& value, const std::string& what) {
    if (!value.is_array() || value.size() != Count) refuse("'" + what + "' must be a list of " + std::to_string(Count) + " numbers");
    std::array<double, Count> found{};
    for (std::size_t i = 0; i < Count; ++i) found[i] = number(value[i], what);
    return found;
}

Place place(const Json& value, const std::string& what) {
    if (!value.is_array() || value.size() < 2 || value.size() > 3) refuse("'" + what + "' must be a list of two or three numbers");
    Place found{};
    for (std::size_t i = 0; i < value.size(); ++i) found[i] = number(value[i], what);
    return found;
}

Request read_view(const Json& message) {
    ChangeView view;
    if_there(message, "field", [&](const Json& value, const std::string& what) { view.field = text(value, what); });
    if (const auto region = message.find("region"); region != message.end()) {
        view.whole = region->is_null();
        if (!view.whole) view.region = numbers<4>(*region, "region");
    }
    if_there(message, "pixels", [&](const Json& value, const std::string& what) {
        const auto size = numbers<2>(value, what);
        view.pixels.emplace();
        for (std::size_t k = 0; k < 2; ++k) (*view.pixels)[k] = static_cast<int>(std::clamp(std::floor(size[k]), 1.0, 16384.0));
    });
    if_there(message, "axis", [&](const Json& value, const std::string& what) {
        const std::string name = text(value, what);
        const std::size_t axis = std::string("xyz").find(name);
        if (name.size() != 1 || axis == std::string::npos) refuse("'axis' must be \"x\", \"y\" or \"z\"");
        view.axis = static_cast<int>(axis);
    });
    if_there(message, "slice", [&](const Json& value, const std::string& what) { view.slice = whole(value, what, 0); });
    if_there(message, "bits", [&](const Json& value, const std::string& what) {
        const Index bits = whole(value, what, 8, 16);
        if (bits != 8 && bits != 16) refuse("'bits' must be 8 or 16");
        view.bytes = static_cast<int>(bits / 8);
    });
    return view;
}

Request read_pace(const Json& message) {
    const Json& pace = member(message, "pace");
    if (pace == "auto") return Pace{};
    if (pace == "most") return Pace{Pace::Kind::most, 0};
    if (!pace.is_number()) refuse("'pace' must be \"auto\", \"most\" or steps per second");
    return Pace{Pace::Kind::fixed, number_in(pace, "pace", 1e-3, 1e12)};
}

Request read_restart(const Json& message) {
    Restart restart;
    if_there(message, "seed", [&](const Json& value, const std::string& what) {
        restart.new_seed = value == "new";
        if (!restart.new_seed) restart.seed = static_cast<std::uint64_t>(whole(value, what, 0));
    });
    return restart;
}

Request read_stroke(const Json& message) {
    Stroke stroke{
        .number = static_cast<std::uint32_t>(whole(member(message, "stroke"), "stroke", 0, std::numeric_limits<std::uint32_t>::max())),
        .field = text(member(message, "field"), "field"),
        .value = number(member(message, "value"), "value"),
        .radius = number_in(member(message, "radius"), "radius", 0, 1e9),
        .points = {}};
    if_there(message, "mode", [&](const Json& value, const std::string&) {
        if (value != "set" && value != "add") refuse("'mode' must be \"set\" or \"add\"");
        stroke.adds = value == "add";
    });
    if_there(message, "soft", [&](const Json& value, const std::string& what) { stroke.soft = number_in(value, what, 0, 1); });
    const Json& points = member(message, "points");
    if (!points.is_array() || points.empty() || points.size() > kMostPoints)
        refuse("'points' must be a list of 1 to " + std::to_string(kMostPoints) + " points");
    for (const Json& point : points) stroke.points.push_back(place(point, "points"));
    return stroke;
}

Request read_settings(const Json& message) {
    ChangeSettings settings;
    for (const auto& [key, value] : message.items()) {
        if (key == "do" || key == "id") continue;
        settings.keys.emplace_back(key, value.is_null() ? std::nullopt : std::optional(text(value, key)));
    }
    if (settings.keys.empty()) refuse("no setting is named");
    return settings;
}

int digit_of_base64(char c) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const std::size_t found = kDigits.find(c);
    return found == std::string_view::npos ? -1 : static_cast<int>(found);
}

std::string bytes_of_base64(std::string_view digits) {
    while (digits.ends_with('=')) digits.remove_suffix(1);
    std::string bytes;
    bytes.reserve(digits.size() * 3 / 4);
    unsigned word = 0;
    int bits = 0;
    for (const char c : digits) {
        const int digit = digit_of_base64(c);
        if (digit < 0) refuse("'data' is not base64");
        word = (word << 6 | static_cast<unsigned>(digit)) & 0xFFFFU;
        bits += 6;
        if (bits < 8) continue;
        bits -= 8;
        bytes += static_cast<char>(word >> bits & 0xFFU);
    }
    return bytes;
}

Request read_image(const Json& message) {
    const Json& data = member(message, "data");
    if (!data.is_string()) refuse("'data' must be the file in base64");
    DropImage image{.name = text(member(message, "name"), "name"),
                    .png = bytes_of_base64(data.get_ref<const std::string&>()),
                    .field = optional_text(message, "field"),
                    .parameter = optional_text(message, "parameter")};
    if (image.field.empty() == image.parameter.empty()) refuse("a picture needs a 'field' or a 'parameter' that it becomes");
    return image;
}

MapAxis read_axis(const Json& value, const std::string& what) {
    if (!value.is_object()) refuse("'" + what + "' must have a parameter, from, to and count");
    return {.parameter = text(member(value, "parameter"), "parameter"),
            .from = number(member(value, "from"), "from"),
            .to = number(member(value, "to"), "to"),
            .count = static_cast<int>(whole(member(value, "count"), "count", 1, 64))};
}

Request read_map(const Json& message) {
    MakeMap map;
    map.axes.push_back(read_axis(member(message, "x"), "x"));
    if_there(message, "y", [&](const Json& value, const std::string& what) { map.axes.push_back(read_axis(value, what)); });
    if_there(message, "cells",
             [&](const Json& value, const std::string& what) { map.cells = static_cast<int>(whole(value, what, 8, 512)); });
    if_there(message, "steps", [&](const Json& value, const std::string& what) { map.steps = whole(value, what, 1); });
    map.field = optional_text(message, "field");
    return map;
}

Look read_look(const Json& message) {
    Look look{.field = optional_text(message, "field"), .palette = optional_text(message, "palette"), .range = {}};
    if_there(message, "range", [&](const Json& value, const std::string& what) { look.range = numbers<2>(value, what); });
    return look;
}

Request read_save(const Json& message) {
    Save save{text(member(message, "what"), "what"), read_look(message)};
    if (std::find(kSavedKinds.begin(), kSavedKinds.end(), save.what) == kSavedKinds.end())
        refuse("'what' must be png, npy, state, model, model+state, vtu, ply or glb");
    return save;
}

Request read_record(const Json& message) {
    Record record{.on = truth(member(message, "on"), "on"), .look = read_look(message)};
    if_there(message, "fps", [&](const Json& value, const std::string& what) { record.fps = number_in(value, what, 1, 120); });
    return record;
}

Request read_probe(const Json& message) {
    SetProbe probe{.probe = static_cast<int>(whole(member(message, "probe"), "probe", 0, 1e6)), .at = {}};
    if_there(message, "at", [&](const Json& value, const std::string& what) { probe.at = place(value, what); });
    return probe;
}

struct Verb {
    std::string_view name;
    Request (*read)(const Json& message);
};

const std::array kVerbs = {
    Verb{"view", read_view},
    Verb{"ack",
         [](const Json& m) -> Request {
             return Acknowledge{static_cast<std::uint32_t>(whole(member(m, "frame"), "frame", 0, 4294967295.0))};
         }},
    Verb{"visible", [](const Json& m) -> Request { return SetVisible{truth(member(m, "visible"), "visible")}; }},
    Verb{"play", [](const Json&) -> Request { return Play{true}; }},
    Verb{"pause", [](const Json&) -> Request { return Play{false}; }},
    Verb{"step", [](const Json& m) -> Request { return MakeSteps{whole(member(m, "steps"), "steps", 1, 1e9)}; }},
    Verb{"pace", read_pace},
    Verb{"restart", read_restart},
    Verb{"set",
         [](const Json& m) -> Request {
             return SetParameter{text(member(m, "parameter"), "parameter"), number(member(m, "value"), "value")};
         }},
    Verb{"stroke", read_stroke},
    Verb{"undo", [](const Json&) -> Request { return Undo{false}; }},
    Verb{"redo", [](const Json&) -> Request { return Undo{true}; }},
    Verb{"probe", read_probe},
    Verb{"model",
         [](const Json& m) -> Request {
             ChangeModel change{text(member(m, "text"), "text", kMostText), false};
             if_there(m, "restart", [&](const Json& value, const std::string& what) { change.restart = truth(value, what); });
             return change;
         }},
    Verb{"open",
         [](const Json& m) -> Request {
             OpenModel open{optional_text(m, "model"), optional_text(m, "text", kMostText), optional_text(m, "preset")};
             if (open.model.empty() == open.text.empty()) refuse("'open' takes the name of a model, or its text");
             return open;
         }},
    Verb{"preset", [](const Json& m) -> Request { return TakePreset{text(member(m, "preset"), "preset")}; }},
    Verb{"settings", read_settings},
    Verb{"go_back", [](const Json&) -> Request { return GoBack{}; }},
    Verb{"image", read_image},
    Verb{"map", read_map},
    Verb{"map_stop", [](const Json&) -> Request { return StopMap{}; }},
    Verb{"record", read_record},
    Verb{"save", read_save},
};

/// The document of a message, discarded where it is not JSON. One that is all brackets takes some fifty times the memory of its text, so depth and values
/// are counted while it is read. Throws: InputError.
Json parsed_of(std::string_view json) {
    if (json.size() > kMostMessageBytes) refuse("a message may have at most 32 MiB");
    std::size_t values = 0;
    const auto count = [&](int depth, Json::parse_event_t event, const Json&) {
        if (depth >= kMostDepth && (event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start))
            refuse("a message may nest at most " + std::to_string(kMostDepth) + " levels");
        const bool end = event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end;
        if (!end && ++values > kMostValues)
            refuse("a message may have at most " + core::grouped(static_cast<long long>(kMostValues)) + " names and values");
        return true;
    };
    return Json::parse(json, count, false);
}

}  // namespace

Message parse_message(std::string_view json) {
    const Json parsed = parsed_of(json);
    if (parsed.is_discarded()) refuse("a message must be valid JSON, with numbers of at most 1.8e308");
    if (!parsed.is_object()) refuse("a message must be a JSON object");
    Message message;
    message.verb = text(member(parsed, "do"), "do");
    if_there(parsed, "id", [&](const Json& value, const std::string& what) { message.id = number(value, what); });
    const auto verb = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& known) { return known.name == message.verb; });
    if (verb == kVerbs.end()) {
        std::vector<std::string> known;
        for (const Verb& each : kVerbs) known.emplace_back(each.name);
        refuse("unknown message '" + message.verb + "'" + core::did_you_mean(message.verb, known));
    }
    message.request = verb->read(parsed);
    return message;
}

Heading heading_of(std::string_view json) {
    Heading heading;
    Json parsed;
    try {
        parsed = parsed_of(json);
    } catch (const core::InputError&) {
        return heading;
    }
    if (!parsed.is_object()) return heading;
    const auto verb = parsed.find("do"), id = parsed.find("id");
    if (verb != parsed.end() && verb->is_string() && verb->get_ref<const std::string&>().size() <= kMostName)
        heading.verb = verb->get<std::string>();
    if (id != parsed.end() && id->is_number()) heading.id = id->get<double>();
    return heading;
}

}  // namespace mottle::live
