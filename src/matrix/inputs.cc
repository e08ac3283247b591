// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <random>

#include "matrix/matrix.h"

namespace edgeprobe::matrix {
namespace {

template <class T, class Draw>
void fill(Bytes& bytes, Draw draw) {
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    const T value = static_cast<T>(draw());
    std::memcpy(bytes.data() + at, &value, sizeof value);
  }
}

void fill(Tensor& tensor, std::mt19937_64& random, const model::Feed* feed) {
  const auto real = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1.0; };
  const auto bits = [&] { return random(); };
  // Integers without a scale are indices or flags, whose valid range is unknown here.
  const auto index = [&]() -> std::uint64_t {
    if (!feed) return random() & 1;
    return static_cast<std::uint64_t>(feed->low) +
           random() % static_cast<std::uint64_t>(feed->high - feed->low + 1);
  };
  const bool codes = !tensor.spec.quantization.empty();
  switch (tensor.spec.dtype) {
    case DType::kFloat32: return fill<float>(tensor.bytes, real);
    case DType::kFloat64: return fill<double>(tensor.bytes, real);
    // Half and brain floats: the sign, an exponent just below one, and a random mantissa, so
    // +-[0.5, 1).
    case DType::kFloat16:
      return fill<std::uint16_t>(tensor.bytes, [&] { return (random() & 0x83ff) | 0x3800; });
    case DType::kBFloat16:
      return fill<std::uint16_t>(tensor.bytes, [&] { return (random() & 0x807f) | 0x3f00; });
    case DType::kInt8:
    case DType::kUInt8: return fill<std::uint8_t>(tensor.bytes, bits);
    case DType::kInt16:
    case DType::kUInt16:
      return codes ? fill<std::uint16_t>(tensor.bytes, bits)
                   : fill<std::uint16_t>(tensor.bytes, index);
    case DType::kInt32:
    case DType::kUInt32: return fill<std::uint32_t>(tensor.bytes, index);
    case DType::kInt64:
    case DType::kUInt64: return fill<std::uint64_t>(tensor.bytes, index);
    case DType::kBool: return fill<std::uint8_t>(tensor.bytes, index);
    default: return;  // Sessions have no inputs of other types.
  }
}

}  // namespace

std::vector<Tensor> random_inputs(const std::vector<TensorSpec>& specs, std::uint64_t seed,
                                  const std::vector<model::Feed>& feeds) {
  std::vector<Tensor> inputs;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    std::mt19937_64 random(seed * 1'000'003 + i);
    Tensor tensor{specs[i], Bytes(specs[i].byte_size().value_or(0))};
    fill(tensor, random, model::feed_of(feeds, specs[i].name));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace edgeprobe::matrix
