# SPDX-License-Identifier: Apache-2.0
# The target edgeprobe_python: the Python module edgeprobe._native over edgeprobe_c_static. Sets edgeprobe_python_suffix to the end of its file's name.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(nanobind CONFIG REQUIRED)

# One module serves CPython 3.12 and later through the stable ABI. nanobind requires a target that CMake 3.25 does not create; on Linux nothing links
# it.
if(NOT TARGET Python::SABIModule)
  add_library(Python::SABIModule INTERFACE IMPORTED)
endif()
set(sources module.cc probe.cc frame.cc buffer.cc text.cc failure.cc)
list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
nanobind_add_module(edgeprobe_python STABLE_ABI NB_STATIC NB_SUPPRESS_WARNINGS ${sources})
edgeprobe_options(edgeprobe_python 17)
set_target_properties(edgeprobe_python PROPERTIES OUTPUT_NAME _native LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/edgeprobe)
target_link_libraries(edgeprobe_python PRIVATE edgeprobe_c_static)
if(EDGEPROBE_STATIC)
  target_link_options(edgeprobe_python PRIVATE -static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
endif()
# nanobind and its hash map are compiled into the module, so the wheel contains their licences. The licence of the hash map is the first comment of a
# header.
cmake_path(GET nanobind_DIR PARENT_PATH nanobind_package)
file(GLOB nanobind_licence ${nanobind_package}/../nanobind-*.dist-info/licenses/LICENSE)
install(FILES ${nanobind_licence} DESTINATION edgeprobe/licenses RENAME nanobind.txt COMPONENT python)
file(READ ${nanobind_package}/ext/robin_map/include/tsl/robin_map.h header LIMIT 2000)
string(REGEX MATCH "MIT License.*SOFTWARE" map_licence "${header}")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/robin_map.txt "${map_licence}.\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/robin_map.txt DESTINATION edgeprobe/licenses COMPONENT python)
