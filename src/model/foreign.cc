#include "model/foreign.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "core/text.h"

namespace edgeprobe::model {
namespace {

using std::string_view_literals::operator""sv;

struct Signature {
  std::string_view start;
  const char* what;
};

constexpr std::array kSignatures{
    Signature{"version https://git-lfs"sv,
              "is a Git LFS pointer, not the model itself: fetch the real file with `git lfs pull`"},
    Signature{"PK\x03\x04"sv, "is a ZIP archive (a .keras model, an app or a package): unpack it and give the .tflite inside"},
    Signature{"\x1f\x8b"sv, "is gzip-compressed: unpack it first"},
    Signature{"\x89HDF\r\n\x1a\n"sv, "is an HDF5 file (a Keras .h5 model): convert it with tf.lite.TFLiteConverter first"},
    Signature{"\x08\x01\x12"sv, "looks like a TensorFlow SavedModel: convert it with tf.lite.TFLiteConverter first"},
    Signature{"\x89MCAP0\r\n"sv, "is an MCAP trace, not a model"},
    Signature{"\x7f"
              "ELF"sv,
              "is a program or a library, not a model"},
    Signature{"\x89PNG"sv, "is a PNG picture, not a model"},
    Signature{"\xff\xd8\xff"sv, "is a JPEG picture, not a model"},
    Signature{"\x80\x02"sv, "is a Python pickle (a PyTorch checkpoint?): export the model to .tflite first"},
};

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

// The first bytes in lower case, without leading white space and byte order mark.
std::string opening(std::string_view text) {
  if (starts_with(text, "\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  std::string lower(text.substr(0, 16));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

bool is_text(std::string_view text) {
  return std::all_of(text.begin(), text.begin() + std::min<std::ptrdiff_t>(512, std::ssize(text)), [](unsigned char c) {
    return c >= 0x20 ? c != 0x7f : c == '\n' || c == '\r' || c == '\t' || c == '\f';
  });
}

// An ONNX ModelProto opens with ir_version (field 1, a small number) and goes on with one of the
// length-delimited fields 2 to 8; the identifier of FlatBuffers was looked for before.
bool is_onnx(std::string_view text) {
  return text.size() > 3 && text[0] == '\x08' && text[1] > 0 && text[1] < 0x20 &&
         "\x12\x1a\x22\x32\x3a\x42"sv.find(text[2]) != std::string_view::npos;
}

}  // namespace

std::optional<Error> foreign_format(ByteView file, std::string_view label) {
  const std::string_view text = file.text();
  const auto error = [&](Fault fault, const std::string& what) { return Error{fault, printable(label) + " " + what}; };
  if (file.empty()) return error(Fault::kCorrupt, "is empty (0 bytes), expected a .tflite model");
  if (text.size() >= 8 && text.substr(4, 4) == "TFL3") return std::nullopt;
  for (const Signature& signature : kSignatures)
    if (starts_with(text, signature.start)) return error(Fault::kUnsupported, signature.what);
  if (is_onnx(text)) return error(Fault::kUnsupported, "is an ONNX model; this version reads .tflite models only");
  const std::string start = opening(text);
  if (starts_with(start, "<!doctype") || starts_with(start, "<html"))
    return error(Fault::kUnsupported, "is an HTML page, not a model: probably a download that failed");
  if (starts_with(start, "<?xml"))
    return error(Fault::kUnsupported, "is an XML file (an OpenVINO IR?); this version reads .tflite models only");
  if (is_text(text))
    return error(Fault::kCorrupt, "is a text file of " + std::to_string(file.size) + " bytes, expected a .tflite model");
  if (text.size() < 8)
    return error(Fault::kCorrupt, "has only " + std::to_string(file.size) + " bytes, a .tflite model has at least 8");
  return error(Fault::kCorrupt, "is no .tflite model: the bytes at offset 4 are \"" + printable(text.substr(4, 4)) +
                                    "\" where the identifier \"TFL3\" was expected");
}

}  // namespace edgeprobe::model
