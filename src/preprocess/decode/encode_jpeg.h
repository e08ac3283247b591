// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bytes.h"
#include "core/result.h"
#include "preprocess/decode/image.h"

namespace edgeprobe::preprocess {

/// Encodes an RGB or gray image as a baseline JPEG, for display: lossy. `quality`: 1 to 100.
Result<Bytes> encode_jpeg(const Image& image, int quality);

}  // namespace edgeprobe::preprocess
