// SPDX-License-Identifier: Apache-2.0
// Custom operators for ONNX Runtime, by its own headers: edgeprobe.test:Thrice of a float tensor.
#define ORT_API_MANUAL_INIT
#include <onnxruntime_cxx_api.h>
#undef ORT_API_MANUAL_INIT

namespace {

struct ThriceKernel {
  void Compute(OrtKernelContext* raw) {
    Ort::KernelContext context(raw);
    const auto input = context.GetInput(0);
    const auto info = input.GetTensorTypeAndShapeInfo();
    auto output = context.GetOutput(0, info.GetShape());
    const float* const x = input.GetTensorData<float>();
    float* const y = output.GetTensorMutableData<float>();
    for (std::size_t i = 0; i < info.GetElementCount(); ++i) y[i] = 3 * x[i];
  }
};

struct Thrice : Ort::CustomOpBase<Thrice, ThriceKernel> {
  void* CreateKernel(const OrtApi&, const OrtKernelInfo*) const { return new ThriceKernel; }
  const char* GetName() const { return "Thrice"; }
  std::size_t GetInputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(std::size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
  std::size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetOutputType(std::size_t) const {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  }
};

}  // namespace

extern "C" OrtStatus* RegisterCustomOps(OrtSessionOptions* raw, const OrtApiBase* base) {
  Ort::InitApi(base->GetApi(ORT_API_VERSION));
  static const Thrice thrice;
  static Ort::CustomOpDomain domain = [] {
    Ort::CustomOpDomain made("edgeprobe.test");
    made.Add(&thrice);
    return made;
  }();
  Ort::UnownedSessionOptions(raw).Add(domain);
  return nullptr;
}
