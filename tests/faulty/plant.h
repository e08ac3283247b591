// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "engine/tflite/api.h"
#include "fault.h"

namespace edgeprobe::faulty {

/// Injects the fault into interpreters. The selected nodes of the main graph get our own invoke,
/// which runs the kernel and then corrupts its output. They are made unrecognisable to delegates,
/// so that XNNPACK takes all other nodes and leaves these.
class Plant {
 public:
  Plant(const engine::tflite::Api& api, PlantedFault fault) : api_(api), fault_(std::move(fault)) {}
  Plant(const Plant&) = delete;
  Plant& operator=(const Plant&) = delete;

  /// Call before any delegate is applied; false if the runtime refuses.
  bool into(engine::tflite::CInterpreter* interpreter);
  /// Call once the interpreter is deleted.
  void forget(engine::tflite::CInterpreter* interpreter);
  /// Ends the process if the fault is Kind::kShown and the selected tensor is an output; records
  /// the number of outputs.
  void before_invoke(engine::tflite::CInterpreter* interpreter);
  /// The invoke of a corrupted node.
  int invoke(Context* context, Node* node);

 private:
  /// Our data for one interpreter; its delegate must outlive it.
  struct Planted {
    Delegate delegate{};
    Plant* plant = nullptr;
    Context* context = nullptr;
    bool has_one_output = true;
    std::map<int, int (*)(Context*, Node*)> kernels;  ///< Keyed by the node's first output tensor.
    std::vector<std::unique_ptr<std::string>> names;
  };
  static int mark(Context* context, Delegate* delegate);
  static void mark(Planted& planted, const Node& node, Registration& registration);
  bool chosen(int index, const Node& node, const Registration& registration) const;

  const engine::tflite::Api& api_;
  PlantedFault fault_;
  std::mutex mutex_;
  std::map<engine::tflite::CInterpreter*, std::unique_ptr<Planted>> planted_;
};

/// This library's fault, from EDGEPROBE_FAULT; null if it is not set. `wrong` states why the
/// variable is invalid.
Plant* plant_of_environment(const engine::tflite::Api& api, std::string& wrong);

}  // namespace edgeprobe::faulty
