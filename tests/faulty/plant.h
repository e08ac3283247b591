// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "engine/tflite/api.h"
#include "fault.h"

namespace edgeprobe::faulty {

/// Puts the fault into interpreters: the chosen nodes of the main graph get our own invoke, which
/// runs the kernel and then corrupts its output, and are made unrecognisable to delegates, so that
/// XNNPACK takes all others and leaves these.
class Plant {
 public:
  Plant(const engine::tflite::Api& api, PlantedFault fault) : api_(api), fault_(std::move(fault)) {}
  Plant(const Plant&) = delete;
  Plant& operator=(const Plant&) = delete;

  /// To be called before any delegate is applied; false when the runtime refuses.
  bool into(engine::tflite::CInterpreter* interpreter);
  /// To be called when the interpreter is gone.
  void forget(engine::tflite::CInterpreter* interpreter);
  /// Ends the process where the fault is Kind::kShown and the chosen tensor is an output; sees how
  /// many outputs there are.
  void before_invoke(engine::tflite::CInterpreter* interpreter);
  /// The invoke of a corrupted node.
  int invoke(Context* context, Node* node);

 private:
  /// What one interpreter holds of ours; its delegate must outlive it.
  struct Planted {
    Delegate delegate{};
    Plant* plant = nullptr;
    Context* context = nullptr;
    bool has_one_output = true;
    std::map<int, int (*)(Context*, Node*)> kernels;  ///< By the first output tensor of the node.
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

/// The one of this library, made from EDGEPROBE_FAULT; null when that is not set. `wrong` tells why
/// the variable cannot be obeyed.
Plant* plant_of_environment(const engine::tflite::Api& api, std::string& wrong);

}  // namespace edgeprobe::faulty
