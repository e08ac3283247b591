// SPDX-License-Identifier: Apache-2.0
#include "pipeline/inputs/feed.h"

#include <algorithm>
#include <variant>

#include "core/text.h"

namespace edgeprobe::pipeline {
namespace {

std::string first_names(const std::vector<TensorSpec>& specs) {
  std::string text;
  for (std::size_t i = 0; i < specs.size() && i < 12; ++i)
    text += (i ? ", " : "") + in_quotes(specs[i].name, 100);
  return text + (specs.size() > 12 ? ", …" : "");
}

/// Pairs inputs with arrays, each at most once.
class Pairs {
 public:
  Pairs(const std::vector<TensorSpec>& arrays, const std::vector<TensorSpec>& inputs)
      : arrays_(arrays), inputs_(inputs), taken_(arrays.size(), false), found(inputs.size()) {}

  /// Pairs those for which `fit` matches exactly one array with exactly one input.
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

Result<std::vector<std::optional<std::size_t>>> arrays_of_inputs(
    const std::vector<TensorSpec>& arrays, const std::vector<TensorSpec>& inputs,
    const std::vector<std::size_t>& optional) {
  Pairs pairs(arrays, inputs);
  pairs.pair([&](std::size_t i, std::size_t a) { return inputs[i].name == arrays[a].name; });
  pairs.pair([&](std::size_t i, std::size_t a) {
    return bare_name(inputs[i].name) == bare_name(arrays[a].name);
  });
  pairs.pair(
      [&](std::size_t i, std::size_t a) { return arrays[a].name == "arr_" + std::to_string(i); });
  const auto needs = [&](std::size_t i) {
    return !pairs.found[i] && std::find(optional.begin(), optional.end(), i) == optional.end();
  };
  // Pairs the last input with the last array.
  pairs.pair([&](std::size_t i, std::size_t) { return needs(i); });
  pairs.pair([](std::size_t, std::size_t) { return true; });
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (needs(i))
      return Error{ErrorKind::kUsage, "input '" + sanitized(inputs[i].name, 100) + "' (" +
                                          described(inputs[i]) + ") has no array; the data holds " +
                                          first_names(arrays)};
  if (const auto stranger = pairs.stranger())
    return Error{ErrorKind::kUsage, "array '" + sanitized(arrays[*stranger].name, 100) +
                                        "' is not an input of the model, whose inputs are " +
                                        first_names(inputs)};
  return std::move(pairs.found);
}

std::vector<dataset::Sample> with_scales(const std::vector<dataset::Sample>& samples,
                                         const std::vector<TensorSpec>& inputs) {
  if (samples.empty() || samples.front().arrays.empty()) return samples;
  const auto scaled = [inputs](TensorSpec& spec) {
    for (const TensorSpec& input : inputs)
      if (bare_name(input.name) == bare_name(spec.name) && input.dtype == spec.dtype &&
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
  EP_CHECK(preprocess::check_size(shape[0], shape[1]));
  dataset::Picture picture;
  picture.image = {
      static_cast<int>(shape[0]), static_cast<int>(shape[1]), static_cast<int>(shape[2]), {}};
  const auto* const first = reinterpret_cast<const std::uint8_t*>(array.bytes.data());
  picture.image.pixels.assign(first, first + array.bytes.size());
  return picture;
}

}  // namespace edgeprobe::pipeline
