// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/text.h"
#include "report/fixes/steps.h"

namespace edgeprobe::report {
namespace {

using preprocess::Align;
using preprocess::Kernel;
using preprocess::Recipe;
using preprocess::Resampling;

using preprocess::Edge;
using preprocess::Grid;

/// The sides as written in code, and the lines that compute them first.
struct Target {
  std::string height, width;
  Resampling resampling;
  std::string python, kotlin;
};

Target short_side(const preprocess::Resize& resize) {
  const std::string side = std::to_string(resize.shorter);
  return {"h2", "w2", resize.resampling,
          "h, w = img.shape[:2]\nh2, w2 = (" + side + ", " + side + " * w // h) if h <= w else (" +
              side + " * h // w, " + side + ")\n",
          "val (h, w) = Pair(bitmap.height, bitmap.width)\nval (h2, w2) = if (h <= w) Pair(" +
              side + ", " + side + " * w / h) else Pair(" + side + " * h / w, " + side + ")\n"};
}

std::optional<Target> target_of(const Recipe& reference) {
  if (const auto* resize = last_step<preprocess::Resize>(reference))
    return resize->shorter != 0 ? short_side(*resize)
                                : Target{std::to_string(resize->height),
                                         std::to_string(resize->width), resize->resampling, "", ""};
  if (const auto* box = last_step<preprocess::Letterbox>(reference))
    return Target{std::to_string(box->height), std::to_string(box->width), box->resampling, "", ""};
  return std::nullopt;
}

// The cv2.resize flag for exactly this resampling, or "".
std::string opencv_flag(const Resampling& r) {
  const bool half = r.align == Align::kHalfPixel;
  switch (r.kernel) {
    case Kernel::kNearest:
      // Pillow's and OpenCV's positions differ only at ties; the grid determines which of the two
      // applies.
      if (r.align == Align::kLegacy) return r.grid == Grid::kDouble ? "INTER_NEAREST" : "";
      return half && r.grid == Grid::kFixed16 ? "INTER_NEAREST_EXACT" : "";
    case Kernel::kBilinear: return half && !r.antialias ? "INTER_LINEAR" : "";
    case Kernel::kArea: return "INTER_AREA";
    case Kernel::kBicubic:
      return half && !r.antialias && r.cubic_a == -0.75 && r.edge == Edge::kReplicate
                 ? "INTER_CUBIC"
                 : "";
    case Kernel::kLanczos4:
      return half && !r.antialias && r.edge == Edge::kReplicate ? "INTER_LANCZOS4" : "";
    default: return "";
  }
}

// The Image.resize filter of Pillow for exactly this resampling, or "".
std::string pillow_filter(const Resampling& r) {
  if (r.align != Align::kHalfPixel) return "";
  switch (r.kernel) {
    case Kernel::kNearest: return r.grid == Grid::kDouble ? "NEAREST" : "";
    case Kernel::kBilinear: return r.antialias ? "BILINEAR" : "";
    case Kernel::kBox: return "BOX";
    case Kernel::kBicubic: return r.antialias && r.cubic_a == -0.5 ? "BICUBIC" : "";
    case Kernel::kLanczos3: return r.antialias ? "LANCZOS" : "";
    default: return "";
  }
}

// TensorFlow's call for conventions that neither OpenCV nor Pillow supports, or "".
std::string tensorflow_call(const Target& t) {
  const Resampling& r = t.resampling;
  const std::string size = "(" + t.height + ", " + t.width + ")";
  const std::string corners = r.align == Align::kCorners ? ", align_corners=True" : "";
  if (r.align == Align::kHalfPixel) {
    const std::string method = r.kernel == Kernel::kBicubic && r.cubic_a == -0.5 ? "bicubic"
                               : r.kernel == Kernel::kLanczos3                   ? "lanczos3"
                                                                                 : "";
    return method.empty() || r.antialias || r.edge != Edge::kDrop
               ? ""
               : t.python + "x = tf.image.resize(img, " + size + ", method=\"" + method + "\")";
  }
  if (r.antialias) return "";
  const std::string name = r.kernel == Kernel::kBilinear  ? "resize_bilinear"
                           : r.kernel == Kernel::kNearest ? "resize_nearest_neighbor"
                           : r.kernel == Kernel::kBicubic && r.cubic_a == -0.75 ? "resize_bicubic"
                                                                                : "";
  return name.empty() ? ""
                      : t.python + "x = tf.compat.v1.image." + name + "(img[None], " + size +
                            corners + ")[0]";
}

std::string android_call(const Target& t) {
  const Resampling& r = t.resampling;
  const std::string &w = t.width, &h = t.height;
  if (r.kernel == Kernel::kNearest)
    return "Bitmap.createScaledBitmap(bitmap, " + w + ", " + h + ", false)  // nearest";
  if (r.kernel == Kernel::kBilinear && r.align == Align::kHalfPixel && !r.antialias)
    return "Bitmap.createScaledBitmap(bitmap, " + w + ", " + h +
           ", true)  // bilinear, not antialiased";
  const std::string flag = opencv_flag(r);
  const std::string imgproc =
      "Imgproc.resize(src, dst, Size(" +
      (t.kotlin.empty() ? w + ".0, " + h + ".0" : "w2.toDouble(), h2.toDouble()") +
      "), 0.0, 0.0, Imgproc.";
  const std::string warning =
      "// Bitmap.createScaledBitmap(…, true) and ResizeOp are bilinear and NOT antialiased\n";
  if (!flag.empty()) return warning + imgproc + flag + ")  // OpenCV for Android";
  return warning + (r.antialias || r.kernel == Kernel::kBox
                        ? imgproc + "INTER_AREA)  // no Android call is equal; this one is near"
                        : "// no Android call is equal: put the resize into the model, or evaluate "
                          "with the app's kernel");
}

std::string android_resize(const Target& t) { return t.kotlin + android_call(t); }

std::string code_with_opencv(const Target& t, const char* source = "img") {
  const std::string flag = opencv_flag(t.resampling);
  return flag.empty() ? ""
                      : t.python + "img = cv2.resize(" + std::string(source) + ", (" + t.width +
                            ", " + t.height + "), interpolation=cv2." + flag + ")";
}

std::string code_with_pillow(const Target& t) {
  const std::string filter = pillow_filter(t.resampling);
  return filter.empty() ? ""
                        : t.python + "img = np.asarray(Image.fromarray(img).resize((" + t.width +
                              ", " + t.height + "), Image." + filter + "))";
}

std::string fraction_lines(double fraction, bool square) {
  const std::string f = plain(fraction);
  return std::string("h, w = img.shape[:2]\n") +
         (square ? "h2 = w2 = int(min(h, w) * " + f + " + 0.5)"
                 : "h2, w2 = int(h * " + f + " + 0.5), int(w * " + f + " + 0.5)") +
         "\ntop, left = (h - h2) // 2, (w - w2) // 2\nimg = img[top:top + h2, left:left + w2]";
}

FixCode cropping(const preprocess::Crop& crop) {
  if (crop.kind == preprocess::Crop::Kind::kWindow) {
    const std::string rows =
        std::to_string(crop.top) + ":" + std::to_string(std::int64_t{crop.top} + crop.height);
    const std::string columns =
        std::to_string(crop.left) + ":" + std::to_string(std::int64_t{crop.left} + crop.width);
    const std::string xywh = std::to_string(crop.left) + ", " + std::to_string(crop.top) + ", " +
                             std::to_string(crop.width) + ", " + std::to_string(crop.height);
    const std::string slice = "img = img[" + rows + ", " + columns + "]";
    return {{"opencv", slice + "\nimg = img(cv::Rect(" + xywh + "));  // C++"},
            {"android", "Bitmap.createBitmap(bitmap, " + xywh + ")"},
            {"numpy", slice}};
  }
  if (crop.kind == preprocess::Crop::Kind::kSize) {
    const bool even = crop.offset == preprocess::Crop::Offset::kHalfEven;
    const std::string h = std::to_string(crop.height), w = std::to_string(crop.width);
    const std::string lines =
        even ? "top, left = round((img.shape[0] - " + h + ") / 2), round((img.shape[1] - " + w +
                   ") / 2)"
             : "top, left = (img.shape[0] - " + h + ") // 2, (img.shape[1] - " + w + ") // 2";
    const std::string slice = lines + "\nimg = img[top:top + " + h + ", left:left + " + w + "]";
    const std::string half =
        even ? "Math.rint((bitmap.%s - %n) / 2.0).toInt()" : "(bitmap.%s - %n) / 2";
    const auto offset = [&](const std::string& side, const std::string& kept) {
      std::string text = half;
      text.replace(text.find("%s"), 2, side);
      return text.replace(text.find("%n"), 2, kept);
    };
    return {{"opencv", slice},
            {"android", "Bitmap.createBitmap(bitmap, " + offset("width", w) + ", " +
                            offset("height", h) + ", " + w + ", " + h + ")"},
            {"numpy", slice}};
  }
  const bool square = crop.kind == preprocess::Crop::Kind::kSquare;
  const std::string f = plain(crop.fraction), lines = fraction_lines(crop.fraction, square);
  const std::string kotlin =
      square ? "val w = (minOf(bitmap.width, bitmap.height) * " + f + " + 0.5).toInt(); val h = w"
             : "val w = (bitmap.width * " + f + " + 0.5).toInt(); val h = (bitmap.height * " + f +
                   " + 0.5).toInt()";
  return {{"opencv", lines},
          {"android", kotlin + "\nBitmap.createBitmap(bitmap, (bitmap.width - w) / 2, "
                               "(bitmap.height - h) / 2, w, h)  // before the resize"},
          {"numpy", lines}};
}

FixCode letterboxing(const preprocess::Letterbox& box) {
  const std::string h = std::to_string(box.height), w = std::to_string(box.width),
                    fill = number(box.fill, 6);
  const std::string flag = opencv_flag(box.resampling);
  const std::string top = box.centered ? "(" + h + " - h) // 2" : "0",
                    left = box.centered ? "(" + w + " - w) // 2" : "0";
  const std::string scale =
      "s = min(" + h + " / img.shape[0], " + w +
      " / img.shape[1])\nh, w = int(img.shape[0] * s + 0.5), int(img.shape[1] * s + 0.5)\n"
      "top, left = " +
      top + ", " + left + "\n";
  const std::string resize =
      flag.empty() ? "img = resized(img, w, h)  # by the same kernel as the reference\n"
                   : "img = cv2.resize(img, (w, h), interpolation=cv2." + flag + ")\n";
  return {
      {"opencv", scale + resize + "img = cv2.copyMakeBorder(img, top, " + h + " - h - top, left, " +
                     w + " - w - left, cv2.BORDER_CONSTANT, value=(" + fill + ", " + fill + ", " +
                     fill + "))"},
      {"android", "val s = minOf(" + h + "f / bitmap.height, " + w +
                      "f / bitmap.width)  // keep the aspect ratio\n"
                      "canvas.drawColor(Color.rgb(" +
                      fill + ", " + fill + ", " + fill +
                      "))\n"
                      "canvas.drawBitmap(Bitmap.createScaledBitmap(bitmap, w, h, true), left, top, "
                      "null)  // w, h = size * s"},
      {"numpy",
       scale + "canvas = np.full((" + h + ", " + w + ", 3), " + fill +
           ", img.dtype)\ncanvas[top:top + h, left:left + w] = resized  # img scaled to w x h"}};
}

}  // namespace

FixCode resize_code(const Recipe& reference) {
  const std::optional<Target> target = target_of(reference);
  if (!target) return {};
  const std::string opencv = code_with_opencv(*target), pillow = code_with_pillow(*target),
                    tensorflow = tensorflow_call(*target);
  const std::string other = !pillow.empty()       ? pillow + "  # Pillow"
                            : !tensorflow.empty() ? tensorflow + "  # TensorFlow"
                                                  : "";
  FixCode code{{"android", android_resize(*target)}};
  if (!opencv.empty()) code["opencv"] = opencv;
  else if (!other.empty()) code["opencv"] = "# no flag of cv2.resize is equal\n" + other;
  if (!pillow.empty() || opencv.empty()) code["numpy"] = other;
  else code["numpy"] = opencv + "  # OpenCV; NumPy has no resize";
  if (code["numpy"].empty()) code.erase("numpy");
  return code;
}

FixCode crop_code(const Recipe& reference) {
  if (const auto* crop = last_step<preprocess::Crop>(reference)) {
    FixCode code = cropping(*crop);
    bool behind = false;  // The crop is the later of both steps.
    for (const preprocess::Step& step : reference.steps) {
      if (std::holds_alternative<preprocess::Resize>(step)) behind = false;
      if (std::holds_alternative<preprocess::Crop>(step)) behind = true;
    }
    behind = behind && last_step<preprocess::Resize>(reference);
    for (const auto& [api, line] : resize_code(reference))
      code[api] = behind ? line + "\n" + code[api] : code[api] + "\n" + line;
    return code;
  }
  if (const auto* box = last_step<preprocess::Letterbox>(reference)) return letterboxing(*box);
  FixCode code = resize_code(reference);
  if (code.empty())
    return {{"opencv", "# resize the whole img: no crop, no bars"},
            {"android",
             "// resize the whole bitmap: no Bitmap.createBitmap(…, x, y, w, h), no "
             "ResizeWithCropOrPadOp"},
            {"numpy", "# resize the whole img: no crop, no bars"}};
  for (auto& [api, line] : code)
    line =
        std::string(api == "android" ? "//" : "#") + " the whole image: no crop, no bars\n" + line;
  return code;
}

FixCode orientation_code(const Recipe& reference) {
  std::string opencv, android, numpy;
  const auto add = [](std::string& lines, const std::string& line) {
    lines += (lines.empty() ? "" : "\n") + line;
  };
  std::string matrix;
  for (const preprocess::Step& step : reference.steps) {
    if (const auto* rotate = std::get_if<preprocess::Rotate>(&step)) {
      const int degrees = rotate->degrees;
      add(opencv, std::string("img = cv2.rotate(img, cv2.ROTATE_") +
                      (degrees == 90    ? "90_CLOCKWISE"
                       : degrees == 180 ? "180"
                                        : "90_COUNTERCLOCKWISE") +
                      ")");
      add(numpy, "x = np.rot90(x, k=" + std::to_string(-degrees / 90) + ")  # " +
                     std::to_string(degrees) + " degrees clockwise");
      matrix += "; postRotate(" + std::to_string(degrees) + "f)";
    }
    if (const auto* flip = std::get_if<preprocess::Flip>(&step)) {
      add(opencv, std::string("img = cv2.flip(img, ") + (flip->horizontal ? "1" : "0") + ")");
      add(numpy, flip->horizontal ? "x = x[:, ::-1]" : "x = x[::-1]");
      matrix += flip->horizontal ? "; postScale(-1f, 1f)" : "; postScale(1f, -1f)";
    }
  }
  if (!matrix.empty()) {
    android = "val m = Matrix().apply { " + matrix.substr(2) +
              " }\nBitmap.createBitmap(bitmap, 0, 0, bitmap.width, bitmap.height, m, true)";
    return {{"opencv", opencv}, {"android", android}, {"numpy", numpy}};
  }
  return {{"opencv",
           "img = cv2.imread(path, cv2.IMREAD_COLOR)  # turns the picture upright by its EXIF tag; "
           "IMREAD_UNCHANGED does not"},
          {"android",
           "val m = Matrix().apply { postRotate(ExifInterface(path).rotationDegrees.toFloat()) }  "
           "// CameraX: imageInfo.rotationDegrees\n"
           "Bitmap.createBitmap(bitmap, 0, 0, bitmap.width, bitmap.height, m, true)  // once, "
           "before crop and resize"},
          {"numpy",
           "img = np.asarray(ImageOps.exif_transpose(Image.open(path)))  # Pillow; once, and no "
           "other rotation or flip"}};
}

}  // namespace edgeprobe::report
