// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.h"
#include "engine/remote/link.h"
#include "engine/remote/loading.h"

namespace edgeprobe::engine {

/// A model that a server has loaded in this epoch of the link; several samples may be in flight
/// (engine/pipelined.h). When the connection is cut, it is loaded again and what has no answer is
/// asked again; where it kept a state, that is an error.
std::unique_ptr<Session> remote_session(std::shared_ptr<Link> link, std::uint64_t epoch,
                                        Recall recall, Loading loading);

}  // namespace edgeprobe::engine
