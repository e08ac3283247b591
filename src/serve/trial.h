// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result.h"
#include "serve/device.h"

namespace edgeprobe::serve {

/// Opens the operator's engine and loads a model of one addition with the operator's delegates and
/// libraries, so that a misconfiguration stops the server at start instead of causing a client
/// error. Without these settings nothing is opened, since the engines may never be needed.
Status try_engine(const Options& options, Device::Opener opener = engine::open_supervised);

}  // namespace edgeprobe::serve
