// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// The C structs in which TFLite's kernels and delegates receive a model, declared by us; layouts
/// checked with 2.18 (tests/faulty/faulty_test.py runs with them).
namespace edgeprobe::faulty {

struct IntArray {
  int size;
  int data[1];  ///< Really has `size` elements.
};

enum : std::int32_t { kFloat32 = 1, kUint8 = 3, kInt8 = 9 };

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
  IntArray* intermediates;
  IntArray* temporaries;
  void* user_data;
  void* builtin_data;
};

struct Context;
struct Registration {
  void* (*init)(Context*, const char* buffer, std::size_t size);
  void (*free)(Context*, void* made_by_init);
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
  int (*get_node)(Context*, int index, Node**, Registration**);
  int (*replace)(Context*, Registration, const IntArray* nodes, Delegate*);
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

/// Argument of init() for a delegate's kernel.
struct DelegateParams {
  Delegate* delegate;
  IntArray* nodes;
  IntArray* inputs;
  IntArray* outputs;
};

/// builtin_data of a pooling operator; activation 0 none, 1 ReLU, 3 ReLU6.
struct PoolParams {
  std::int32_t padding;
  std::int32_t stride_width, stride_height;
  std::int32_t filter_width, filter_height;
  std::int32_t activation;
  std::int32_t pad_width, pad_height, pad_width_offset, pad_height_offset;
};

}  // namespace edgeprobe::faulty
