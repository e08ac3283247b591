// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/advice.h"

#include <array>
#include <charconv>
#include <optional>

namespace edgeprobe::engine::onnxruntime {
namespace {

/// Newest file versions that a release reads; later releases read at least these.
struct Reads {
  int minor;  ///< Minor version of ONNX Runtime 1.x.
  int ir;     ///< Version of the file format.
  int opset;  ///< Version of the standard operators.
};
// Measured for each release with files of one operator
// (findings/onnxruntime_file_versions_move_apart.sh).
constexpr std::array kReads{
    Reads{15, 9, 19},  Reads{17, 9, 20},  Reads{18, 10, 21}, Reads{21, 10, 22},
    Reads{23, 11, 23}, Reads{24, 13, 25}, Reads{25, 13, 26}, Reads{32, 14, 28},
};

/// The number after these words.
std::optional<int> number_after(std::string_view text, std::string_view words) {
  const auto at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(at + words.size());
  int number = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

std::string advice(int Reads::*member, int wanted, const std::string& cure) {
  for (const Reads& release : kReads)
    if (release.*member >= wanted) {
      const std::string version = "1." + std::to_string(release.minor);
      return "; ONNX Runtime " + version +
             " and newer read it (pip install 'onnxruntime>=" + version +
             "', or --engine onnxruntime:LIBRARY); " + cure;
    }
  return "; no release up to 1." + std::to_string(kReads.back().minor) + " reads it; " + cure;
}

}  // namespace

std::string advice_for(std::string_view refusal) {
  if (const auto ir = number_after(refusal, "Unsupported model IR version: "))
    return advice(&Reads::ir, *ir, "save the model with a lower ir_version");
  if (refusal.find("domain ai.onnx is till opset") != std::string_view::npos)
    if (const auto opset = number_after(refusal, "Opset "))
      return advice(&Reads::opset, *opset, "export with a lower opset, or onnx.version_converter");
  if (refusal.find("is not a registered function/op") != std::string_view::npos)
    return "; --custom-ops LIBRARY takes operators of other domains";
  return "";
}

}  // namespace edgeprobe::engine::onnxruntime
