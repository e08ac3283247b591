// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "engine/engine.h"
#include "engine/remote/link.h"
#include "engine/remote/loading.h"

namespace edgeprobe::engine {

/// A model loaded by a server in this epoch of the link; several samples may be pending
/// (engine/pipelined.h). After a lost connection, it is loaded again and unanswered samples are
/// sent again; for a model with a state, that is an error.
std::unique_ptr<Session> remote_session(std::shared_ptr<Link> link, std::uint64_t epoch,
                                        Recall recall, Loading loading);

}  // namespace edgeprobe::engine
