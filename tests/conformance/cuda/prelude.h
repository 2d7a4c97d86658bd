// tests/conformance/cuda/prelude.h: what an emitted CUDA text finds on the CPU: its keywords, its arithmetic with one rounding each, its shuffles
#pragma once
#include "conformance/cuda/emulation.h"

#include <bit>
#include <cmath>

#define MOTTLE_EMULATED
#define MOTTLE_KERNEL static void
#define __device__
#define __forceinline__ static inline
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
#define MOTTLE_SHARED(type, name) type& name = *static_cast<type*>(emulation::shared(sizeof(type)))
#define threadIdx (emulation::Index{emulation::here().thread})
#define blockIdx (emulation::Index{emulation::here().block})

namespace emulation {

struct Index {
    unsigned x;
};

template <class Value>
Value shuffled(Value value, int distance) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    bits = shuffle(bits, distance);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace emulation

struct alignas(8) float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) double2 {
    double x, y;
};

// Words that threads of a block give each other.
template <class Value>
void give(Value& to, const Value& value) {
    emulation::note_give(&to, sizeof to);
    to = value;
}
template <class Value>
Value take(const Value& from) {
    emulation::note_take(&from, sizeof from);
    return from;
}

// Rows of a warp on the way to shared memory: they come as late as they may, when it waits for them.
template <class Value>
void begin_copy(Value& to, const void* from) {
    emulation::begin_copy(&to, from, sizeof to);
}
inline void end_row() { emulation::end_row(); }
template <int kRows>
void wait_for_rows() {
    emulation::wait_for_rows(kRows);
}

// What blocks give each other: a packet goes in two halves, between which others go on, and any of them may be the first.
struct alignas(16) Packet {
    unsigned a, epoch_a, b, epoch_b;
};
inline void send(Packet* to, unsigned a, unsigned b, unsigned epoch) {
    if (emulation::loses_packet()) return;
    for (int half = 0; half < 2; ++half) {
        if ((half == 0) == (epoch % 4 < 2)) {
            to->a = a, to->epoch_a = epoch;
        } else {
            to->b = b, to->epoch_b = epoch;
        }
        emulation::note_progress();
        if (half == 0) emulation::pause();
    }
}
template <int kSlots, int kParts>
bool arrive(Packet (&packets)[kSlots][kParts], const Packet* from, const int (&places)[kSlots], int plane, unsigned epoch, unsigned* lost) {
    for (;;) {
        bool all = true;
        for (int slot = 0; slot < kSlots; ++slot) {
            for (int part = 0; part < kParts; ++part) {
                const Packet& packet = packets[slot][part] = from[part * plane + places[slot]];
                all = all && packet.epoch_a == epoch && packet.epoch_b == epoch;
            }
        }
        if (all || *lost != 0) break;
        if (!emulation::pause()) *lost = 1;
    }
    emulation::note_progress();
    return *lost == 0;
}

template <class Value>
Value __shfl_up_sync(unsigned, Value value, int distance) {
    return emulation::shuffled(value, -distance);
}
template <class Value>
Value __shfl_down_sync(unsigned, Value value, int distance) {
    return emulation::shuffled(value, distance);
}
template <class Value>
Value __shfl_sync(unsigned, Value value, int lane) {
    return emulation::shuffled(value, lane - static_cast<int>(emulation::here().thread % 32));
}
inline void __syncwarp() {}
inline void __syncthreads() { emulation::meet_block(); }

inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32); }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline long long __double_as_longlong(double x) { return std::bit_cast<long long>(x); }
inline double __longlong_as_double(long long x) { return std::bit_cast<double>(x); }
