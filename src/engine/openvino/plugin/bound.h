// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/openvino/plugin/session.h"

/// A request of a session's model with tensors in the caller's memory. Destroy it before the
/// session.
struct EpOvBound {
  EpOvBound(EpOvSession& session, const EpOvPlace* inputs, const EpOvPlace* outputs);
  void run();

 private:
  ov::InferRequest request_;
};
