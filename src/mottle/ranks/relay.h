// mottle/ranks/relay.h: a rank that passes on all that it is asked: what watches or measures another one begins here
#pragma once
#include "mottle/ranks/transport.h"

namespace mottle::ranks {

class Relay : public Transport {
   public:
    /// `rank` outlives this.
    explicit Relay(Transport& rank) : rank_(rank) {}
    int rank() const override { return rank_.rank(); }
    int count() const override { return rank_.count(); }
    int cores() const override { return rank_.cores(); }
    bool is_bound() const override { return rank_.is_bound(); }
    double share_of_machine() const override { return rank_.share_of_machine(); }
    bool shares_memory() const override { return rank_.shares_memory(); }
    std::string description() const override { return rank_.description(); }
    void send(int to, int channel, std::span<const std::byte> bytes) override { rank_.send(to, channel, bytes); }
    void send_soon(int to, int channel, std::span<const std::byte> bytes) override { rank_.send_soon(to, channel, bytes); }
    Bytes receive(int from, int channel) override { return rank_.receive(from, channel); }
    std::optional<Bytes> try_receive(int from, int channel) override { return rank_.try_receive(from, channel); }
    std::span<std::byte> outbox(const HaloBytes& halo) override { return rank_.outbox(halo); }
    void begin_exchange(std::span<const HaloBytes> outgoing, std::span<const HaloBytes> incoming, Meanwhile meanwhile) override {
        rank_.begin_exchange(outgoing, incoming, meanwhile);
    }
    void finish_exchange() override { rank_.finish_exchange(); }
    std::span<const std::byte> inbox(const HaloBytes& halo) const override { return rank_.inbox(halo); }
    void end_all(int code) override { rank_.end_all(code); }

   private:
    Transport& rank_;
};

}  // namespace mottle::ranks
