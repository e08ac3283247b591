// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <vector>

#include "engine/binding.h"
#include "engine/tflite/api.h"

namespace edgeprobe::engine::tflite {

/// Where the inputs and outputs of an interpreter lie: in its own arena until they are moved for
/// the first time. Goes after the interpreter.
class TensorMemory {
 public:
  explicit TensorMemory(const Api& api) : api_(api) {}
  TensorMemory(const TensorMemory&) = delete;
  TensorMemory& operator=(const TensorMemory&) = delete;

  /// False when the engine does not move one of them, as a constant; then they are back.
  bool move(CInterpreter* interpreter, const std::vector<Place>& inputs,
            const std::vector<Place>& outputs);
  /// Into memory of this object; the values are not taken along. Nothing to do where they are not
  /// in places of others. The engine forgets its arena, so this cannot mean that.
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
