// SPDX-License-Identifier: Apache-2.0
// A fake of TFLite's GPU and NNAPI delegates: their C interface over the delegate of
// pool_delegate.cc, which fills every AVERAGE_POOL_2D with one value. Here that value tells what
// arrived: 90 for the GPU and 70 for NNAPI, one more where 16-bit floats are allowed.
#include <cstddef>
#include <cstdint>

struct Delegate;
extern "C" Delegate* tflite_plugin_create_delegate(const char* const* keys,
                                                   const char* const* values, std::size_t count,
                                                   void (*report_error)(const char*));
extern "C" void tflite_plugin_destroy_delegate(Delegate* delegate);

namespace {

// From tensorflow/lite/delegates/gpu/delegate_options.h, 2.18.
struct GpuOptions {
  std::int32_t is_precision_loss_allowed;
  std::int32_t inference_preference;
  std::int32_t priorities[3];
  std::int64_t experimental_flags;
  std::int32_t most_partitions;
  const char* serialization_folder;
  const char* model_token;
};
// From tensorflow/lite/delegates/nnapi/nnapi_delegate_c_api.h, 2.16.
struct NnapiOptions {
  int execution_preference;
  const char* accelerator;
  const char* cache_folder;
  const char* model_token;
  int disallow_cpu;
  int allow_fp16;
  int most_partitions;
  void* support_library;
};

Delegate* filled_with(const char* value) {
  const char* const keys[] = {"value"};
  return tflite_plugin_create_delegate(keys, &value, 1, nullptr);
}

}  // namespace

extern "C" {

GpuOptions TfLiteGpuDelegateOptionsV2Default() { return {0, 0, {1, 0, 0}, 1, 1, nullptr, nullptr}; }
Delegate* TfLiteGpuDelegateV2Create(const GpuOptions* options) {
  return options->most_partitions == 1
             ? filled_with(options->is_precision_loss_allowed ? "91" : "90")
             : nullptr;
}
void TfLiteGpuDelegateV2Delete(Delegate* delegate) { tflite_plugin_destroy_delegate(delegate); }

NnapiOptions TfLiteNnapiDelegateOptionsDefault() {
  return {-1, nullptr, nullptr, nullptr, 1, 0, 3, nullptr};
}
Delegate* TfLiteNnapiDelegateCreate(const NnapiOptions* options) {
  return options->most_partitions == 3 ? filled_with(options->allow_fp16 ? "71" : "70") : nullptr;
}
void TfLiteNnapiDelegateDelete(Delegate* delegate) { tflite_plugin_destroy_delegate(delegate); }

}  // extern "C"
