// mottle/run/watch/range_watch.cpp: compares the ranges of the first picture and of the last
#include "mottle/run/watch/range_watch.h"

#include "mottle/core/text.h"
#include "mottle/frame/frame.h"
#include "mottle/frame/palette.h"
#include "mottle/output/file_name.h"
#include "mottle/run/watch/steady.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

namespace mottle::run {
namespace {

constexpr double kUniform = 2e-6;            // of the mean or the declared range: rounding in f32 keeps as much
constexpr double kAlike = 0.05;              // of the wider range
constexpr double kFaint = 0.1, kBeyond = 5;  // of the first range

std::string three_digits(double value) { return core::rounded_text(value, 3); }

std::string drawn_field(const Output& output, const field::Field& field) {
    return output.sink.style.field.empty() ? field.names().back() : output.sink.style.field;
}

bool first_picture_decides(const Output& output, const field::Field& field) {
    if (output.make || !has_colours(output, field.kernel().domain())) return false;
    const frame::Style& style = output.sink.style;
    return style.range == frame::Style::Range::automatic && !output.sink.declared_range && style.palette != frame::kCyberpunkPalette;
}

}  // namespace

bool has_colours(const Output& output, const domain::Domain& domain) {
    const output::FileName name(output.sink.file);
    if (name.holds(output::Contents::values) || name.holds(output::Contents::statistics)) return false;
    return !name.data() || std::holds_alternative<domain::Mesh>(domain);
}

std::string shown_style(const Output& output, const field::Field& field) {
    const domain::Domain& domain = field.kernel().domain();
    if (output.make || output.times.last_only || !has_colours(output, domain)) return "";
    return frame::style_text(output.sink.style, drawn_field(output, field), std::holds_alternative<domain::Mesh>(domain));
}

std::string uniform_notice(const std::vector<Output>& outputs, const model::Model& model, const field::Field& field) {
    std::string seen;
    for (const Output& output : outputs) {
        if (!output.make && !has_colours(output, field.kernel().domain())) continue;
        const std::string name = drawn_field(output, field);
        const auto equation = std::find_if(model.equations.begin(), model.equations.end(), [&](const auto& e) { return e.field == name; });
        const backend::Statistics now = field.statistics(field.find(name));
        double size = std::abs(now.mean);
        if (equation != model.equations.end()) size = std::max(size, declared_width(*equation));
        if (!(now.std <= kUniform * size)) return "";
        const std::string what = name + " is " + three_digits(now.mean) + " everywhere";
        if (seen.find(what) == std::string::npos) seen += (seen.empty() ? "" : ", ") + what;
    }
    return seen.empty() ? "" : "at the end the picture is uniform: " + seen;
}

void RangeWatch::look(std::size_t number, const Output& output, const field::Field& field) {
    std::vector<First>& list = output.times.last_only ? stills_ : firsts_;
    const bool known = std::any_of(list.begin(), list.end(), [&](const First& first) { return first.output == number; });
    if (known || !first_picture_decides(output, field)) return;
    const std::string name = drawn_field(output, field);
    const backend::Range range = field.range(field.find(name));
    list.push_back({number, output.sink.file.string(), name, range.min, range.max});
}

void RangeWatch::begin_with(std::size_t number, const Output& output, const field::Field& field, std::array<double, 2> range) {
    firsts_.push_back({number, output.sink.file.string(), drawn_field(output, field), range[0], range[1]});
}

std::optional<std::array<double, 2>> RangeWatch::range_of(std::size_t number) const {
    const auto found = std::find_if(firsts_.begin(), firsts_.end(), [&](const First& first) { return first.output == number; });
    if (found == firsts_.end()) return std::nullopt;
    return std::array{found->lo, found->hi};
}

std::string RangeWatch::notice_of_two_ranges(const First& still) const {
    const auto other = std::find_if(firsts_.begin(), firsts_.end(), [&](const First& first) {
        const double ends = std::max(std::abs(first.lo - still.lo), std::abs(first.hi - still.hi));
        return first.field == still.field && ends > kAlike * std::max(first.hi - first.lo, still.hi - still.lo);
    });
    if (other == firsts_.end()) return "";
    const auto range = [](double lo, double hi, const char* to) { return three_digits(lo) + to + three_digits(hi); };
    return "'" + other->file + "' and '" + still.file + "' show " + still.field + " in two colour ranges, from " +
           range(other->lo, other->hi, " to ") + " (its first picture) and from " + range(still.lo, still.hi, " to ") +
           " (the end): --range " + range(std::min(other->lo, still.lo), std::max(other->hi, still.hi), ":") +
           " gives both the same colours";
}

std::vector<std::string> RangeWatch::notices(const field::Field& field) const {
    std::vector<std::pair<std::string, std::vector<std::string>>> told;  // the same of several files once
    for (const First& first : firsts_) {
        const backend::Range last = field.range(field.find(first.field));
        const double then = first.hi - first.lo, now = last.max - last.min;
        if (last.first_bad >= 0 || !(then > 0)) continue;
        const double shared = std::min(last.max, first.hi) - std::max(last.min, first.lo);
        if (shared >= kFaint * then && now <= kBeyond * then) continue;
        const double lo = std::min(first.lo, last.min), hi = std::max(first.hi, last.max);
        const bool both = now >= kFaint * (hi - lo);  // else the end is as faint in what holds both
        const std::string from = three_digits(both ? lo : last.min), to = three_digits(both ? hi : last.max);
        const std::string what = first.field + " from " + three_digits(first.lo) + " to " + three_digits(first.hi) +
                                 "; at the end it runs from " + three_digits(last.min) + " to " + three_digits(last.max) + ": " +
                                 (from == to ? "" : "--range " + from + ":" + to + (both ? " shows both, " : " shows the end, ")) +
                                 "--range frame stretches each picture";
        if (told.empty() || told.back().first != what) told.push_back({what, {}});
        told.back().second.push_back("'" + first.file + "'");
    }
    std::vector<std::string> notices;
    notices.reserve(told.size() + stills_.size());
    for (const auto& [what, files] : told) {
        notices.push_back(core::listed(files, "and") +
                          (files.size() == 1 ? " uses the range of its first picture, " : " use the range of their first picture, ") +
                          what);
    }
    if (!notices.empty()) return notices;  // they name a range for all
    for (auto still = stills_.begin(); still != stills_.end(); ++still) {
        const bool told_of = std::any_of(stills_.begin(), still, [&](const First& before) { return before.field == still->field; });
        std::string notice = told_of ? "" : notice_of_two_ranges(*still);
        if (!notice.empty()) notices.push_back(std::move(notice));
    }
    return notices;
}

}  // namespace mottle::run
