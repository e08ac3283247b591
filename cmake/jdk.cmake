# SPDX-License-Identifier: Apache-2.0
# edgeprobe_jdk_on_path(RESULT): the folder of the JDK that `javac` on the PATH is a link into; "" where there is none with
# jni.h. FindJNI only asks JAVA_HOME and a list of folders, in which Debian's java-17-openjdk-amd64 does not stand.
function(edgeprobe_jdk_on_path result)
  set(${result} "" PARENT_SCOPE)
  find_program(EDGEPROBE_JAVAC javac)
  mark_as_advanced(EDGEPROBE_JAVAC)
  if(NOT EDGEPROBE_JAVAC)
    return()
  endif()
  file(REAL_PATH "${EDGEPROBE_JAVAC}" javac)
  cmake_path(GET javac PARENT_PATH bin)
  cmake_path(GET bin PARENT_PATH jdk)
  if(EXISTS "${jdk}/include/jni.h")
    set(${result} "${jdk}" PARENT_SCOPE)
  endif()
endfunction()
