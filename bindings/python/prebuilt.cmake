# SPDX-License-Identifier: Apache-2.0
# A wheel of parts that another build has made: pip install . --config-settings=cmake.define.EDGEPROBE_PREBUILT=build
get_filename_component(built ${EDGEPROBE_PREBUILT} ABSOLUTE BASE_DIR ${CMAKE_SOURCE_DIR})
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
execute_process(COMMAND ${Python_EXECUTABLE} -c "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
                OUTPUT_VARIABLE suffix OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
foreach(part IN ITEMS ${built}/edgeprobe ${built}/python/edgeprobe/_native${suffix})
  if(NOT EXISTS ${part})
    message(FATAL_ERROR "EDGEPROBE_PREBUILT: ${part} is not there; script/setup --test builds both for Debian 12's Python (script/demo and plain script/setup build no module); or build the targets edgeprobe and edgeprobe_python with ${Python_EXECUTABLE}, or leave the option out")
  endif()
endforeach()
add_custom_target(edgeprobe_wheel)
install(FILES ${built}/python/edgeprobe/_native${suffix} DESTINATION edgeprobe COMPONENT python)
install(PROGRAMS ${built}/edgeprobe DESTINATION edgeprobe/bin COMPONENT python)
# A build for tests has debug information, which would make the wheel ten times as large.
install(CODE "execute_process(COMMAND ${CMAKE_STRIP} \"\${CMAKE_INSTALL_PREFIX}/edgeprobe/bin/edgeprobe\"
  \"\${CMAKE_INSTALL_PREFIX}/edgeprobe/_native${suffix}\")" COMPONENT python)
