// SPDX-License-Identifier: Apache-2.0
// What the ONNX Runtime adapters refuse, and a value of every dtype, made by ONNX Runtime itself.
#include "onnxruntime_cxx_api.h"

#include "edgeprobe.hpp"
#include "edgeprobe/onnxruntime.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "recording.h"

namespace {

class OrtValues : public testing::Test {
 protected:
  Recording recording_;
  Ort::AllocatorWithDefaultOptions allocator_;
};

TEST_F(OrtValues, EveryDtypeIsKept) {
  const std::vector<std::pair<ONNXTensorElementDataType, std::string>> types = {
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, "float32"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, "float16"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, "bfloat16"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, "float64"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, "int8"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, "uint8"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, "int16"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, "uint16"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, "int32"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, "uint32"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, "int64"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, "uint64"},
      {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, "bool"}};
  const std::array<std::int64_t, 2> shape{2, 3};
  std::vector<Ort::Value> values;
  std::vector<std::string> names;
  for (const auto& [type, name] : types) {
    values.push_back(Ort::Value::CreateTensor(allocator_, shape.data(), shape.size(), type));
    auto* const bytes = static_cast<unsigned char*>(values.back().GetTensorMutableRawData());
    for (std::size_t i = 0; i < 6; ++i) bytes[i] = i % 2;
    names.push_back(name);
  }
  {
    const auto frame = recording_.probe.frame();
    EXPECT_EQ(frame.start(names, values), edgeprobe::Status::ok) << edgeprobe::last_error();
    EXPECT_EQ(frame.stop(names, values), edgeprobe::Status::ok) << edgeprobe::last_error();
  }
  const auto trace = recording_.read();
  for (std::size_t i = 0; i < types.size(); ++i) {
    for (const std::string stage : {"model_input/", "model_output/"}) {
      const auto* const found = trace.find(stage + names[i]);
      ASSERT_NE(found, nullptr) << names[i];
      EXPECT_EQ(found->dtype, names[i]);
      EXPECT_EQ(found->shape, (std::vector<std::int64_t>{2, 3}));
      EXPECT_EQ(found->position, static_cast<int>(i));
      EXPECT_EQ(found->frames.at(0).substr(0, 6), std::string("\0\1\0\1\0\1", 6));
    }
  }
}

TEST_F(OrtValues, WhatCannotBeRecordedIsNamedAndTheRestIsRecorded) {
  const std::array<std::int64_t, 1> shape{2};
  std::array<float, 2> numbers{1, 2};
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const auto tensor = [&] {
    return Ort::Value::CreateTensor<float>(memory, numbers.data(), 2, shape.data(), 1);
  };
  std::vector<Ort::Value> parts;
  parts.push_back(tensor());
  parts.push_back(tensor());
  std::vector<Ort::Value> values;
  values.push_back(
      Ort::Value::CreateTensor(allocator_, shape.data(), 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING));
  values.push_back(tensor());
  const std::vector<const char*> names{"words", "good"};
  {
    const auto frame = recording_.probe.frame();
    frame.start();
    EXPECT_EQ(frame.stop(names, values), edgeprobe::Status::unsupported);
    EXPECT_STREQ(edgeprobe::last_error(),
                 "model output 0 'words' is not recorded: it contains strings");
  }
  values[0] = Ort::Value::CreateSequence(parts);
  {
    const auto frame = recording_.probe.frame();
    EXPECT_EQ(frame.start(names, values), edgeprobe::Status::unsupported);
    EXPECT_STREQ(edgeprobe::last_error(),
                 "model input 0 'words' is not recorded: it is not a tensor");
  }
  values[0] = Ort::Value(nullptr);
  {
    const auto frame = recording_.probe.frame();
    frame.start();
    EXPECT_EQ(frame.stop(names, values), edgeprobe::Status::unsupported);
    EXPECT_STREQ(edgeprobe::last_error(),
                 "model output 0 'words' is not recorded: there is no value");
  }
  const auto trace = recording_.read();
  EXPECT_EQ(trace.tensors.size(), 2u);
  EXPECT_EQ(trace.find("model_output/good")->frames.size(), 2u);
  EXPECT_EQ(trace.find("model_input/good")->frames.size(), 1u);
}

}  // namespace
