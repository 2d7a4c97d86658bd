// mottle/ranks/serve.cpp: what every rank but the first does
#include "mottle/ranks/serve.h"

#include "mottle/core/error.h"
#include "mottle/device/registry.h"
#include "mottle/ranks/grid_part.h"
#include "mottle/ranks/requests.h"
#include "mottle/ranks/surface_part.h"

#include <map>
#include <memory>
#include <new>

namespace mottle::ranks {
namespace {

/// A kernel with all that it needs. What it has to say, rank 0 has said already.
struct ServedKernel {
    core::Observer observer;
    core::Context context;
    std::unique_ptr<backend::Backend> backend;
    std::unique_ptr<Part> part;

    ServedKernel(CompileRequest request, core::ThreadTeam& team, Transport& transport)
        : context{team, observer, request.cache}, backend(device::create_backend(request.device)) {
        const backend::Schedule schedule = backend::parse_schedule(request.schedule, static_cast<backend::Family>(request.family));
        if (request.grid)
            part = std::make_unique<GridPart>(request.program, request.grid->grid, request.grid->blocks, request.hiding, schedule, *backend,
                                              context, transport);
        if (request.surface) {
            SurfaceCut& cut = *request.surface;
            std::vector<SurfaceShare> shares;
            shares.push_back(std::move(cut.share));
            part = std::make_unique<SurfacePart>(request.program, std::move(cut.piece), std::move(cut.rim), std::move(shares), schedule,
                                                 *backend, context, transport);
        }
    }
};

struct ServedState {
    Part* part;
    std::unique_ptr<PartState> state;
};

class Server {
   public:
    explicit Server(Transport& transport) : transport_(transport) {}

    /// Does what one message asks; false: it is the end.
    bool answer(Bytes message) {
        Unpacker parcel(message);
        Command command{};
        std::int32_t number = 0;
        carry_all(parcel, command, number);
        if (command == Command::end) return false;
        if (command == Command::compile) {
            CompileRequest request = take<CompileRequest>(parcel);
            message = Bytes();  // which a surface has filled
            compile(number, std::move(request));
            return true;
        }
        obey(command, number, parcel);
        return true;
    }

   private:
    /// `number`: of the kernel or the state. `parcel`: the rest of the message.
    void obey(Command command, std::int32_t number, Unpacker& parcel) {
        switch (command) {
            case Command::forget_kernel:
                kernels_.erase(number);
                return;
            case Command::create_state:
                return create_state(number, take<std::int32_t>(parcel));
            case Command::forget_state:
                states_.erase(number);
                return;
            case Command::advance:
                return advance(states_.at(number), take<AdvanceRequest>(parcel));
            case Command::settle:
                return reply_to([](Answer&) {});
            case Command::copy:
                return copy(states_.at(number), take<CopyRequest>(parcel));
            case Command::write_row:
                return write_row(states_.at(number), take<RowRequest>(parcel));
            case Command::fill_array:
                return fill_array(states_.at(number), take<FillRequest>(parcel));
            case Command::read_rows:
                return read_rows(states_.at(number), take<RowsRequest>(parcel));
            case Command::save_array:
                return save_array(states_.at(number), take<FileRequest>(parcel));
            case Command::load_array:
                return load_array(states_.at(number), take<FileRequest>(parcel));
            case Command::draw:
                return draw(states_.at(number), take<DrawRequest>(parcel));
            case Command::range:
                return range(states_.at(number), take<ir::Array>(parcel));
            case Command::reduce:
                return reduce(states_.at(number), take<ir::Array>(parcel));
            case Command::total:
                return total(states_.at(number), take<ir::Array>(parcel));
            case Command::sum:
                return sum(states_.at(number), take<SumRequest>(parcel));
            case Command::compile:
            case Command::end:
                return;  // answer() has done them
        }
    }

    void compile(std::int32_t number, CompileRequest request) {
        reply_to([&](Answer& answer) {
            core::ThreadTeam& team = team_of(request);
            auto& served = kernels_[number] = std::make_unique<ServedKernel>(std::move(request), team, transport_);
            answer.schedule = backend::print(served->part->kernel().schedule());
        });
    }

    void create_state(std::int32_t number, std::int32_t kernel) {
        reply_to([&](Answer&) {
            Part& part = *kernels_.at(kernel)->part;
            states_[number] = {&part, part.create_state()};
        });
    }

    void advance(ServedState& served, const AdvanceRequest& request) {
        const auto work = [&](Answer&) {
            served.part->advance(*served.state, request.first_step, request.n,
                                 {request.uniforms, static_cast<int>(request.columns), static_cast<int>(request.stages)}, request.hides);
        };
        Answer unanswered;
        request.answers ? reply_to(work) : work(unanswered);
    }

    void copy(ServedState& served, const CopyRequest& request) {
        served.part->copy(*served.state, *states_.at(request.from).state, request.kind);
    }

    void write_row(ServedState& served, const RowRequest& request) {
        served.part->write_row(*served.state, request.array, request.row, request.cells);
    }

    void fill_array(ServedState& served, const FillRequest& request) {
        FillAnswer answer;
        answer.answer = answer_of(
            [&](Answer&) { answer.filled = served.part->fill_array(*served.state, request.array, request.expression, request.seed); });
        reply(pack_all(answer));
    }

    void read_rows(const ServedState& served, const RowsRequest& request) {
        reply(served.part->read_rows(*served.state, request.array, request.first, request.end));
    }

    void save_array(const ServedState& served, const FileRequest& request) {
        const std::optional<FilePiece> collected = served.part->collect(*served.state, request.array, request.cells);
        answer_with_file(request.file, core::SharedFile::Use::writes, [&](const core::SharedFile& file) {
            served.part->save(*served.state, request.array, file, request.cells, collected);
            return true;
        });
    }

    void load_array(ServedState& served, const FileRequest& request) {
        served.state->good_steps = 0;  // on all ranks alike, so that all exchange halos
        answer_with_file(request.file, core::SharedFile::Use::reads, [&](const core::SharedFile& file) {
            return served.part->load(*served.state, request.array, file, request.cells);
        });
    }

    void draw(const ServedState& served, const DrawRequest& request) {
        for (Index part = 0; part < parcels_of(request); ++part) {
            const PixelBox box = served.part->pixels(transport_.rank(), request, lines_of(request, part));
            if (!box.empty()) reply(served.part->draw(*served.state, request, box));
        }
    }

    void range(const ServedState& served, ir::Array array) { reply(pack_all(served.part->range(*served.state, array))); }

    void reduce(const ServedState& served, ir::Array array) { reply(pack_all(served.part->kernel().reduce(*served.state->state, array))); }

    void total(const ServedState& served, ir::Array array) { reply(pack_all(served.part->kernel().sum(*served.state->state, array))); }

    void sum(const ServedState& served, const SumRequest& request) {
        const PartState* minus = request.minus < 0 ? nullptr : states_.at(request.minus).state.get();
        reply(pack_all(served.part->sum(*served.state, request.array, request.terms, minus)));
    }

    core::ThreadTeam& team_of(const CompileRequest& request) {
        const int threads = request.threads > 0 ? request.threads : transport_.cores();
        return teams_.try_emplace(threads, threads).first->second;
    }
    void reply(const Bytes& message) { transport_.send(0, channel::reply, message); }
    template <class Work>
    Answer answer_of(const Work& work) const {
        Answer answer;
        const std::string who = "rank " + std::to_string(transport_.rank()) + ": ";
        try {
            work(answer);
        } catch (const core::Error& error) {
            answer = {error.exit_code(), who + error.message()};
        } catch (const std::bad_alloc&) {
            answer = {core::DeviceError("").exit_code(), who + "this machine has too little memory; use a smaller --size or more machines"};
        } catch (const std::exception& error) {
            answer = {core::InternalError("").exit_code(), who + error.what()};
        }
        return answer;
    }
    template <class Work>
    void reply_to(const Work& work) {
        reply(pack_all(answer_of(work)));
    }
    template <class Work>
    void answer_with_file(const core::FileIdentity& identity, core::SharedFile::Use use, const Work& work) {
        FileAnswer answer;
        answer.answer = answer_of([&](Answer&) {
            std::optional<core::SharedFile> file = core::SharedFile::open(identity, use);
            answer.seen = file.has_value();
            if (!file) return;
            answer.whole = work(*file);
            file->close();
        });
        reply(pack_all(answer));
    }

    Transport& transport_;
    std::map<int, core::ThreadTeam> teams_;  ///< by size; kernels compute one after another
    std::map<std::int32_t, std::unique_ptr<ServedKernel>> kernels_;
    std::map<std::int32_t, ServedState> states_;  ///< destroyed before their kernels
};

}  // namespace

void serve(Transport& transport) {
    Server server(transport);
    while (server.answer(transport.receive(0, channel::command))) {
    }
}

}  // namespace mottle::ranks
