# SPDX-License-Identifier: Apache-2.0
# 64-bit ARM with Debian's own cross compiler, against the libraries that script/cross unpacked.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(edgeprobe_triplet aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
