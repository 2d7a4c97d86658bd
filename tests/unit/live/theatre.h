// tests/unit/live/theatre.h: a session with its thread, and pages without a network
#pragma once
#include "mottle/core/cancellation.h"
#include "mottle/live/server/session.h"
#include "unit/live/stage.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace mottle::live {

/// A page that takes what it is sent, and remembers the texts.
class Page {
   public:
    explicit Page(Session& session) : session_(session) { session_.join(viewer_); }
    ~Page() { session_.leave(viewer_); }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    bool send(const std::string& json) { return session_.receive(viewer_, json, mistakes_); }
    /// The next text that contains all of `parts`; frames on the way are acknowledged.
    std::string wait_for(const std::vector<std::string>& parts) {
        return wait([&](const Parcel& parcel) {
                   for (const std::string& part : parts) {
                       if (parcel.text.find(part) == std::string::npos) return false;
                   }
                   return true;
               })
            .text;
    }
    /// Whatever comes next.
    Parcel next() {
        return wait([](const Parcel&) { return true; });
    }
    /// The next frame.
    std::vector<std::uint8_t> frame() {
        const Bytes bytes = wait([](const Parcel& parcel) { return parcel.binary && (*parcel.binary)[4] != 3; }).binary;
        return bytes ? *bytes : std::vector<std::uint8_t>{};
    }
    Viewer& viewer() { return *viewer_; }

   private:
    template <class IsIt>
    Parcel wait(const IsIt& is_it) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (std::chrono::steady_clock::now() < end) {
            auto next = std::async(std::launch::async, [&] { return viewer_->next(); });
            if (next.wait_until(end) != std::future_status::ready) {
                viewer_->close();
                break;
            }
            std::optional<Parcel> parcel = next.get();
            if (!parcel) break;
            if (parcel->binary && (*parcel->binary)[4] != 3) {
                std::uint32_t number = 0;
                std::memcpy(&number, parcel->binary->data() + 8, sizeof number);
                send("{\"do\":\"ack\",\"frame\":" + std::to_string(number) + "}");
            }
            if (is_it(*parcel)) return *parcel;
        }
        ADD_FAILURE() << "what was waited for did not come";
        return {};
    }

    Session& session_;
    std::shared_ptr<Viewer> viewer_ = std::make_shared<Viewer>();
    int mistakes_ = 0;
};

/// A session with its thread.
struct Theatre {
    Stage stage;
    core::Cancellation end;
    Session session;
    std::thread engine;

    explicit Theatre(const std::string& text = kSpread, const std::string& flags = "")
        : session(stage.project(text, flags), stage.context, stage.files), engine([this] {
              const core::CancellationScope scope(&end);
              session.run();
          }) {}
    ~Theatre() {
        end.ask();
        engine.join();
    }
};

}  // namespace mottle::live
