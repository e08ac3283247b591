// SPDX-License-Identifier: Apache-2.0
#include "check/cut_off.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/preprocessing/model/geometry.h"
#include "preprocess/picture/state.h"
#include "preprocess/picture/values.h"

namespace edgeprobe::check {
namespace {

/// Fraction of the pixel values 0..255: a calibration with other pictures clips less.
constexpr double kMost = 0.25;

/// Every pixel value once, in all channels.
preprocess::Raster all_levels() {
  preprocess::Raster levels{16, 16, 3, {}};
  for (int v = 0; v < 256; ++v) levels.values.insert(levels.values.end(), 3, float(v));
  return levels;
}

/// The usual range closest to the range of the codes.
std::string usual_range(double low, double high) {
  const char* best = "0..1";
  double least = 1e300;
  struct Usual {
    const char* name;
    double low, high;
  };
  for (const Usual& usual : {Usual{"0..1", 0, 1}, {"-1..1", -1, 1}, {"0..255", 0, 255}})
    if (const double off =
            (std::abs(low - usual.low) + std::abs(high - usual.high)) / (usual.high - usual.low);
        off < least) {
      least = off;
      best = usual.name;
    }
  return best;
}

bool scales(const preprocess::Step& step) {
  return std::holds_alternative<preprocess::Scale>(step) ||
         std::holds_alternative<preprocess::Normalize>(step) ||
         std::holds_alternative<preprocess::Standardize>(step);
}

}  // namespace

std::string cut_off_doubt(const preprocess::Recipe& recipe, const TensorSpec& input) {
  preprocess::State state;
  state.raster = all_levels();
  const preprocess::Step* scaled = nullptr;
  for (const preprocess::Step& step : recipe.steps) {
    if (diagnose::is_geometric(step) || std::holds_alternative<preprocess::Decode>(step)) continue;
    if (scales(step)) scaled = &step;
    if (const auto* quantize = std::get_if<preprocess::Quantize>(&step)) {
      const auto codes = preprocess::integer_range(input.dtype);
      const auto& own = input.quantization;
      if (!codes || (!quantize->scale && own.scale.size() != 1)) return "";
      const double scale = quantize->scale ? *quantize->scale : double(own.scale[0]),
                   zero =
                       double(quantize->zero_point ? *quantize->zero_point : own.zero_point_at(0)),
                   low = (codes->least - zero) * scale, high = (codes->most - zero) * scale;
      std::size_t beyond = 0;
      for (const float v : state.raster.values)
        beyond += double(v) < low - scale || double(v) > high + scale;
      const double share = double(beyond) / double(state.raster.values.size());
      if (share < kMost) return "";
      const auto [least, most] =
          std::minmax_element(state.raster.values.begin(), state.raster.values.end());
      const std::string wanted = "scale(" + usual_range(low, high) + ")";
      const std::string cure =
          !scaled ? wanted + " is missing before quantize"
          : preprocess::to_text(*scaled) == wanted
              ? "was the model calibrated with other pre-processing?"
              : "its step " + preprocess::to_text(*scaled) + " should be " + wanted;
      return "the recipe makes " + number(*least, 3) + ".." + number(*most, 3) +
             " of pixels, the model's input '" + sanitized(input.name, 60) + "' holds " +
             number(low, 3) + ".." + number(high, 3) + ": " + percent(share) +
             " of the pixel values are cut off; " + cure;
    }
    if (!preprocess::run_step(step, input, state)) return "";
  }
  return "";
}

}  // namespace edgeprobe::check
