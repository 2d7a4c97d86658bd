// mottle/live/server/history.cpp: copies of states, made late and in memory that is used again
#include "mottle/live/server/history.h"

#include <new>
#include <utility>

namespace mottle::live {

namespace {

constexpr double kMostStateBytes = 256.0 * 1048576;  // of the states that are undone to, and of those that are redone to
constexpr std::size_t kMostStrokes = 50;
// A stroke and its undo, again and again, need the memory of two states.
constexpr std::size_t kMostSpare = 2;
constexpr double kMostSpareBytes = kMostStateBytes / 4;

}  // namespace

void History::begin(const field::Field& field, core::Moment now) {
    complete(field);
    for (field::Snapshot& state : std::exchange(redo_, {})) put_aside(std::move(state));
    begun_ = Begun{now, {}};
}

void History::keep_row(ir::Array array, core::Index row, std::span<const double> values) {
    if (begun_) begun_->rows.try_emplace({array, row}, values.begin(), values.end());
}

void History::complete(const field::Field& field) {
    if (!begun_) return;
    const Begun begun = std::move(*std::exchange(begun_, std::nullopt));
    try {
        keep(undo_, before(begun, field));
    } catch (const std::bad_alloc&) {  // older strokes make room; the run goes on in any case
        clear();
        try {
            keep(undo_, before(begun, field));
        } catch (const std::bad_alloc&) {
            clear();
        }
    }
}

field::Snapshot History::before(const Begun& begun, const field::Field& field) {
    field::Snapshot state = taken(field, begun.moment);
    for (const auto& [place, values] : begun.rows) state.put_row(place.first, place.second, values);
    return state;
}

std::optional<core::Moment> History::undo(field::Field& field, core::Moment now) {
    complete(field);
    return exchange(undo_, redo_, field, now);
}

std::optional<core::Moment> History::redo(field::Field& field, core::Moment now) {
    complete(field);
    return exchange(redo_, undo_, field, now);
}

std::optional<core::Moment> History::exchange(States& from, States& to, field::Field& field, core::Moment now) {
    if (from.empty()) return std::nullopt;
    keep(to, taken(field, now));
    field::Snapshot state = std::move(from.back());
    from.pop_back();
    state.restore(field, team_);
    const core::Moment moment = state.moment();
    put_aside(std::move(state));
    return moment;
}

field::Snapshot History::taken(const field::Field& field, core::Moment now) {
    if (spare_.empty()) return {field, now, team_};
    field::Snapshot state = std::move(spare_.back());
    spare_.pop_back();
    state.take(field, now, team_);
    return state;
}

void History::keep(States& states, field::Snapshot state) {
    const auto bytes = static_cast<double>(state.bytes());
    states.push_back(std::move(state));
    while (states.size() > 1 && (states.size() > kMostStrokes || static_cast<double>(states.size()) * bytes > kMostStateBytes)) {
        put_aside(std::move(states.front()));
        states.pop_front();
    }
}

void History::put_aside(field::Snapshot state) {
    if (spare_.size() < kMostSpare && static_cast<double>(spare_.size() + 1) * static_cast<double>(state.bytes()) <= kMostSpareBytes)
        spare_.push_back(std::move(state));
}

void History::clear() {
    begun_.reset();
    undo_.clear();
    redo_.clear();
    spare_.clear();
}

}  // namespace mottle::live
