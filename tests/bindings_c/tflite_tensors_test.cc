// SPDX-License-Identifier: Apache-2.0
// Every dtype and quantisation of TensorFlow Lite through both adapters, and what they refuse: real
// TfLiteTensor structs, read by the real library's functions (C) and by the template (C++).
#include "tensorflow/lite/c/c_api.h"
#include "tensorflow/lite/c/common.h"

#include "edgeprobe.hpp"
#include "edgeprobe/tflite.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "recording.h"

namespace {

// The parts of tflite::Interpreter that the adapter uses, with our own tensors.
struct Interpreter {
  std::vector<TfLiteTensor> tensors;
  std::vector<int> in, out;
  const std::vector<int>& inputs() const { return in; }
  const std::vector<int>& outputs() const { return out; }
  TfLiteTensor* tensor(int index) { return &tensors[static_cast<std::size_t>(index)]; }
};

class TfliteTensors : public testing::TestWithParam<bool> {
 protected:
  ~TfliteTensors() override {
    for (auto* array : arrays_) std::free(array);
  }

  TfLiteTensor make(TfLiteType type, const char* name, const std::vector<int>& shape, void* data,
                    std::size_t bytes) {
    TfLiteTensor tensor = {};
    tensor.type = type;
    tensor.name = name;
    tensor.dims = integers(shape);
    tensor.data.raw = static_cast<char*>(data);
    tensor.bytes = bytes;
    return tensor;
  }
  TfLiteIntArray* integers(const std::vector<int>& values) {
    auto* array = static_cast<TfLiteIntArray*>(std::malloc(sizeof(int) * (values.size() + 1)));
    arrays_.push_back(array);
    array->size = static_cast<int>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) array->data[i] = values[i];
    return array;
  }
  TfLiteFloatArray* floats(const std::vector<float>& values) {
    auto* array = static_cast<TfLiteFloatArray*>(std::malloc(sizeof(float) * (values.size() + 1)));
    arrays_.push_back(array);
    array->size = static_cast<int>(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) array->data[i] = values[i];
    return array;
  }

  /// Logs all tensors as outputs of one frame, with the C or the C++ adapter.
  edgeprobe::Status log(const std::vector<TfLiteTensor>& tensors) {
    const auto frame = recording_.probe.frame();
    if (GetParam()) {
      Interpreter interpreter{tensors, {}, {}};
      for (std::size_t i = 0; i < tensors.size(); ++i)
        interpreter.out.push_back(static_cast<int>(i));
      EXPECT_EQ(frame.start(interpreter), edgeprobe::Status::ok);
      return frame.stop(interpreter);
    }
    const edgeprobe_tflite_api api = edgeprobe_tflite_linked();
    edgeprobe_status first = EDGEPROBE_OK;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      first = edgeprobe_first(first, edgeprobe_tflite_tensor_with(frame.handle(), &api, &tensors[i],
                                                                  EDGEPROBE_STAGE_MODEL_OUTPUT,
                                                                  static_cast<std::int32_t>(i)));
    }
    return edgeprobe::status(first);
  }

  Recording recording_;
  std::vector<void*> arrays_;
};

INSTANTIATE_TEST_SUITE_P(Adapters, TfliteTensors, testing::Values(false, true),
                         [](const auto& kind) { return std::string(kind.param ? "Cxx" : "C"); });

TEST_P(TfliteTensors, EveryDtypeIsKept) {
  const std::vector<std::pair<TfLiteType, std::pair<std::string, std::size_t>>> types = {
      {kTfLiteFloat32, {"float32", 4}}, {kTfLiteFloat16, {"float16", 2}},
      {kTfLiteFloat64, {"float64", 8}}, {kTfLiteInt8, {"int8", 1}},
      {kTfLiteUInt8, {"uint8", 1}},     {kTfLiteInt16, {"int16", 2}},
      {kTfLiteUInt16, {"uint16", 2}},   {kTfLiteInt32, {"int32", 4}},
      {kTfLiteUInt32, {"uint32", 4}},   {kTfLiteInt64, {"int64", 8}},
      {kTfLiteUInt64, {"uint64", 8}},   {kTfLiteBool, {"bool", 1}}};
  alignas(8) std::array<char, 48> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i % 2);
  std::vector<TfLiteTensor> tensors;
  for (const auto& [type, told] : types)
    tensors.push_back(make(type, told.first.c_str(), {2, 3}, values.data(), 6 * told.second));
  ASSERT_EQ(log(tensors), edgeprobe::Status::ok) << edgeprobe::last_error();
  const auto trace = recording_.read();
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto& [name, size] = types[i].second;
    const auto* const found = trace.find("model_output/" + name);
    ASSERT_NE(found, nullptr) << name;
    EXPECT_EQ(found->dtype, name);
    EXPECT_EQ(found->shape, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(found->position, static_cast<int>(i));
    EXPECT_EQ(found->frames.at(0), std::string(values.data(), 6 * size));
  }
}

TEST_P(TfliteTensors, QuantisationForTheWholeTensorAndPerChannel) {
  std::array<std::int8_t, 6> values{1, 2, 3, 4, 5, 6};
  TfLiteTensor whole = make(kTfLiteInt8, "whole", {2, 3}, values.data(), 6), channels = whole;
  whole.params = {0.5f, -3};
  TfLiteAffineQuantization affine = {floats({0.5f, 0.25f, 2.0f}), integers({0, -7, 9}), 1};
  channels.name = "channels";
  channels.quantization = {kTfLiteAffineQuantization, &affine};
  ASSERT_EQ(log({whole, channels}), edgeprobe::Status::ok) << edgeprobe::last_error();
  const auto trace = recording_.read();
  EXPECT_EQ(trace.find("model_output/whole")->scale, std::vector<float>{0.5f});
  EXPECT_EQ(trace.find("model_output/whole")->zero_point, std::vector<std::int64_t>{-3});
  EXPECT_EQ(trace.find("model_output/channels")->scale, (std::vector<float>{0.5f, 0.25f, 2.0f}));
  EXPECT_EQ(trace.find("model_output/channels")->zero_point, (std::vector<std::int64_t>{0, -7, 9}));
  EXPECT_EQ(trace.find("model_output/channels")->axis, 1);
}

TEST_P(TfliteTensors, WhatCannotBeRecordedIsNamedAndTheRestIsRecorded) {
  std::array<float, 2> values{1, 2};
  const TfLiteTensor good = make(kTfLiteFloat32, "good", {2}, values.data(), 8);
  const std::vector<std::pair<TfLiteTensor, std::string>> refused = {
      {make(kTfLiteString, "words", {1}, values.data(), 8),
       "model output 0 'words' is not recorded: it contains strings"},
      {make(kTfLiteResource, "handle", {1}, values.data(), 8),
       "model output 0 'handle' is not recorded: it is a resource"},
      {make(kTfLiteVariant, "list", {1}, values.data(), 8),
       "model output 0 'list' is not recorded: it is a variant"},
      {make(kTfLiteComplex64, "wave", {1}, values.data(), 8),
       "model output 0 'wave' is not recorded: it contains complex numbers"},
      {make(kTfLiteFloat32, "later", {2}, nullptr, 8),
       "model output 0 'later' is not recorded: it has no memory; a dynamic tensor gets some in "
       "the invoke"},
      {make(static_cast<TfLiteType>(18), "nibbles", {2}, values.data(), 1),
       "model output 0 'nibbles' is not recorded: it contains 4-bit integers"}};
  for (const auto& [tensor, sentence] : refused) {
    EXPECT_EQ(log({tensor, good}), edgeprobe::Status::unsupported) << tensor.name;
    EXPECT_EQ(edgeprobe::last_error(), sentence);
  }
  const auto trace = recording_.read();
  EXPECT_EQ(trace.tensors.size(), 1u);
  EXPECT_EQ(trace.find("model_output/good")->frames.size(), refused.size());
}

}  // namespace
