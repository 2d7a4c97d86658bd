// mottle/ranks/fetched_rows.h: rows of a state that have come from other ranks
#pragma once
#include "mottle/backend/backend.h"
#include "mottle/ir/program/evaluate.h"
#include "mottle/ranks/transport.h"

#include <algorithm>
#include <list>
#include <memory>
#include <mutex>

namespace mottle::ranks {

/// Rows that have come from other ranks, until the state changes. A reader per thread goes through rows in order, so they come some at a time.
class FetchedRows {
   public:
    /// Row `row` of `kernel`; what is not here comes by fetch(first, end), in the precision of its Program. At most `most` pieces are kept.
    template <class Real, class Fetch>
    void read(const backend::Kernel& kernel, ir::Array array, Index row, std::size_t most, std::span<Real> cells, const Fetch& fetch) {
        const bool f64 = kernel.program().f64;
        std::shared_ptr<const Rows> rows;
        {
            const std::lock_guard lock(mutex_);
            rows = find(array, row);
            if (!rows) {
                const std::size_t bytes = core::at(domain::row_length(kernel.domain())) * (f64 ? sizeof(double) : sizeof(float));
                const auto count = static_cast<Index>(std::max<std::size_t>(1, kFetchBytes / bytes));
                const Index first = row / count * count, end = std::min(first + count, domain::row_count(kernel.domain()));
                rows = keep({array, first, end, fetch(first, end)}, most);
            }
        }
        const auto copy = [&]<class Stored>(Stored) {
            const auto* from = reinterpret_cast<const Stored*>(rows->cells.data()) + core::at(row - rows->first) * cells.size();
            std::transform(from, from + cells.size(), cells.begin(), [](Stored x) { return ir::round_to<Real>(x); });
        };
        f64 ? copy(double{}) : copy(float{});
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        kept_.clear();
    }

   private:
    static constexpr std::size_t kFetchBytes = std::size_t{1} << 20;
    struct Rows {
        ir::Array array;
        Index first, end;
        Bytes cells;
    };

    std::shared_ptr<const Rows> find(ir::Array array, Index row) {
        const auto found = std::find_if(kept_.begin(), kept_.end(),
                                        [&](const auto& rows) { return rows->array == array && row >= rows->first && row < rows->end; });
        if (found == kept_.end()) return nullptr;
        kept_.splice(kept_.begin(), kept_, found);
        return kept_.front();
    }
    std::shared_ptr<const Rows> keep(Rows rows, std::size_t most) {
        kept_.push_front(std::make_shared<const Rows>(std::move(rows)));
        while (kept_.size() > most) kept_.pop_back();
        return kept_.front();
    }

    std::mutex mutex_;
    std::list<std::shared_ptr<const Rows>> kept_;  ///< the last used first
};

}  // namespace mottle::ranks
