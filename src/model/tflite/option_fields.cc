// SPDX-License-Identifier: Apache-2.0
#include "model/tflite/option_fields.h"

#include <map>

namespace edgeprobe::model {

const std::vector<OptionField>* option_fields(int options_type) {
  using enum OptionField::Kind;
  using Fields = std::vector<OptionField>;
  static const Fields fused{{"fused_activation", 0, kActivation}};
  static const Fields conv{{"padding", 0, kPadding},          {"stride_width", 1, kNumber},
                           {"stride_height", 2, kNumber},     {"fused_activation", 3, kActivation},
                           {"dilation_width", 4, kNumber, 1}, {"dilation_height", 5, kNumber, 1}};
  static const Fields depthwise{
      {"padding", 0, kPadding},          {"stride_width", 1, kNumber},
      {"stride_height", 2, kNumber},     {"fused_activation", 4, kActivation},
      {"dilation_width", 5, kNumber, 1}, {"dilation_height", 6, kNumber, 1}};
  static const Fields pool{{"padding", 0, kPadding},      {"stride_width", 1, kNumber},
                           {"stride_height", 2, kNumber}, {"filter_width", 3, kNumber},
                           {"filter_height", 4, kNumber}, {"fused_activation", 5, kActivation}};
  static const std::map<int, Fields> known{
      {1, conv},
      {2, depthwise},
      {5, pool},
      {8, fused},
      {9, {{"beta", 0, kReal}}},
      {10, {{"axis", 0, kNumber}, {"fused_activation", 1, kActivation}}},
      {11, fused},
      {12, fused},
      {13, {{"radius", 0, kNumber}, {"bias", 1, kReal}, {"alpha", 2, kReal}, {"beta", 3, kReal}}},
      {14,
       {{"fused_activation", 0, kActivation}, {"cell_clip", 1, kReal}, {"proj_clip", 2, kReal}}},
      {15, {{"align_corners", 2, kFlag}, {"half_pixel_centers", 3, kFlag}}},
      {19, {{"block_size", 0, kNumber}}},
      {21, fused},
      {23, {{"axis", 0, kNumber}, {"batch_dims", 1, kNumber}}},
      {27, {{"keep_dims", 0, kFlag}}},
      {28, fused},
      {29, fused},
      {49,
       {{"padding", 0, kPadding},
        {"stride_width", 1, kNumber},
        {"stride_height", 2, kNumber},
        {"fused_activation", 3, kActivation}}},
      {59, {{"axis", 1, kNumber}}},
      {64, {{"axis", 1, kNumber}}},
      {71,
       {{"fused_activation", 0, kActivation},
        {"cell_clip", 1, kReal},
        {"proj_clip", 2, kReal},
        {"time_major", 3, kFlag}}},
      {74, {{"align_corners", 0, kFlag}, {"half_pixel_centers", 1, kFlag}}},
      {75, {{"alpha", 0, kReal}}},
      {77, {{"mode", 0, kMirror}}},
      {94, {{"block_size", 0, kNumber}}},
      {101, {{"adj_x", 0, kFlag}, {"adj_y", 1, kFlag}}},
      {102, {{"exclusive", 0, kFlag}, {"reverse", 1, kFlag}}},
      {116, {{"approximate", 0, kFlag}}}};
  const auto found = known.find(options_type);
  return found == known.end() ? nullptr : &found->second;
}

const std::vector<std::string>& option_words(OptionField::Kind kind) {
  static const std::vector<std::string> paddings{"SAME", "VALID"},
      fused{"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"},
      mirrors{"REFLECT", "SYMMETRIC"}, none;
  switch (kind) {
    case OptionField::Kind::kPadding: return paddings;
    case OptionField::Kind::kActivation: return fused;
    case OptionField::Kind::kMirror: return mirrors;
    default: return none;
  }
}

}  // namespace edgeprobe::model
