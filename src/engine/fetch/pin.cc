// SPDX-License-Identifier: Apache-2.0
#include "engine/fetch/pin.h"

#include <array>
#include <string_view>

namespace edgeprobe::engine {
namespace {

#if defined(__x86_64__)
constexpr std::string_view kMachine = "x86_64";
#elif defined(__aarch64__)
constexpr std::string_view kMachine = "aarch64";
#else
constexpr std::string_view kMachine = "";
#endif

// The wheels for CPython 3.11; those for other versions hold the same library.
constexpr std::array kPins{
    Pin{EngineId::kLiteRt, "x86_64", "ai-edge-litert", "2.3.0",
        "1f15078a6725d2357d9de9221664c29afa0545d807559c5f7199ce5e40b96b23",
        "ai_edge_litert/libLiteRt.so",
        "eec47eb35e2924b3166015887e652a58edc9af823ae38e02bf83bef2548300bb", 21'778'233},
    Pin{EngineId::kLiteRt, "aarch64", "ai-edge-litert", "2.3.0",
        "853fc608f96da87bd5f3458465dfb9abbf18d5ae6b94eceacead407146f175ae",
        "ai_edge_litert/libLiteRt.so",
        "b57687dc234d2b8b0598aef5a9c961ed24263df8f8b3f56adbee1cff618e544b", 14'379'387},
};

}  // namespace

std::span<const Pin> pins() { return kPins; }

const Pin* pin_of(EngineId engine) {
  for (const Pin& pin : kPins)
    if (pin.engine == engine && pin.machine == kMachine) return &pin;
  return nullptr;
}

std::filesystem::path library_below(const std::filesystem::path& cache, const Pin& pin) {
  return cache / "engines" /
         (std::string(kind_of(pin.engine).name) + "-" + pin.version + "-" + pin.machine) /
         std::filesystem::path(pin.member).filename();
}

}  // namespace edgeprobe::engine
