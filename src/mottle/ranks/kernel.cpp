// mottle/ranks/kernel.cpp: a kernel whose cells are spread over all ranks, as rank 0 sees it
#include "mottle/ranks/kernel.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/stopwatch.h"
#include "mottle/field/expression_rows.h"
#include "mottle/ranks/fetched_rows.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

namespace mottle::ranks {

using core::at;

namespace {

/// Does the share of this rank while the others do what they were asked; `hear` takes the message of each and gives its Answer.
/// Throws: what this rank throws, else the error of the lowest.
template <class Work, class Hear>
void work_and_hear(Link& link, const Work& own, const Hear& hear) {
    std::exception_ptr failure;
    try {
        own();
    } catch (...) {
        failure = std::current_exception();
    }
    std::optional<Answer> first;
    for (int rank = 1; rank < link.transport().count(); ++rank) {
        Answer answer = hear(link.transport().receive(rank, channel::reply));
        if (answer.exit_code != 0 && !first) first = std::move(answer);
    }
    if (failure) std::rethrow_exception(failure);
    if (first) require_done(*first);
}

/// Asks all ranks first.
template <class RequestFor, class Work, class Hear>
void do_on_all(Link& link, const RequestFor& request_for, const Work& own, const Hear& hear) {
    const auto lock = link.lock();
    for (int rank = 1; rank < link.transport().count(); ++rank) link.transport().send(rank, channel::command, request_for(rank));
    work_and_hear(link, own, hear);
}

template <class RequestFor, class Work>
void do_on_all(Link& link, const RequestFor& request_for, const Work& own) {
    do_on_all(link, request_for, own, [](const Bytes& message) { return unpack_one<Answer>(message); });
}

}  // namespace

class RanksState final : public backend::State {
   public:
    RanksState(Link& link, std::int32_t its_number) : number(its_number), link_(link) {}
    ~RanksState() override { link_.forget(Command::forget_state, number); }

    const std::int32_t number;
    std::unique_ptr<PartState> own;
    mutable FetchedRows fetched;

   private:
    Link& link_;
};

namespace {

RanksState& cast_state(backend::State& state) { return static_cast<RanksState&>(state); }
const RanksState& cast_state(const backend::State& state) { return static_cast<const RanksState&>(state); }

}  // namespace

RanksKernel::RanksKernel(const ir::Program& program, const domain::Domain& domain, Hiding hiding, core::Context& context, Link& link,
                         const std::function<CompileRequest(int rank)>& request_for, const std::function<std::unique_ptr<Part>()>& make_own)
    : Kernel(context), link_(link), number_(link.next_number()), program_(program), domain_(domain) {
    const std::span<const double> areas = domain::measures(domain_);
    if (!areas.empty()) heaviest_ = *std::max_element(areas.begin(), areas.end());
    try {
        do_on_all(
            link_, [&](int rank) { return pack_all(Command::compile, number_, request_for(rank)); }, [&] { part_ = make_own(); });
    } catch (...) {
        link_.forget(Command::forget_kernel, number_);
        throw;
    }
    schedule_ = backend::with_spread(part_->kernel().schedule(), part_->spread());
    hiding_ = HidingChoice(hiding, part_->can_hide(), part_->steps());
}

RanksKernel::~RanksKernel() { link_.forget(Command::forget_kernel, number_); }

std::unique_ptr<backend::State> RanksKernel::create_state() {
    auto state = std::make_unique<RanksState>(link_, link_.next_number());
    const Bytes request = pack_all(Command::create_state, state->number, number_);
    do_on_all(
        link_, [&](int) { return request; }, [&] { state->own = part_->create_state(); });
    return state;
}

void RanksKernel::advance(backend::State& base, Index first_step, Index n, backend::UniformTable uniforms) {
    if (n <= 0) return;
    RanksState& state = cast_state(base);
    state.fetched.clear();
    const auto lock = link_.lock();
    const bool hides = hiding_.next(n);
    AdvanceRequest request{first_step, n, {uniforms.values.begin(), uniforms.values.end()}, uniforms.columns, uniforms.stages, hides};
    link_.tell_all(pack_all(Command::advance, state.number, request));
    const core::CancellationScope none(nullptr);  // the others would wait for halos: a launch is never left
    const auto start = core::SteadyClock::now();
    try {
        part_->advance(*state.own, first_step, n, uniforms, hides);
    } catch (...) {
        link_.give_up();
        throw;
    }
    hiding_.took(core::seconds_since(start));
}

bool RanksKernel::settle() const {
    const Bytes request = pack_all(Command::settle, number_);
    do_on_all(
        link_, [&](int) { return request; }, [] {});
    return !hiding_.is_trying();
}

void RanksKernel::copy(backend::State& base, const backend::State& from, ir::ArrayInfo::Kind kind) {
    RanksState& to = cast_state(base);
    to.fetched.clear();
    const auto lock = link_.lock();
    link_.tell_all(pack_all(Command::copy, to.number, CopyRequest{cast_state(from).number, kind}));
    part_->copy(*to.own, *cast_state(from).own, kind);
}

// ---- rows

Bytes RanksKernel::fetch(const RanksState& state, ir::Array array, Index first, Index end) const {
    const auto lock = link_.lock();
    Transport& transport = link_.transport();
    Bytes rows(at(end - first) * at(domain::row_length(domain_)) * (program_.f64 ? sizeof(double) : sizeof(float)));
    std::vector<int> owners;
    for (int rank = 1; rank < transport.count(); ++rank) {
        if (!part_->owns_of(first, end, rank)) continue;
        owners.push_back(rank);
        transport.send(rank, channel::command, pack_all(Command::read_rows, state.number, RowsRequest{array, first, end}));
    }
    part_->place_rows(0, part_->read_rows(*state.own, array, first, end), first, end, rows);
    for (const int rank : owners) part_->place_rows(rank, transport.receive(rank, channel::reply), first, end, rows);
    return rows;
}

template <class Real>
void RanksKernel::copy_row(const backend::State& base, ir::Array array, Index row, std::span<Real> cells) const {
    const RanksState& state = cast_state(base);
    state.fetched.read(*this, array, row, 2 * at(context_.team.size()) + 2, cells,
                       [&](Index first, Index end) { return fetch(state, array, first, end); });
}

void RanksKernel::read_row(const backend::State& state, ir::Array array, Index row, std::span<float> cells) const {
    copy_row(state, array, row, cells);
}

void RanksKernel::read_row(const backend::State& state, ir::Array array, Index row, std::span<double> cells) const {
    copy_row(state, array, row, cells);
}

void RanksKernel::write_row(backend::State& base, ir::Array array, Index row, std::span<const double> cells) {
    RanksState& state = cast_state(base);
    state.fetched.clear();
    const auto lock = link_.lock();
    for (int rank = 0; rank < link_.transport().count(); ++rank) {
        std::vector<double> own = part_->cells_for(rank, row, cells);
        if (own.empty()) continue;
        if (rank == 0)
            part_->write_row(*state.own, array, row, own);
        else
            link_.transport().send_soon(rank, channel::command,
                                        pack_all(Command::write_row, state.number, RowRequest{array, row, std::move(own)}));
    }
}

bool RanksKernel::fill_array(backend::State& base, ir::Array array, const ir::Expression& expression, std::uint64_t seed) {
    RanksState& state = cast_state(base);
    state.fetched.clear();
    const FillRequest request{array, field::for_pieces(expression, domain_, seed), seed};
    const Bytes message = pack_all(Command::fill_array, state.number, request);
    bool filled = true;
    do_on_all(
        link_, [&](int) { return message; }, [&] { filled = part_->fill_array(*state.own, array, request.expression, seed) && filled; },
        [&](const Bytes& reply) {
            auto answer = unpack_one<FillAnswer>(reply);
            filled = filled && answer.filled;
            return std::move(answer.answer);
        });
    return filled;
}

// ---- files and pictures

FileAnswer RanksKernel::work_on_file(const FileRequest& request, core::SharedFile::Use use,
                                     const std::function<bool(const core::SharedFile& file)>& own) const {
    FileAnswer all;
    const auto own_share = [&] {
        core::SharedFile file = core::SharedFile::open(request.file.path, use);
        all.whole = own(file);
        file.close();
    };
    const auto hear = [&](const Bytes& reply) {
        auto answer = unpack_one<FileAnswer>(reply);
        all.seen = all.seen && answer.seen;
        all.whole = all.whole && answer.whole;
        return std::move(answer.answer);
    };
    work_and_hear(link_, own_share, hear);
    return all;
}

// Where a rank does not see the file of rank 0, all goes through rank 0.
void RanksKernel::save_array(const backend::State& base, ir::Array array, const backend::CellFile& to) const {
    const RanksState& state = cast_state(base);
    const FileRequest request{array, core::identify_file(to.path, std::min(to.first, core::kHeadOfFile)), to};
    const auto save_on_all = [&] {
        const auto lock = link_.lock();
        link_.tell_all(pack_all(Command::save_array, state.number, request));
        std::optional<FilePiece> collected;
        try {
            collected = part_->collect(*state.own, array, to);
        } catch (...) {
            link_.give_up();  // the others wait for entries
            throw;
        }
        return work_on_file(request, core::SharedFile::Use::writes, [&](const core::SharedFile& file) {
            part_->save(*state.own, array, file, to, collected);
            return true;
        });
    };
    if (!save_on_all().seen) Kernel::save_array(base, array, to);
}

bool RanksKernel::load_array(backend::State& base, ir::Array array, const backend::CellFile& from) {
    RanksState& state = cast_state(base);
    state.fetched.clear();
    const FileRequest request{array, core::identify_file(from.path, std::min(from.first, core::kHeadOfFile)), from};
    const auto load_on_all = [&] {
        const auto lock = link_.lock();
        link_.tell_all(pack_all(Command::load_array, state.number, request));
        return work_on_file(request, core::SharedFile::Use::reads,
                            [&](const core::SharedFile& file) { return part_->load(*state.own, array, file, from); });
    };
    const FileAnswer answer = load_on_all();
    return answer.seen ? answer.whole : Kernel::load_array(base, array, from);
}

// Ranks make their pixels while this one puts those of others together.
void RanksKernel::draw(const backend::State& base, const backend::Picture& picture, std::span<std::uint8_t> out) const {
    const RanksState& state = cast_state(base);
    const DrawRequest request(picture, std::get<domain::Grid>(domain_));
    const int workers = context_.team.size();
    GatheredLines gathered(request);
    const auto read = [&](Index line, std::span<std::uint8_t> indices) { gathered.read(line, indices); };
    const auto lock = link_.lock();
    link_.tell_all(pack_all(Command::draw, state.number, request));
    for (Index parcel = 0; parcel < parcels_of(request); ++parcel) {
        const Lines lines = lines_of(request, parcel);
        gathered.begin(lines);
        for (int rank = 0; rank < link_.transport().count(); ++rank) {
            const PixelBox box = part_->pixels(rank, request, lines);
            if (box.empty()) continue;
            gathered.add(box, rank == 0 ? part_->draw(*state.own, request, box) : link_.transport().receive(rank, channel::reply));
        }
        context_.team.run([&](int worker) {
            // Shares begin on even lines: 4:2:0 halves the colour of two lines at a time.
            const auto boundary = [&](int w) {
                return w == workers ? lines.end : lines.first + (lines.end - lines.first) * w / workers / 2 * 2;
            };
            backend::draw_lines(picture, domain_, boundary(worker), boundary(worker + 1), read, out);
        });
    }
}

// ---- sums and ranges

backend::Range RanksKernel::range(const backend::State& base, ir::Array array) const {
    const RanksState& state = cast_state(base);
    const auto lock = link_.lock();
    link_.tell_all(pack_all(Command::range, state.number, array));
    backend::Range all = part_->range(*state.own, array);
    for (int rank = 1; rank < link_.transport().count(); ++rank) {
        const auto other = unpack_one<backend::Range>(link_.transport().receive(rank, channel::reply));
        if (other.first_bad >= 0 && (all.first_bad < 0 || other.first_bad < all.first_bad)) all.first_bad = other.first_bad;
        all.min = std::min(all.min, other.min);
        all.max = std::max(all.max, other.max);
    }
    if (all.first_bad >= 0) all.min = all.max = std::numeric_limits<double>::quiet_NaN();
    return all;
}

SumShare RanksKernel::sum_of_all(const RanksState& state, ir::Array array, const SumTerms& terms, const RanksState* minus) const {
    const auto lock = link_.lock();
    link_.tell_all(pack_all(Command::sum, state.number, SumRequest{array, terms, minus == nullptr ? -1 : minus->number}));
    SumShare all = part_->sum(*state.own, array, terms, minus == nullptr ? nullptr : minus->own.get());
    for (int rank = 1; rank < link_.transport().count(); ++rank) {
        const auto other = unpack_one<SumShare>(link_.transport().receive(rank, channel::reply));
        if (!(other.largest <= all.largest)) all.largest = std::isnan(all.largest) ? all.largest : other.largest;
        for (std::size_t k = 0; k < all.parts.size(); ++k) all.parts[k] += other.parts[k];  // exact
    }
    return all;
}

double RanksKernel::exact_sum(backend::CellSums& sums, ir::Array array,
                              const std::function<SumShare(const SumTerms& terms)>& sum_of) const {
    const Index count = domain::cell_count(domain_);
    while (true) {
        const backend::SumSplit split = sums.guess(at(array), count);
        SumTerms terms;
        std::copy_n(split.sum.magic().begin(), terms.magic.size(), terms.magic.begin());
        const SumShare all = sum_of(terms);
        if (const auto sum = sums.sum_of(split, count, heaviest_, all.largest, all.parts)) return *sum;
    }
}

std::optional<double> RanksKernel::sum(const backend::State& base, ir::Array array) const {
    const RanksState& state = cast_state(base);
    if (link_.transport().count() == 1) return part_->kernel().sum(*state.own->state, array);
    return exact_sum(sums_, array, [&](const SumTerms& terms) { return sum_of_all(state, array, terms); });
}

double RanksKernel::mean_square_of_difference(const backend::State& a, const backend::State& b, ir::Array array) const {
    const RanksState &first = cast_state(a), &second = cast_state(b);
    const double sum = exact_sum(squares_, array, [&](const SumTerms& terms) { return sum_of_all(first, array, terms, &second); });
    return sum / backend::whole_of(domain::cell_count(domain_), domain::measures(domain_));
}

backend::Statistics RanksKernel::reduce(const backend::State& base, ir::Array array) const {
    return backend::statistics_of(range(base, array), domain::cell_count(domain_), domain::measures(domain_),
                                  [&](double mean, bool squares, backend::ExactSum& sum) {
                                      SumTerms terms{{}, squares, mean};
                                      std::copy_n(sum.magic().begin(), terms.magic.size(), terms.magic.begin());
                                      sum.add_parts(sum_of_all(cast_state(base), array, terms).parts);
                                  });
}

}  // namespace mottle::ranks
