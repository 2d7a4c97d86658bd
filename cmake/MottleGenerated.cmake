# Sources made at build time: the build id that core and modules must agree on, and the embedded models.
set(MOTTLE_GENERATED_DIR ${PROJECT_BINARY_DIR}/generated)
set(MOTTLE_BUILD_ID_HEADER ${MOTTLE_GENERATED_DIR}/mottle_build_id.h)

# Runs with every build and rewrites the header only when the id has changed.
add_custom_target(mottle_build_id
    BYPRODUCTS ${MOTTLE_BUILD_ID_HEADER}
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DHEADER=${MOTTLE_BUILD_ID_HEADER} -DVERSION=${PROJECT_VERSION}
        "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" -DBUILD_TYPE=${CMAKE_BUILD_TYPE} -DSANITIZE=${MOTTLE_SANITIZE}
        "-DLLVM=${LLVM_PACKAGE_VERSION}" -DPROCESSOR=${CMAKE_SYSTEM_PROCESSOR}
        -P ${PROJECT_SOURCE_DIR}/cmake/write_build_id.cmake
    COMMENT "" VERBATIM)

set(MOTTLE_MODULE_BUILD_SOURCE ${MOTTLE_GENERATED_DIR}/module_build.cpp)
file(CONFIGURE OUTPUT ${MOTTLE_MODULE_BUILD_SOURCE} CONTENT [[
// module_build.cpp: the build id of a module, checked by core::open_module
#include "mottle_build_id.h"
extern "C" const char* mottle_module_build() { return MOTTLE_BUILD_ID; }
]] @ONLY)

file(GLOB model_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.toml)
set(model_library ${MOTTLE_GENERATED_DIR}/model_library.cpp)
add_custom_command(OUTPUT ${model_library}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${model_files}" -DOUTPUT=${model_library} -P ${PROJECT_SOURCE_DIR}/cmake/embed_models.cmake
    DEPENDS ${model_files} ${PROJECT_SOURCE_DIR}/cmake/embed_models.cmake
    COMMENT "Embedding the models" VERBATIM)
set(MOTTLE_GENERATED_LIBRARY_SOURCES ${model_library})
