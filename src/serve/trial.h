// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"
#include "serve/device.h"

namespace edgeprobe::serve {

/// Opens the operator's engine and loads a model of one addition with the operator's delegates and
/// libraries, so that a mistake ends the server at its start instead of being a client's error.
/// Without any of them nothing is opened: the engines of models that may never come.
Status try_engine(const Options& options, Device::Opener opener = engine::open_supervised);

}  // namespace edgeprobe::serve
