// SPDX-License-Identifier: Apache-2.0
#include "preprocess/picture/resize.h"
#include "preprocess/recipe/picture_steps.h"

namespace edgeprobe::preprocess {

Result<Step> read_gray(Arguments& arguments) {
  Gray step;
  if (const auto channels = arguments.next()) {
    auto keep =
        arguments.word(*channels, std::array{Word<bool>{"1", false}, Word<bool>{"3", true}});
    if (!keep) return std::move(keep).error();
    step.keep_three = *keep;
  }
  if (const auto weights = arguments.take("weights")) {
    auto values = arguments.list(*weights, -kLargestNumber, kLargestNumber);
    if (!values) return std::move(values).error();
    if (values->size() != 3)
      return arguments.error(weights->at, "weights= takes one value each for R, G and B");
    step.weights = *std::move(values);
  }
  if (auto done = arguments.assign("round", kRoundingWords, step.rounding); !done)
    return std::move(done).error();
  if (!step.weights.empty() && is_library(step.rounding)) {
    return arguments.error(
        arguments.at(),
        "a library's 8-bit sums have its own weights: leave weights= or round= out");
  }
  return Step{step};
}

Result<Step> read_tone(Arguments& arguments) {
  Tone step;
  const auto gain = arguments.take("gain"), offset = arguments.take("offset"),
             gamma = arguments.take("gamma");
  const auto curve = arguments.next();
  if (int(gain || offset) + int(bool(gamma)) + int(bool(curve)) != 1) {
    return arguments.error(arguments.at(),
                           "tone needs one of gamma=, gain= and offset=, srgb_to_linear, "
                           "linear_to_srgb, rgb565, rgb565_filled");
  }
  if (gamma) {
    auto value = arguments.real(*gamma, 0.01, 100);
    if (!value) return std::move(value).error();
    step.gamma = *value;
  } else if (curve) {
    auto word = arguments.word(*curve, kCurveWords);
    if (!word) return std::move(word).error();
    step.curve = *word;
  } else {
    step.curve = Tone::Curve::kLinear;
    for (const auto& [argument, values] :
         {std::pair{gain, &step.gain}, std::pair{offset, &step.offset}}) {
      if (!argument) continue;
      auto list = arguments.list(*argument, -kLargestNumber, kLargestNumber);
      if (!list) return std::move(list).error();
      *values = *std::move(list);
    }
  }
  if (auto done = arguments.assign("round", kWholeWords, step.rounding); !done)
    return std::move(done).error();
  return Step{step};
}

Result<Step> read_recode(Arguments& arguments) {
  Recode step;
  for (ColorMatrix* matrix : {&step.encode, &step.decode}) {
    auto argument =
        arguments.require("two of bt601 and bt709: what encoded the picture and what decodes it");
    if (!argument) return std::move(argument).error();
    auto word = arguments.word(*argument, kMatrixWords);
    if (!word) return std::move(word).error();
    *matrix = *word;
  }
  if (auto done = arguments.assign("encode", kLevelsWords, step.encode_limited); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("decode", kLevelsWords, step.decode_limited); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("chroma", kChromaWords, step.chroma_swapped); !done)
    return std::move(done).error();
  if (auto done = arguments.assign("round", kRecodeRoundWords, step.round); !done)
    return std::move(done).error();
  return Step{step};
}

Result<Step> read_matrix(Arguments& arguments) {
  Matrix step;
  auto argument = arguments.require("nine numbers: three weights of R, G and B for each channel");
  if (!argument) return std::move(argument).error();
  auto rows = arguments.list(*argument, -kLargestNumber, kLargestNumber);
  if (!rows) return std::move(rows).error();
  if (rows->size() != 9)
    return arguments.error(argument->at,
                           "matrix needs nine numbers, three for each channel; these are " +
                               std::to_string(rows->size()));
  step.rows = *std::move(rows);
  if (const auto offset = arguments.take("offset")) {
    auto values = arguments.list(*offset, -kLargestNumber, kLargestNumber);
    if (!values) return std::move(values).error();
    if (values->size() != 1 && values->size() != 3)
      return arguments.error(offset->at, "offset= takes one value, or one a channel");
    step.offset = *std::move(values);
  }
  if (auto done = arguments.assign("round", kWholeWords, step.rounding); !done)
    return std::move(done).error();
  return Step{step};
}

}  // namespace edgeprobe::preprocess
