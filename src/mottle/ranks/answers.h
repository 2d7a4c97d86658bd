// mottle/ranks/answers.h: what the others answer to rank 0
#pragma once
#include "mottle/ranks/parcel.h"

#include <cstdint>
#include <string>

namespace mottle::ranks {

/// Whether it was done, or the error.
struct Answer {
    std::int32_t exit_code = 0;
    std::string message = {};
    std::string schedule = {};  ///< of a kernel that was compiled
};
template <class Parcel>
void carry(Parcel& parcel, Answer& answer) {
    carry_all(parcel, answer.exit_code, answer.message, answer.schedule);
}
/// Throws: the error of an answer that is one.
void require_done(const Answer& answer);

struct FillAnswer {
    bool filled = true;  ///< else a value is not finite, or a picture is not seen
    Answer answer = {};
};
template <class Parcel>
void carry(Parcel& parcel, FillAnswer& answer) {
    carry_all(parcel, answer.filled, answer.answer);
}

struct FileAnswer {
    bool seen = true;   ///< the rank has the same file
    bool whole = true;  ///< and could read all that it wants
    Answer answer = {};
};
template <class Parcel>
void carry(Parcel& parcel, FileAnswer& answer) {
    carry_all(parcel, answer.seen, answer.whole, answer.answer);
}

}  // namespace mottle::ranks
