// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "preprocess/recipe/picture_steps.h"

namespace edgeprobe::preprocess {

Result<Step> read_standardize(Arguments& arguments) {
  Standardize step;
  if (const auto over = arguments.next()) {
    auto by_channel =
        arguments.word(*over, std::array{Word<bool>{"image", false}, Word<bool>{"channel", true}});
    if (!by_channel) return std::move(by_channel).error();
    step.by_channel = *by_channel;
  }
  return Step{step};
}

Result<Step> read_scale(Arguments& arguments) {
  auto argument = arguments.require("a range like 0..1 or -1..1");
  if (!argument) return std::move(argument).error();
  const std::size_t dots = argument->value.find("..");
  if (dots == std::string_view::npos) {
    return arguments.error(argument->at, "expected a range like -1..1, found \"" +
                                             sanitized(argument->value, 60) + "\"");
  }
  auto low = arguments.real({{}, argument->value.substr(0, dots), argument->at}, -kLargestNumber,
                            kLargestNumber);
  if (!low) return std::move(low).error();
  auto high = arguments.real({{}, argument->value.substr(dots + 2), argument->at}, -kLargestNumber,
                             kLargestNumber);
  if (!high) return std::move(high).error();
  if (*low >= *high) return arguments.error(argument->at, "the range is empty or backwards");
  return Step{Scale{*low, *high}};
}

Result<Step> read_normalize(Arguments& arguments) {
  Normalize step;
  for (const bool is_mean : {true, false}) {
    const auto argument = arguments.take(is_mean ? "mean" : "std");
    if (!argument) return arguments.error(arguments.at(), "normalize needs mean= and std=");
    auto values =
        arguments.list(*argument, is_mean ? -kLargestNumber : kSmallestDivisor, kLargestNumber);
    if (!values) return std::move(values).error();
    (is_mean ? step.mean : step.std) = *std::move(values);
  }
  if (step.mean.size() != step.std.size() && step.mean.size() != 1 && step.std.size() != 1) {
    return arguments.error(arguments.at(), "mean and std have different numbers of values");
  }
  return Step{step};
}

Result<Step> read_cast(Arguments& arguments) {
  static constexpr std::array kTypes{
      Word<DType>{"float32", DType::kFloat32}, Word<DType>{"float16", DType::kFloat16},
      Word<DType>{"uint8", DType::kUInt8},     Word<DType>{"int8", DType::kInt8},
      Word<DType>{"int16", DType::kInt16},
  };
  return read_word<Cast>(arguments, "a type like float32", kTypes);
}

Result<Step> read_quantize(Arguments& arguments) {
  Quantize step;
  if (const auto source = arguments.next()) {
    auto model = arguments.word(*source, std::array{Word<bool>{"model", true}});
    if (!model) return std::move(model).error();
  } else {
    const auto scale = arguments.take("scale"), zero = arguments.take("zero_point");
    if (!scale || !zero) {
      return arguments.error(arguments.at(), "expected quantize(model), or scale= and zero_point=");
    }
    auto value = arguments.real(*scale, kSmallestDivisor, kLargestNumber);
    if (!value) return std::move(value).error();
    auto point = arguments.whole(*zero, -32768, 32767);
    if (!point) return std::move(point).error();
    step.scale = *value;
    step.zero_point = *point;
  }
  if (auto done = arguments.assign("round", kQuantizeRoundWords, step.round); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("sign", kSignWords, step.sign_flipped); !done)
    return std::move(done).error();
  return Step{step};
}

Result<Step> read_layout(Arguments& arguments) {
  auto argument = arguments.require("nhwc or nchw");
  if (!argument) return std::move(argument).error();
  auto nchw = arguments.word(*argument, kLayoutWords);
  if (!nchw) return std::move(nchw).error();
  Layout step{*nchw};
  if (auto done = arguments.assign("memory", kMemoryWords, step.memory); !done)
    return std::move(done).error();
  return Step{step};
}

}  // namespace edgeprobe::preprocess
