// SPDX-License-Identifier: Apache-2.0
#include "model/foreign.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "core/text.h"
#include "model/onnx/wire.h"

namespace edgeprobe::model {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::string_view start;
  const char* what;
};

constexpr std::array kSignatures{
    Signature{
        "version https://git-lfs"sv,
        "is a Git LFS pointer, not the model itself: fetch the real file with `git lfs pull`"},
    Signature{"PK\x03\x04"sv,
              "is a ZIP archive (a .keras model, an app or a package): unpack it and give the "
              ".tflite or .onnx inside"},
    Signature{"\x1f\x8b"sv, "is gzip-compressed: unpack it first"},
    Signature{"\x89HDF\r\n\x1a\n"sv,
              "is an HDF5 file (a Keras .h5 model): convert it with tf.lite.TFLiteConverter first"},
    Signature{"\x89MCAP0\r\n"sv, "is an MCAP trace, not a model"},
    Signature{"\x7f"
              "ELF"sv,
              "is a program or a library, not a model"},
    Signature{"\x89PNG"sv, "is a PNG picture, not a model"},
    Signature{"\xff\xd8\xff"sv, "is a JPEG picture, not a model"},
    Signature{
        "\x80\x02"sv,
        "is a Python pickle (a PyTorch checkpoint?): export the model to .onnx or .tflite first"},
};

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// The first bytes in lower case, without leading white space and byte order mark.
std::string opening(std::string_view text) {
  if (starts_with(text, "\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  std::string lower(text.substr(0, 16));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_text(std::string_view text) {
  return std::all_of(text.begin(), text.begin() + std::min<std::ptrdiff_t>(512, std::ssize(text)),
                     [](unsigned char c) {
                       return c >= 0x20 ? c != 0x7f
                                        : c == '\n' || c == '\r' || c == '\t' || c == '\f';
                     });
}

// An ONNX ModelProto usually begins with ir_version (field 1, a small number) and continues with
// one of the length-delimited fields 2 to 8. FlatBuffers' identifier has been checked before.
bool starts_as_onnx(std::string_view text) {
  return text.size() > 3 && text[0] == '\x08' && text[1] > 0 && text[1] < 0x20 &&
         "\x12\x1a\x22\x32\x3a\x42"sv.find(text[2]) != std::string_view::npos;
}

// Fields may come in any order: true if all are present with the right types, including a graph.
bool holds_graph(ByteView file) {
  constexpr int kMostFields = 4096;  // Enough to distinguish a model from other bytes.
  if (is_text(file.text())) return false;
  WireReader reader(file, "");
  const Place place;
  int fields = 0;
  bool graph = false, known = true;
  reader.each(reader.whole(), place, [&](const WireField& field) {
    const bool is_number = field.number == 1 || field.number == 5;
    const bool is_message = (field.number >= 2 && field.number <= 8 && field.number != 5) ||
                            field.number == 14 || field.number == 20 || field.number == 25 ||
                            field.number == 26;
    known = known && (is_number ? field.type == WireType::kVarint
                                : is_message && field.type == WireType::kLength);
    graph = graph || field.is_message(7);
    if (!known || ++fields >= kMostFields) reader.fail(ErrorKind::kLimit, place, field.at, "");
  });
  return graph && known;
}

}  // namespace

Result<Format> format_of(ByteView file, std::string_view label) {
  const std::string_view text = file.text();
  const auto error = [&](ErrorKind kind, const std::string& what) {
    return Error{kind, sanitized(label) + " " + what};
  };
  if (file.empty())
    return error(ErrorKind::kCorrupt, "is empty (0 bytes), expected a .tflite or .onnx model");
  if (text.size() >= 8 && text.substr(4, 4) == "TFL3") return Format::kTflite;
  for (const Signature& signature : kSignatures)
    if (starts_with(text, signature.start)) return error(ErrorKind::kUnsupported, signature.what);
  if (text.size() >= 8 && text.substr(4, 4) == "ORTM")
    return error(ErrorKind::kUnsupported,
                 "is a .ort model, ONNX Runtime's own form: give the .onnx that it was made from");
  const bool is_saved_model = starts_with(text, "\x08\x01\x12"sv);
  if ((starts_as_onnx(text) && !is_saved_model) || holds_graph(file)) return Format::kOnnx;
  if (is_saved_model)
    return error(
        ErrorKind::kUnsupported,
        "looks like a TensorFlow SavedModel: convert it with tf.lite.TFLiteConverter first");
  const std::string start = opening(text);
  if (starts_with(start, "<!doctype") || starts_with(start, "<html"))
    return error(ErrorKind::kUnsupported,
                 "is an HTML page, not a model: probably a download that failed");
  if (starts_with(start, "<?xml"))
    return error(ErrorKind::kUnsupported,
                 "is an XML file (an OpenVINO IR?); .tflite and .onnx models are read");
  if (is_text(text))
    return error(ErrorKind::kCorrupt, "is a text file of " + std::to_string(file.size) +
                                          " bytes, expected a .tflite or .onnx model");
  if (text.size() < 8)
    return error(ErrorKind::kCorrupt,
                 "has only " + std::to_string(file.size) + " bytes, a model has at least 8");
  return error(ErrorKind::kCorrupt,
               "is neither a .tflite nor an .onnx model: the bytes at offset 4 are \"" +
                   sanitized(text.substr(4, 4)) +
                   "\" where a .tflite has \"TFL3\", and it contains no ONNX graph");
}

}  // namespace edgeprobe::model
