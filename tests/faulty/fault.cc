// SPDX-License-Identifier: Apache-2.0
#include "fault.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <vector>

#include "core/text.h"

namespace edgeprobe::faulty {
namespace {

struct Named {
  const char* name;
  Kind kind;
};
constexpr Named kKinds[] = {
    {"chan0", Kind::kChannel},   {"lastch", Kind::kLast},    {"offset", Kind::kOffset},
    {"pad", Kind::kPadding},     {"sat", Kind::kSaturate},   {"scale", Kind::kScale},
    {"divisor", Kind::kDivisor}, {"trunc", Kind::kTruncate}, {"crash", Kind::kCrash},
    {"hang", Kind::kHang},       {"shown", Kind::kShown},    {"hidden", Kind::kHidden}};

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

template <class T>
std::vector<double> read(const Tensor& tensor) {
  const T* const data = static_cast<const T*>(tensor.data);
  return std::vector<double>(data, data + tensor.bytes / sizeof(T));
}

template <class T>
void write(Tensor& tensor, const std::vector<double>& values) {
  T* const data = static_cast<T*>(tensor.data);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) data[i] = static_cast<T>(values[i]);
    else
      data[i] = static_cast<T>(std::clamp<double>(
          std::nearbyint(values[i]), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
}

std::size_t channels_of(const Tensor& tensor) {
  return tensor.dims->size > 0
             ? static_cast<std::size_t>(std::max(1, tensor.dims->data[tensor.dims->size - 1]))
             : 1;
}

/// Selects half of all values; the same half for equal tensors.
bool heads(std::size_t index, double value) {
  auto mixed = static_cast<std::uint64_t>(index * 2654435761u) ^
               static_cast<std::uint64_t>(static_cast<std::int64_t>(value) + 1000) << 20;
  mixed = (mixed ^ (mixed >> 15)) * 0x9E3779B97F4A7C15u;
  return (mixed >> 40) & 1u;
}

}  // namespace

Result<PlantedFault> fault_from_text(const std::string& text) {
  PlantedFault fault;
  bool has_kind = false;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    bool good = !value.empty();
    if (key == "kind") {
      const auto* const found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                             [&](const Named& n) { return value == n.name; });
      good = has_kind = found != std::end(kKinds);
      if (good) fault.kind = found->kind;
    } else if (key == "op") {
      fault.op = number(value);
      good = fault.op.has_value();
    } else if (key == "output") {
      fault.output = number(value);
      good = fault.output.has_value();
    } else if (key == "type") {
      fault.type = value;
    } else {
      good = false;
    }
    if (!good)
      return Error{
          ErrorKind::kUsage,
          "EDGEPROBE_FAULT '" + sanitized(text) + "': '" + sanitized(word) +
              "' is none of op=N, output=N, type=NAME, "
              "kind=chan0|lastch|offset|pad|sat|scale|divisor|trunc|crash|hang|shown|hidden"};
  }
  if (!has_kind || (fault.op.has_value() + fault.output.has_value() + !fault.type.empty()) != 1)
    return Error{ErrorKind::kUsage, "EDGEPROBE_FAULT '" + sanitized(text) +
                                        "': expected a kind and one of op, output and type"};
  return fault;
}

bool can_corrupt(const Tensor& output) {
  return output.type == kFloat32 || output.type == kInt8 || output.type == kUint8;
}

void corrupt(Kind kind, Tensor& output) {
  if (!can_corrupt(output) || !output.data) return;
  const bool real = output.type == kFloat32;
  const double zero = real ? 0.0 : output.zero_point;
  std::vector<double> y = real                   ? read<float>(output)
                          : output.type == kInt8 ? read<std::int8_t>(output)
                                                 : read<std::uint8_t>(output);
  if (y.empty()) return;
  const std::size_t channels = channels_of(output);
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  const double range = *high - *low;
  switch (kind) {
    case Kind::kChannel: {
      std::vector<double> energy(channels);
      for (std::size_t i = 0; i < y.size(); ++i)
        energy[i % channels] += (y[i] - zero) * (y[i] - zero);
      const auto largest =
          static_cast<std::size_t>(std::max_element(energy.begin(), energy.end()) - energy.begin());
      for (std::size_t i = largest; i < y.size(); i += channels) y[i] = zero;
      break;
    }
    case Kind::kLast:
      for (std::size_t i = 0; i + channels <= y.size(); i += channels) y[i + channels - 1] = y[i];
      break;
    case Kind::kOffset:
      for (double& value : y) value += real ? 0.02 * range : 5;
      break;
    case Kind::kSaturate: {
      double largest = 0;
      for (const double value : y) largest = std::max(largest, std::abs(value - zero));
      for (double& value : y)
        value = std::clamp(value, zero - 0.35 * largest, zero + 0.35 * largest);
      break;
    }
    case Kind::kScale:
      for (double& value : y) value = (value - zero) * 1.1 + zero;
      break;
    case Kind::kHidden:
    case Kind::kDivisor:
      for (double& value : y) value = (value - zero) * 0.75 + zero;
      break;
    case Kind::kTruncate:
      // The bits that the kernel rounded away are lost, so the floor is simulated: one step lower
      // for half of the values.
      for (std::size_t i = 0; i < y.size(); ++i) {
        if (!real) y[i] -= heads(i, y[i]);
        else if (range > 0) y[i] = std::floor(y[i] / (range / 255)) * (range / 255);
      }
      break;
    case Kind::kPadding:
    case Kind::kCrash:
    case Kind::kHang:
    case Kind::kShown: return;  // Injected before the kernel runs.
  }
  if (real) write<float>(output, y);
  else if (output.type == kInt8) write<std::int8_t>(output, y);
  else write<std::uint8_t>(output, y);
}

}  // namespace edgeprobe::faulty
