// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bytes.h"
#include "core/result.h"
#include "preprocess/decode/image.h"

namespace edgeprobe::preprocess {

/// A baseline JPEG of an RGB or gray image, for people: it is not exact. `quality`: 1 to 100.
Result<Bytes> encode_jpeg(const Image& image, int quality);

}  // namespace edgeprobe::preprocess
