// mottle/live/server/server.cpp: civetweb: requests, messages, and a thread that sends for each page
#include "mottle/live/server/server.h"

#include "mottle/core/error.h"

#include <civetweb.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <thread>

namespace mottle::live {

namespace {

constexpr int kMostPages = 24;                                    // connected at a time
constexpr std::string_view kTryLater = "\003\365too many pages";  // the code 1013 of a closed WebSocket, and its reason
// A page keeps a thread of civetweb's; the rest answer requests.
constexpr const char* kThreads = "200";
constexpr const char* kRequestTimeout = "1000";     // milliseconds: who connects and says nothing keeps a thread for so long
constexpr const char* kWebSocketTimeout = "15000";  // milliseconds without an answer to a ping, several of which fit
constexpr std::size_t kTokenBytes = 16;

/// "127.0.0.1" of "127.0.0.1:8080", "[::1]" of "[::1]:8080".
std::string_view without_port(std::string_view host) {
    const std::size_t colon = host.rfind(':');
    const bool port = colon != std::string_view::npos && host.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
    return port ? host.substr(0, colon) : host;
}

/// As long whatever the first byte is that differs.
bool are_equal(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned different = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        different |= static_cast<unsigned>(static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]));
    return different == 0;
}

std::string_view token_in(std::string_view query) {
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view part = query.substr(0, end);
        if (part.starts_with("token=")) return part.substr(6);
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return {};
}

std::string_view text_or_empty(const char* text) { return text ? std::string_view(text) : std::string_view(); }

std::string_view type_of(const std::filesystem::path& file) {
    const std::string extension = file.extension().string();
    if (extension == ".png") return "image/png";
    if (extension == ".mp4") return "video/mp4";
    if (extension == ".toml") return "text/plain; charset=utf-8";
    return "application/octet-stream";
}

/// What a browser may do with an answer. Notebooks of this computer show the page in a frame.
std::string rules(std::string_view policy) {
    return "Cache-Control: no-store\r\n"
           "Referrer-Policy: no-referrer\r\n"
           "X-Content-Type-Options: nosniff\r\n"
           "Content-Security-Policy: " +
           std::string(policy) +
           "; frame-ancestors 'self' http://127.0.0.1:* http://localhost:*\r\n"
           "Connection: close\r\n";
}

constexpr std::string_view kNothing = "default-src 'none'";

/// The policy that the page itself declares, which names its one script; nothing may run in a page without one.
std::string_view policy_of(std::string_view page) {
    constexpr std::string_view kBegin = "http-equiv=\"Content-Security-Policy\" content=\"";
    const std::size_t begin = page.find(kBegin), end = begin == std::string_view::npos ? begin : page.find('"', begin + kBegin.size());
    if (end == std::string_view::npos) return kNothing;
    const std::string_view policy = page.substr(begin + kBegin.size(), end - begin - kBegin.size());
    return policy.find_first_of("\r\n") == std::string_view::npos ? policy : kNothing;
}

void answer_text(mg_connection* connection, int status, const char* words, std::string_view text) {
    mg_printf(connection, "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n%s\r\n%.*s", status, words,
              text.size(), rules(kNothing).c_str(), static_cast<int>(text.size()), text.data());
}

/// civetweb takes care of its own memory once for all.
struct Library {
    Library() { mg_init_library(MG_FEATURES_WEBSOCKET); }
    ~Library() { mg_exit_library(); }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;
};

}  // namespace

bool is_allowed(const Origin& from, std::string_view token, std::string_view listening_host) {
    constexpr std::array<std::string_view, 3> kOwnNames = {"127.0.0.1", "localhost", "[::1]"};
    const std::string_view name = without_port(from.host);
    const bool own = std::find(kOwnNames.begin(), kOwnNames.end(), name) != kOwnNames.end() ||
                     (!listening_host.empty() && name == listening_host) ||
                     (listening_host == "0.0.0.0" && !name.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos);
    const std::string page = "http://" + std::string(from.host);
    return own && (from.origin.empty() || from.origin == page) && are_equal(token_in(from.query), token);
}

std::string make_token() {
    std::array<char, kTokenBytes> bytes{};
    std::ifstream random("/dev/urandom", std::ios::binary);
    if (!random.read(bytes.data(), bytes.size()))
        throw core::DeviceError("/dev/urandom cannot be read, and without it there is no token that nobody guesses");
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string token;
    for (const char byte : bytes) {
        token += kDigits[static_cast<unsigned char>(byte) >> 4U];
        token += kDigits[static_cast<unsigned char>(byte) & 15U];
    }
    return token;
}

/// A page that is connected, for as long as it is.
struct Server::Connection {
    std::shared_ptr<Viewer> viewer = std::make_shared<Viewer>();
    std::string message;  ///< the parts of one that have come; of one that is too long, a byte more than is allowed
    int mistakes = 0;
    std::thread sender;
};

namespace {

/// What `work` returns, or `otherwise`: no exception may pass the server's C code.
template <class Work>
int guarded(int otherwise, const Work& work) {
    try {
        return work();
    } catch (const std::exception&) {
        return otherwise;
    }
}

/// Sends what the viewer is told until it is closed, or the connection.
auto sender_of(mg_connection* connection, std::shared_ptr<Viewer> viewer) {
    return [connection, viewer = std::move(viewer)] {
        while (const std::optional<Parcel> parcel = viewer->next()) {
            const bool text = !parcel->binary;
            const char* data = text ? parcel->text.data() : reinterpret_cast<const char*>(parcel->binary->data());
            const std::size_t size = text ? parcel->text.size() : parcel->binary->size();
            if (mg_websocket_write(connection, text ? MG_WEBSOCKET_OPCODE_TEXT : MG_WEBSOCKET_OPCODE_BINARY, data, size) <= 0) break;
        }
        viewer->close();
        mg_websocket_write(connection, MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, "", 0);
    };
}

}  // namespace

Server::Server(Session& session, OfferedFiles& files, std::string_view page, std::string host, int port)
    : session_(session), files_(files), page_(page), host_(std::move(host)), token_(make_token()) {
    static const Library library;
    listen(port);
    take_requests();
    take_messages();
}

void Server::listen(int port) {
    const std::string address = host_ + ":" + std::to_string(port);
    const std::array<const char*, 17> options = {"listening_ports",
                                                 address.c_str(),
                                                 "num_threads",
                                                 kThreads,
                                                 "request_timeout_ms",
                                                 kRequestTimeout,
                                                 "websocket_timeout_ms",
                                                 kWebSocketTimeout,
                                                 "enable_directory_listing",
                                                 "no",
                                                 "enable_websocket_ping_pong",
                                                 "yes",
                                                 "enable_keep_alive",
                                                 "no",
                                                 "tcp_nodelay",
                                                 "1",
                                                 nullptr};
    mg_callbacks callbacks{};
    callbacks.log_message = [](const mg_connection*, const char*) { return 1; };  // the program says what there is to say
    context_ = mg_start(&callbacks, this, const_cast<const char**>(options.data()));
    if (!context_)
        throw core::DeviceError("cannot listen on " + address +
                                ": it is taken, or no address of this computer; --port 0 takes any free port");
    std::array<mg_server_port, 4> ports{};
    const int count = mg_get_server_ports(context_, static_cast<int>(ports.size()), ports.data());
    const int listening = count > 0 ? ports[0].port : port;
    const bool everywhere = host_ == "0.0.0.0" || host_ == "[::]";
    url_ = "http://" + (everywhere ? std::string("127.0.0.1") : host_) + ":" + std::to_string(listening) + "/?token=" + token_;
}

void Server::take_requests() {
    mg_set_request_handler(
        context_, "/file/",
        [](mg_connection* connection, void* self) {
            return guarded(500, [&] { return static_cast<Server*>(self)->answer_file(connection); });
        },
        this);
    mg_set_request_handler(
        context_, "/",
        [](mg_connection* connection, void* self) {
            return guarded(500, [&] { return static_cast<Server*>(self)->answer_page(connection); });
        },
        this);
}

void Server::take_messages() {
    mg_set_websocket_handler(
        context_, "/ws",
        [](const mg_connection* connection, void* self) {
            auto* server = static_cast<Server*>(self);
            return guarded(1, [&] { return server->refuse_page(const_cast<mg_connection*>(connection)) ? 1 : 0; });
        },
        [](mg_connection* connection, void* self) {
            guarded(0, [&] {
                static_cast<Server*>(self)->welcome(connection);
                return 0;
            });
        },
        [](mg_connection* connection, int bits, char* data, std::size_t size, void* self) {
            return guarded(0, [&] { return static_cast<Server*>(self)->hear(connection, bits, {data, size}) ? 1 : 0; });
        },
        [](const mg_connection* connection, void* self) { static_cast<Server*>(self)->forget(connection); }, this);
}

Server::~Server() { mg_stop(context_); }

bool Server::refuse(mg_connection* connection, bool answer) const {
    const mg_request_info* request = mg_get_request_info(connection);
    const Origin from{text_or_empty(mg_get_header(connection, "Host")), text_or_empty(mg_get_header(connection, "Origin")),
                      text_or_empty(request->query_string)};
    if (is_allowed(from, token_, host_)) return false;
    if (answer)
        answer_text(connection, 403, "Forbidden",
                    "This page opens with the whole address that `mottle live` printed, its token included.\n");
    return true;
}

bool Server::refuse_page(mg_connection* connection) const {
    if (refuse(connection, true)) return true;
    if (connections_ < kMostPages) return false;
    answer_text(
        connection, 503, "Service Unavailable",
        std::to_string(kMostPages) + " pages are connected to this run, which is the most it takes: close one of them and reload.\n");
    return true;
}

int Server::answer_page(mg_connection* connection) const {
    const mg_request_info* request = mg_get_request_info(connection);
    if (refuse(connection, true)) return 403;
    const std::string_view method = text_or_empty(request->request_method);
    if (method != "GET" && method != "HEAD") {
        answer_text(connection, 405, "Method Not Allowed", "");
        return 405;
    }
    if (text_or_empty(request->local_uri) != "/") {
        answer_text(connection, 404, "Not Found", "There is nothing here.\n");
        return 404;
    }
    mg_printf(connection, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %zu\r\n%s\r\n", page_.size(),
              rules(policy_of(page_)).c_str());
    if (method == "GET") mg_write(connection, page_.data(), page_.size());
    return 200;
}

int Server::answer_file(mg_connection* connection) const {
    if (refuse(connection, true)) return 403;
    const std::optional<std::filesystem::path> file = files_.find(std::string(text_or_empty(mg_get_request_info(connection)->local_uri)));
    std::error_code gone;
    const std::uintmax_t bytes = file ? std::filesystem::file_size(*file, gone) : 0;
    if (!file || gone) {
        answer_text(connection, 404, "Not Found", "This file is not offered (any more).\n");
        return 404;
    }
    const std::string_view type = type_of(*file);
    mg_printf(connection,
              "HTTP/1.1 200 OK\r\nContent-Type: %.*s\r\nContent-Length: %ju\r\nContent-Disposition: attachment; filename=\"%s\"\r\n%s\r\n",
              static_cast<int>(type.size()), type.data(), bytes, file->filename().c_str(), rules(kNothing).c_str());
    mg_send_file_body(connection, file->c_str());  // piece by piece: a video or a state may be larger than the memory
    return 200;
}

void Server::welcome(mg_connection* connection) {
    const auto turn_away = [&] {
        --connections_;
        mg_websocket_write(connection, MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE, kTryLater.data(), kTryLater.size());
    };
    if (connections_.fetch_add(1) >= kMostPages)
        return turn_away();  // pages that connected at the same moment were all let in by refuse_page
    std::unique_ptr<Connection> page;
    try {
        page = std::make_unique<Connection>();
        page->sender = std::thread(sender_of(connection, page->viewer));
    } catch (const std::exception&) {  // no memory, or no thread
        return turn_away();
    }
    mg_set_user_connection_data(connection, page.get());
    session_.join(page.release()->viewer);  // when the connection closes it is deleted
}

bool Server::hear(mg_connection* connection, int bits, std::string_view part) {
    auto* connected = static_cast<Connection*>(mg_get_user_connection_data(connection));
    if (!connected) return false;
    constexpr int kOpcode = 15, kFinal = 128;
    const int opcode = bits & kOpcode;
    if (opcode == MG_WEBSOCKET_OPCODE_CONNECTION_CLOSE || connected->viewer->is_closed()) return false;
    if (opcode == MG_WEBSOCKET_OPCODE_PING || opcode == MG_WEBSOCKET_OPCODE_PONG) return true;
    if (opcode != MG_WEBSOCKET_OPCODE_CONTINUATION) connected->message.clear();
    // The byte too many is kept, so that the session refuses the message for its length.
    connected->message.append(part.substr(0, kMostMessageBytes + 1 - connected->message.size()));
    if ((bits & kFinal) == 0) return true;
    const std::string message = std::exchange(connected->message, {});
    return session_.receive(connected->viewer, message, connected->mistakes);
}

void Server::forget(const mg_connection* connection) {
    auto* connected = static_cast<Connection*>(mg_get_user_connection_data(connection));
    if (!connected) return;
    mg_set_user_connection_data(connection, nullptr);
    session_.leave(connected->viewer);
    if (connected->sender.joinable()) connected->sender.join();
    delete connected;
    --connections_;
}

}  // namespace mottle::live
