// mottle/run/settings/outputs.cpp: reads what is drawn, when and into which file
#include "mottle/run/settings/outputs.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/frame/canvas.h"
#include "mottle/output/file_name.h"
#include "mottle/run/settings/settings.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace mottle::run {

using core::Node;

namespace {

constexpr Index kMostFrames = 100'000'000;
constexpr Index kMostScale = 256;

using core::refuse;

/// Gives the errors of `work` the place in the document that they speak of.
template <class Work>
void at_place(const core::Span& span, Work&& work) {
    try {
        work();
    } catch (const core::InputError& error) {
        refuse(error.message(), span);
    }
}

/// What a picture looks like so far, and the range that a preset gives to its own field.
struct Look {
    output::SinkSpec sink;
    FrameTimes times;
    Source times_source = Source::defaults;
    std::string ranged_field;
    std::optional<std::array<double, 2>> preset_range;
};

void apply_times(Look& look, const Node& keys, Source source) {
    FrameTimes& times = look.times;
    const Node* frames = keys.find("frames");
    const Node* every = keys.find("every");
    const Node* at = keys.find("at");
    if (every && (frames || at))
        refuse("every and " + std::string(frames ? "frames" : "at") + " both say when to draw; give only one", every->span);
    if (frames || every || at) {  // any of the three replaces what an earlier source said
        times = FrameTimes{};
        look.times_source = source;
    }
    if (frames) times.frames = expect_count(*frames, "frames", 1, kMostFrames);
    if (every) times.every = expect_count(*every, "every", 1, kMostSteps);
    if (at) times.at = expect_words(*at, "at");
    if (at && core::trim(times.at.text).empty()) refuse("at must give the step of frame n, for example 100*n, but it is empty", at->span);
}

std::array<double, 2> read_pair(const std::vector<std::string>& words, const core::Span& span, const std::string& shown) {
    std::array<double, 2> pair{};
    const bool numbers = words.size() == 2 && core::parse_number(words[0], pair[0]) && core::parse_number(words[1], pair[1]);
    if (!numbers) refuse("range must be auto, frame, or two numbers lo:hi, not '" + shown + "'", span);
    if (!std::isfinite(pair[0]) || !std::isfinite(pair[1]) || pair[0] >= pair[1]) {
        refuse("range lo:hi needs finite numbers with lo below hi, not '" + shown + "'", span);
    }
    return pair;
}

/// A list, or text with separators; `shown` is what messages say.
std::vector<std::string> read_list(const Node& node, const char* what, char separator, std::string& shown) {
    if (node.kind != Node::Kind::array) {
        shown = expect_words(node, what).text;
        return core::split(shown, separator);
    }
    std::vector<std::string> words;
    for (const Node& item : node.items) words.push_back(expect_words(item, what).text);
    for (const std::string& word : words) shown += (shown.empty() ? "" : ", ") + word;
    shown = "[" + shown + "]";
    return words;
}

void apply_range(Look& look, const Node& node, Source source) {
    using Range = frame::Style::Range;
    frame::Style& style = look.sink.style;
    std::string shown;
    const std::vector<std::string> words = read_list(node, "range", ':', shown);
    if (shown == "auto" || shown == "frame") {
        style.range = shown == "auto" ? Range::automatic : Range::every_frame;
        return;
    }
    const std::array<double, 2> pair = read_pair(words, node.span, shown);
    if (source == Source::preset) {
        look.preset_range = pair;
        style.range = Range::automatic;
    } else {
        style.range = Range::fixed;
        style.lo = pair[0];
        style.hi = pair[1];
    }
}

void apply_camera(frame::Camera& camera, const Node& node) {
    std::string shown;
    const std::vector<std::string> words = read_list(node, "camera", ',', shown);
    std::vector<double> numbers;
    for (const std::string& word : words) {
        double number = 0;
        if (!core::parse_number(word, number) || !std::isfinite(number)) break;
        numbers.push_back(number);
    }
    if (numbers.size() != words.size() || numbers.size() < 2 || numbers.size() > 3) {
        refuse("camera must be azimuth,elevation or azimuth,elevation,distance, for example 30,15 (degrees), not '" + shown + "'",
               node.span);
    }
    camera.angles = {{numbers[0], numbers[1]}};
    camera.distance = numbers.size() == 3 ? numbers[2] : 1;
}

void apply_pixels(std::array<int, 2>& pixels, const Node& node) {
    std::string shown;
    const std::vector<std::string> words = read_list(node, "pixels", 'x', shown);
    std::array<double, 2> sides{};
    const bool numbers = words.size() == 2 && core::parse_number(words[0], sides[0]) && core::parse_number(words[1], sides[1]);
    constexpr double kLeast = frame::kSmallestSide, kMost = frame::kLargestSide;
    for (std::size_t k = 0; k < 2; ++k) {
        if (!numbers || sides[k] != std::floor(sides[k]) || !(sides[k] >= kLeast && sides[k] <= kMost)) {
            refuse("pixels must be WIDTHxHEIGHT, each " + core::number_text(kLeast) + " to " + core::number_text(kMost) +
                       ", for example 1920x1080, not '" + shown + "'",
                   node.span);
        }
        pixels[k] = static_cast<int>(sides[k]);
    }
}

/// How a surface is looked at.
void apply_surface_keys(frame::Style& style, const Node& keys) {
    if (const Node* pixels = keys.find("pixels")) apply_pixels(style.pixels, *pixels);
    if (const Node* camera = keys.find("camera")) apply_camera(style.camera, *camera);
    if (const Node* turn = keys.find("turn")) style.turn = expect_real(*turn, "turn");
    if (const Node* background = keys.find("background")) {
        const std::string& colour = core::expect_text(*background, "background");
        at_place(background->span, [&] { style.background = frame::parse_background(colour); });
    }
}

void apply_keys(Look& look, const Node& keys, const model::Model& model, Source source) {
    frame::Style& style = look.sink.style;
    apply_times(look, keys, source);
    if (const Node* fps = keys.find("fps")) {
        look.sink.fps = expect_real(*fps, "fps");
        if (const std::string complaint = output::complaint_about_fps(look.sink.fps); !complaint.empty()) refuse(complaint, fps->span);
    }
    if (const Node* palette = keys.find("palette")) {
        style.palette = core::expect_text(*palette, "palette");
        at_place(palette->span, [&] { frame::palette(style.palette); });
    }
    if (const Node* field = keys.find("field")) {
        style.field = core::expect_text(*field, "field");
        std::vector<std::string> known;
        for (const model::Equation& equation : model.equations) known.push_back(equation.field);
        if (std::find(known.begin(), known.end(), style.field) == known.end()) {
            refuse("the model has no field '" + style.field + "' to draw" + core::did_you_mean(style.field, known), field->span);
        }
    }
    if (const Node* range = keys.find("range")) apply_range(look, *range, source);
    if (source == Source::preset) look.ranged_field = style.field;
    if (const Node* scale = keys.find("scale")) style.scale = static_cast<int>(expect_count(*scale, "scale", 1, kMostScale));
    if (const Node* cells = keys.find("cells")) {
        style.cells = static_cast<int>(expect_count(*cells, "cells", 1, kMostScale));
        if (style.cells > 1 && style.scale > 1)
            refuse("cells and scale both set the size of a picture: give the cells per pixel, or the pixels per cell", cells->span);
    }
    if (const Node* chroma = keys.find("chroma")) {
        const core::Text text = expect_words(*chroma, "chroma");
        if (text.text != "420" && text.text != "444") refuse("chroma must be 420 or 444, not '" + text.text + "'", text.span);
        look.sink.chroma444 = text.text == "444";
    }
    if (const Node* encoder = keys.find("encoder")) {
        using output::Encoder;
        const std::string& word = core::expect_text(*encoder, "encoder");
        if (word != "auto" && word != "x264" && word != "nvenc")
            refuse("encoder must be auto, x264 or nvenc, not '" + word + "'", encoder->span);
        look.sink.encoder = word == "auto" ? Encoder::automatic : word == "x264" ? Encoder::x264 : Encoder::nvenc;
    }
    apply_surface_keys(style, keys);
}

/// The range that "auto" takes: the preset's if it speaks of the field that is drawn, else the field's declared one.
std::optional<std::array<double, 2>> declared_range(const Look& look, const model::Model& model) {
    const std::string& last = model.equations.back().field;
    const std::string& drawn = look.sink.style.field.empty() ? last : look.sink.style.field;
    if (look.preset_range && drawn == (look.ranged_field.empty() ? last : look.ranged_field)) return look.preset_range;
    for (const model::Equation& equation : model.equations) {
        if (equation.field == drawn) return equation.range;
    }
    return std::nullopt;
}

/// A still or a state: the last frame is all that the file will hold. The still of a row of cells shows every frame.
bool keeps_one_frame(const std::filesystem::path& file, const domain::Domain& domain) {
    const output::FileName name(file);
    return !name.numbered() && !output::holds_all_frames(name, domain);
}

/// Frames that were asked for together with the steps, or after them, must fit; others give way.
FrameTimes final_times(const Look& look, const OutputSources& sources) {
    FrameTimes times = look.times;
    times.exact = look.times_source != Source::defaults && look.times_source >= sources.steps_source;
    return times;
}

/// Keys that somebody wrote for this run and that would have no effect.
void refuse_keys_of_others(const Node& keys, const domain::Domain& domain) {
    const bool surface = std::holds_alternative<domain::Mesh>(domain);
    if (surface) {
        for (const std::string_view key : {"scale", "cells"}) {
            if (const Node* node = keys.find(key))
                refuse(std::string("a surface has no pixels per cell; give pixels, for example 1920x1080") +
                           (key == "scale" ? " (mesh_scale, or --scale, multiplies its lengths)" : ""),
                       node->span);
        }
        return;
    }
    for (const std::string_view key : {"pixels", "camera", "turn", "background"}) {
        const Node* node = keys.find(key);
        if (!node) continue;
        refuse(std::string(key) + " is for surfaces, but this run is on a " + domain::describe(domain) +
                   (key == "pixels" ? "; give scale, the pixels per cell" : "; leave it out, or give a mesh"),
               node->span);
    }
}

void check_output_keys(const Node& table) {
    core::check_keys(table,
                     {"file", "frames", "every", "at", "fps", "palette", "field", "range", "scale", "cells", "chroma", "encoder", "pixels",
                      "camera", "turn", "background"},
                     "[[output]]");
}

/// What the file says of its own output goes for the one that replaces it, as far as that can have it.
void inherit_keys(Look& look, const OutputSources& sources, const model::Model& model, const std::filesystem::path& file) {
    check_output_keys(*sources.inherited);
    apply_keys(look, *sources.inherited, model, sources.inherited_source);
    if (!look.sink.style.background && output::FileName(file).video()) look.sink.style.background = frame::kDefaultBackground;
}

Output read_output(const Node& table, const OutputSources& sources, const model::Model& model, const domain::Domain& domain,
                   output::LooksAtFolder looks) {
    check_output_keys(table);
    const Node* file = table.find("file");
    if (!file) refuse("[[output]] needs file = \"name.mp4\"", table.span);
    refuse_keys_of_others(table, domain);
    Look look;
    const bool preset_wins = sources.tables_source == Source::model;
    const bool heir_of_model = sources.inherited && sources.inherited_source == Source::model;
    const std::filesystem::path path = core::expect_text(*file, "file");
    if (path.empty()) refuse("an output needs a file name", file->span);
    if (preset_wins) apply_keys(look, table, model, sources.tables_source);
    if (heir_of_model) inherit_keys(look, sources, model, path);
    apply_keys(look, sources.preset, model, Source::preset);
    if (sources.inherited && !heir_of_model) inherit_keys(look, sources, model, path);
    if (!preset_wins) apply_keys(look, table, model, sources.tables_source);
    apply_keys(look, sources.flags, model, Source::flags);
    Output output{look.sink, final_times(look, sources)};
    output.sink.file = path;
    output.sink.declared_range = declared_range(look, model);
    output::check_sink(output.sink, domain, looks);
    output.times.last_only = keeps_one_frame(output.sink.file, domain);
    return output;
}

}  // namespace

Output read_picture(const Output& picture, const Node& keys, const model::Model& model, const domain::Domain& domain) {
    check_output_keys(keys);
    if (const Node* file = keys.find("file")) refuse("a picture in memory has no file", file->span);
    refuse_keys_of_others(keys, domain);
    Look look;
    look.sink = picture.sink;
    look.times = picture.times;
    apply_keys(look, keys, model, Source::flags);
    if (look.sink.style.field != picture.sink.style.field) look.sink.declared_range = declared_range(look, model);
    return {look.sink, look.times};
}

OutputPlan read_outputs(const OutputSources& sources, const model::Model& model, const domain::Domain& domain,
                        output::LooksAtFolder looks) {
    refuse_keys_of_others(sources.flags, domain);
    OutputPlan plan;
    std::unordered_set<std::string> seen;
    if (sources.tables) {
        if (sources.tables->kind != Node::Kind::array) refuse("outputs are written [[output]], with two brackets", sources.tables->span);
        for (const Node& table : sources.tables->items) {
            plan.outputs.push_back(read_output(table, sources, model, domain, looks));
            const auto full = std::filesystem::absolute(plan.outputs.back().sink.file).lexically_normal();
            if (!seen.insert(full.string()).second) {
                refuse("two outputs write the same file " + plan.outputs.back().sink.file.string(), table.span);
            }
        }
    }
    Look run;
    apply_keys(run, sources.preset, model, Source::preset);
    apply_keys(run, sources.flags, model, Source::flags);
    plan.picture = {run.sink, final_times(run, sources)};
    plan.picture.sink.declared_range = declared_range(run, model);
    return plan;
}

}  // namespace mottle::run
