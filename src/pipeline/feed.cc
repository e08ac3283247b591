// SPDX-License-Identifier: Apache-2.0
#include "pipeline/feed.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/text.h"

namespace edgeprobe::pipeline {
namespace {

std::string described(const TensorSpec& spec) {
  return std::string(name(spec.dtype)) + " [" + to_list(spec.shape) + "]";
}

Error unlike(const TensorSpec& given, const TensorSpec& wanted, const std::string& advice) {
  return {ErrorKind::kUsage, "input '" + sanitized(wanted.name, 100) + "': expected " +
                                 described(wanted) + ", found " + described(given) + advice};
}

Shape fitted(Shape shape, const Shape& wanted) {
  if (shape.size() == wanted.size() + 1 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() + 1 == wanted.size() && wanted.front() == 1) shape.insert(shape.begin(), 1);
  return shape;
}

// NaN is the answer of a broken step; infinities stand in masks on purpose.
Status no_nan(const Tensor& given, const TensorSpec& wanted) {
  if (!is_float(given.spec.dtype)) return {};
  const auto values = to_float(given);
  if (!values) return values.error();
  const auto wrong = [](float value) { return std::isnan(value); };
  const auto first = std::find_if(values->begin(), values->end(), wrong);
  if (first == values->end()) return {};
  return Error{ErrorKind::kUsage, "input '" + sanitized(wanted.name, 100) + "' holds " +
                                      std::to_string(std::count_if(first, values->end(), wrong)) +
                                      " NaN, the first at offset " +
                                      std::to_string(first - values->begin())};
}

template <class T>
std::optional<std::vector<std::int64_t>> read_whole(const Bytes& bytes) {
  std::vector<std::int64_t> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value{};
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof value);
    if constexpr (std::is_same_v<T, std::uint64_t>)
      if (value > std::uint64_t(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    values[i] = static_cast<std::int64_t>(value);
  }
  return values;
}

std::optional<std::vector<std::int64_t>> whole_numbers(const Tensor& tensor) {
  switch (tensor.spec.dtype) {
    case DType::kInt8: return read_whole<std::int8_t>(tensor.bytes);
    case DType::kUInt8:
    case DType::kBool: return read_whole<std::uint8_t>(tensor.bytes);
    case DType::kInt16: return read_whole<std::int16_t>(tensor.bytes);
    case DType::kUInt16: return read_whole<std::uint16_t>(tensor.bytes);
    case DType::kInt32: return read_whole<std::int32_t>(tensor.bytes);
    case DType::kUInt32: return read_whole<std::uint32_t>(tensor.bytes);
    case DType::kInt64: return read_whole<std::int64_t>(tensor.bytes);
    case DType::kUInt64: return read_whole<std::uint64_t>(tensor.bytes);
    default: return std::nullopt;
  }
}

struct Limits {
  std::int64_t low = 0, high = 0;
};
std::optional<Limits> limits_of(DType dtype) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  switch (dtype) {
    case DType::kInt8: return Limits{-128, 127};
    case DType::kUInt8: return Limits{0, 255};
    case DType::kBool: return Limits{0, 1};
    case DType::kInt16: return Limits{-32768, 32767};
    case DType::kUInt16: return Limits{0, 65535};
    case DType::kInt32: return Limits{-2147483648LL, 2147483647};
    case DType::kUInt32: return Limits{0, 4294967295LL};
    case DType::kInt64: return Limits{-kMost - 1, kMost};
    case DType::kUInt64: return Limits{0, kMost};
    default: return std::nullopt;
  }
}

/// The low bytes of a number come first in memory.
void put(Bytes& bytes, std::size_t index, std::size_t width, std::int64_t value) {
  std::memcpy(bytes.data() + index * width, &value, width);
}

Result<Tensor> as_whole(const Tensor& given, const TensorSpec& wanted) {
  const auto values = whole_numbers(given);
  const auto limits = limits_of(wanted.dtype);
  if (!values || !limits) return unlike(given.spec, wanted, "");
  const std::size_t width = size_of(wanted.dtype);
  Tensor tensor{wanted, Bytes(values->size() * width)};
  for (std::size_t i = 0; i < values->size(); ++i) {
    const std::int64_t value = (*values)[i];
    if (value < limits->low || value > limits->high)
      return unlike(given.spec, wanted, ", whose value " + std::to_string(value) + " does not fit");
    put(tensor.bytes, i, width, value);
  }
  return tensor;
}

Result<Tensor> quantized(const Tensor& given, const TensorSpec& wanted) {
  const auto limits = limits_of(wanted.dtype);
  const auto values = to_float(given);
  if (!values || !limits || size_of(wanted.dtype) > 2 || wanted.quantization.per_channel())
    return unlike(given.spec, wanted, "");
  const double scale = double(wanted.quantization.scale[0]),
               zero = double(wanted.quantization.zero_point_at(0));
  const std::size_t width = size_of(wanted.dtype);
  Tensor tensor{wanted, Bytes(values->size() * width)};
  for (std::size_t i = 0; i < values->size(); ++i) {
    const double code = std::clamp(std::round(double((*values)[i]) / scale) + zero,
                                   double(limits->low), double(limits->high));
    put(tensor.bytes, i, width, static_cast<std::int64_t>(code));
  }
  return tensor;
}

template <class T>
double read_float(const Bytes& bytes, std::size_t index) {
  T value{};
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof value);
  return double(value);
}

Result<Tensor> as_float(const Tensor& given, const TensorSpec& wanted) {
  const auto values = to_float(given);
  if (!values) return values.error();
  Tensor tensor{wanted, Bytes(values->size() * size_of(wanted.dtype))};
  const bool wide = given.spec.dtype == DType::kFloat64 && given.spec.quantization.empty();
  for (std::size_t i = 0; i < values->size(); ++i) {
    const float value = (*values)[i];
    if (wanted.dtype == DType::kFloat32) {
      std::memcpy(tensor.bytes.data() + i * sizeof value, &value, sizeof value);
    } else if (wanted.dtype == DType::kFloat64) {
      const double exact = wide ? read_float<double>(given.bytes, i) : double(value);
      std::memcpy(tensor.bytes.data() + i * sizeof exact, &exact, sizeof exact);
    } else if (wanted.dtype == DType::kFloat16) {
      const std::uint16_t half = float_to_half(value);
      std::memcpy(tensor.bytes.data() + i * sizeof half, &half, sizeof half);
    } else {
      return unlike(given.spec, wanted, "");
    }
  }
  return tensor;
}

// What converters put around a name: "serving_default_x:0" is x.
std::string bare(std::string name) {
  constexpr std::string_view kServing = "serving_default_";
  if (name.starts_with(kServing)) name.erase(0, kServing.size());
  const std::size_t colon = name.rfind(':');
  if (colon != std::string::npos && colon > 0 && colon + 1 < name.size() &&
      name.find_first_not_of("0123456789", colon + 1) == std::string::npos)
    name.erase(colon);
  return name;
}

std::string listed(const std::vector<TensorSpec>& specs) {
  std::string text;
  for (std::size_t i = 0; i < specs.size() && i < 12; ++i)
    text += (i ? ", '" : "'") + sanitized(specs[i].name, 100) + "'";
  return text + (specs.size() > 12 ? ", …" : "");
}

/// Pairs inputs and arrays, each at most once.
class Pairs {
 public:
  Pairs(const std::vector<TensorSpec>& arrays, const std::vector<TensorSpec>& inputs)
      : arrays_(arrays), inputs_(inputs), taken_(arrays.size(), false), found(inputs.size()) {}

  /// Those for which `fit` holds of one array and of one input alone.
  template <class Fit>
  void pair(Fit fit) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (found[i]) continue;
      std::optional<std::size_t> one;
      for (std::size_t a = 0; a < arrays_.size(); ++a) {
        if (taken_[a] || !fit(i, a)) continue;
        bool other = one.has_value();
        for (std::size_t k = 0; k < inputs_.size(); ++k)
          other = other || (k != i && !found[k] && fit(k, a));
        if (other) {
          one.reset();
          break;
        }
        one = a;
      }
      if (!one) continue;
      found[i] = one;
      taken_[*one] = true;
    }
  }
  std::optional<std::size_t> stranger() const {
    const auto at = std::find(taken_.begin(), taken_.end(), false);
    return at == taken_.end() ? std::nullopt
                              : std::optional<std::size_t>(std::size_t(at - taken_.begin()));
  }

 private:
  const std::vector<TensorSpec>&arrays_, &inputs_;
  std::vector<bool> taken_;

 public:
  std::vector<std::optional<std::size_t>> found;
};

}  // namespace

Status check_array(const TensorSpec& given, const TensorSpec& wanted) {
  if (wanted.dtype == DType::kOther)
    return Error{ErrorKind::kUnsupported,
                 "input '" + sanitized(wanted.name, 100) +
                     "' takes no numbers (texts, a sequence or a map), which cannot be given"};
  if (fitted(given.shape, wanted.shape) != wanted.shape) return unlike(given, wanted, "");
  const bool real = is_float(given.dtype) || !given.quantization.empty();
  if (given.dtype == wanted.dtype) return {};
  const std::string cast = ": save it with .astype(numpy." + std::string(name(wanted.dtype)) + ")";
  if (is_float(wanted.dtype) && !real)
    return unlike(given, wanted,
                  given.dtype == DType::kUInt8
                      ? cast + ", or let a recipe make it of a picture (--recipe '" +
                            sanitized(wanted.name, 60) + ": resize(…) | …')"
                      : cast);
  if (!is_float(wanted.dtype) && !wanted.quantization.empty() && !real)
    return unlike(given, wanted, ": give real numbers (float32) or codes of its own type");
  if (!is_float(wanted.dtype) && wanted.quantization.empty() && is_float(given.dtype))
    return unlike(given, wanted, cast);
  return {};
}

Result<Tensor> fit_array(const Tensor& given, const TensorSpec& wanted) {
  if (auto good = check_array(given.spec, wanted); !good) return std::move(good.error());
  if (auto good = no_nan(given, wanted); !good) return std::move(good.error());
  const bool codes = !wanted.quantization.empty() && !is_float(wanted.dtype);
  const bool scaled = !given.spec.quantization.empty();
  if (given.spec.dtype == wanted.dtype &&
      (!scaled || !codes || given.spec.quantization == wanted.quantization)) {
    if (given.bytes.size() != wanted.byte_size()) return unlike(given.spec, wanted, "");
    Tensor tensor{wanted, given.bytes};
    // An engine may not know of a scale that stands in the operator behind its input.
    if (wanted.quantization.empty()) tensor.spec.quantization = given.spec.quantization;
    return tensor;
  }
  if (is_float(wanted.dtype)) return as_float(given, wanted);
  if (codes) return quantized(given, wanted);
  return as_whole(given, wanted);
}

Result<std::vector<std::optional<std::size_t>>> arrays_of_inputs(
    const std::vector<TensorSpec>& arrays, const std::vector<TensorSpec>& inputs,
    const std::vector<std::size_t>& optional) {
  Pairs pairs(arrays, inputs);
  pairs.pair([&](std::size_t i, std::size_t a) { return inputs[i].name == arrays[a].name; });
  pairs.pair(
      [&](std::size_t i, std::size_t a) { return bare(inputs[i].name) == bare(arrays[a].name); });
  pairs.pair(
      [&](std::size_t i, std::size_t a) { return arrays[a].name == "arr_" + std::to_string(i); });
  const auto needs = [&](std::size_t i) {
    return !pairs.found[i] && std::find(optional.begin(), optional.end(), i) == optional.end();
  };
  // One is left on either side.
  pairs.pair([&](std::size_t i, std::size_t) { return needs(i); });
  pairs.pair([](std::size_t, std::size_t) { return true; });
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (needs(i))
      return Error{ErrorKind::kUsage, "input '" + sanitized(inputs[i].name, 100) + "' (" +
                                          described(inputs[i]) + ") has no array; the data holds " +
                                          listed(arrays)};
  if (const auto stranger = pairs.stranger())
    return Error{ErrorKind::kUsage, "array '" + sanitized(arrays[*stranger].name, 100) +
                                        "' is no input of the model, whose inputs are " +
                                        listed(inputs)};
  return std::move(pairs.found);
}

std::vector<dataset::Sample> with_scales(const std::vector<dataset::Sample>& samples,
                                         const std::vector<TensorSpec>& inputs) {
  if (samples.empty() || samples.front().arrays.empty()) return samples;
  const auto scaled = [inputs](TensorSpec& spec) {
    for (const TensorSpec& input : inputs)
      if (bare(input.name) == bare(spec.name) && input.dtype == spec.dtype &&
          spec.quantization.empty() && !is_float(spec.dtype))
        spec.quantization = input.quantization;
  };
  std::vector<dataset::Sample> with = samples;
  for (dataset::Sample& sample : with) {
    for (TensorSpec& spec : sample.arrays) scaled(spec);
    sample.load = [scaled, load = sample.load]() -> Result<dataset::Loaded> {
      auto loaded = load();
      auto* const recorded = loaded ? std::get_if<dataset::Arrays>(&loaded->input) : nullptr;
      if (recorded)
        for (Tensor& array : recorded->arrays) scaled(array.spec);
      return loaded;
    };
  }
  return with;
}

Result<dataset::Picture> picture_from(const Tensor& array) {
  Shape shape = array.spec.shape;
  if (shape.size() == 4 && shape.front() == 1) shape.erase(shape.begin());
  if (array.spec.dtype != DType::kUInt8 || shape.size() != 3 || (shape[2] != 3 && shape[2] != 1))
    return Error{ErrorKind::kUsage, "array '" + sanitized(array.spec.name, 100) +
                                        "': a recipe makes its input of a picture: expected uint8 "
                                        "[height,width,3 or 1], found " +
                                        described(array.spec)};
  if (auto good = preprocess::check_size(shape[0], shape[1]); !good) return std::move(good.error());
  dataset::Picture picture;
  picture.image = {
      static_cast<int>(shape[0]), static_cast<int>(shape[1]), static_cast<int>(shape[2]), {}};
  const auto* const first = reinterpret_cast<const std::uint8_t*>(array.bytes.data());
  picture.image.pixels.assign(first, first + array.bytes.size());
  return picture;
}

Tensor zeros(const TensorSpec& spec) {
  Tensor tensor{spec, Bytes(spec.byte_size().value_or(0))};
  if (spec.quantization.empty() || is_float(spec.dtype)) return tensor;
  const std::size_t width = size_of(spec.dtype);
  if (width == 0 || width > 8) return tensor;
  for (std::size_t i = 0; i * width < tensor.bytes.size(); ++i)
    put(tensor.bytes, i, width, spec.quantization.zero_point_at(0));
  return tensor;
}

}  // namespace edgeprobe::pipeline
