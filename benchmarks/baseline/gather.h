// mottle/benchmarks/baseline/gather.h: how fast this machine fetches scattered words from its first cache
#pragma once

namespace mottle::benchmarks {

/// Words of 8 bytes per second that `threads` threads fetch together, with 16-bit indices, from 16 KiB each, gathered or loaded one by one: the best of some
/// stretches of `seconds` in all.
double fetched_words(int threads, double seconds);

}  // namespace mottle::benchmarks
