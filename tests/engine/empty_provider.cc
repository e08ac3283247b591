// SPDX-License-Identifier: Apache-2.0
// An execution provider of ONNX Runtime that knows no device: it has no factories.
#include <cstddef>

extern "C" void* CreateEpFactories(const char*, const void*, const void*, void**, std::size_t,
                                   std::size_t* count) {
  *count = 0;
  return nullptr;
}

extern "C" void* ReleaseEpFactory(void*) { return nullptr; }
