// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/binding.h"
#include "engine/tflite/api.h"

namespace edgeprobe::engine::tflite {

/// Memory of an interpreter's inputs and outputs: its own arena until they are moved for the first
/// time. Destroyed after the interpreter.
class TensorMemory {
 public:
  explicit TensorMemory(const Api& api) : api_(api) {}
  TensorMemory(const TensorMemory&) = delete;
  TensorMemory& operator=(const TensorMemory&) = delete;

  /// Moves the inputs and outputs to these places. False if the engine cannot move one, such as a
  /// constant; all are then moved back.
  bool move(CInterpreter* interpreter, const std::vector<Place>& inputs,
            const std::vector<Place>& outputs);
  /// Moves inputs and outputs into this object's memory, without the values. Does nothing if they
  /// are not in the caller's places. The engine forgets its arena, so they cannot return to it.
  bool bring_back(CInterpreter* interpreter);

 private:
  struct Moved {
    std::int32_t tensor = 0;
    std::size_t size = 0;
  };
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };
  bool set(CInterpreter* interpreter, std::int32_t tensor, Place place) const;

  const Api& api_;
  std::vector<Moved> away_;
  std::unique_ptr<std::byte, Free> own_;
};

}  // namespace edgeprobe::engine::tflite
