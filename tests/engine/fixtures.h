// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>

#include "core/file.h"
#include "engine/library_choice.h"
#include "source_dir.h"

namespace edgeprobe::engine::testing {

/// Real models for tests; skips the test if they are not on this machine.
inline std::filesystem::path shared_data() {
  if (const char* given = std::getenv("EDGEPROBE_SHARED_DATA")) return given;
  return std::filesystem::path(edgeprobe::test::source_dir()) / "../shared/data";
}

inline bool has_library(const char* kind) {
  for (const auto& [path, rule] : default_libraries(*find_kind(kind)))
    if (std::filesystem::exists(path)) return true;
  return false;
}

#define EDGEPROBE_NEED_ENGINE(kind)                     \
  if (!::edgeprobe::engine::testing::has_library(kind)) \
  GTEST_SKIP() << "engine " << kind << " is not installed"
#define EDGEPROBE_NEED_MODEL(path)                                                               \
  if (!std::filesystem::exists(::edgeprobe::engine::testing::shared_data() / "models" / (path))) \
  GTEST_SKIP() << "no model " << (path) << " (EDGEPROBE_SHARED_DATA)"

inline Bytes model_bytes(const std::string& path) {
  auto bytes = read_file(shared_data() / "models" / path);
  EXPECT_TRUE(bytes) << path;
  return bytes ? std::move(*bytes) : Bytes{};
}

/// Inputs of a session with values from a fixed seed: bytes for integers, 0..1 for floats.
inline std::vector<Tensor> seeded_inputs(const Session& session, unsigned seed = 7) {
  std::mt19937 generator(seed);
  std::vector<Tensor> inputs;
  for (const TensorSpec& spec : session.inputs()) {
    Tensor tensor{spec, Bytes(spec.byte_size().value())};
    if (spec.dtype == DType::kFloat32) {
      for (std::size_t i = 0; i + 4 <= tensor.bytes.size(); i += 4) {
        const float value = static_cast<float>(generator() % 1000) / 1000.f;
        std::memcpy(tensor.bytes.data() + i, &value, 4);
      }
    } else {
      for (std::byte& byte : tensor.bytes) byte = static_cast<std::byte>(generator() & 255u);
    }
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

inline std::vector<TensorView> views(const std::vector<Tensor>& tensors) {
  return {tensors.begin(), tensors.end()};
}

}  // namespace edgeprobe::engine::testing
