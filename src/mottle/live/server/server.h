// mottle/live/server/server.h: the page, the WebSocket and the files over HTTP, for those who have the token
#pragma once
#include "mottle/live/server/session.h"

#include <memory>
#include <string>
#include <string_view>

struct mg_context;
struct mg_connection;

namespace mottle::live {

/// What a request says of where it comes from.
struct Origin {
    std::string_view host;    ///< the Host header
    std::string_view origin;  ///< the Origin header; "" where there is none
    std::string_view query;   ///< "token=..."
};

/// Whether a request may be answered: its Host names this computer (127.0.0.1, localhost, [::1], or the address listened on; any port, for tunnels), so that no
/// name on the internet is bound to it; its Origin, if there is one, is this very page; and it has the token.
bool is_allowed(const Origin& from, std::string_view token, std::string_view listening_host);

/// 32 hexadecimal digits that nobody guesses. Throws: DeviceError.
std::string make_token();

class Server {
   public:
    /// Listens on host:port, port 0 being any. `page`: HTML. Throws: DeviceError that says why it cannot.
    Server(Session& session, OfferedFiles& files, std::string_view page, std::string host, int port);
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// "http://127.0.0.1:43210/?token=...".
    const std::string& url() const { return url_; }

   private:
    struct Connection;
    /// Opens the port and makes the address. Throws: DeviceError.
    void listen(int port);
    void take_requests();
    void take_messages();
    bool refuse(mg_connection* connection, bool answer) const;
    bool refuse_page(mg_connection* connection) const;
    int answer_page(mg_connection* connection) const;
    int answer_file(mg_connection* connection) const;
    void welcome(mg_connection* connection);
    /// Takes a part of a message. `bits`: what it is, as WebSockets say it. False closes the connection.
    bool hear(mg_connection* connection, int bits, std::string_view part);
    void forget(const mg_connection* connection);

    Session& session_;
    OfferedFiles& files_;
    std::string_view page_;
    std::string host_, token_, url_;
    mg_context* context_ = nullptr;
    std::atomic<int> connections_ = 0;
};

}  // namespace mottle::live
