// mottle/core/cancellation.cpp: the cancellation that each thread heeds
#include "mottle/core/cancellation.h"

namespace mottle::core {

namespace {

// of one thread, and set by scopes alone: passing it through every function of the compiler would tell nothing
thread_local const Cancellation* heeded = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

Interrupted::Interrupted() : Error("interrupted", std::nullopt) {}

CancellationScope::CancellationScope(const Cancellation* cancellation) noexcept : before_(heeded) { heeded = cancellation; }

CancellationScope::~CancellationScope() { heeded = before_; }

const Cancellation* CancellationScope::current() noexcept { return heeded; }

void cancellation_point() {
    if (heeded != nullptr && heeded->is_asked()) throw Interrupted();
}

}  // namespace mottle::core
