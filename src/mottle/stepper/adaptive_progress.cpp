// mottle/stepper/adaptive_progress.cpp: the order in which a progress is kept
#include "mottle/stepper/adaptive_progress.h"

#include <cmath>
#include <type_traits>

namespace mottle::stepper {
namespace {

/// Calls `take` with every member that is a number, in the order in which they are kept; the peaks follow them.
template <class Progress, class Take>
void each_number(Progress& progress, Take take) {
    take(progress.share), take(progress.length), take(progress.at);
    take(progress.rung), take(progress.next), take(progress.walked);
    take(progress.made), take(progress.failed);
    auto& record = progress.record;
    take(record.steps), take(record.evaluations), take(record.stretches), take(record.rejected), take(record.lost);
    take(record.error), take(record.largest);
    take(progress.rounding_squares);
    take(record.shortest), take(record.longest);
}

}  // namespace

std::vector<double> numbers_of(const AdaptiveProgress& progress) {
    std::vector<double> numbers;
    each_number(progress, [&](const auto& member) { numbers.push_back(static_cast<double>(member)); });
    numbers.insert(numbers.end(), progress.peaks.begin(), progress.peaks.end());
    return numbers;
}

std::optional<AdaptiveProgress> progress_of(std::span<const double> numbers) {
    constexpr double kMost = 0x1p53;
    AdaptiveProgress progress;
    std::size_t next = 0;
    bool fits = true;
    each_number(progress, [&](auto& member) {
        using Member = std::remove_reference_t<decltype(member)>;
        const double number = next < numbers.size() ? numbers[next] : -1;
        fits = fits && next++ < numbers.size() && std::isfinite(number);
        if constexpr (std::is_same_v<Member, bool>) {
            member = number != 0;
        } else if constexpr (std::is_integral_v<Member>) {
            const double most = sizeof(Member) < sizeof(Index) ? 0x1p30 : kMost;
            fits = fits && number >= 0 && number <= most && number == std::floor(number);
            member = fits ? static_cast<Member>(number) : 0;
        } else {
            member = number;
        }
    });
    if (!fits) return std::nullopt;
    for (const double peak : numbers.subspan(next)) progress.peaks.push_back(peak);
    progress.record.rounding = std::sqrt(progress.rounding_squares);
    return progress;
}

}  // namespace mottle::stepper
