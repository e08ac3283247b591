# SPDX-License-Identifier: Apache-2.0
# 32-bit ARM (hard float) with Debian's own cross compiler, against the libraries that script/cross unpacked.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR armhf)
set(edgeprobe_triplet arm-linux-gnueabihf)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
