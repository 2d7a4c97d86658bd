// mottle/field/all_rows.h: something done for each row of a domain, on all threads
#pragma once
#include "mottle/core/thread_team.h"
#include "mottle/domain/domain.h"

namespace mottle::field {

/// Calls `work(row)` for every row of `domain`. Each thread of `team` gets rows that follow one another.
template <class Work>
void for_all_rows(const domain::Domain& domain, core::ThreadTeam& team, const Work& work) {
    const core::Index rows = domain::row_count(domain), workers = team.size();
    team.run([&](int worker) {
        const auto [first, end] = core::share_of(rows, worker, workers);
        for (core::Index row = first; row < end; ++row) work(row);
    });
}

}  // namespace mottle::field
