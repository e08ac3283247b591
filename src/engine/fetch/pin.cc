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

using enum Pin::Source;

// The wheels for CPython 3.11; those for other versions contain the same library.
constexpr std::array kPins{
    Pin{EngineId::kLiteRt, "x86_64", kPyPi, "ai-edge-litert", "2.3.0",
        "1f15078a6725d2357d9de9221664c29afa0545d807559c5f7199ce5e40b96b23",
        "ai_edge_litert/libLiteRt.so",
        "eec47eb35e2924b3166015887e652a58edc9af823ae38e02bf83bef2548300bb", 21'778'233},
    Pin{EngineId::kLiteRt, "aarch64", kPyPi, "ai-edge-litert", "2.3.0",
        "853fc608f96da87bd5f3458465dfb9abbf18d5ae6b94eceacead407146f175ae",
        "ai_edge_litert/libLiteRt.so",
        "b57687dc234d2b8b0598aef5a9c961ed24263df8f8b3f56adbee1cff618e544b", 14'379'387},
    Pin{EngineId::kTflite, "x86_64", kMaven, "org.bytedeco:tensorflow-lite:linux-x86_64",
        "2.18.0-1.5.11", "09e8a949a86745d372a5cc40b4937d9c113356bd92b5655e8a463682471b1354",
        "org/bytedeco/tensorflowlite/linux-x86_64/libjnitensorflowlite.so",
        "c34c90de1231e445bb42c5fb26219d7c0f582ac2f191893eacba788d1319dd26", 3'756'852},
    Pin{EngineId::kTflite, "aarch64", kMaven, "org.bytedeco:tensorflow-lite:linux-arm64",
        "2.18.0-1.5.11", "533321eda09e42358b35cbde77d768bf01ac6476a7c2f8bed34afb4968d2340b",
        "org/bytedeco/tensorflowlite/linux-arm64/libjnitensorflowlite.so",
        "122c0259fb6b42f2c77c079f71afe6b2aa4131e07ba9c4508ea8e7d5c278041a", 3'540'430},
    Pin{EngineId::kOnnxRuntime, "x86_64", kPyPi, "onnxruntime", "1.31.1",
        "5752bd508126ae7c49894d3b9d2e83f0c3d487319246d04c444b393308d7ad7f",
        "onnxruntime/capi/libonnxruntime.so.1.31.1",
        "fc44112fbe06d7d689c57e11d3862031f64711007e4ee020f8eed5185fd2c1d3", 23'753'652},
    Pin{EngineId::kOnnxRuntime, "aarch64", kPyPi, "onnxruntime", "1.31.1",
        "da05378364c44d4407e463982d2bf8d5e4cfea873283757e48beeb41df97b7f3",
        "onnxruntime/capi/libonnxruntime.so.1.31.1",
        "8aa3b76b28c778a2b1dd660d34161adb1d508c9ccd04ff9dc80e26eca5df8467", 21'413'526},
    Pin{EngineId::kTvm, "x86_64", kPyPi, "apache-tvm", "0.27.0.post1",
        "f503fc903b6e16fda5daacac6698ecb8bc38937f57da7aa29f6c7ab169d08657",
        "tvm/lib/libtvm_runtime.so",
        "43544bbeaea3cd3ffa919f7eac77244753aff28d1440c42f1ba8df03fa6e3948", 100'544'100},
    Pin{EngineId::kTvm, "x86_64", kPyPi, "apache-tvm-ffi", "0.1.14.post0",
        "85733ec11d2c9dd258aa134e3fba9c4373a8f45c261f2a3a3df20daed92aa699",
        "tvm_ffi/lib/libtvm_ffi.so",
        "29242cd8cd6590ff3a82806b25e0b756c9a0cece87e15d69f5f5ff9cb971c467", 3'268'141},
    Pin{EngineId::kTvm, "aarch64", kPyPi, "apache-tvm", "0.27.0.post1",
        "4acfdb7653e4e1ba7a707bdf2833db72eb8fda7d04d99141f2a4e1da43171fb7",
        "tvm/lib/libtvm_runtime.so",
        "ba06950fac134b8d71549111fad2c6605cd6f738061fe0482f217c37ccbdff05", 94'643'021},
    Pin{EngineId::kTvm, "aarch64", kPyPi, "apache-tvm-ffi", "0.1.14.post0",
        "d1a011a0743acb88ffc650c70bfb1376fa90cb7196b042598c6d0c1e690ce185",
        "tvm_ffi/lib/libtvm_ffi.so",
        "255ca850a0714b1c27bcc0841a53d479fa0100459d08a1fdddc852ab8a6214f7", 3'069'743},
};

}  // namespace

std::span<const Pin> pins() { return kPins; }

std::vector<const Pin*> pins_of(EngineId engine) {
  std::vector<const Pin*> found;
  for (const Pin& pin : kPins)
    if (pin.engine == engine && pin.machine == kMachine) found.push_back(&pin);
  return found;
}

std::string title_of(const Pin& pin) { return std::string(pin.package) + " " + pin.version; }

std::filesystem::path folder_below(const std::filesystem::path& cache, const Pin& first) {
  return cache / "engines" /
         (std::string(kind_of(first.engine).name) + "-" + first.version + "-" + first.machine);
}

std::filesystem::path library_in(const std::filesystem::path& folder, const Pin& pin) {
  return folder / std::filesystem::path(pin.member).filename();
}

}  // namespace edgeprobe::engine
