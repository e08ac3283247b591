# SPDX-License-Identifier: Apache-2.0
# The common part: CMAKE_SYSTEM_PROCESSOR and edgeprobe_triplet are set.
# Debian's g++ unless another compiler is named: clang, which needs the target.
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_C_COMPILER ${edgeprobe_triplet}-gcc)
  set(CMAKE_CXX_COMPILER ${edgeprobe_triplet}-g++)
endif()
set(CMAKE_C_COMPILER_TARGET ${edgeprobe_triplet})
set(CMAKE_CXX_COMPILER_TARGET ${edgeprobe_triplet})
set(CMAKE_LIBRARY_ARCHITECTURE ${edgeprobe_triplet})

set(edgeprobe_cross ${CMAKE_CURRENT_LIST_DIR}/../../.deps/cross/${CMAKE_SYSTEM_PROCESSOR})
get_filename_component(edgeprobe_cross ${edgeprobe_cross} ABSOLUTE)
if(NOT EXISTS ${edgeprobe_cross}/sysroot/usr/include)
  message(FATAL_ERROR "there are no libraries for ${CMAKE_SYSTEM_PROCESSOR} yet: run script/cross --fetch ${CMAKE_SYSTEM_PROCESSOR}")
endif()
# The compiler brings its own libc, so this is no CMAKE_SYSROOT: only what is linked beside it lies here.
set(CMAKE_FIND_ROOT_PATH ${edgeprobe_cross}/sysroot)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# Debian's headers include some of theirs by the triplet's folder.
foreach(language IN ITEMS C CXX)
  set(CMAKE_${language}_FLAGS_INIT
    "-isystem ${edgeprobe_cross}/sysroot/usr/include -isystem ${edgeprobe_cross}/sysroot/usr/include/${edgeprobe_triplet}")
endforeach()

# Tests run under qemu; script/emulate puts a time limit round each.
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../../script/emulate;${CMAKE_SYSTEM_PROCESSOR})
