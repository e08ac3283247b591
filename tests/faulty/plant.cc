// SPDX-License-Identifier: Apache-2.0
#include "plant.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "model/tflite/op_names.h"

namespace edgeprobe::faulty {
namespace {

constexpr int kOk = engine::tflite::kOk;
constexpr int kFailed = engine::tflite::kError;

Plant* the_plant = nullptr;

/// Name of this library's file, without ".so".
std::string own_name() {
  Dl_info info{};
  if (!::dladdr(reinterpret_cast<const void*>(&own_name), &info) || !info.dli_fname) return "";
  return std::filesystem::path(info.dli_fname).stem().string();
}

int invoke_corrupted(Context* context, Node* node) { return the_plant->invoke(context, node); }

/// Shifts the first input down by one row during its lifetime; the first row is empty.
class ShiftedInput {
 public:
  explicit ShiftedInput(Tensor& input)
      : input_(input),
        kept_(static_cast<char*>(input.data), static_cast<char*>(input.data) + input.bytes) {
    const auto images = static_cast<std::size_t>(input.dims->data[0]);
    const auto rows = static_cast<std::size_t>(input.dims->data[1]);
    const std::size_t image = input.bytes / images;
    const std::size_t row = image / rows;
    const int empty = input.type == kFloat32 ? 0 : input.zero_point;
    for (std::size_t i = 0; i < images; ++i) {
      char* const start = static_cast<char*>(input.data) + i * image;
      std::memmove(start + row, start, image - row);
      std::memset(start, empty, row);
    }
  }
  ShiftedInput(const ShiftedInput&) = delete;
  ShiftedInput& operator=(const ShiftedInput&) = delete;
  ~ShiftedInput() { std::memcpy(input_.data, kept_.data(), kept_.size()); }

 private:
  Tensor& input_;
  std::vector<char> kept_;
};

bool can_shift(const Tensor& input) {
  return input.dims && input.dims->size == 4 && input.dims->data[0] > 0 &&
         input.dims->data[1] > 0 && can_corrupt(input) && input.data;
}

}  // namespace

bool Plant::chosen(int index, const Node& node, const Registration& registration) const {
  if (node.outputs->size < 1) return false;
  if (fault_.op) return index == *fault_.op;
  if (fault_.output) return node.outputs->data[0] == *fault_.output;
  return model::builtin_name(registration.builtin_code) == fault_.type;
}

void Plant::mark(Planted& planted, const Node& node, Registration& registration) {
  planted.names.push_back(
      std::make_unique<std::string>(model::builtin_name(registration.builtin_code)));
  planted.kernels[node.outputs->data[0]] = registration.invoke;
  registration.invoke = &invoke_corrupted;
  registration.custom_name = planted.names.back()->c_str();
  registration.builtin_code = model::kCustomOp;
  // An output in its input's memory would corrupt the input as well.
  registration.inplace_operator = 0;
}

int Plant::mark(Context* context, Delegate* delegate) {
  auto& planted = *static_cast<Planted*>(delegate->data);
  if (planted.context) return kOk;  // The bodies of IF and WHILE come after the main graph.
  planted.context = context;
  IntArray* plan = nullptr;
  if (context->get_execution_plan(context, &plan) != kOk) return kFailed;
  for (int i = 0; i < plan->size; ++i) {
    Node* node = nullptr;
    Registration* registration = nullptr;
    if (context->get_node(context, plan->data[i], &node, &registration) != kOk) return kFailed;
    if (planted.plant->chosen(plan->data[i], *node, *registration))
      mark(planted, *node, *registration);
  }
  return kOk;
}

bool Plant::into(engine::tflite::CInterpreter* interpreter) {
  auto planted = std::make_unique<Planted>();
  planted->delegate.data = planted.get();
  planted->delegate.prepare = &Plant::mark;
  planted->delegate.flags = engine::tflite::kAllowsDynamicTensors;
  planted->plant = this;
  Planted& kept = *planted;
  {
    const std::lock_guard lock(mutex_);
    planted_[interpreter] = std::move(planted);
  }
  return api_.modify_graph &&
         api_.modify_graph(interpreter,
                           reinterpret_cast<engine::tflite::CDelegate*>(&kept.delegate)) == kOk;
}

void Plant::forget(engine::tflite::CInterpreter* interpreter) {
  const std::lock_guard lock(mutex_);
  planted_.erase(interpreter);
}

void Plant::before_invoke(engine::tflite::CInterpreter* interpreter) {
  const std::lock_guard lock(mutex_);
  const auto found = planted_.find(interpreter);
  if (found == planted_.end()) return;
  found->second->has_one_output = api_.output_count(interpreter) == 1;
  if (fault_.kind != Kind::kShown) return;
  for (std::int32_t i = 0; i < api_.output_count(interpreter); ++i)
    for (const auto& [tensor, _] : found->second->kernels)
      // Compares tensors, not addresses of values: values may reuse the memory of tensors that are
      // no longer needed.
      if (static_cast<const void*>(api_.output(interpreter, i)) ==
          &found->second->context->tensors[tensor])
        std::abort();
}

int Plant::invoke(Context* context, Node* node) {
  int (*kernel)(Context*, Node*) = nullptr;
  bool is_right = fault_.kind == Kind::kShown;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [_, planted] : planted_) {
      if (planted->context != context) continue;
      const auto found = planted->kernels.find(node->outputs->data[0]);
      if (found != planted->kernels.end()) kernel = found->second;
      is_right = is_right || (fault_.kind == Kind::kHidden && !planted->has_one_output);
    }
  }
  if (!kernel) return kFailed;
  Tensor& output = context->tensors[node->outputs->data[0]];
  if (is_right) return kernel(context, node);
  if (!can_corrupt(output)) {
    std::fprintf(stderr,
                 "EDGEPROBE_FAULT: tensor '%s' is of type %d; only float32, int8 and uint8 can be "
                 "corrupted\n",
                 output.name, static_cast<int>(output.type));
    return kFailed;
  }
  if (fault_.kind == Kind::kCrash) std::abort();
  if (fault_.kind == Kind::kHang)
    while (true) ::pause();
  if (fault_.kind == Kind::kPadding) {
    Tensor& input = context->tensors[node->inputs->data[0]];
    if (!can_shift(input)) {
      std::fprintf(stderr,
                   "EDGEPROBE_FAULT: kind=pad needs an input of four dimensions, '%s' has none\n",
                   input.name);
      return kFailed;
    }
    const ShiftedInput shifted(input);
    return kernel(context, node);
  }
  const int status = kernel(context, node);
  if (status == kOk) corrupt(fault_.kind, output);
  return status;
}

Plant* plant_of_environment(const engine::tflite::Api& api, std::string& wrong) {
  static const std::unique_ptr<Plant> plant = [&]() -> std::unique_ptr<Plant> {
    const char* text = std::getenv(("EDGEPROBE_FAULT_" + own_name()).c_str());
    if (!text) text = std::getenv("EDGEPROBE_FAULT");
    if (!text || !*text) return nullptr;
    auto fault = fault_from_text(text);
    if (!fault) {
      wrong = fault.error().what;
      return nullptr;
    }
    return std::make_unique<Plant>(api, *std::move(fault));
  }();
  the_plant = plant.get();
  return plant.get();
}

}  // namespace edgeprobe::faulty
