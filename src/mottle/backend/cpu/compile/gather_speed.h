// mottle/backend/cpu/compile/gather_speed.h: whether the instructions that gather vectors are worth using on this machine
#pragma once

namespace mottle::backend::cpu {

/// Whether AVX-512 gathers eight words in less than twice the time that loading them one by one and joining them takes; measured at the first call, in a tenth of a
/// millisecond. On processors whose gathers have been made safe by microcode ("gather data sampling") they take several times as long, and a virtual machine
/// does not say so. Always true where AVX-512 is missing. Any thread may call it.
bool gather_is_fast();

}  // namespace mottle::backend::cpu
