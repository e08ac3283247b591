// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/answer/wording.h"

#include <array>
#include <cmath>

#include "core/text.h"
#include "diagnose/preprocessing/search/tone_step.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::Align;
using preprocess::Kernel;
using preprocess::Resampling;
using preprocess::Step;

std::string steps_text(const std::vector<Step>& steps) {
  return joined(steps, " | ", [](const Step& step) { return preprocess::to_text(step); });
}

std::string feeds(const Mixing& mixing, int channels) {
  if (channels != 3 || mixing.matrix) return mixing.name;
  if (mixing.gray_step) return "three equal gray channels";
  if (mixing.one_channel) return mixing.name + " three times";
  if (is_gray(mixing)) return "three equal gray channels (" + mixing.name + ")";
  return mixing.name;
}

std::string by_corners(const Resampling& r) {
  return r.align == Align::kLegacy ? " at top-left corners (TensorFlow 1)"
                                   : " with align_corners (TensorFlow 1)";
}

std::string scales(const Range& range) {
  if (range.name.empty()) return "its own range";
  return range.bounds ? "pixels to " + range.name : "pixels by " + range.name;
}

std::string fill_text(double fill, const std::vector<double>& by_channel) {
  if (by_channel.empty()) return number(fill);
  std::string text;
  for (double v : by_channel) text += (text.empty() ? "" : ", ") + number(v);
  return "(" + text + ")";
}

std::string range_text(const Range& own, const Reference& reference) {
  if (!own.name.empty()) return own.name;
  const auto text = steps_text(reference.range_steps);
  return text.empty() ? "0..255" : text;
}

/// Channels with a flat line: they receive nothing of the picture.
std::vector<std::size_t> level_channels(const Range& range) {
  double most = 0;
  for (const double gain : range.gain) most = std::max(most, std::abs(gain));
  std::vector<std::size_t> level;
  for (std::size_t c = 0; c < range.gain.size(); ++c)
    if (std::abs(range.gain[c]) < 1e-3 * most) level.push_back(c);
  return level;
}

std::string channel_word(std::size_t channel, const Hypothesis& own) {
  static constexpr const char* kColors[] = {"red", "green", "blue"};
  const auto row =
      channel < own.mixing.rows.size() ? own.mixing.rows[channel] : std::array<double, 3>{};
  for (std::size_t k = 0; k < 3; ++k)
    if (row[k] == 1 && row[(k + 1) % 3] == 0 && row[(k + 2) % 3] == 0)
      return std::string("the ") + kColors[k] + " channel";
  return "channel " + std::to_string(channel);
}

/// Describes a range with flat channels; the others may have the reference's own range.
std::string level_text(const Hypothesis& h, const Hypothesis& own, const Reference& reference) {
  std::string empty, held;
  const auto level = level_channels(h.range);
  for (const std::size_t c : level) {
    empty += (empty.empty() ? "" : " and ") + channel_word(c, own);
    const double stored = h.range.offset[c],
                 real =
                     reference.coded ? (stored - reference.zero_point) * reference.scale : stored;
    // A fitted line may miss zero slightly.
    const auto value =
        number(std::abs(real) < 1e-6 * std::abs(reference.real_gain[c]) ? 0 : real, 4);
    if (held.find(value) == std::string::npos) held += (held.empty() ? "" : " and ") + value;
  }
  return "the app never fills " + empty + ": the model input is " + held +
         " there in every pixel; the reference's holds the picture";
}

}  // namespace

std::string kernel_name(const Resampling& r) {
  switch (r.kernel) {
    case Kernel::kNearest:
      if (r.align == Align::kLegacy) return "nearest (OpenCV INTER_NEAREST, TensorFlow 1)";
      if (r.align == Align::kCorners) return "nearest with align_corners (TensorFlow 1)";
      if (r.grid == preprocess::Grid::kFixed16)
        return "nearest at pixel centres (OpenCV INTER_NEAREST_EXACT)";
      if (r.grid == preprocess::Grid::kFloat32)
        return "nearest at pixel centres (TFLite half_pixel_centers)";
      return "nearest at pixel centres (Pillow NEAREST)";
    case Kernel::kBilinear:
      if (r.align == Align::kLegacy) return "bilinear at top-left corners (TensorFlow 1)";
      if (r.align == Align::kCorners) return "bilinear with align_corners (TensorFlow 1)";
      return r.antialias ? "bilinear, antialiased (Pillow BILINEAR, TensorFlow 2 antialias)"
                         : "bilinear (OpenCV INTER_LINEAR, TensorFlow 2)";
    case Kernel::kArea: return "area (OpenCV INTER_AREA)";
    case Kernel::kBox: return "box (Pillow BOX)";
    case Kernel::kBicubic:
      if (r.align != Align::kHalfPixel)
        return "bicubic" + by_corners(r) + (r.cubic_a == -0.5 ? ", a = -0.5" : "");
      if (r.antialias)
        return r.cubic_a == -0.5 ? "bicubic, antialiased (Pillow BICUBIC)"
                                 : "bicubic, antialiased, a = -0.75";
      return r.cubic_a == -0.5 ? "bicubic with a = -0.5 (TensorFlow)"
                               : "bicubic (OpenCV INTER_CUBIC)";
    case Kernel::kLanczos3:
      if (r.align != Align::kHalfPixel) return "Lanczos-3" + by_corners(r);
      return r.antialias ? "Lanczos-3, antialiased (Pillow LANCZOS)" : "Lanczos-3 (TensorFlow)";
    case Kernel::kLanczos4:
      if (r.align != Align::kHalfPixel) return "Lanczos-4" + by_corners(r);
      return r.antialias ? "Lanczos-4, antialiased" : "Lanczos-4 (OpenCV INTER_LANCZOS4)";
  }
  return "";
}

std::string framing_name(const Framing& framing, const std::string& fill) {
  std::string text;
  bool resized = false;
  for (const Step& step : framing.steps) {
    const std::string then = text.empty() ? "" : ", then ";
    if (const auto* crop = std::get_if<preprocess::Crop>(&step)) {
      using enum preprocess::Crop::Kind;
      const std::string share = percent(crop->fraction);
      if (crop->kind == kWindow)
        text += then + "takes the window of " + std::to_string(crop->height) + "x" +
                std::to_string(crop->width) + " pixels at top " + std::to_string(crop->top) +
                ", left " + std::to_string(crop->left);
      else if (crop->kind == kSize)
        text += then + "takes the middle " + std::to_string(crop->height) + "x" +
                std::to_string(crop->width) + " pixels";
      else if (crop->down != 0 || crop->right != 0)
        text += then + "takes a window that is not centred (" + share + " of " +
                (crop->kind == kSquare ? "the shorter side" : "both sides") +
                (crop->down == 0 ? ""
                                 : (crop->down < 0 ? ", up by " : ", down by ") +
                                       percent(std::abs(crop->down)) + " of its height") +
                (crop->right == 0 ? ""
                                  : (crop->right < 0 ? ", left by " : ", right by ") +
                                        percent(std::abs(crop->right)) + " of its width") +
                ")";
      else if (crop->kind == kSquare)
        text += then + (crop->fraction == 1 ? "takes the centred square"
                                            : "takes " + share + " of the centred square");
      else text += then + "takes the central " + share;
    } else if (const auto* bars = std::get_if<preprocess::Letterbox>(&step)) {
      text += then +
              (bars->centered ? "keeps the aspect ratio with bars around the picture"
               : bars->at_end ? "keeps the aspect ratio with bars left of or above the picture"
                              : "keeps the aspect ratio with bars right of or below the picture") +
              (bars->sides == preprocess::WholeSides::kFloor  ? ", its sides rounded down,"
               : bars->sides == preprocess::WholeSides::kCeil ? ", its sides rounded up,"
                                                              : "") +
              (bars->is_odd_first ? ", the odd pixel above and left," : "") + " (fill " + fill +
              ")";
      resized = true;
    } else if (const auto* to = std::get_if<preprocess::Resize>(&step)) {
      if (to->shorter != 0)
        text += then + "keeps the aspect ratio and makes the shorter side " +
                std::to_string(to->shorter) + " pixels";
      else if (text.empty()) text = "stretches the whole picture";
      resized = true;
    } else if (const auto* move = std::get_if<preprocess::Shift>(&step)) {
      const auto by = [](int n, const char* less, const char* more) {
        return std::string(n < 0 ? less : more) + " by " + std::to_string(std::abs(n));
      };
      text += then + "moves the " + (resized ? "model's input" : "picture");
      if (move->down != 0) text += by(move->down, " up", " down");
      if (move->right != 0)
        text += std::string(move->down != 0 ? " and" : "") + by(move->right, " left", " right");
      // Within the margins of a crop, a shift and an off-centre window are the same.
      const bool of_window =
          !resized &&
          std::any_of(framing.steps.begin(), framing.steps.end(), [](const preprocess::Step& s) {
            return std::holds_alternative<preprocess::Crop>(s);
          });
      text += std::string(" pixel") +
              (std::max(std::abs(move->down), std::abs(move->right)) == 1 ? "" : "s") +
              (of_window ? " (or takes a window that is not centred, as far to the other side)"
               : move->edge == preprocess::Shift::Edge::kRepeat ? " (the border repeats)"
               : move->edge == preprocess::Shift::Edge::kWrap
                   ? " (what leaves on one side comes in on the other)"
                   : " (black comes in)");
    } else if (const auto o = orientation_of(step)) {
      text += then + "turns the picture (" + describe_orientation(*o) + ")";
    }
  }
  if (!resized && text.empty()) text = "takes the whole picture as it is";
  return text;
}

CauseKind kind_of(Part part, const Hypothesis& h) {
  switch (part) {
    case Part::kMixing: return CauseKind::kChannelOrder;
    case Part::kRange:
      return level_channels(h.range).empty() ? h.range.kind.value_or(CauseKind::kValueRange)
                                             : CauseKind::kIncompleteInput;
    case Part::kResampling: return CauseKind::kResize;
    case Part::kFraming:
    case Part::kFill: return CauseKind::kCrop;
    case Part::kOrientation: return CauseKind::kOrientation;
    case Part::kOrder: return CauseKind::kLayout;
    case Part::kSign: return CauseKind::kInputQuantization;
    case Part::kDecode: return CauseKind::kDecoding;
    case Part::kTouch:
      if (!h.tone_step) return CauseKind::kTone;
      if (std::holds_alternative<preprocess::Recode>(*h.tone_step))
        return CauseKind::kColorConversion;
      return std::get<preprocess::Tone>(*h.tone_step).curve == preprocess::Tone::Curve::kLinear
                 ? CauseKind::kValueRange
                 : CauseKind::kTone;
  }
  return CauseKind::kUnknown;
}

std::string describe(Part part, const Hypothesis& h, const Hypothesis& own,
                     const Reference& reference) {
  switch (part) {
    case Part::kMixing:
      return "the app feeds " + feeds(h.mixing, reference.channels) + "; the reference feeds " +
             feeds(own.mixing, reference.channels);
    case Part::kRange:
      if (!h.range.unquantized && !level_channels(h.range).empty())
        return level_text(h, own, reference);
      if (h.range.kind == CauseKind::kInputQuantization) {
        if (h.range.unquantized)
          return "the app's input is " + h.range.name + "; the model expects scale " +
                 number(reference.scale, 6) + ", zero point " + number(reference.zero_point);
        if (h.range.pixel_bytes)
          return "the app feeds the pixel bytes themselves; the model expects values quantised "
                 "with scale " +
                 number(reference.scale, 6) + ", zero point " + number(reference.zero_point);
        return "the app quantises with " + h.range.name;
      }
      return "the app scales " + scales(h.range) + "; the reference " +
             (range_text(own.range, reference).find(' ') == std::string::npos ? "to " : "by ") +
             range_text(own.range, reference);
    case Part::kResampling:
      return "the app resizes with " + kernel_name(h.resampling) + "; the reference with " +
             kernel_name(own.resampling);
    case Part::kFraming:
      return "the app " + framing_name(h.framing, fill_text(h.fill, h.channel_fill)) +
             "; the reference " + framing_name(own.framing, fill_text(own.fill, own.channel_fill));
    case Part::kFill:
      return "the app fills the bars with " + fill_text(h.fill, h.channel_fill) +
             "; the reference with " + fill_text(own.fill, own.channel_fill);
    case Part::kOrientation: {
      const Orientation relative = then(inverse(own.orientation), h.orientation);
      if (own.orientation != 0 && h.orientation == 0)
        return "the app does not turn the picture; the reference feeds it " +
               describe_orientation(own.orientation);
      return "the app feeds the picture " +
             describe_orientation(own.orientation == 0 ? h.orientation : relative) +
             (own.orientation == 0 ? "; the reference feeds it upright" : " against the reference");
    }
    case Part::kOrder:
      if (h.order == Order::kHcw || h.order == Order::kWhc)
        return std::string("the app stores the values in ") + name(h.order) + " order" +
               (h.order == Order::kWhc && own.order == Order::kHwc
                    ? " (height and width exchanged in memory)"
                    : "") +
               "; the model expects " + name(own.order);
      return std::string("the app feeds ") + name(h.order) + " memory; the model expects " +
             name(own.order);
    case Part::kSign:
      return reference.lowest < 0 ? "the app feeds uint8 codes to an int8 input: every code is off "
                                    "by 128 (sign bit turned over)"
                                  : "the app feeds int8 codes to a uint8 input: every code is off "
                                    "by 128 (sign bit turned over)";
    case Part::kDecode: return h.decode_text + "; the reference reads the bytes as they say";
    case Part::kTouch: {
      const std::string whose = own.tone_step ? "; the reference: " + tone_step_name(*own.tone_step)
                                              : "; the reference changes no levels";
      if (!h.tone_step) return "the app leaves out " + tone_step_name(*own.tone_step);
      if (std::holds_alternative<preprocess::Recode>(*h.tone_step)) {
        return "the app converts colours differently: " + tone_step_name(*h.tone_step) +
               (h.tone_step_first ? " (on the whole picture)" : "") +
               (own.tone_step ? whose : "; the reference keeps them");
      }
      return "the app applies " + tone_step_name(*h.tone_step) +
             (h.tone_step_first ? " to the whole picture" : "") + whose;
    }
  }
  return "";
}

std::string fix_step(Part part, const Reference& reference, const Hypothesis& own) {
  const auto orientation = steps_text(orientation_steps(own.orientation));
  switch (part) {
    case Part::kMixing: {
      const auto text = steps_text(reference.color_steps);
      if (!text.empty()) return text;
      return own.mixing.gray_step                                 ? "gray"
             : own.mixing.order == preprocess::ChannelOrder::kBgr ? "color(bgr)"
                                                                  : "color(rgb)";
    }
    case Part::kRange: {
      if (!reference.coded) {
        const auto text = steps_text(reference.range_steps);
        return text.empty() ? "no scaling: the pixels 0..255 themselves" : text;
      }
      std::string text = steps_text(reference.range_steps);
      for (const Step& step : tail_steps(reference))
        if (!std::holds_alternative<preprocess::Layout>(step))
          text += (text.empty() ? "" : " | ") + preprocess::to_text(step);
      return text;
    }
    case Part::kResampling:
      for (const Step& step : reference.geometry)
        if (std::holds_alternative<preprocess::Resize>(step) ||
            std::holds_alternative<preprocess::Letterbox>(step))
          return preprocess::to_text(step);
      return "";
    case Part::kFraming:
    case Part::kFill: return steps_text(reference.geometry);
    case Part::kOrientation: return orientation.empty() ? "no rotation and no flip" : orientation;
    case Part::kOrder:
      return preprocess::to_text(Step{preprocess::Layout{own.order == Order::kChw}});
    case Part::kSign: return preprocess::to_text(Step{preprocess::Quantize{}});
    case Part::kDecode: return "decoding as the file says";
    case Part::kTouch:
      return own.tone_step ? preprocess::to_text(*own.tone_step) : "no change of levels or colours";
  }
  return "";
}

}  // namespace edgeprobe::diagnose
