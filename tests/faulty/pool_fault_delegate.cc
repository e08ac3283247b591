// SPDX-License-Identifier: Apache-2.0
// An external delegate that takes every AVERAGE_POOL_2D and computes it honestly but for one
// factor: the average is multiplied by the option `share` (default 0.75, as when the window is
// counted a third too large; 1 is a correct pool). Needs no symbol of TFLite.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime_structs.h"

namespace {

using namespace edgeprobe::faulty;

constexpr int kAveragePool = 1;

struct Settings {
  double share = 0.75;
};

struct Pool {
  int input, output;
  PoolParams params;
};

/// The work of one kernel of the delegate, in order.
struct Kernel {
  double share;
  std::vector<Pool> pools;
};

double read(const Tensor& tensor, std::size_t index) {
  switch (tensor.type) {
    case kFloat32: return static_cast<const float*>(tensor.data)[index];
    case kInt8:
      return static_cast<double>(tensor.scale) *
             (static_cast<const std::int8_t*>(tensor.data)[index] - tensor.zero_point);
    default:
      return static_cast<double>(tensor.scale) *
             (static_cast<const std::uint8_t*>(tensor.data)[index] - tensor.zero_point);
  }
}

template <class T>
void store(Tensor& tensor, std::size_t index, double value) {
  const double code = std::round(value / tensor.scale) + tensor.zero_point;
  static_cast<T*>(tensor.data)[index] = static_cast<T>(
      std::clamp<double>(code, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

void write(Tensor& tensor, std::size_t index, double value) {
  switch (tensor.type) {
    case kFloat32: static_cast<float*>(tensor.data)[index] = static_cast<float>(value); return;
    case kInt8: store<std::int8_t>(tensor, index, value); return;
    default: store<std::uint8_t>(tensor, index, value); return;
  }
}

double activated(double value, int activation) {
  if (activation == 1) return std::max(value, 0.0);
  if (activation == 3) return std::clamp(value, 0.0, 6.0);
  return value;
}

void run(const Pool& pool, double share, Context* context) {
  const Tensor& in = context->tensors[pool.input];
  Tensor& out = context->tensors[pool.output];
  const int height = in.dims->data[1], width = in.dims->data[2], channels = in.dims->data[3];
  const PoolParams& p = pool.params;
  std::size_t at = 0;
  for (int image = 0; image < out.dims->data[0]; ++image)
    for (int row = 0; row < out.dims->data[1]; ++row)
      for (int column = 0; column < out.dims->data[2]; ++column)
        for (int channel = 0; channel < channels; ++channel) {
          const int top = row * p.stride_height - p.pad_height,
                    left = column * p.stride_width - p.pad_width;
          double sum = 0;
          int count = 0;
          for (int y = std::max(0, top); y < std::min(height, top + p.filter_height); ++y)
            for (int x = std::max(0, left); x < std::min(width, left + p.filter_width);
                 ++x, ++count)
              sum +=
                  read(in, ((static_cast<std::size_t>(image) * height + y) * width + x) * channels +
                               channel);
          write(out, at++, activated(share * sum / std::max(1, count), p.activation));
        }
}

void* make_kernel(Context* context, const char* buffer, std::size_t) {
  const auto& params = *reinterpret_cast<const DelegateParams*>(buffer);
  auto* const kernel = new Kernel{static_cast<const Settings*>(params.delegate->data)->share, {}};
  for (int i = 0; i < params.nodes->size; ++i) {
    Node* node = nullptr;
    Registration* registration = nullptr;
    if (context->get_node(context, params.nodes->data[i], &node, &registration) != 0) continue;
    kernel->pools.push_back({node->inputs->data[0], node->outputs->data[0],
                             *static_cast<const PoolParams*>(node->builtin_data)});
  }
  return kernel;
}

int invoke(Context* context, Node* node) {
  const auto& kernel = *static_cast<const Kernel*>(node->user_data);
  for (const Pool& pool : kernel.pools) run(pool, kernel.share, context);
  return 0;
}

bool supported(const Context* context, const Node& node) {
  const int type = context->tensors[node.inputs->data[0]].type;
  return type == kFloat32 || type == kInt8 || type == kUint8;
}

int prepare(Context* context, Delegate* delegate) {
  IntArray* plan = nullptr;
  if (context->get_execution_plan(context, &plan) != 0) return 1;
  std::vector<int> wanted{0};
  for (int i = 0; i < plan->size; ++i) {
    Node* node = nullptr;
    Registration* registration = nullptr;
    if (context->get_node(context, plan->data[i], &node, &registration) != 0) return 1;
    if (registration->builtin_code == kAveragePool && supported(context, *node))
      wanted.push_back(plan->data[i]);
  }
  wanted[0] = static_cast<int>(wanted.size()) - 1;
  if (wanted[0] == 0) return 0;
  Registration kernel{};
  kernel.init = &make_kernel;
  kernel.free = [](Context*, void* made) { delete static_cast<Kernel*>(made); };
  kernel.prepare = [](Context*, Node*) { return 0; };
  kernel.invoke = &invoke;
  kernel.custom_name = "FaultyPool";
  kernel.version = 1;
  return context->replace(context, kernel, reinterpret_cast<const IntArray*>(wanted.data()),
                          delegate);
}

}  // namespace

extern "C" {

Delegate* tflite_plugin_create_delegate(const char* const* keys, const char* const* values,
                                        std::size_t count, void (*report_error)(const char*)) {
  Settings settings;
  for (std::size_t i = 0; i < count; ++i) {
    char* end = nullptr;
    settings.share = std::strtod(values[i], &end);
    if (std::strcmp(keys[i], "share") != 0 || end == values[i] || *end) {
      if (report_error) report_error("pool_fault_delegate: the only option is share=NUMBER");
      return nullptr;
    }
  }
  return new Delegate{new Settings(settings), &prepare, nullptr, nullptr, nullptr, 0, nullptr};
}

void tflite_plugin_destroy_delegate(Delegate* delegate) {
  delete static_cast<Settings*>(delegate->data);
  delete delegate;
}

}  // extern "C"
