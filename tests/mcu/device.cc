// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <algorithm>
#include <cstring>

namespace edgeprobe::trace {
namespace {

constexpr std::int32_t kInputShape[] = {1, 5, 100}, kScoreShape[] = {1, 3};
constexpr float kInputScale[] = {0.5f}, kScoreScales[] = {0.25f, 0.5f, 0.125f};
constexpr std::int32_t kInputZero[] = {-3}, kScoreZeros[] = {0, 1, -1};

std::size_t write(void* context, const std::uint8_t* bytes, std::size_t size) {
  Device& device = *static_cast<Device*>(context);
  const std::size_t taken =
      device.room ? std::min(size, device.room(device.line.size(), size)) : size;
  const auto* from = reinterpret_cast<const std::byte*>(bytes);
  device.line.insert(device.line.end(), from, from + taken);
  return taken;
}

std::uint64_t now(void* context) { return static_cast<Device*>(context)->clock_ns += 1'000'000; }

edgeprobe_mcu_tensor tensor(const char* name, edgeprobe_mcu_stage stage, std::uint8_t rank,
                            const std::int32_t* shape) {
  edgeprobe_mcu_tensor t{};
  t.name = name;
  t.stage = static_cast<std::uint8_t>(stage);
  t.dtype = EDGEPROBE_MCU_INT8;
  t.rank = rank;
  t.shape = shape;
  return t;
}

}  // namespace

const edgeprobe_mcu_tensor kInput = [] {
  auto t = tensor("picture", EDGEPROBE_MCU_MODEL_INPUT, 3, kInputShape);
  t.scale = kInputScale;
  t.zero_point = kInputZero;
  t.scale_count = 1;
  return t;
}();
const edgeprobe_mcu_tensor kScores = [] {
  auto t = tensor("scores", EDGEPROBE_MCU_MODEL_OUTPUT, 2, kScoreShape);
  t.scale = kScoreScales;
  t.zero_point = kScoreZeros;
  t.scale_count = 3;
  t.axis = 1;
  return t;
}();

Device::Device() {
  options.write = write;
  options.now = now;
  options.context = this;
  options.channels = channels;
  options.channel_capacity = 4;
}

std::vector<std::int8_t> input_values(std::uint32_t number) {
  std::vector<std::int8_t> values(500);
  std::uint32_t state = number * 2654435761u + 1;
  for (auto& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<std::int8_t>(state >> 24);
    if (state & 0x10000) value = 0;  // COBS encodes zeros, so the values contain many.
  }
  return values;
}

std::vector<std::int8_t> score_values(std::uint32_t number) {
  return {static_cast<std::int8_t>(number), static_cast<std::int8_t>(number * 7),
          static_cast<std::int8_t>(~number)};
}

int log_frame(Device& device, std::uint32_t number) {
  edgeprobe_mcu& probe = device.probe;
  const auto input = input_values(number), scores = score_values(number);
  edgeprobe_mcu_frame_begin(&probe);
  edgeprobe_mcu_frame_label(&probe, static_cast<std::int32_t>(number % 3));
  edgeprobe_mcu_log_tensor(&probe, &kInput, input.data(), input.size());
  edgeprobe_mcu_start(&probe);
  edgeprobe_mcu_stop(&probe);
  edgeprobe_mcu_log_tensor(&probe, &kScores, scores.data(), scores.size());
  edgeprobe_mcu_log_float(&probe, "lux", static_cast<float>(number) / 2);
  return edgeprobe_mcu_frame_end(&probe);
}

void receive(ByteView line, std::size_t piece, Everything& out) {
  for (std::size_t at = 0; at < line.size && out.status; at += piece)
    out.status = out.receiver.feed(line.sub(at, std::min(piece, line.size - at)),
                                   1'000'000'000'000 + at, out.received);
  out.receiver.finish();
}

std::string wrong_value(const Everything& all, std::uint32_t base) {
  for (const ReceivedFrame& frame : all.received.frames) {
    const std::uint32_t number = frame.record.frame - base;
    const std::string where = "frame " + std::to_string(number) + ": ";
    if (frame.record.label != static_cast<int>(number % 3)) return where + "label";
    if (frame.record.latency_ns != 1'000'000) return where + "latency";
    if (frame.tensors.size() + frame.record.dropped != 3) return where + "count";
    for (const ReceivedTensor& received : frame.tensors) {
      const Channel& channel = all.receiver.channels()[received.channel];
      const float lux = static_cast<float>(number) / 2;
      const auto input = input_values(number), scores = score_values(number);
      const bool is_input = channel.spec.name == "picture",
                 is_scores = channel.spec.name == "scores";
      if (!is_input && !is_scores && channel.spec.name != "lux")
        return where + "a tensor named " + channel.spec.name;
      const void* expected = is_input    ? static_cast<const void*>(input.data())
                             : is_scores ? static_cast<const void*>(scores.data())
                                         : &lux;
      const std::size_t size = is_input ? 500 : is_scores ? 3 : 4;
      if (received.bytes.size() != size || std::memcmp(received.bytes.data(), expected, size) != 0)
        return where + channel.spec.name;
    }
  }
  return "";
}

}  // namespace edgeprobe::trace
