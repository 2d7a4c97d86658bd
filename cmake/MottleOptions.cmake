# Compile and link options that every target of the project shares.
add_library(mottle_options INTERFACE)
# No contraction: the operation order of the Program is the definition of the result, also for code on the host.
target_compile_options(mottle_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -ffp-contract=off)
# Nobody reads errno after sqrt nor traps floating-point exceptions; without these g++ vectorises neither sqrt nor clamps. They change no result.
target_compile_options(mottle_options INTERFACE -fno-math-errno -fno-trapping-math)
if(MOTTLE_WERROR)
    target_compile_options(mottle_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # -Wrestrict of g++ 12 and 13 sees overlaps in operator+ of std::string that are not there (GCC bug 105651).
    target_compile_options(mottle_options INTERFACE -fno-semantic-interposition -Wno-restrict)
endif()
if(MOTTLE_SANITIZE)
    target_compile_options(mottle_options INTERFACE -fsanitize=${MOTTLE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(mottle_options INTERFACE -fsanitize=${MOTTLE_SANITIZE})
    if(MOTTLE_SANITIZE MATCHES address)  # which finds by itself most of what these look for; they take a fifth of the compiler's time
        target_compile_options(mottle_options INTERFACE -fno-sanitize=null,object-size,vptr)
    endif()
    if(MOTTLE_FUZZ)  # what fuzzers follow; without the traces of comparisons, which would slow down all other tests of such a build
        target_compile_options(mottle_options INTERFACE -fsanitize-coverage=inline-8bit-counters,pc-table)
    endif()
endif()

# The library and the program: a switch over an enumeration names each of its values, so that no default swallows a new one.
add_library(mottle_exhaustive INTERFACE)
target_compile_options(mottle_exhaustive INTERFACE -Wswitch-enum)

if(APPLE)
    set(MOTTLE_ORIGIN "@loader_path")
else()
    set(MOTTLE_ORIGIN "$ORIGIN")
    target_link_options(mottle_options INTERFACE -Wl,--as-needed)
endif()
