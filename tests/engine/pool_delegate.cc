// SPDX-License-Identifier: Apache-2.0
// An external TFLite delegate that takes every AVERAGE_POOL_2D (or nothing, with take=nothing) and
// fills its output with one value instead of the average: a fault that is known beforehand. It
// needs no header and no symbol of TFLite, only the layout of the C structs
// (tensorflow/lite/core/c/common.h, checked with 2.18).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

struct IntArray {
  int size;
  int data[1];
};
struct Tensor {
  std::int32_t type;
  void* data;
  IntArray* dims;
  float scale;
  std::int32_t zero_point;
  std::int32_t allocation_type;
  std::size_t bytes;
  const void* allocation;
  const char* name;
  void* delegate;
  std::int32_t buffer_handle;
  bool data_is_stale;
  bool is_variable;
  std::int32_t quantization_type;
  void* quantization;
  void* sparsity;
  const IntArray* dims_signature;
};
struct Node {
  IntArray* inputs;
  IntArray* outputs;
};
struct Context;
struct Registration {
  void* (*init)(Context*, const char*, std::size_t);
  void (*free)(Context*, void*);
  int (*prepare)(Context*, Node*);
  int (*invoke)(Context*, Node*);
  const char* (*profiling_string)(const Context*, const Node*);
  std::int32_t builtin_code;
  const char* custom_name;
  int version;
  void* registration_external;
  void* async_kernel;
  std::uint64_t inplace_operator;
};
struct Delegate;
struct Context {
  std::size_t tensors_size;
  int (*get_execution_plan)(Context*, IntArray**);
  Tensor* tensors;
  void* impl;
  void* resize_tensor;
  void* report_error;
  void* add_tensors;
  int (*get_node)(Context*, int, Node**, Registration**);
  int (*replace)(Context*, Registration, const IntArray*, Delegate*);
};
struct Delegate {
  void* data;
  int (*prepare)(Context*, Delegate*);
  void* copy_from;
  void* copy_to;
  void* free_handle;
  std::int64_t flags;
  void* opaque;
};

constexpr int kAveragePool = 1;

struct Settings {
  int value = 0;
  bool take = true;
};
Settings settings;

int fill(Context* context, Node* node) {
  for (int i = 0; i < node->outputs->size; ++i) {
    Tensor& output = context->tensors[node->outputs->data[i]];
    std::memset(output.data, settings.value, output.bytes);
  }
  return 0;
}

int prepare(Context* context, Delegate* delegate) {
  IntArray* plan = nullptr;
  if (context->get_execution_plan(context, &plan) != 0) return 1;
  std::vector<int> wanted{0};
  for (int i = 0; i < plan->size; ++i) {
    Node* node = nullptr;
    Registration* registration = nullptr;
    if (context->get_node(context, plan->data[i], &node, &registration) != 0) return 1;
    if (settings.take && registration->builtin_code == kAveragePool)
      wanted.push_back(plan->data[i]);
  }
  wanted[0] = static_cast<int>(wanted.size()) - 1;
  if (wanted[0] == 0) return 0;
  Registration kernel{};
  kernel.prepare = [](Context*, Node*) { return 0; };
  kernel.invoke = &fill;
  kernel.custom_name = "FilledPool";
  kernel.version = 1;
  return context->replace(context, kernel, reinterpret_cast<const IntArray*>(wanted.data()),
                          delegate);
}

}  // namespace

extern "C" {

Delegate* tflite_plugin_create_delegate(const char* const* keys, const char* const* values,
                                        std::size_t count, void (*report_error)(const char*)) {
  settings = {};
  for (std::size_t i = 0; i < count; ++i) {
    if (std::strcmp(keys[i], "value") == 0) settings.value = std::atoi(values[i]);
    else if (std::strcmp(keys[i], "take") == 0)
      settings.take = std::strcmp(values[i], "nothing") != 0;
    else {
      if (report_error) report_error("pool_delegate: unknown option");
      return nullptr;
    }
  }
  return new Delegate{nullptr, &prepare, nullptr, nullptr, nullptr, 0, nullptr};
}

void tflite_plugin_destroy_delegate(Delegate* delegate) { delete delegate; }

}  // extern "C"
