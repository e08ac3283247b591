// SPDX-License-Identifier: Apache-2.0
#include "model/format.h"

#include <array>

#include "core/text.h"
#include "model/onnx/onnx.h"
#include "model/tflite/tflite.h"

namespace edgeprobe::model {
namespace {

Result<Graph> read_tflite_file(ByteView file, std::string_view label,
                               const std::filesystem::path&) {
  return read_tflite(file, label);  // This format keeps all values in the file.
}

Result<Graph> parse_tflite_file(ByteView file, std::string_view label,
                                const std::filesystem::path&) {
  EP_TRY(auto parsed, parse_tflite(file, label));
  return std::move(parsed.graph);
}

// In the order of Format.
constexpr std::array kFormats{
    FormatOperations{"tflite", true, read_tflite_file, parse_tflite_file, promote_tflite, nullptr,
                     cut_tflite, scrub_tflite, set_scale_tflite, attributes_tflite, nullptr,
                     set_attribute_tflite, nullptr},
    FormatOperations{"onnx", false, read_onnx, parse_onnx, promote_onnx, with_types_onnx, cut_onnx,
                     nullptr, set_scale_onnx, attributes_onnx, default_attribute_onnx,
                     set_attribute_onnx, replaced_onnx}};

}  // namespace

const FormatOperations& operations_of(Format format) {
  return kFormats[static_cast<std::size_t>(format)];
}

std::optional<Format> format_of(const Graph& graph) {
  for (std::size_t i = 0; i < kFormats.size(); ++i)
    if (graph.format == kFormats[i].name) return static_cast<Format>(i);
  return std::nullopt;
}

Result<const FormatOperations*> operations_of(const Graph& graph) {
  for (const FormatOperations& format : kFormats)
    if (graph.format == format.name) return &format;
  return Error{ErrorKind::kUnsupported,
               "a model of format '" + sanitized(graph.format, 60) + "' is not read from its file"};
}

bool prescribes_rounding(const Graph& graph) {
  const auto format = operations_of(graph);
  return format && (*format)->prescribes_rounding;
}

}  // namespace edgeprobe::model
