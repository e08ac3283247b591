// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "recipe/field.h"

/// quantize(…) at the end of a front end, for sound and readings.
namespace edgeprobe::preprocess {

template <class FrontEnd>
Status begin_codes(const recipe::Arguments&, void* front_end) {
  recipe::as<FrontEnd>(front_end).quantize = true;
  return {};
}

/// quantize(model): scale and zero point are those of the model's input.
template <class FrontEnd>
Status read_model_codes(recipe::Arguments& arguments, const recipe::Argument& given,
                        void* front_end) {
  static constexpr std::array kModel{recipe::Word{"model", true}};
  EP_CHECK(arguments.word(given, kModel));
  auto& f = recipe::as<FrontEnd>(front_end);
  f.code_scale.reset();
  f.code_zero.reset();
  return {};
}

template <class FrontEnd>
std::string model_codes_text(const void* front_end) {
  return recipe::as<FrontEnd>(front_end).code_scale ? "" : "model";
}

inline constexpr const char* kCodesSentence =
    "to the model's integers[sign|, under the other convention of signs]";

}  // namespace edgeprobe::preprocess
