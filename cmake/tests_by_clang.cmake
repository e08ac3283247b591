# SPDX-License-Identifier: Apache-2.0
# In a build from nothing by g++, the folder that includes this and those below it are compiled by clang, where there is one. CMake reads the
# compiler from a folder's variables when it writes the rules of a target; its own modules know the compiler's options.
find_program(EDGEPROBE_CLANG clang++)
if(EDGEPROBE_UNITY AND EDGEPROBE_CLANG AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CROSSCOMPILING)
  execute_process(COMMAND ${EDGEPROBE_CLANG} -dumpversion OUTPUT_VARIABLE CMAKE_CXX_COMPILER_VERSION OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  set(CMAKE_CXX_COMPILER ${EDGEPROBE_CLANG})
  set(CMAKE_CXX_COMPILER_ID Clang)
  set(CMAKE_CXX_COMPILER_FRONTEND_VARIANT GNU)
  include(Compiler/Clang-CXX)
  set(EDGEPROBE_TEST_OPTIONS -O0)
endif()
