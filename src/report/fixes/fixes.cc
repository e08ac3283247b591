// SPDX-License-Identifier: Apache-2.0
#include "report/fixes/fixes.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "report/fixes/steps.h"

namespace edgeprobe::report {
namespace {

using preprocess::Recipe;

// A floating-point literal for C++ and Kotlin: "255" would cause integer division.
std::string real(double value) {
  const std::string text = plain(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string plus(double value, const std::string& text) {
  if (value == 0) return "";
  return value < 0 ? " - " + text.substr(1) : " + " + text;
}

FixCode gray_code(const preprocess::Gray& gray) {
  const std::string three = gray.keep_three ? "\nimg = cv2.merge([gray, gray, gray])" : "";
  return {
      {"opencv",
       "gray = cv2.cvtColor(img, cv2.COLOR_BGR2GRAY)  # COLOR_RGB2GRAY when img is RGB" + three},
      {"android", std::string("val y = Math.round(0.299f * (p shr 16 and 0xff) + 0.587f * (p shr 8 "
                              "and 0xff) + 0.114f * (p and 0xff))") +
                      (gray.keep_three ? "  // y three times for each pixel" : "")},
      {"numpy", std::string("x = img @ np.float32([0.299, 0.587, 0.114])  # img in R, G, B order") +
                    (gray.keep_three ? "\nx = np.repeat(x[..., None], 3, axis=-1)" : "")}};
}

FixCode channel_order_code(const Recipe& reference) {
  if (const auto* gray = last_step<preprocess::Gray>(reference)) return gray_code(*gray);
  const auto* color = last_step<preprocess::Color>(reference);
  if (color && color->order == preprocess::ChannelOrder::kBgr)
    return {{"opencv",
             "# cv2.imread and VideoCapture give BGR: feed img as it is\n"
             "img = cv2.cvtColor(img, cv2.COLOR_RGB2BGR)  # only when img is RGB"},
            {"android",
             "bitmap.getPixels(pixels, 0, w, 0, 0, w, h)  // ARGB ints\n"
             "val b = p and 0xff; val g = (p shr 8) and 0xff; val r = (p shr 16) and 0xff  // "
             "write b, g, r"},
            {"numpy", "x = x[..., ::-1]  # RGB to BGR, channels last"}};
  return {{"opencv",
           "img = cv2.cvtColor(img, cv2.COLOR_BGR2RGB)  # cv2.imread and VideoCapture give BGR\n"
           "cv::cvtColor(img, img, cv::COLOR_BGR2RGB);  // C++"},
          {"android",
           "bitmap.getPixels(pixels, 0, w, 0, 0, w, h)  // ARGB ints\n"
           "val r = (p shr 16) and 0xff; val g = (p shr 8) and 0xff; val b = p and 0xff  // write "
           "r, g, b"},
          {"numpy", "x = x[..., ::-1]  # BGR to RGB, channels last"}};
}

// Combined effect of Scale and Normalize steps on a value: (x - mean) / std, with one entry or one
// for each channel.
struct Range {
  std::vector<double> gain{1}, offset{0};
  bool any = false;

  void apply(const std::vector<double>& gains, const std::vector<double>& offsets) {
    const std::size_t count = std::max({gain.size(), gains.size(), offsets.size()});
    const auto at = [](const std::vector<double>& values, std::size_t i) {
      return values[std::min(i, values.size() - 1)];
    };
    std::vector<double> new_gain, new_offset;
    for (std::size_t i = 0; i < count; ++i) {
      new_gain.push_back(at(gain, i) * at(gains, i));
      new_offset.push_back(at(offset, i) * at(gains, i) + at(offsets, i));
    }
    gain = new_gain;
    offset = new_offset;
    any = true;
  }
  std::vector<double> mean() const {
    std::vector<double> out;
    for (std::size_t i = 0; i < gain.size(); ++i) out.push_back(-offset[i] / gain[i]);
    return out;
  }
  std::vector<double> deviation() const {
    std::vector<double> out;
    for (const double g : gain) out.push_back(1 / g);
    return out;
  }
};

std::string numbers_text(const std::vector<double>& values, const char* suffix,
                         std::string (*text)(double)) {
  return joined(values, ", ", [&](double value) { return text(value) + suffix; });
}

std::string numpy_value(const std::vector<double>& values) {
  return values.size() == 1 ? plain(values[0])
                            : "np.float32([" + numbers_text(values, "", plain) + "])";
}

std::string numpy_range(const Recipe& reference) {
  std::string code = "img.astype(np.float32)";
  for (const preprocess::Step& step : reference.steps) {
    if (const auto* scale = std::get_if<preprocess::Scale>(&step))
      code += " / " + plain(255 / (scale->high - scale->low)) + plus(scale->low, plain(scale->low));
    if (const auto* normal = std::get_if<preprocess::Normalize>(&step))
      code = "(" + code + " - " + numpy_value(normal->mean) + ") / " + numpy_value(normal->std);
  }
  return "x = " + code;
}

std::string android_values(const std::vector<double>& values) {
  const std::string list = numbers_text(values, "f", plain);
  return values.size() == 1 ? list : "floatArrayOf(" + list + ")";
}

FixCode value_range_code(const Recipe& reference) {
  Range range;
  for (const preprocess::Step& step : reference.steps) {
    if (const auto* scale = std::get_if<preprocess::Scale>(&step)) {
      if (scale->high == scale->low) return {};
      range.apply({(scale->high - scale->low) / 255}, {scale->low});
    }
    if (const auto* normal = std::get_if<preprocess::Normalize>(&step)) {
      if (normal->mean.empty() || normal->std.empty()) return {};
      std::vector<double> gains, offsets;
      for (std::size_t i = 0; i < std::max(normal->mean.size(), normal->std.size()); ++i) {
        const double deviation = normal->std[std::min(i, normal->std.size() - 1)];
        if (deviation == 0) return {};
        gains.push_back(1 / deviation);
        offsets.push_back(-normal->mean[std::min(i, normal->mean.size() - 1)] / deviation);
      }
      range.apply(gains, offsets);
    }
  }
  if (!range.any)
    return {{"opencv",
             "x = img.astype(np.float32)  # 0..255, not scaled\nimg.convertTo(x, CV_32F);  // C++"},
            {"android", "NormalizeOp(0f, 1f)  // TensorImage: 0..255, not scaled"},
            {"numpy", "x = img.astype(np.float32)  # 0..255, not scaled"}};

  const std::vector<double> mean = range.mean(), deviation = range.deviation();
  const std::string numpy = numpy_range(reference);
  std::string cpp;
  if (mean.size() == 1)
    cpp = "img.convertTo(x, CV_32F, 1.0 / " + real(deviation[0]) +
          (range.offset[0] == 0 ? "" : ", " + plain(range.offset[0])) + ");  // C++";
  else
    cpp = "img.convertTo(x, CV_32F);  // C++\ncv::subtract(x, cv::Scalar(" +
          numbers_text(mean, "", plain) + "), x);\ncv::divide(x, cv::Scalar(" +
          numbers_text(deviation, "", plain) + "), x);";
  return {{"opencv", numpy + "  # Python\n" + cpp},
          {"android", "NormalizeOp(" + android_values(mean) + ", " + android_values(deviation) +
                          ")  // in the ImageProcessor of a TensorImage: (x - mean) / std" +
                          (mean.size() == 1 ? "\nbuffer.putFloat((r - " + plain(mean[0]) + "f) / " +
                                                  plain(deviation[0]) + "f)  // by hand"
                                            : "")},
          {"numpy", numpy}};
}

FixCode layout_code(const Recipe& reference) {
  const auto* layout = last_step<preprocess::Layout>(reference);
  if (layout && layout->nchw)
    return {{"opencv",
             "x = cv2.dnn.blobFromImage(img)  # [1,3,H,W]: all of one channel, then the next"},
            {"android",
             "buffer.put(c * h * w + y * w + x, value)  // channel by channel; TensorImage writes "
             "pixel by pixel"},
            {"numpy", "x = np.ascontiguousarray(np.transpose(x, (2, 0, 1)))  # HWC to CHW"}};
  return {
      {"opencv",
       "x = np.ascontiguousarray(img)[None]  # [1,H,W,3]; not dnn.blobFromImage, which gives CHW\n"
       "std::memcpy(input, img.data, img.total() * img.elemSize());  // C++, img.isContinuous()"},
      {"android",
       "buffer.put((y * w + x) * 3 + c, value)  // row by row, r g b for each pixel, as "
       "TensorImage does"},
      {"numpy", "x = np.ascontiguousarray(np.transpose(x, (1, 2, 0)))  # CHW to HWC"}};
}

FixCode quantization_code(const Recipe& reference) {
  const auto* step = last_step<preprocess::Quantize>(reference);
  const bool given = step && step->scale && step->zero_point;
  const std::string scale = given ? plain(*step->scale) : "scale",
                    zero = given ? std::to_string(*step->zero_point) : "zero_point";
  const bool floor = step && step->round == preprocess::Quantize::Round::kFloor;
  const std::string add_zero = given ? plus(*step->zero_point, zero) : " + zero_point";
  const std::string add_zero_kotlin = given ? add_zero : " + zeroPoint";
  const std::string codes = std::string("q = np.clip(") +
                            (floor ? "np.floor(x / " : "np.round(x / ") + scale + ")" + add_zero +
                            ", info.min, info.max).astype(dtype)";
  const std::string parameters =
      given ? "" : "scale, zero_point = interpreter.get_input_details()[0][\"quantization\"]\n";
  const std::string kotlin = given ? ""
                                   : "val (scale, zeroPoint) = tensor.quantizationParams().let { "
                                     "it.scale to it.zeroPoint }\n";
  const std::string value = "x / " + scale + (given ? "f" : "");
  const std::string rounded =
      floor ? "Math.floor((" + value + ").toDouble()).toInt()" : "Math.round(" + value + ")";
  const std::string python =
      parameters + "info = np.iinfo(dtype)  # of the model input: np.uint8 or np.int8\n" + codes;
  return {
      {"opencv", python + (given && !floor ? "\nx.convertTo(q, CV_8U, 1.0 / " + real(*step->scale) +
                                                 ", " + zero + ");  // C++; CV_8S for int8"
                                           : "")},
      {"android", kotlin + "buffer.put((" + rounded + add_zero_kotlin +
                      ").coerceIn(0, 255).toByte())  // int8: coerceIn(-128, 127)"},
      {"numpy", python}};
}

FixCode tone_code(const Recipe& reference) {
  const auto* tone = last_step<preprocess::Tone>(reference);
  if (!tone)
    return {{"opencv",
             "x = img  # the pixels as decoded: no cv2.LUT, np.power or gamma correction before "
             "the model"},
            {"android",
             "// feed the Bitmap's pixels as they are: no ColorMatrix, LUT or linear-light colour "
             "space before the model"},
            {"numpy", "x = img.astype(np.float32)  # no x ** gamma"}};
  std::string curve;
  switch (tone->curve) {
    case preprocess::Tone::Curve::kGamma: curve = "255 * v ** " + plain(tone->gamma); break;
    case preprocess::Tone::Curve::kSrgbToLinear:
      curve = "255 * np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)";
      break;
    case preprocess::Tone::Curve::kLinearToSrgb:
      curve = "255 * np.where(v <= 0.0031308, v * 12.92, 1.055 * v ** (1 / 2.4) - 0.055)";
      break;
    case preprocess::Tone::Curve::kLinear:
      curve = "np.clip(255 * v * " + numpy_value(tone->gain) + " + " + numpy_value(tone->offset) +
              ", 0, 255)";
      break;
    case preprocess::Tone::Curve::kRgb565: curve = "img & np.uint8([248, 252, 248])"; break;
    case preprocess::Tone::Curve::kRgb565Filled:
      curve = "(img & np.uint8([248, 252, 248])) | (img >> np.uint8([5, 6, 5]))";
      break;
  }
  const std::string numpy = "v = img / 255.0\nx = " + curve;
  return {{"opencv", numpy + "  # as a table: cv2.LUT(img, table)"},
          {"android", "// the same curve in Kotlin, as a table of 256 values:\n// " + curve},
          {"numpy", numpy}};
}

FixCode color_conversion_code(const Recipe&) {
  return {{"opencv",
           "img = cv2.cvtColor(yuv, cv2.COLOR_YUV2RGB_NV21)  # or _NV12, _I420: what the camera "
           "states; BT.601, limited range"},
          {"android",
           "// Image.dataSpace and the format say matrix, range and order of U and V (NV21: V "
           "first); ImageProxy.toBitmap() obeys them"},
          {"numpy",
           "r = y + 1.402 * (v - 128); g = y - 0.344136 * (u - 128) - 0.714136 * (v - 128); b = y "
           "+ 1.772 * (u - 128)  # BT.601, full range"}};
}

FixCode decoding_code(const Recipe&) {
  return {{"opencv",
           "img = cv2.imread(path, cv2.IMREAD_COLOR)  # the whole picture: no IMREAD_REDUCED_*"},
          {"android",
           "BitmapFactory.Options().apply { inSampleSize = 1 }  // camera frames: plane.rowStride, "
           "plane.pixelStride"},
          {"numpy",
           "img = np.asarray(Image.open(path).convert(\"RGB\"))  # no draft(); rows of a camera "
           "frame: y.reshape(h, stride)[:, :w]"}};
}

FixCode empty_input_code() {
  return {{"opencv",
           "assert img is not None and img.std() > 0  # cv2.imread gives None for a path that it "
           "cannot read\n"
           "assert x.std() > 0  # before the model: x / 255 on whole numbers is 0"},
          {"android",
           "buffer.rewind()  // after the last put, and before each frame; pass the buffer that "
           "was filled\n"
           "(p and 0xff) / 255f  // not / 255, which divides whole numbers"},
          {"numpy",
           "x = img.astype(np.float32) / 255  # not img // 255, and no cast to integers after it\n"
           "interpreter.set_tensor(index, x)  # for every frame, before invoke()"}};
}

FixCode non_finite_input_code() {
  return {{"opencv",
           "assert np.isfinite(x).all()  # before the model: no 0 / 0, no log of 0, no division by "
           "a deviation of 0"},
          {"android",
           "check(value.isFinite())  // before buffer.putFloat: no 0f / 0f, no division by a "
           "deviation of 0"},
          {"numpy",
           "x = (img - mean) / np.maximum(std, 1e-6)  # a plain picture has a deviation of "
           "0\nassert np.isfinite(x).all()"}};
}

FixCode incomplete_input_code() {
  return {
      {"opencv",
       "x.setTo(fill);  // C++: the whole input, before each frame; then write every row, column "
       "and channel\n"
       "assert all(x[..., c].std() > 0 for c in range(x.shape[-1]))  # Python: no empty channel"},
      {"android",
       "buffer.rewind()  // before each frame; then put all height * width * channels values\n"
       "check(!buffer.hasRemaining())  // after the last put"},
      {"numpy",
       "x = np.full(shape, fill, np.float32)  # anew for each frame, not the buffer of the last "
       "one\n"
       "x[:, top:top + h, left:left + w, :] = picture  # all channels"}};
}

FixCode byte_order_code() {
  return {{"opencv", "x = x.astype(\"<f4\")  # not \">f4\": the model reads the machine's order"},
          {"android",
           "ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder())  // before the first "
           "putFloat"},
          {"numpy", "x = np.frombuffer(data, dtype=\"<f4\")  # little-endian, not \">f4\""}};
}

FixCode other_frame_code() {
  return {
      {"opencv",
       "ok, img = capture.read(); img = img.copy()  # one picture, its own memory, until the "
       "answer has arrived"},
      {"android",
       "val image = reader.acquireLatestImage()  // convert, run and close() it before the next "
       "one is taken; no shared Bitmap"},
      {"numpy",
       "x = preprocess(frame.copy())  # a copy of this frame, not a buffer that the camera goes on "
       "writing\n"
       "interpreter.set_tensor(index, x); interpreter.invoke()  # in one thread, in this order"}};
}

bool has_range(const Recipe& reference) {
  return last_step<preprocess::Scale>(reference) || last_step<preprocess::Normalize>(reference);
}

// The range of a quantised input: the steps before the codes, and the codes.
FixCode coded_range(const Recipe& reference) {
  FixCode range = value_range_code(reference), codes = quantization_code(reference);
  for (auto& [api, line] : range) line += "\n" + codes[api];
  return range;
}

// First arithmetic on real numbers, then the reference's range.
FixCode value_table_code(const Recipe& reference) {
  FixCode range = last_step<preprocess::Quantize>(reference) ? coded_range(reference)
                                                             : value_range_code(reference);
  const std::map<std::string, std::string> first = {
      {"opencv",
       "# real numbers before any arithmetic: uint8 - 127 wraps round, uint8 / 255 in C++ is a "
       "whole number"},
      {"android",
       "val r = bytes[i].toInt() and 0xff  // Java's and Kotlin's bytes are signed; then real "
       "numbers"},
      {"numpy",
       "# real numbers before any arithmetic: np.uint8 wraps round, // is whole-number division"}};
  for (auto& [api, line] : range) line = first.at(api) + "\n" + line;
  return range;
}

}  // namespace

std::string plain(double value) { return number(value == 0 ? 0.0 : value, 9); }

FixCode fix_code(diagnose::CauseKind kind, std::string_view reference_step) {
  Recipe reference;
  auto parsed = preprocess::parse_recipe(reference_step);
  if (parsed) reference = std::move(*parsed);
  // The step belongs to a recipe for sound; lines of code exist only for pictures.
  if (kind == diagnose::CauseKind::kLayout && !reference_step.empty() && !parsed) return {};
  switch (kind) {
    using enum diagnose::CauseKind;
    case kChannelOrder: return channel_order_code(reference);
    case kValueRange:
      return last_step<preprocess::Quantize>(reference) ? coded_range(reference)
                                                        : value_range_code(reference);
    case kResize: return resize_code(reference);
    case kCrop: return crop_code(reference);
    case kOrientation: return orientation_code(reference);
    case kLayout: return layout_code(reference);
    case kInputQuantization:
      return has_range(reference) ? coded_range(reference) : quantization_code(reference);
    case kEmptyInput: return empty_input_code();
    case kNonFiniteInput: return non_finite_input_code();
    case kValueTable: return value_table_code(reference);
    case kOtherFrame: return other_frame_code();
    case kIncompleteInput: return incomplete_input_code();
    case kByteOrder: return byte_order_code();
    case kTone: return tone_code(reference);
    case kColorConversion: return color_conversion_code(reference);
    case kDecoding: return decoding_code(reference);
    case kInputScale:
    case kPipelineStage:
    case kInputOrder:
    case kSampleFormat:
    case kChannelMix:
    case kSampleRate:
    case kAudioLevel:
    case kAudioPosition:
    case kAudioPadding:
    case kPreEmphasis:
    case kFraming:
    case kSpectrum:
    case kFilterBank:
    case kLogScale:
    case kCepstrum:
    case kFeatureNormalization:
    case kAxisOrder:
    case kUnit:
    case kWindow:
    case kTextNormalization:
    case kTokenizer:
    case kTextTemplate:
    case kSpecialTokens:
    case kTruncation:
    case kTokenPadding:
    case kAttentionMask:
    case kTokenTypes:
    case kPositionIds:
    case kPrecision:
    case kKernel:
    case kOperator:
    case kQuantization:
    case kWeights:
    case kBias:
    case kOtherModel:
    case kState:
    case kOutputOrder:
    case kPostprocessing:
    case kUnknown: break;
  }
  return {};
}

}  // namespace edgeprobe::report
