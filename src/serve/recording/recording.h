// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "core/bytes.h"
#include "core/result.h"
#include "serve/recorder.h"

namespace edgeprobe::serve {

/// Runs the whole pipeline for a client: decoding, recipe, engine, layers. Has its own engine
/// process and thread. Its trace is fetched while it grows.
Result<std::unique_ptr<Recording>> record(Recorded what,
                                          const std::function<Result<Bytes>()>& pictures);

}  // namespace edgeprobe::serve
