// SPDX-License-Identifier: Apache-2.0
#include "source_dir.h"

namespace edgeprobe::test {

const char* source_dir() { return EDGEPROBE_SOURCE_DIR; }

}  // namespace edgeprobe::test
