// SPDX-License-Identifier: Apache-2.0
#include "engine/stretch/piece.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "core/index.h"
#include "engine/copied_binding.h"
#include "stretch/schedule.h"

namespace edgeprobe::engine::stretch {
namespace {

bool are_aligned(const std::vector<Place>& places) {
  return std::all_of(places.begin(), places.end(), [](const Place& place) {
    return reinterpret_cast<std::uintptr_t>(place.data) % edgeprobe::stretch::Arena::kAlignment ==
           0;
  });
}

}  // namespace

Status bind_piece(Piece& piece, const std::vector<Place>& inputs, const std::vector<Place>& outputs,
                  bool profile) {
  std::function<void(Inference&)> keep_times;
  if (profile) {
    piece.op_times = std::make_shared<std::vector<OpTime>>();
    keep_times = [times = piece.op_times, layers = piece.layers](Inference& inference) {
      *times = std::move(inference.op_times);
      for (OpTime& time : *times)
        for (int& layer : time.layers)
          layer = layer >= 0 && at(layer) < layers.size() ? layers[at(layer)] : -1;
    };
  }
  // Only a normal inference returns a profile. A slice may begin at any offset, and engines need
  // aligned places.
  const bool in_place = !profile && are_aligned(inputs) && are_aligned(outputs);
  auto bound = in_place ? piece.session->bind(inputs, outputs)
                        : bind_by_copies(*piece.session, inputs, outputs, std::move(keep_times));
  if (!bound) return std::move(bound.error()).during(piece.sentence);
  piece.binding = *std::move(bound);
  return {};
}

std::vector<int> threads_of_process() {
  std::vector<int> threads;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", failed)) {
    const std::string name = entry.path().filename().string();
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec == std::errc{})
      threads.push_back(thread);
  }
  std::sort(threads.begin(), threads.end());
  return threads;
}

}  // namespace edgeprobe::engine::stretch
