# SPDX-License-Identifier: Apache-2.0
# Makes a wheel from the parts of another build: pip install . --config-settings=cmake.define.EDGEPROBE_PREBUILT=build
# For another Python than that build's, the module is compiled here with the build's archive, which takes a few seconds.
get_filename_component(built ${EDGEPROBE_PREBUILT} ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
set(program ${built}/edgeprobe)
set(archive ${built}/bindings/c/libedgeprobe.a)
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
                OUTPUT_VARIABLE suffix OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(module ${built}/python/edgeprobe/_native${suffix})
if(NOT EXISTS ${program} OR NOT (EXISTS ${module} OR EXISTS ${archive}))
  message(FATAL_ERROR "EDGEPROBE_PREBUILT: ${built} lacks the program, or both ${module} and ${archive}; build the targets edgeprobe and edgeprobe_c_static there (script/setup --test builds all), or leave the option out")
endif()
if(EXISTS ${module})
  add_custom_target(edgeprobe_wheel)
  install(FILES ${module} DESTINATION edgeprobe COMPONENT python)
else()
  include(cmake/targets.cmake)
  find_package(Threads REQUIRED)
  add_library(edgeprobe_c_static STATIC IMPORTED)
  set_target_properties(edgeprobe_c_static PROPERTIES IMPORTED_LOCATION ${archive}
    INTERFACE_INCLUDE_DIRECTORIES ${CMAKE_SOURCE_DIR}/bindings/c/include INTERFACE_LINK_LIBRARIES Threads::Threads)
  include(bindings/python/module.cmake)
  add_custom_target(edgeprobe_wheel DEPENDS edgeprobe_python)
  install(TARGETS edgeprobe_python LIBRARY DESTINATION edgeprobe COMPONENT python)
endif()
install(PROGRAMS ${program} DESTINATION edgeprobe/bin COMPONENT python)
install(FILES ${CMAKE_SOURCE_DIR}/docs/reference/report.schema.json DESTINATION edgeprobe/schemas COMPONENT python)
# A build for tests has debug information, which would make the wheel ten times as large.
install(CODE "file(GLOB natives \"\${CMAKE_INSTALL_PREFIX}/edgeprobe/_native*.so\")
execute_process(COMMAND ${CMAKE_STRIP} \"\${CMAKE_INSTALL_PREFIX}/edgeprobe/bin/edgeprobe\" \${natives})" COMPONENT python)
