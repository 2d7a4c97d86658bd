// tests/unit/run/listener.h: an observer that keeps what it hears, and stops a run when a test says so
#pragma once
#include "mottle/core/context.h"

#include <functional>
#include <string>

class Listener : public mottle::core::Observer {
   public:
    void notice(const std::string& message) override { notices += message + "\n"; }
    bool keep_going(mottle::core::Moment now, double) override { return !go_on || go_on(now); }
    std::string notices;
    std::function<bool(mottle::core::Moment)> go_on;
};
