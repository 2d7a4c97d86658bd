// mottle/ir/stability/reaction_bound.cpp: branch and bound over boxes of fields
#include "mottle/ir/stability/reaction_bound.h"

#include <algorithm>

namespace mottle::ir {
namespace {

constexpr double kClose = 1.05;          // of the bound to a value that is reached
constexpr int kMostParts = 256;          // of the box
constexpr std::size_t kMostCorners = 4;  // fields of which all corners are looked at

struct Part {
    Box box;
    Interval slope;
};

class Search {
   public:
    Search(const model::Model& model, std::size_t i, const WaveScales& scales, const Box& box)
        : model_(model), field_(i), scales_(scales), parts_{{box, slope(box)}} {}

    Interval run() {
        const Box whole = parts_[0].box;
        const Interval bound = parts_[0].slope;
        if (bound.is_point() || !bound.is_bounded()) return bound;
        for (std::size_t j = 0; j < whole.size(); ++j) {
            if (whole[j].is_bounded() && !whole[j].is_point()) split_.push_back(j);
        }
        look_at_corners(whole);
        while (static_cast<int>(parts_.size()) < kMostParts && !split_.empty()) {
            const auto loosest = std::max_element(parts_.begin(), parts_.end(),
                                                  [](const Part& a, const Part& b) { return a.slope.magnitude() < b.slope.magnitude(); });
            if (loosest->slope.magnitude() <= kClose * reached_) break;
            halve(*loosest, whole);
        }
        Interval sum = parts_[0].slope;
        for (const Part& part : parts_) sum = hull(sum, part.slope);
        return sum;
    }

   private:
    Interval slope(const Box& box) const { return linearise(*model_.equations[field_].rate, model_, scales_, box)[field_].power(0); }

    void look_at_corners(const Box& whole) {
        if (split_.size() > kMostCorners) return;
        for (std::size_t corner = 0; corner < std::size_t{1} << split_.size(); ++corner) {
            Box at = whole;
            for (std::size_t k = 0; k < split_.size(); ++k) {
                Interval& range = at[split_[k]];
                range = point(corner >> k & 1 ? range.hi : range.lo);
            }
            reached_ = std::max(reached_, slope(at).magnitude());
        }
    }

    /// Across the field whose halves have the smaller bounds.
    void halve(Part& part, const Box& whole) {
        Part best[2];
        double least = kInfinity;
        for (const std::size_t j : split_) {
            const Interval range = part.box[j];
            const double middle = 0.5 * (range.lo + range.hi);
            Part halves[2] = {{part.box, {}}, {part.box, {}}};
            halves[0].box[j].hi = halves[1].box[j].lo = middle;
            double sum = 0;
            for (Part& half : halves) {
                half.slope = slope(half.box);
                sum += half.slope.magnitude();
            }
            // of equals the widest, so that no field is halved for ever
            sum *= 1 - 1e-9 * (range.hi - range.lo) / (whole[j].hi - whole[j].lo);
            if (sum >= least) continue;
            least = sum;
            std::swap(best[0], halves[0]), std::swap(best[1], halves[1]);
        }
        for (const Part& half : best) {
            Box middle = half.box;
            for (const std::size_t j : split_) middle[j] = point(0.5 * (middle[j].lo + middle[j].hi));
            reached_ = std::max(reached_, slope(middle).magnitude());
        }
        part = std::move(best[0]);
        parts_.push_back(std::move(best[1]));
    }

    const model::Model& model_;
    std::size_t field_;
    const WaveScales& scales_;
    std::vector<Part> parts_;
    std::vector<std::size_t> split_;  ///< fields that have a range
    double reached_ = 0;              ///< a magnitude that a state in the box has
};

}  // namespace

Interval reaction_bound(const model::Model& model, std::size_t i, const WaveScales& scales, const Box& box) {
    return Search(model, i, scales, box).run();
}

}  // namespace mottle::ir
