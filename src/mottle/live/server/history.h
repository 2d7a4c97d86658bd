// mottle/live/server/history.h: the states before strokes, for undo and redo
#pragma once
#include "mottle/field/copy.h"

#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace mottle::live {

/// Keeps the state before each stroke, in bounded memory that is used again. A copy of all cells takes longer than to paint and to show a stroke, so it is made
/// afterwards, when the fields are about to change everywhere (`complete`). Until then the rows that the stroke has painted over are kept beside it.
class History {
   public:
    explicit History(core::ThreadTeam& team) : team_(team) {}

    /// A stroke begins at `now`: what could be redone is forgotten.
    void begin(const field::Field& field, core::Moment now);
    /// Tells what a row of a field holds, just before a stroke changes it.
    void keep_row(ir::Array array, core::Index row, std::span<const double> values);
    /// Copies the state before the stroke that has begun last, unless that was done. `field`: with nothing changed since but the rows that were kept.
    void complete(const field::Field& field);

    /// Puts `field`, which stands at `now`, back to the state before the last stroke, and keeps what it was for `redo`. Returns the moment of that state; none
    /// where there is no stroke.
    std::optional<core::Moment> undo(field::Field& field, core::Moment now);
    std::optional<core::Moment> redo(field::Field& field, core::Moment now);
    std::size_t undo_count() const { return undo_.size() + (begun_ ? 1 : 0); }
    std::size_t redo_count() const { return redo_.size(); }
    void clear();

   private:
    struct Begun {
        core::Moment moment;
        std::map<std::pair<ir::Array, core::Index>, std::vector<double>> rows;
    };
    using States = std::deque<field::Snapshot>;

    std::optional<core::Moment> exchange(States& from, States& to, field::Field& field, core::Moment now);
    /// The state before a stroke, of the fields after it.
    field::Snapshot before(const Begun& begun, const field::Field& field);
    field::Snapshot taken(const field::Field& field, core::Moment now);
    void keep(States& states, field::Snapshot state);
    void put_aside(field::Snapshot state);

    core::ThreadTeam& team_;
    std::optional<Begun> begun_;
    States undo_, redo_;
    States spare_;  ///< whose memory the next states take
};

}  // namespace mottle::live
