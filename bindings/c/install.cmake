# SPDX-License-Identifier: Apache-2.0
# `cmake --install BUILD --component c`: headers, both libraries, a CMake package and pkg-config files. Nothing in it is an
# absolute path, so that the folder may be moved.
#   find_package(edgeprobe) brings edgeprobe::edgeprobe (shared) and edgeprobe::edgeprobe_static; both have C++17 headers,
#   and C programs need no C++ compiler for either.
include(CMakePackageConfigHelpers)

add_library(edgeprobe::edgeprobe ALIAS edgeprobe_c_shared)
add_library(edgeprobe::edgeprobe_static ALIAS edgeprobe_c_static)
set_target_properties(edgeprobe_c_shared PROPERTIES EXPORT_NAME edgeprobe)
set_target_properties(edgeprobe_c_static PROPERTIES EXPORT_NAME edgeprobe_static)

# The archive contains C++ code, but the C compiler that links a C program does not add the C++ library by itself.
target_link_libraries(edgeprobe_c_static INTERFACE $<INSTALL_INTERFACE:stdc++> $<INSTALL_INTERFACE:m>)

install(TARGETS edgeprobe_c_shared edgeprobe_c_static EXPORT edgeprobe
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c NAMELINK_COMPONENT c
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT c)
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT c
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/edgeprobe)
install(EXPORT edgeprobe NAMESPACE edgeprobe:: FILE edgeprobeTargets.cmake DESTINATION ${package_dir} COMPONENT c)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/edgeprobeConfig.cmake [=[
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/edgeprobeTargets.cmake)
# For the C++ headers; CMake does not know this feature in a project that only uses C.
get_property(edgeprobe_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(CXX IN_LIST edgeprobe_languages)
  set_property(TARGET edgeprobe::edgeprobe edgeprobe::edgeprobe_static APPEND PROPERTY INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()
unset(edgeprobe_languages)
]=])
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/edgeprobeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/edgeprobeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/edgeprobeConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT c)

file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" up ${up})
foreach(name IN ITEMS edgeprobe edgeprobe-static)
  set(libs "-L\${libdir} -ledgeprobe")
  set(kind "")
  if(name STREQUAL "edgeprobe-static")
    set(libs "\${libdir}/libedgeprobe.a -lstdc++ -lm -pthread")
    set(kind " (static)")
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc @ONLY CONTENT [=[
prefix=${pcfiledir}/@up@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: @name@
Description: Records what a machine-learning model gets, computes and answers inside an application@kind@
Version: @EDGEPROBE_VERSION@
Libs: @libs@
Cflags: -I${includedir}
]=])
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT c)
endforeach()
