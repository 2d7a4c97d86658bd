// mottle/live/server/requests.cpp: what a session does for each message of a page
#include "mottle/live/server/session.h"

#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/stopwatch.h"
#include "mottle/core/text.h"
#include "mottle/image/png.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

namespace mottle::live {

namespace {

constexpr double kDefaultExtent = 1;
constexpr double kFramesWait = 0.03;  // seconds that frames wait for while many letters are answered
constexpr double kUnaccompanied = 5;  // seconds that a recording goes on without any page, so that one can be loaded again

/// The range that a page may take a picture's black and white for.
std::array<double, 2> range_of(const run::Spec& spec, const DropImage& image) {
    for (const model::Equation& equation : spec.model.equations) {
        if (equation.field == image.field) return equation.range.value_or(std::array<double, 2>{0, kDefaultExtent});
    }
    for (const model::Parameter& parameter : spec.model.parameters) {
        if (parameter.name == image.parameter)
            return {parameter.min.value_or(0), parameter.max.value_or(parameter.min.value_or(0) + kDefaultExtent)};
    }
    throw core::InputError("there is no field and no parameter '" + image.field + image.parameter + "'");
}

/// The row of `domain` at a point, and the cell of it; on a surface the vertex that is nearest.
std::array<Index, 2> row_and_cell(const Place& at, const domain::Domain& domain) {
    if (const auto* grid = std::get_if<domain::Grid>(&domain)) {
        std::array<Index, 3> whole{};
        for (std::size_t k = 0; k < 3; ++k)
            whole[k] = static_cast<Index>(std::clamp(std::floor(at[k]), 0.0, static_cast<double>(grid->size[k] - 1)));
        return {whole[2] * grid->size[1] + whole[1], whole[0]};
    }
    const auto& points = std::get<domain::Mesh>(domain).surface->position;
    const auto distance = [&](const domain::Point& p) { return std::hypot(p[0] - at[0], p[1] - at[1], p[2] - at[2]); };
    const auto nearer = [&](const domain::Point& a, const domain::Point& b) { return distance(a) < distance(b); };
    return {0, std::min_element(points.begin(), points.end(), nearer) - points.begin()};
}

/// A name for a file, of letters and digits.
std::string plain_name(const std::string& name) {
    std::string plain;
    for (const char c : std::filesystem::path(name).stem().string()) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        if (letter && plain.size() < 40) plain += c;
    }
    return plain.empty() ? "picture" : plain;
}

}  // namespace

bool Session::is_replaced(Letter& letter) {
    const auto* text = std::get_if<ChangeModel>(&letter.message.request);
    if (!text) return false;
    const auto passes = [](const Request& request) {
        return std::holds_alternative<Acknowledge>(request) || std::holds_alternative<ChangeView>(request) ||
               std::holds_alternative<SetVisible>(request);
    };
    const auto next = std::find_if(letters_.begin(), letters_.end(),
                                   [&](const Letter& each) { return each.from == letter.from && !passes(each.message.request); });
    auto* newer = next == letters_.end() ? nullptr : std::get_if<ChangeModel>(&next->message.request);
    if (!newer) return false;
    newer->restart = newer->restart || text->restart;
    next->replaced = std::move(letter.replaced);
    if (letter.message.id) next->replaced.push_back(*letter.message.id);
    return true;
}

std::optional<Session::Letter> Session::next_letter() {
    const std::lock_guard lock(mutex_);
    while (!letters_.empty()) {
        Letter letter = std::move(letters_.front());
        letters_.pop_front();
        letter_bytes_ -= letter.bytes;
        if (!is_replaced(letter)) return letter;
    }
    return std::nullopt;
}

bool Session::answer_letters() {
    const auto start = core::SteadyClock::now();
    bool changed = false;
    while (core::seconds_since(start) < kFramesWait) {
        const std::optional<Letter> letter = next_letter();
        if (!letter) break;
        greet_newcomers();  // the page that wrote it may be one
        answer(*letter);
        changed = changed || !std::holds_alternative<Acknowledge>(letter->message.request);
    }
    return changed;
}

void Session::answer(const Letter& letter) {
    const auto* opened = std::get_if<OpenModel>(&letter.message.request);
    const auto tell = [&](const core::Error& error) {
        const std::string file = opened && !opened->text.empty() ? std::string(kPageFile) : player_.project().file_name();
        const std::filesystem::path& folder = player_.project().folder();
        for (const double id : letter.replaced) letter.from->say(error_event(error, file, letter.message.verb, id, folder));
        letter.from->say(error_event(error, file, letter.message.verb, letter.message.id, folder));
    };
    try {
        std::visit([&](const auto& request) { take(letter, request); }, letter.message.request);
    } catch (const core::Interrupted&) {  // the program is to end: the loop sees to that
    } catch (const core::Error& error) {
        tell(error);
    } catch (const std::bad_alloc&) {
        tell(core::DeviceError("this machine does not have enough memory for that"));
    } catch (const std::exception& error) {
        tell(core::InternalError(error.what()));
    }
}

void Session::tell_model(const Letter* letter) {
    for (const auto& viewer : viewers()) {
        const bool asked = letter && letter->from == viewer;
        for (const double id : asked ? letter->replaced : std::vector<double>()) viewer->say(model_event(player_, id));
        viewer->say(model_event(player_, asked ? letter->message.id : std::nullopt));
    }
    status_due_ = true;
}

void Session::remove_pictures() const {
    const std::set<std::filesystem::path> named = player_.project().dropped_pictures();
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(player_.project().folder(), ignored)) {
        // Folders hold files that are offered.
        if (!entry.is_directory(ignored) && !named.contains(entry.path())) std::filesystem::remove(entry.path(), ignored);
    }
}

/// Views of fields and cells that are there no more become views of all.
void Session::fit_views() {
    const field::Field& field = player_.field();
    const std::string shown = player_.spec().picture.sink.style.field;
    const ir::Array first = shown.empty() ? field.kernel().program().field_count() - 1 : field.find(shown);
    for (const auto& viewer : viewers()) {
        View view = whole_view(player_.spec().domain, first);
        view.pixels = viewer->view.pixels;
        view.bytes = viewer->view.bytes;
        viewer->view = view;
        viewer->seen = 0;
    }
}

void Session::become(const Letter& letter, Project project, bool anew) {
    const run::Spec before = player_.spec();
    const std::deque<std::string> notices = std::exchange(notices_, {});
    bool began = false;
    try {
        began = player_.become(std::move(project), anew);
    } catch (...) {
        notices_ = notices;
        throw;
    }
    remove_pictures();
    divergence_told_ = false;
    measured_ = player_.simulation().now();
    measured_at_ = core::SteadyClock::now();
    bool same_fields = same_cells(before, player_.spec()) && before.model.equations.size() == player_.spec().model.equations.size();
    for (std::size_t i = 0; same_fields && i < before.model.equations.size(); ++i)
        same_fields = before.model.equations[i].field == player_.spec().model.equations[i].field;
    if (!same_fields) {
        probes_.clear();
        fit_views();
        drop_recording();
    }
    tell_model(&letter);
    if (began) owed_steps_ = 0;
}

void Session::take(const Letter& letter, const ChangeView& request) {
    Viewer& viewer = *letter.from;
    const View view = changed(viewer.view, request, player_.field());
    if (view == viewer.view) return;
    viewer.view = view;
    viewer.seen = 0;
}

void Session::take(const Letter&, const Acknowledge&) {}  // the thread of the connection has noted it

void Session::take(const Letter& letter, const SetVisible& request) {
    letter.from->visible = request.visible;
    if (request.visible) looked_at_ = core::SteadyClock::now();
    letter.from->seen = 0;
}

void Session::take(const Letter&, const Play& request) {
    playing_ = request.playing;
    steps_to_make_ = 0;
}

void Session::take(const Letter&, const MakeSteps& request) {
    playing_ = false;
    steps_to_make_ = request.steps;
}

void Session::take(const Letter&, const Pace& request) {
    pace_ = request;
    owed_steps_ = 0;
}

void Session::take(const Letter& letter, const Restart& request) {
    Project project = player_.project();
    if (request.new_seed) project = project.with_seed(std::random_device{}() % 1000000);
    if (request.seed) project = project.with_seed(*request.seed);
    become(letter, std::move(project), true);
}

void Session::take(const Letter& letter, const SetParameter& request) {
    const std::vector<model::Parameter> before = player_.spec().model.parameters;
    const std::uint64_t made = player_.simulations();
    player_.set_parameter(request.name, request.value);
    const std::vector<model::Parameter>& now = player_.spec().model.parameters;
    if (player_.simulations() != made) {
        if (std::any_of(before.begin(), before.end(), [&](const auto& each) { return each.name == request.name && each.map; }))
            remove_pictures();
        tell_model(&letter);
        return;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {  // with those that are computed from it
        if (now[i].name != request.name && now[i].value == before[i].value) continue;
        for (const auto& viewer : viewers())
            viewer->say_last("parameter " + now[i].name, parameter_event(player_, now[i].name, now[i].value));
    }
}

void Session::take(const Letter& letter, const Stroke& request) {
    player_.paint(request, letter.from->view, letter.from->painter);
    touched_at_ = core::SteadyClock::now();
}

void Session::take(const Letter&, const Undo& request) {
    if (!(request.forward ? player_.redo() : player_.undo()))
        throw core::InputError(request.forward ? "there is no stroke to redo" : "there is no stroke to undo");
    divergence_told_ = false;
}

void Session::take(const Letter& letter, const SetProbe& request) {
    constexpr std::size_t kMostProbes = 16;
    if (!request.at) {
        probes_.erase(request.probe);
    } else if (probes_.size() < kMostProbes || probes_.contains(request.probe)) {
        Place at = *request.at;
        if (const auto* grid = std::get_if<domain::Grid>(&player_.spec().domain); grid && grid->size[2] > 1) {
            const View& view = letter.from->view;
            const double depth = static_cast<double>(view.slice);
            if (view.axis == 2) at = {at[0], at[1], depth};
            if (view.axis == 1) at = {at[0], depth, at[1]};
            if (view.axis == 0) at = {depth, at[0], at[1]};
        }
        const auto [row, cell] = row_and_cell(at, player_.spec().domain);
        probes_[request.probe] = {row, cell};
    } else {
        throw core::InputError("there are " + std::to_string(kMostProbes) + " probes, and no more may be set");
    }
    for (const auto& viewer : viewers()) viewer->seen = 0;
}

void Session::take(const Letter& letter, const ChangeModel& request) {
    become(letter, player_.project().with_text(request.text), request.restart);
}
void Session::take(const Letter& letter, const OpenModel& request) { become(letter, player_.project().with_model(request), true); }
void Session::take(const Letter& letter, const TakePreset& request) { become(letter, player_.project().with_preset(request.preset), true); }
void Session::take(const Letter& letter, const ChangeSettings& request) { become(letter, player_.project().with_settings(request), false); }

void Session::take(const Letter& letter, const GoBack&) {
    player_.go_back();
    divergence_told_ = false;
    tell_model(&letter);
}

void Session::take(const Letter& letter, const DropImage& request) {
    const std::array<double, 2> range = range_of(player_.spec(), request);
    // In the one folder that models of a page may name.
    std::filesystem::path path = player_.project().folder() / (plain_name(request.name) + ".png");
    for (int i = 2; std::filesystem::exists(path); ++i)
        path = player_.project().folder() / (plain_name(request.name) + "-" + std::to_string(i) + ".png");
    std::ofstream(path, std::ios::binary) << request.png << std::flush;
    try {
        image::read_png(path);
        become(letter, player_.project().with_image(request, path, range), !request.field.empty());
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
        throw;
    }
}

void Session::take(const Letter& letter, const MakeMap& request) {
    // Preparing many members takes a while, in which nothing but this is heard.
    core::Cancellation stop(core::CancellationScope::current());
    const core::CancellationScope scope(&stop);
    {
        const std::lock_guard lock(mutex_);
        map_ = &stop;
        map_number_ = letter.map;
        if (letter.map <= maps_stopped_) stop.ask();
    }
    const auto forget = [&] {
        const std::lock_guard lock(mutex_);
        map_ = nullptr;
    };
    // The sweep calls it from one thread at a time, while this one waits.
    const auto go_on = [&](double done) {
        greet_newcomers();
        for (const auto& viewer : viewers()) viewer->say_last("map", map_running_event(done));
        return !stop.is_asked();
    };
    std::optional<MapPicture> picture;
    try {
        if (go_on(0)) picture = make_map(player_, request, files_, context_, go_on);
    } catch (const core::Interrupted&) {  // stopped, and so it is told
    } catch (...) {
        forget();
        throw;
    }
    forget();
    for (const auto& viewer : viewers()) viewer->say_last("map", picture ? map_done_event(*picture) : map_stopped_event());
}

void Session::take(const Letter&, const StopMap&) {}  // the thread of the connection has said so

void Session::offer(const Letter& letter, const std::filesystem::path& path) {
    std::error_code ignored;
    const std::uintmax_t bytes = std::filesystem::file_size(path, ignored);
    letter.from->say(file_event(path.filename().string(), files_.offer(path), bytes, letter.message.id));
}

void Session::end_recording(const Letter* letter) {
    if (!recording_) return;
    const std::unique_ptr<Recording> recording = std::move(recording_);
    std::shared_ptr<Viewer> to = std::exchange(recorder_, nullptr);
    status_due_ = true;
    const std::filesystem::path path = recording->finish();
    std::error_code ignored;
    const std::uintmax_t bytes = std::filesystem::file_size(path, ignored);
    const std::string event = file_event(path.filename().string(), files_.offer(path), bytes, letter ? letter->message.id : std::nullopt);
    if (letter) to = letter->from;
    if (to && !letter && to->is_closed()) {  // another page takes it, or the next one that comes
        const std::vector<std::shared_ptr<Viewer>> others = viewers();
        to = others.empty() ? nullptr : others.front();
    }
    if (to) {
        to->say(event);
    } else {
        left_.push_back(notice_event("the recording ended when no page was open any more: here it is"));
        left_.push_back(event);
    }
}

void Session::drop_recording() {
    try {
        end_recording(nullptr);
    } catch (const core::Error& error) {
        const std::string lost = notice_event("the recording is lost: " + error.message());
        tell_all(lost);
        if (viewers().empty()) left_.push_back(lost);
    }
}

void Session::watch_recording() {
    if (!viewers().empty()) accompanied_at_ = core::SteadyClock::now();
    if (recording_ && core::seconds_since(accompanied_at_) > kUnaccompanied) drop_recording();
}

void Session::take(const Letter& letter, const Record& request) {
    if (!request.on) {
        if (!recording_) throw core::InputError("nothing is being recorded");
        end_recording(&letter);
        return;
    }
    if (recording_) throw core::InputError("a recording is under way; stop it first");
    recording_ = std::make_unique<Recording>(player_, request, files_, context_);
    recorder_ = letter.from;
    recording_->follow(player_);
}

void Session::take(const Letter& letter, const Save& request) {
    for (const std::filesystem::path& path : save_files(player_, request, files_, context_)) offer(letter, path);
}

}  // namespace mottle::live
