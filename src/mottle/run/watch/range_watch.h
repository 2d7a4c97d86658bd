// mottle/run/watch/range_watch.h: tells when the colours of a video, fixed by its first picture, no longer fit the field, or when no picture shows anything
#pragma once
#include "mottle/run/settings/spec.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace mottle::run {

/// "" or, where every field that pictures show has become uniform (deviation at most about 1e-6 of its mean or declared range), a notice of that.
std::string uniform_notice(const std::vector<Output>& outputs, const model::Model& model, const field::Field& field);

/// Whether the files of `output` have colours: pictures and videos, and files of surfaces with their colours.
bool has_colours(const Output& output, const domain::Domain& domain);
/// What the pictures of the frames of `output` look like (frame::style_text); "" of one that has none.
std::string shown_style(const Output& output, const field::Field& field);

class RangeWatch {
   public:
    /// The first picture of output `number` has been drawn by an earlier part of the run, in this range.
    void begin_with(std::size_t number, const Output& output, const field::Field& field, std::array<double, 2> range);
    /// The range of the first picture of output `number`, if that fixes the colours of all and has been drawn.
    std::optional<std::array<double, 2>> range_of(std::size_t number) const;
    /// Before output `number` draws the field: notes the range of its first picture, where that fixes the colours of all, and of a still.
    void look(std::size_t number, const Output& output, const field::Field& field);
    /// For outputs that end with less than a tenth of their colours, or mostly beyond them, and for stills whose colours are other ones than those
    /// of a video of the same run: what to do.
    std::vector<std::string> notices(const field::Field& field) const;

   private:
    struct First {
        std::size_t output;
        std::string file, field;
        double lo, hi;
    };
    /// "" or that the still and a video of its field have two ranges.
    std::string notice_of_two_ranges(const First& still) const;

    std::vector<First> firsts_, stills_;
};

}  // namespace mottle::run
