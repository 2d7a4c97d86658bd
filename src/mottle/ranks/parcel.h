// mottle/ranks/parcel.h: values as bytes and back, between ranks of one build on one kind of processor
#pragma once
#include "mottle/core/error.h"
#include "mottle/core/shared_file.h"
#include "mottle/ranks/transport.h"

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace mottle::ranks {

/// Writes values one after another: all of them once to measure them, then once more. A message may be most of a rank's memory, which a vector that grows would take thrice.
class Packer {
   public:
    static constexpr bool kReads = false;
    void raw(void* from, std::size_t count) {
        if (measures_) {
            size_ += count;
            return;
        }
        const auto* first = static_cast<const std::byte*>(from);
        bytes.insert(bytes.end(), first, first + count);
    }
    void begin_writing() {
        bytes.reserve(size_);
        measures_ = false;
    }
    Bytes bytes;

   private:
    std::size_t size_ = 0;
    bool measures_ = true;
};

/// Reads them in the same order. Throws: InternalError (the message is shorter).
class Unpacker {
   public:
    static constexpr bool kReads = true;
    explicit Unpacker(std::span<const std::byte> bytes) : rest_(bytes) {}
    void raw(void* to, std::size_t count) {
        if (count > rest_.size()) throw core::InternalError("a message between ranks is cut short");
        if (count > 0) std::memcpy(to, rest_.data(), count);
        rest_ = rest_.subspan(count);
    }
    std::span<const std::byte> rest() const { return rest_; }

   private:
    std::span<const std::byte> rest_;
};

// carry(parcel, value) writes or reads, whichever the parcel does; a type of its own has one such function beside it.

template <class Parcel, class T>
requires std::is_trivially_copyable_v<T>
void carry(Parcel& parcel, T& value) { parcel.raw(&value, sizeof value); }
template <class Parcel>
void carry(Parcel& parcel, std::string& text);
template <class Parcel, class T>
void carry(Parcel& parcel, std::vector<T>& list);
template <class Parcel, class T>
requires(!std::is_trivially_copyable_v<T>) void carry(Parcel& parcel, std::optional<T>& value);
template <class Parcel, class A, class B>
requires(!std::is_trivially_copyable_v<std::pair<A, B>>) void carry(Parcel& parcel, std::pair<A, B>& pair);

template <class Parcel, class List>
void carry_size(Parcel& parcel, List& list) {
    std::size_t size = list.size();
    parcel.raw(&size, sizeof size);
    if constexpr (Parcel::kReads) list.resize(size);
}

template <class Parcel>
void carry(Parcel& parcel, std::string& text) {
    carry_size(parcel, text);
    parcel.raw(text.data(), text.size());
}

template <class Parcel, class T>
void carry(Parcel& parcel, std::vector<T>& list) {
    carry_size(parcel, list);
    if constexpr (std::is_trivially_copyable_v<T>) {
        parcel.raw(list.data(), list.size() * sizeof(T));
    } else {
        for (T& value : list) carry(parcel, value);
    }
}

template <class Parcel, class T>
requires(!std::is_trivially_copyable_v<T>) void carry(Parcel& parcel, std::optional<T>& value) {
    bool there = value.has_value();
    carry(parcel, there);
    if constexpr (Parcel::kReads) {
        value.reset();
        if (there) value.emplace();
    }
    if (value) carry(parcel, *value);
}

template <class Parcel, class A, class B>
requires(!std::is_trivially_copyable_v<std::pair<A, B>>) void carry(Parcel& parcel, std::pair<A, B>& pair) {
    carry(parcel, pair.first);
    carry(parcel, pair.second);
}

/// All of `values` in order.
template <class Parcel, class... T>
void carry_all(Parcel& parcel, T&... values) {
    (carry(parcel, values), ...);
}

template <class Parcel>
void carry(Parcel& parcel, core::FileIdentity& file) {
    carry_all(parcel, file.path, file.size, file.head_size, file.head);
}

}  // namespace mottle::ranks
