# The page of `mottle live`: TypeScript in apps/live, bundled by Node.js into one file that the module holds. Without Node.js, or where npm reaches no
# registry, the page is empty, everything else is built, and `mottle live` says what to do.
set(page_folder ${PROJECT_BINARY_DIR}/page)
set(page ${page_folder}/index.html)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/live/src/* ${PROJECT_SOURCE_DIR}/apps/live/*.json ${PROJECT_SOURCE_DIR}/apps/live/*.mjs
    ${PROJECT_SOURCE_DIR}/apps/live/*.html)
list(FILTER page_sources EXCLUDE REGEX "/node_modules/")
if(MOTTLE_SANITIZE)  # the page is not what these look at
    set(MOTTLE_NPM_HERE "")
else()
    set(MOTTLE_NPM_HERE ${MOTTLE_NPM})
endif()
add_custom_command(OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -DSOURCES=${PROJECT_SOURCE_DIR}/apps/live -DFOLDER=${page_folder} -DNODE=${MOTTLE_NODE} -DNPM=${MOTTLE_NPM_HERE}
        -P ${PROJECT_SOURCE_DIR}/cmake/build_page.cmake
    DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/cmake/build_page.cmake
    COMMENT "Bundling the page of mottle live" VERBATIM)

set(MOTTLE_PAGE_SOURCE ${MOTTLE_GENERATED_DIR}/page.cpp)
file(CONFIGURE OUTPUT ${MOTTLE_PAGE_SOURCE} CONTENT [[
// page.cpp: the bytes of the page
#include "mottle/live/server/page.h"
__asm__(".section .rodata\n"
        ".globl mottle_page_begin\n"
        ".hidden mottle_page_begin\n"
        "mottle_page_begin:\n"
        ".incbin \"@page@\"\n"
        ".globl mottle_page_end\n"
        ".hidden mottle_page_end\n"
        "mottle_page_end:\n"
        ".byte 0\n"
        ".previous\n");
extern "C" __attribute__((visibility("hidden"))) const char mottle_page_begin;
extern "C" __attribute__((visibility("hidden"))) const char mottle_page_end;
std::string_view mottle::live::page() {
    return {&mottle_page_begin, static_cast<std::size_t>(&mottle_page_end - &mottle_page_begin)};
}
]] @ONLY)
set_source_files_properties(${MOTTLE_PAGE_SOURCE} PROPERTIES OBJECT_DEPENDS ${page} SKIP_UNITY_BUILD_INCLUSION ON)
