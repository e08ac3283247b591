// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/tensor_memory.h"

#include <algorithm>

namespace edgeprobe::engine::tflite {
namespace {

constexpr std::size_t kAlignment = 64;

/// Includes a cache line after each tensor, into which kernels' loads may extend.
std::size_t room(std::size_t size) { return (size / kAlignment + 2) * kAlignment; }

}  // namespace

bool TensorMemory::set(CInterpreter* interpreter, std::int32_t tensor, Place place) const {
  const CustomAllocation memory{place.data, place.size};
  return api_.set_allocation(interpreter, tensor, &memory, 0) == kOk;
}

bool TensorMemory::move(CInterpreter* interpreter, const std::vector<Place>& inputs,
                        const std::vector<Place>& outputs) {
  // Tensors moved earlier stay on the list: their places may be gone.
  const auto one = [&](std::int32_t tensor, Place place) {
    if (!set(interpreter, tensor, place)) return false;
    const auto same = [&](const Moved& moved) { return moved.tensor == tensor; };
    if (std::none_of(away_.begin(), away_.end(), same)) away_.push_back({tensor, place.size});
    return true;
  };
  bool all = true;
  for (std::size_t i = 0; i < inputs.size() && all; ++i)
    all = one(api_.input_tensor(interpreter, static_cast<std::int32_t>(i)), inputs[i]);
  for (std::size_t i = 0; i < outputs.size() && all; ++i)
    all = one(api_.output_tensor(interpreter, static_cast<std::int32_t>(i)), outputs[i]);
  if (all && api_.allocate(interpreter) == kOk) return true;
  bring_back(interpreter);
  return false;
}

bool TensorMemory::bring_back(CInterpreter* interpreter) {
  if (away_.empty()) return true;
  std::size_t total = 0;
  for (const Moved& moved : away_) total += room(moved.size);
  decltype(own_) fresh(static_cast<std::byte*>(std::aligned_alloc(kAlignment, total)));
  std::byte* next = fresh.get();
  if (!next) return false;
  for (const Moved& moved : away_) {
    if (!set(interpreter, moved.tensor, {next, moved.size})) return false;
    next += room(moved.size);
  }
  if (api_.allocate(interpreter) != kOk) return false;
  own_ = std::move(fresh);
  away_.clear();
  return true;
}

}  // namespace edgeprobe::engine::tflite
