#include "source_dir.h"

namespace edgeprobe::test {

const char* source_dir() { return EDGEPROBE_SOURCE_DIR; }

}  // namespace edgeprobe::test
