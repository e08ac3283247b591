// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "stretch/plan.h"

namespace edgeprobe::engine::stretch {

/// A part of a model that an engine has loaded.
struct Piece {
  std::string sentence;  ///< Such as "piece 'a' on processor 'cpu0'".
  const edgeprobe::stretch::Processor* processor = nullptr;
  std::vector<int> layers;           ///< Layer of the whole model for each layer of the part.
  std::vector<int> inputs, outputs;  ///< Tensors of the whole model, in the session's order.
  std::unique_ptr<Session> session;
  /// Operator times of the last inference, if its session was loaded to profile.
  std::shared_ptr<std::vector<OpTime>> op_times;
  std::unique_ptr<Binding> binding;  ///< Destroyed before the session.
};

/// Binds the piece to its places; with `profile`, each run records the times of its operators, with
/// the layers of the whole model.
Status bind_piece(Piece& piece, const std::vector<Place>& inputs, const std::vector<Place>& outputs,
                  bool profile);

/// The kernel ids of this process's threads, ascending.
std::vector<int> threads_of_process();

}  // namespace edgeprobe::engine::stretch
