// mottle/benchmarks/live_rate.cpp: what watching costs a run: steps per second under `mottle live` with a client on the loopback, beside the same run without any output
#include "baseline/machine.h"
#include "harness/report.h"
#include "mottle/core/cancellation.h"
#include "mottle/core/error.h"
#include "mottle/live/server/server.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace mottle::benchmarks {
namespace {

/// What a page knows, as far as it is measured.
struct Seen {
    double frames = 0, first_step = -1, last_step = 0, first_at = 0, last_at = 0;
    float hi = 0;
    std::uint32_t generation = 0;
    std::vector<std::uint8_t> frame;
    int models = 0;
    std::string error;
};

/// A page without a browser: it acknowledges each frame as it comes. As browsers do, it sends small messages at once (TCP_NODELAY).
class Client {
   public:
    explicit Client(const std::string& url) {
        const std::size_t host = url.find("//") + 2, colon = url.find(':', host), path = url.find('/', host);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1, path - colon - 1))));
        inet_pton(AF_INET, url.substr(host, colon - host).c_str(), &address.sin_addr);
        socket_ = socket(AF_INET, SOCK_STREAM, 0);
        const int at_once = 1;
        setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
        if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) throw core::InternalError("no connection");
        const std::string request = "GET /ws" + url.substr(path + 1) + " HTTP/1.1\r\nHost: " + url.substr(host, path - host) +
                                    "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                                    "Sec-WebSocket-Version: 13\r\n\r\n";
        put(request.data(), request.size());
        std::string answer;
        while (!answer.ends_with("\r\n\r\n")) {
            char c = 0;
            if (recv(socket_, &c, 1, 0) != 1) throw core::InternalError("no answer");
            answer += c;
        }
        if (!answer.starts_with("HTTP/1.1 101")) throw core::InternalError("refused: " + answer);
        reader_ = std::thread([this] { read(); });
    }
    ~Client() {
        shutdown(socket_, SHUT_RDWR);
        reader_.join();
        close(socket_);
    }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    void send(const std::string& json) {
        std::string frame{static_cast<char>(0x81)};  // text, whole; masked with zeros, as a client has to
        if (json.size() < 126) {
            frame += static_cast<char>(0x80U | json.size());
        } else {
            frame += static_cast<char>(0x80U | 126U);
            frame += static_cast<char>(json.size() >> 8U);
            frame += static_cast<char>(json.size() & 255U);
        }
        frame += std::string(4, '\0') + json;
        const std::lock_guard lock(sending_);
        put(frame.data(), frame.size());
    }
    void forget() {
        const std::lock_guard lock(mutex_);
        seen_ = Seen{};
    }
    /// Waits, for at most a while, until `is_there(seen)`. Throws: InternalError.
    template <class IsThere>
    Seen wait_for(const std::string& what, const IsThere& is_there) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, std::chrono::seconds(60), [&] { return is_there(seen_) || !seen_.error.empty(); }))
            throw core::InternalError("verification failed: the page has waited a minute for " + what + ", at step " +
                                      std::to_string(seen_.last_step) + ", after " + std::to_string(seen_.frames) +
                                      " frames, the last with values up to " + std::to_string(seen_.hi));
        if (!seen_.error.empty()) throw core::InternalError("verification failed: " + seen_.error);
        return seen_;
    }
    Seen seen() {
        const std::lock_guard lock(mutex_);
        return seen_;
    }

   private:
    void put(const char* data, std::size_t size) {
        while (size > 0) {
            const ssize_t sent = ::send(socket_, data, size, MSG_NOSIGNAL);
            if (sent <= 0) return;
            data += sent;
            size -= static_cast<std::size_t>(sent);
        }
    }
    bool get(void* data, std::size_t size) { return size == 0 || recv(socket_, data, size, MSG_WAITALL) == static_cast<ssize_t>(size); }

    void read() {
        std::vector<std::uint8_t> payload;
        std::array<std::uint8_t, 2> head{};
        while (get(head.data(), 2)) {
            std::uint64_t size = head[1] & 127U;
            std::array<std::uint8_t, 8> more{};
            const std::size_t bytes = size == 127 ? 8 : size == 126 ? 2 : 0;
            if (!get(more.data(), bytes)) return;
            if (bytes > 0) size = 0;
            for (std::size_t i = 0; i < bytes; ++i) size = size << 8U | more[i];
            payload.resize(size);
            if (!get(payload.data(), size)) return;
            take(head[0] & 15U, payload);
        }
    }

    void take(unsigned opcode, std::vector<std::uint8_t>& data) {
        constexpr unsigned kText = 1, kBinary = 2;
        if (opcode == kText) {
            const auto json = nlohmann::json::parse(data.begin(), data.end(), nullptr, false);
            const std::lock_guard lock(mutex_);
            if (json.value("event", "") == "model") ++seen_.models;
            if (json.value("event", "") == "error") seen_.error = json.value("message", "an error");
            changed_.notify_all();
        } else if (opcode == kBinary && data.size() > live::kHeaderBytes && data[4] != 3) {
            std::uint32_t frame = 0;
            std::memcpy(&frame, data.data() + 8, sizeof frame);
            send("{\"do\":\"ack\",\"frame\":" + std::to_string(frame) + "}");
            const std::lock_guard lock(mutex_);
            ++seen_.frames;
            std::memcpy(&seen_.last_step, data.data() + 24, sizeof seen_.last_step);
            std::memcpy(&seen_.hi, data.data() + 60, sizeof seen_.hi);
            seen_.last_at = seconds_now();
            if (seen_.first_step < 0) {
                seen_.first_step = seen_.last_step;
                seen_.first_at = seen_.last_at;
            }
            seen_.frame.swap(data);
            changed_.notify_all();
        }
    }

    std::mutex sending_;
    std::mutex mutex_;
    std::condition_variable changed_;
    Seen seen_;
    int socket_ = -1;
    std::thread reader_;
};

struct Case {
    std::string name, text, flags;
};

std::string gray_scott_on(const std::string& domain) {
    return "equations.u = 'Du*lap(u) - u*v^2 + F*(1 - u)'\nequations.v = 'Dv*lap(v) + u*v^2 - (F + k)*v'\n"
           "parameters = { Du = 0.2, Dv = 0.1, F = 0.037, k = 0.060 }\ndefine.drop = 'spots(60, 5)'\n"
           "initial = { u = '1 - 0.5*drop', v = '0.25*drop' }\nfields = { u.range = [0, 1], v.range = [0, 0.5] }\ntime.steps = 8000\n" +
           domain;
}

live::Options options_of(const Case& job) {
    live::Options options;
    options.text = job.text;
    options.document = core::parse_document(job.text, "bench.toml");
    options.name = "bench";
    return options;
}

struct Figures {
    double live = 0, plain = 0, frames = 0, brush = 0, fast_brush = 0, equation = 0;
};

/// The values of the last frame, against those of a run that has made as many steps.
void verify(Client& client, const Case& job, core::Context& context) {
    client.send(R"({"do":"pause"})");
    client.send(R"({"do":"restart"})");
    client.forget();
    client.send(R"({"do":"step","steps":500})");
    const Seen seen = client.wait_for("step 500", [](const Seen& s) { return s.last_step == 500; });
    run::Simulation simulation(live::Project(options_of(job), "/nowhere").spec(), context);
    simulation.advance_to(500);
    const live::View view = live::whole_view(simulation.spec().domain, 1);
    live::View same = view;
    same.pixels = {4096, 4096};
    const std::vector<std::uint8_t> expected = live::make_frame(simulation.field(), same, {}, context.team);
    const bool equal = seen.frame.size() == expected.size() &&
                       std::equal(expected.begin() + live::kHeaderBytes, expected.end(), seen.frame.begin() + live::kHeaderBytes);
    if (!equal) throw core::InternalError("verification failed: the page sees other values than those of the run");
}

double plain_rate(run::Simulation& simulation, double seconds) {
    const double start = seconds_now();
    core::Index before = simulation.now().step;
    while (seconds_now() - start < seconds) simulation.advance_to(run::kMostSteps, 1024);
    return static_cast<double>(simulation.now().step - before) / (seconds_now() - start);
}

double live_rate(Client& client, double seconds, double& frames) {
    client.send(R"({"do":"pace","pace":"most"})");
    client.send(R"({"do":"play"})");
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    client.forget();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    const Seen seen = client.seen();
    client.send(R"({"do":"pause"})");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    frames = (seen.frames - 1) / (seen.last_at - seen.first_at);
    return (seen.last_step - seen.first_step) / (seen.last_at - seen.first_at);
}

/// Milliseconds from a stroke of the field `shown` to the frame that shows it, while the run goes on: the time that 95 of 100 stay below. No value of the field
/// is above `most` but painted ones.
double brush_latency(Client& client, const std::string& shown, double painted, double most, int count) {
    std::vector<double> times;
    const auto shows = [&](const Seen& s) { return s.hi > most; };
    for (int i = 0; i < count; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(37));
        const double start = seconds_now();
        client.send(nlohmann::json{
            {"do", "stroke"}, {"stroke", i}, {"field", shown}, {"value", painted}, {"radius", 3}, {"mode", "set"}, {"points", {{3.5, 3.5}}}}
                        .dump());
        const Seen seen = client.wait_for("a stroke", [&](const Seen& s) { return s.last_at > start && shows(s); });
        times.push_back((seen.last_at - start) * 1e3);
        client.send(R"({"do":"undo"})");
        client.wait_for("its end", [&](const Seen& s) { return !shows(s); });
    }
    std::sort(times.begin(), times.end());
    return times[times.size() * 95 / 100];
}

/// At ten steps per second, so that a stroke is still to be seen when its frame is made.
double slow_brush_latency(Client& client, int count) {
    client.send(R"({"do":"pace","pace":10})");
    client.send(R"({"do":"play"})");
    return brush_latency(client, "v", 0.9, 0.6, count);
}

/// As fast as the run goes. All parameters are 0 meanwhile, and so is v, which would react with what is painted: it stays as it is; a step costs what it always does.
double fast_brush_latency(Client& client, int count) {
    for (const char* name : {"Du", "Dv", "F", "k"}) client.send(nlohmann::json{{"do", "set"}, {"parameter", name}, {"value", 0}}.dump());
    client.send(R"({"do":"restart"})");
    client.send(R"({"do":"stroke","stroke":1000,"field":"v","value":0,"radius":10000,"mode":"set","points":[[0,0]]})");
    client.send(R"({"do":"view","field":"u"})");
    client.send(R"({"do":"pace","pace":"most"})");
    client.send(R"({"do":"play"})");
    const double milliseconds = brush_latency(client, "u", 3, 2, count);
    client.send(R"({"do":"view","field":"v"})");
    return milliseconds;
}

/// Milliseconds from another text of the model to the first frame of its run; each text is compiled anew.
double equation_latency(Client& client, const std::string& text, int count) {
    std::vector<double> times;
    for (int i = 0; i < count; ++i) {
        std::string changed = text;
        const std::size_t at = changed.find("F*(1 - u)");
        changed.replace(at, 9, "F*(1.0" + std::to_string(i + 1) + " - u)");
        client.forget();
        const double start = seconds_now();
        client.send(nlohmann::json{{"do", "model"}, {"id", i}, {"text", changed}}.dump());
        client.wait_for("a model", [](const Seen& s) { return s.models > 0; });
        const double told = seconds_now();
        const Seen seen = client.wait_for("its frame", [&](const Seen& s) { return s.last_at > told; });
        times.push_back((seen.last_at - start) * 1e3);
    }
    return median(times);
}

Figures measure(const Case& job, int threads, double seconds, int rounds) {
    core::ThreadTeam team(threads), other_team(threads);
    core::Observer silent;
    core::Context context{team, silent, {}}, other{other_team, silent, {}};
    live::OfferedFiles files;
    core::Cancellation end;
    live::Session session(live::Project(options_of(job), files.folder()), context, files);
    const live::Server server(session, files, "<!doctype html>", "127.0.0.1", 0);
    std::thread engine([&] {
        const core::CancellationScope scope(&end);
        session.run();
    });
    Figures figures;
    try {
        Client client(server.url());
        client.send(R"({"do":"view","pixels":[4096,4096]})");
        verify(client, job, other);
        client.send(R"({"do":"view","pixels":[1024,1024]})");  // those of a window
        run::Simulation plain(live::Project(options_of(job), "/nowhere").spec(), other);
        std::vector<double> live, alone, frames, shares;
        for (int round = 0; round < rounds; ++round) {
            frames.push_back(0);
            live.push_back(live_rate(client, seconds, frames.back()));
            alone.push_back(plain_rate(plain, seconds));
        }
        figures = {median(live), median(alone), median(frames), 0, 0, 0};
        if (job.flags == "grid") {
            figures.brush = slow_brush_latency(client, 60);
            figures.fast_brush = fast_brush_latency(client, 60);
            client.send(R"({"do":"restart"})");
            figures.equation = equation_latency(client, job.text, 9);
        }
    } catch (...) {
        end.ask();
        engine.join();
        throw;
    }
    end.ask();
    engine.join();
    return figures;
}

int run(int count, char** words) {
    const int cores = core::available_cores();
    const Options options(
        count, words,
        "Steps per second while a client on the loopback takes 60 frames per second, beside the same run alone, round by round; "
        "milliseconds "
        "from a stroke to its frame (95th percentile; at ten steps per second, and as fast as it goes) and from an equation to its first "
        "frame (median).",
        {{"sizes", "512,2048"}, {"mesh", "sphere:8"}, {"threads", std::to_string(cores)}, {"rounds", "5"}, {"seconds", "2"}});
    std::vector<Case> cases;
    for (const int size : options.integers("sizes")) {
        const std::string square = std::to_string(size) + "x" + std::to_string(size);
        cases.push_back({square, gray_scott_on("grid.size = '" + square + "'\ntime.dt = 1\n"), "grid"});
    }
    if (const std::string mesh = options.text("mesh"); mesh != "none")
        cases.push_back({mesh, gray_scott_on("mesh.shape = '" + mesh + "'\nmesh.scale = 100\n"), "mesh"});
    Table table({"domain", "alone, steps/s", "live, steps/s", "ratio", "frames/s", "stroke, ms", "at full pace, ms", "equation, ms"});
    Json results = Json::array();
    for (const Case& job : cases) {
        const Figures f =
            measure(job, options.integers("threads").front(), options.number("seconds"), static_cast<int>(options.number("rounds")));
        table.add({job.name, format("%.0f", f.plain), format("%.0f", f.live), format("%.3f", f.live / f.plain), format("%.1f", f.frames),
                   format("%.1f", f.brush), format("%.1f", f.fast_brush), format("%.1f", f.equation)});
        results.add(Json::object()
                        .set("domain", job.name)
                        .set("alone_steps_per_second", f.plain)
                        .set("live_steps_per_second", f.live)
                        .set("frames_per_second", f.frames)
                        .set("stroke_ms", f.brush)
                        .set("stroke_at_full_pace_ms", f.fast_brush)
                        .set("equation_ms", f.equation));
    }
    table.print();
    options.write(provenance("live_rate", "auto", options.integers("threads").front()).set("results", results));
    return 0;
}

}  // namespace

int benchmark(int count, char** words) { return guarded(run, count, words); }

}  // namespace mottle::benchmarks

int main(int count, char** words) { return mottle::benchmarks::benchmark(count, words); }
