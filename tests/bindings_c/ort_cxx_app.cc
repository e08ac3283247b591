// SPDX-License-Identifier: Apache-2.0
// ort_cxx_app MODEL INPUT TRACE: one inference on the bytes of a file by ONNX Runtime's C++ API.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "onnxruntime_cxx_api.h"

#include "edgeprobe.hpp"
#include "edgeprobe/onnxruntime.hpp"

int main(int, char** argv) {
  Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "app");
  Ort::SessionOptions settings;
  settings.SetIntraOpNumThreads(1);
  Ort::Session session(env, argv[1], settings);
  Ort::AllocatorWithDefaultOptions allocator;
  const Ort::AllocatedStringPtr input_name = session.GetInputNameAllocated(0, allocator);
  const char* const input_names[] = {input_name.get()};
  std::vector<Ort::AllocatedStringPtr> owned;
  std::vector<const char*> output_names;
  for (std::size_t i = 0; i < session.GetOutputCount(); ++i) {
    owned.push_back(session.GetOutputNameAllocated(i, allocator));
    output_names.push_back(owned.back().get());
  }
  std::vector<std::int64_t> shape =
      session.GetInputTypeInfo(0).GetTensorTypeAndShapeInfo().GetShape();
  std::size_t count = 1;
  for (std::int64_t& length : shape)
    count *= static_cast<std::size_t>(length = length < 1 ? 1 : length);
  std::vector<float> values(count);
  std::ifstream(argv[2], std::ios::binary)
      .read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(count * sizeof(float)));
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const Ort::Value input =
      Ort::Value::CreateTensor<float>(memory, values.data(), count, shape.data(), shape.size());

  edgeprobe::Probe probe(argv[3]);
  const auto frame = probe.frame();
  const edgeprobe::Status started = frame.start(input_names, &input, std::size_t{1});
  const std::vector<Ort::Value> outputs = session.Run(Ort::RunOptions{nullptr}, input_names, &input,
                                                      1, output_names.data(), output_names.size());
  const edgeprobe::Status stopped = frame.stop(output_names, outputs);
  if (started == edgeprobe::Status::ok && stopped == edgeprobe::Status::ok) return 0;
  std::fprintf(stderr, "%s%s\n", probe.error().c_str(), edgeprobe::last_error());
  return 1;
}
