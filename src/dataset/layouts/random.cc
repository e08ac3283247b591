// SPDX-License-Identifier: Apache-2.0
// Numbers from a seed, the same on every machine: the bytes of sample i are the SHA-256 of the
// texts "SEED:i:0", "SEED:i:1", … one after another.
#include <algorithm>
#include <charconv>
#include <cstring>

#include "core/codec.h"
#include "core/sha256.h"
#include "core/text.h"
#include "dataset/layouts/files.h"

namespace edgeprobe::dataset {
namespace {

constexpr std::uint64_t kMostCount = 1'000'000, kMostValues = std::uint64_t{1} << 28;

Result<std::uint64_t> whole(const Place& place, const char* option, std::uint64_t usual,
                            std::uint64_t least, std::uint64_t most) {
  const std::string text = place.option(option);
  if (text.empty()) return usual;
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, failure] = std::from_chars(text.data(), end, value);
  if (failure == std::errc{} && at == end && value >= least && value <= most) return value;
  return Error{ErrorKind::kUsage, std::string("option ") + option + " of random is '" +
                                      sanitized(text, 60) + "'; expected a whole number from " +
                                      std::to_string(least) + " to " + std::to_string(most)};
}

Result<Shape> shape_from(const std::string& text) {
  Shape shape;
  std::uint64_t all = 1;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint64_t size = 0;
    const auto read = std::from_chars(at, end, size);
    if (read.ec != std::errc{} || size == 0 || size > kMostValues / all) break;
    all *= size;
    shape.push_back(static_cast<std::int64_t>(size));
    at = read.ptr;
    if (at != end && (*at++ != 'x' || at == end)) break;
    if (at == end) return shape;
  }
  return Error{ErrorKind::kUsage, "option shape of random is '" + sanitized(text, 60) +
                                      "'; expected sizes as 224x224x3, at most " +
                                      std::to_string(kMostValues) + " values"};
}

Bytes random_bytes(std::uint64_t seed, std::size_t index, std::size_t count) {
  Bytes bytes;
  bytes.reserve(count + 32);
  const std::string prefix = std::to_string(seed) + ":" + std::to_string(index) + ":";
  for (std::size_t block = 0; bytes.size() < count; ++block) {
    const std::string hex =
        sha256_by(sha256_kernels().back(), view_of(prefix + std::to_string(block)));
    for (std::size_t i = 0; i < hex.size(); i += 2) {
      unsigned value = 0;
      std::from_chars(hex.data() + i, hex.data() + i + 2, value, 16);
      bytes.push_back(static_cast<std::byte>(value));
    }
  }
  bytes.resize(count);
  return bytes;
}

Loaded picture_of_bytes(const Bytes& bytes, const Shape& shape) {
  Picture picture;
  picture.image.height = static_cast<int>(shape[0]);
  picture.image.width = static_cast<int>(shape[1]);
  picture.image.channels = static_cast<int>(shape[2]);
  for (const std::byte byte : bytes)
    picture.image.pixels.push_back(static_cast<std::uint8_t>(byte));
  return {std::move(picture), sha256_by(sha256_kernels().back(), bytes)};
}

/// 24 bits of each four bytes, little-endian, as numbers from 0 to below 1.
Loaded numbers_of_bytes(const Bytes& bytes, const TensorSpec& spec) {
  Tensor tensor{spec, Bytes(bytes.size())};
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    const auto word = load_little<std::uint32_t>(bytes.data() + i);
    const float value = static_cast<float>(word >> 8) / 16'777'216.f;
    std::memcpy(tensor.bytes.data() + i, &value, sizeof(value));
  }
  Arrays arrays;
  arrays.arrays.push_back(std::move(tensor));
  return {std::move(arrays), ""};
}

}  // namespace

Result<DataSet> open_random(const Place& place) {
  const std::string shape_text = place.option("shape");
  if (shape_text.empty())
    return Error{ErrorKind::kUsage, "random needs a shape, as random:?shape=224x224x3"};
  EP_TRY(const auto shape, shape_from(shape_text));
  EP_TRY(const auto count, whole(place, "count", 32, 1, kMostCount));
  EP_TRY(const auto classes, whole(place, "classes", 0, 1, kMostCount));
  EP_TRY(const auto seed, whole(place, "seed", 0, 0, ~std::uint64_t{0}));
  const bool is_picture = place.option("dtype") == "uint8";
  if (is_picture && (shape.size() != 3 || (shape[2] != 3 && shape[2] != 1)))
    return Error{ErrorKind::kUsage,
                 "random pictures have the shape HEIGHTxWIDTHx3 or "
                 "HEIGHTxWIDTHx1; other shapes are numbers: dtype=float32"};
  std::size_t values = 1;
  for (const std::int64_t size : shape) values *= static_cast<std::size_t>(size);
  const std::string given = place.option("name");
  const TensorSpec spec{given.empty() ? "input" : given, DType::kFloat32, shape, {}};
  DataSet data;
  for (std::size_t c = 0; c < classes; ++c) data.classes.push_back(std::to_string(c));
  for (std::size_t i = 0; i < count; ++i) {
    std::string name = std::to_string(i);
    name.insert(0, 7 - std::min<std::size_t>(7, name.size()), '0');
    Sample sample{name, std::nullopt, [=]() -> Result<Loaded> {
                    const Bytes bytes = random_bytes(seed, i, is_picture ? values : values * 4);
                    return is_picture ? picture_of_bytes(bytes, shape)
                                      : numbers_of_bytes(bytes, spec);
                  }};
    if (classes > 0) sample.annotation = task::ClassLabel{static_cast<int>(i % classes)};
    if (!is_picture) {
      sample.arrays = {spec};
      sample.begins_sequence = i == 0;
    }
    data.samples.push_back(std::move(sample));
  }
  return data;
}

}  // namespace edgeprobe::dataset
