// SPDX-License-Identifier: Apache-2.0
#include "model_frames.h"

#include <deque>
#include <fstream>
#include <map>
#include <sstream>

#include "application.h"

namespace {

const std::map<std::string, edgeprobe_stage> kStages = {
    {"model_input", EDGEPROBE_STAGE_MODEL_INPUT},
    {"layer", EDGEPROBE_STAGE_LAYER},
    {"embedding", EDGEPROBE_STAGE_EMBEDDING},
    {"model_output", EDGEPROBE_STAGE_MODEL_OUTPUT}};

std::deque<Tensor> tensors_in(const std::string& list) {
  std::ifstream lines(list);
  std::deque<Tensor> tensors;
  std::map<std::string, int> positions;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string stage, dimensions, name;
    int dtype = 0;
    std::size_t size = 0;
    words >> stage >> dtype >> size >> dimensions >> std::ws;
    std::getline(words, name);
    std::vector<std::int64_t> shape;
    std::istringstream numbers(dimensions);
    for (std::string number; std::getline(numbers, number, ',');) {
      shape.push_back(std::atoll(number.c_str()));
      size *= static_cast<std::size_t>(shape.back());
    }
    tensors.emplace_back(kStages.at(stage), name, static_cast<edgeprobe_dtype>(dtype), shape, size);
    tensors.back().tensor.position = positions[stage]++;
  }
  return tensors;
}

}  // namespace

void log_frames(const std::string& path, const std::string& list, int level, long count) {
  std::deque<Tensor> tensors = tensors_in(list);
  edgeprobe_probe* const probe = open_probe(path, static_cast<edgeprobe_level>(level));
  edgeprobe_statistics s{};
  s.struct_size = sizeof s;
  std::uint64_t flushed = 0;
  for (long i = 1; i <= count; ++i) {
    edgeprobe_frame* frame = nullptr;
    edgeprobe_frame_begin(probe, &frame);
    edgeprobe_frame_start(frame);
    edgeprobe_frame_stop(frame);
    bool wants[EDGEPROBE_STAGE_RAW_INPUT] = {};
    for (const auto& [name, stage] : kStages) wants[stage] = edgeprobe_frame_wants(frame, stage);
    for (Tensor& tensor : tensors)
      if (wants[tensor.tensor.stage]) edgeprobe_log_tensor(frame, tensor.get());
    edgeprobe_frame_end(frame);
    edgeprobe_statistics_now(probe, &s);
    if (s.bytes - flushed < 131'072 && i % 64) continue;
    edgeprobe_flush(probe);
    flushed = s.bytes;
  }
  edgeprobe_close(probe, &s);
  std::printf("%llu frames, %llu tensors, %llu bytes, %llu dropped\n",
              static_cast<unsigned long long>(s.frames), static_cast<unsigned long long>(s.tensors),
              static_cast<unsigned long long>(s.bytes),
              static_cast<unsigned long long>(s.dropped_frames));
}
