// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>

#include "preprocess/recipe/readings_steps.h"
#include "preprocess/recipe/recipe.h"
#include "preprocess/recipe/recipe_decode.h"
#include "preprocess/recipe/recipe_words.h"
#include "preprocess/recipe/sound_steps.h"
#include "preprocess/recipe/text_steps.h"

namespace edgeprobe::preprocess {
namespace {

/// The shortest text that reads back as the same double.
std::string exact(double value) {
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string size_text(int height, int width) {
  return std::to_string(height) + "x" + std::to_string(width);
}

std::string list_text(const std::vector<double>& values) {
  if (values.size() == 1) return exact(values[0]);
  std::string out;
  for (double value : values) out += (out.empty() ? "" : ", ") + exact(value);
  return "[" + out + "]";
}

template <class T, std::size_t N>
std::string option(std::string_view key, const std::array<Word<T>, N>& words, T value) {
  return ", " + std::string(key) + "=" + std::string(word_of(words, value));
}

std::string resampling_text(const Resampling& r, Rounding rounding) {
  const bool fixed_grid = r.kernel == Kernel::kArea || r.kernel == Kernel::kBox;
  const bool nearest = r.kernel == Kernel::kNearest;
  std::string out(word_of(kKernelWords, r.kernel));
  if (!fixed_grid && !nearest) out += option("antialias", kSwitchWords, r.antialias);
  if (!fixed_grid) out += option("align", kAlignWords, r.align);
  if (r.kernel == Kernel::kBicubic) out += ", a=" + exact(r.cubic_a);
  if (nearest && r.grid != Grid::kDouble) out += option("grid", kGridWords, r.grid);
  if (!fixed_grid && !nearest && !r.antialias && r.edge != Edge::kReplicate)
    out += option("edge", kEdgeWords, r.edge);
  if (rounding != Rounding::kFloat) out += option("round", kRoundingWords, rounding);
  return out;
}

struct Printer {
  std::string operator()(const Decode& s) const { return decode_text(s); }
  static std::string joined(const std::vector<Spelled>& steps) {
    std::string text;
    for (const Spelled& step : steps) text += (text.empty() ? "" : " | ") + step.text;
    return text;
  }
  std::string operator()(const Sound& s) const { return joined(spelled_sound(s.front_end)); }
  std::string operator()(const Readings& s) const { return joined(spelled_readings(s.front_end)); }
  std::string operator()(const Text& s) const { return joined(spelled_text(s.front_end)); }
  std::string operator()(const Rotate& s) const {
    return "rotate(" + std::to_string(s.degrees) + ")";
  }
  std::string operator()(const Flip& s) const {
    return "flip(" + std::string(word_of(kFlipWords, s.horizontal)) + ")";
  }
  std::string operator()(const Crop& s) const {
    const std::string moved = (s.down != 0 ? ", down=" + exact(s.down) : "") +
                              (s.right != 0 ? ", right=" + exact(s.right) : "");
    if (s.kind == Crop::Kind::kFraction) return "crop(center, " + exact(s.fraction) + moved + ")";
    if (s.kind == Crop::Kind::kSize)
      return "crop(center, " + size_text(s.height, s.width) +
             (s.offset == Crop::Offset::kHalfEven ? "" : option("offset", kOffsetWords, s.offset)) +
             ")";
    if (s.kind == Crop::Kind::kSquare)
      return (s.fraction == 1 ? "crop(square" : "crop(square, " + exact(s.fraction)) + moved + ")";
    return "crop(" + std::to_string(s.top) + ", " + std::to_string(s.left) + ", " +
           size_text(s.height, s.width) + ")";
  }
  std::string operator()(const Resize& s) const {
    const std::string size =
        s.shorter != 0 ? "short=" + std::to_string(s.shorter) : size_text(s.height, s.width);
    return "resize(" + size + ", " + resampling_text(s.resampling, s.rounding) + ")";
  }
  std::string operator()(const Letterbox& s) const {
    return "letterbox(" + size_text(s.height, s.width) + ", " +
           resampling_text(s.resampling, s.rounding) +
           ", fill=" + (s.channel_fill.empty() ? exact(s.fill) : list_text(s.channel_fill)) +
           (s.centered ? ""
            : s.at_end ? ", place=bottom_right"
                       : ", place=top_left") +
           ")";
  }
  std::string operator()(const Color& s) const {
    return "color(" + std::string(word_of(kOrderWords, s.order)) + ")";
  }
  std::string operator()(const Gray& s) const {
    std::string inside = s.keep_three ? "3" : "";
    if (!s.weights.empty())
      inside += (inside.empty() ? "weights=" : ", weights=") + list_text(s.weights);
    if (s.rounding != Rounding::kFloat) {
      inside += (inside.empty() ? "round=" : ", round=") +
                std::string(word_of(kRoundingWords, s.rounding));
    }
    return inside.empty() ? "gray" : "gray(" + inside + ")";
  }
  std::string operator()(const Matrix& s) const {
    const bool plain = s.offset.size() == 1 && s.offset[0] == 0;
    return "matrix(" + list_text(s.rows) + (plain ? "" : ", offset=" + list_text(s.offset)) +
           (s.rounding == Rounding::kFloat ? "" : option("round", kWholeWords, s.rounding)) + ")";
  }
  std::string operator()(const Scale& s) const {
    return "scale(" + exact(s.low) + ".." + exact(s.high) + ")";
  }
  std::string operator()(const Normalize& s) const {
    return "normalize(mean=" + list_text(s.mean) + ", std=" + list_text(s.std) + ")";
  }
  std::string operator()(const Cast& s) const { return "cast(" + std::string(name(s.dtype)) + ")"; }
  std::string operator()(const Layout& s) const {
    std::string inside(word_of(kLayoutWords, s.nchw));
    if (s.memory != Memory::kAsDeclared) inside += option("memory", kMemoryWords, s.memory);
    return "layout(" + inside + ")";
  }
  std::string operator()(const Quantize& s) const {
    std::string inside = "model";
    if (s.scale && s.zero_point)
      inside = "scale=" + exact(*s.scale) + ", zero_point=" + std::to_string(*s.zero_point);
    if (s.round != Quantize::Round::kHalfAway)
      inside += option("round", kQuantizeRoundWords, s.round);
    if (s.sign_flipped) inside += option("sign", kSignWords, true);
    return "quantize(" + inside + ")";
  }
  std::string operator()(const Shift& s) const {
    return "shift(" + std::to_string(s.down) + ", " + std::to_string(s.right) +
           (s.edge == Shift::Edge::kRepeat ? "" : option("edge", kShiftEdgeWords, s.edge)) + ")";
  }
  std::string operator()(const Tone& s) const {
    std::string inside = s.curve == Tone::Curve::kGamma ? "gamma=" + exact(s.gamma)
                         : s.curve == Tone::Curve::kLinear
                             ? "gain=" + list_text(s.gain) + ", offset=" + list_text(s.offset)
                             : std::string(word_of(kCurveWords, s.curve));
    if (s.rounding != Rounding::kFloat) inside += option("round", kWholeWords, s.rounding);
    return "tone(" + inside + ")";
  }
  std::string operator()(const Recode& s) const {
    std::string inside(word_of(kMatrixWords, s.encode));
    inside += ", " + std::string(word_of(kMatrixWords, s.decode));
    if (s.encode_limited) inside += option("encode", kLevelsWords, true);
    if (s.decode_limited) inside += option("decode", kLevelsWords, true);
    if (s.chroma_swapped) inside += option("chroma", kChromaWords, true);
    if (s.round != Recode::Round::kFloat) inside += option("round", kRecodeRoundWords, s.round);
    return "recode(" + inside + ")";
  }
  std::string operator()(const Standardize& s) const {
    return s.by_channel ? "standardize(channel)" : "standardize";
  }
};

}  // namespace

std::string to_text(const Step& step) { return std::visit(Printer{}, step); }

std::string to_text(const Recipe& recipe) {
  std::string out;
  for (const Step& step : recipe.steps) out += (out.empty() ? "" : " | ") + to_text(step);
  if (!recipe.post.empty()) out += " || " + recipe.post;
  return out;
}

}  // namespace edgeprobe::preprocess
