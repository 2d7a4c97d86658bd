// mottle/backend/flush_mode.h: the floating point mode in which f32 kernels run (docs/numerics.md, "Underflow")
#pragma once
#include <cstdint>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace mottle::backend {

/// Sets flush to zero and denormals are zero for this thread while it lives, and puts the former mode back: we are a library,
/// and worker 0 is the caller's thread. Does nothing if `flush` is false (f64). Call the arithmetic as a function that is not
/// inlined: compilers know nothing of the mode and may move a single operation across the switch.
class FlushMode {
   public:
    explicit FlushMode(bool flush) : saved_(read()) {
        if (flush) write(saved_ | kFlushBits);
    }
    ~FlushMode() { write(saved_); }
    FlushMode(const FlushMode&) = delete;
    FlushMode& operator=(const FlushMode&) = delete;

   private:
#if defined(__SSE2__)
    using Word = unsigned;
    static constexpr Word kFlushBits = 0x8040;  // MXCSR: FTZ, DAZ
    static Word read() { return _mm_getcsr(); }
    static void write(Word word) {
        _mm_setcsr(word);
        asm volatile("" : : : "memory");  // arithmetic on memory stays on its side of the switch
    }
#elif defined(__aarch64__)
    using Word = std::uint64_t;
    static constexpr Word kFlushBits = Word{1} << 24;  // FPCR: FZ
    static Word read() {
        Word word;
        asm volatile("mrs %0, fpcr" : "=r"(word));
        return word;
    }
    static void write(Word word) { asm volatile("msr fpcr, %0" : : "r"(word) : "memory"); }
#else
#error "this processor's flush to zero mode is not known to Mottle"
#endif
    Word saved_;
};

}  // namespace mottle::backend
