// SPDX-License-Identifier: Apache-2.0
#include "family/weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/codec.h"
#include "core/dtype.h"
#include "core/text.h"
#include "family/safetensors.h"
#include "stats/splitmix.h"

namespace edgeprobe::family {
namespace {

using nlohmann::ordered_json;

std::size_t size_of(const Parameter& parameter) {
  std::size_t size = 1;
  for (const std::int64_t one : parameter.shape) size *= static_cast<std::size_t>(one);
  return size;
}

/// Pairs of normal numbers by the transformation of Box and Muller (1958).
void fill_normal(std::vector<float>& values, float deviation, std::uint64_t seed) {
  constexpr float kUnit = 1.f / (1 << 24), kTurn = 6.2831853f;
  for (std::size_t i = 0; i < values.size(); i += 2) {
    const std::uint64_t bits = stats::splitmix64(seed);
    // Above 0, so that its logarithm is finite.
    const float u = (static_cast<float>(bits >> 40) + 0.5f) * kUnit;
    const float angle = static_cast<float>(bits & 0xffffff) * kUnit * kTurn;
    const float radius = deviation * std::sqrt(-2 * std::log(u));
    values[i] = radius * std::cos(angle);
    if (i + 1 < values.size()) values[i + 1] = radius * std::sin(angle);
  }
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return "[" + joined(shape, ", ", [](std::int64_t one) { return std::to_string(one); }) + "]";
}

/// Empty for a type that holds no real numbers.
std::vector<float> floats_of(const Stored& stored) {
  std::vector<float> values;
  const std::byte* const data = stored.bytes.data;
  const auto fill = [&](std::size_t width, auto&& read) {
    values.resize(stored.bytes.size / width);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = read(data + i * width);
  };
  if (stored.dtype == "F32") {
    values.resize(stored.bytes.size / 4);
    if (!values.empty()) std::memcpy(values.data(), data, stored.bytes.size);
  } else if (stored.dtype == "F64") {
    fill(8, [](const std::byte* at) { return static_cast<float>(load_little<double>(at)); });
  } else if (stored.dtype == "F16") {
    fill(2, [](const std::byte* at) { return half_to_float(load_little<std::uint16_t>(at)); });
  } else if (stored.dtype == "BF16") {
    fill(2, [](const std::byte* at) { return bfloat16_to_float(load_little<std::uint16_t>(at)); });
  }
  return values;
}

bool is_counter(const std::string& name) {
  constexpr std::string_view kEnd = ".num_batches_tracked";
  return name.size() >= kEnd.size() &&
         name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0;
}

}  // namespace

Weights initial_weights(const Network& network, std::uint64_t seed) {
  Weights weights;
  std::uint64_t state = seed;
  for (const Layer& layer : network.layers)
    for (const Parameter& parameter : parameters(layer)) {
      std::vector<float> values(size_of(parameter), 0.f);
      const bool is_weight = parameter.shape.size() > 1;
      if (is_weight) {
        const auto fan = static_cast<double>(layer.kernel * layer.kernel * layer.channels);
        const double deviation = layer.op == Op::kLinear ? 0.01 : std::sqrt(2 / fan);
        fill_normal(values, static_cast<float>(deviation), stats::splitmix64(state));
      } else if (parameter.name == layer.name + ".running_var" ||
                 (layer.op == Op::kBatchNorm && parameter.name == layer.name + ".weight")) {
        std::fill(values.begin(), values.end(), 1.f);
      }
      weights.emplace(parameter.name, std::move(values));
    }
  return weights;
}

std::string to_safetensors(const Network& network, const Weights& weights) {
  ordered_json header = {{"__metadata__", {{"format", "pt"}}}};
  std::size_t end = 0;
  const std::vector<Parameter> list = parameters(network);
  for (const Parameter& parameter : list) {
    const std::size_t begin = end;
    end += size_of(parameter) * sizeof(float);
    header[parameter.name] = {
        {"dtype", "F32"}, {"shape", parameter.shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');  // Tensors begin at a multiple of 8.
  std::string out(8, '\0');
  std::byte length[8];
  store_little(length, static_cast<std::uint64_t>(text.size()));
  std::memcpy(out.data(), length, 8);
  out.reserve(8 + text.size() + end);
  out += text;
  for (const Parameter& parameter : list) {
    const std::vector<float>& values = weights.at(parameter.name);
    out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  }
  return out;
}

Result<Weights> from_safetensors(const Network& network, ByteView file) {
  EP_TRY(auto stored, read_safetensors(file));
  Weights weights;
  for (const Parameter& parameter : parameters(network)) {
    const std::string what = "tensor '" + parameter.name + "'";
    const auto found = stored.find(parameter.name);
    if (found == stored.end())
      return Error{ErrorKind::kUsage, "weights of another network: " + what + " is missing"};
    if (found->second.shape != parameter.shape)
      return Error{ErrorKind::kUsage, "weights of another network: " + what + " has the shape " +
                                          shape_text(found->second.shape) + "; expected " +
                                          shape_text(parameter.shape)};
    std::vector<float> values = floats_of(found->second);
    if (values.empty())
      return Error{ErrorKind::kUsage, what + " has the type " + found->second.dtype +
                                          "; expected F32, F16, BF16 or F64"};
    for (const float value : values)
      if (!std::isfinite(value))
        return Error{ErrorKind::kUsage, what + " has a value that is not a finite number"};
    weights.emplace(parameter.name, std::move(values));
    stored.erase(found);
  }
  for (const auto& [name, tensor] : stored)
    if (!is_counter(name))
      return Error{ErrorKind::kUsage, "weights of another network: tensor '" + sanitized(name, 80) +
                                          "' belongs to no layer"};
  return weights;
}

}  // namespace edgeprobe::family
