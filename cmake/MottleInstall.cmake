# Install rules: a relocatable tree with find_package(Mottle) -> mottle::mottle. Components: runtime (program, library, modules), development, python.
include(CMakePackageConfigHelpers)
install(TARGETS mottle_library EXPORT MottleTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/mottle/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mottle COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
    PATTERN "cpu_jit" EXCLUDE PATTERN "ffmpeg" EXCLUDE PATTERN "embree" EXCLUDE PATTERN "live/server" EXCLUDE PATTERN "ranks/mpi" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Mottle)
install(EXPORT MottleTargets NAMESPACE mottle:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/MottleConfig.cmake.in ${PROJECT_BINARY_DIR}/MottleConfig.cmake
    INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/MottleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/MottleConfig.cmake ${PROJECT_BINARY_DIR}/MottleConfigVersion.cmake DESTINATION ${package_dir} COMPONENT development)
