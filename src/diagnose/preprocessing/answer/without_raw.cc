// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "diagnose/preprocessing/answer/without_raw.h"
#include "diagnose/preprocessing/model/frame.h"

namespace edgeprobe::diagnose {
namespace {

struct Picture {
  std::vector<float> stored;
  int height = 0, width = 0, channels = 0;
  bool first = false;  ///< Channels first.
  double lowest = 0;
  bool bytes = false;  ///< The type is an 8-bit integer.
};

std::optional<Picture> picture_of(const TensorView& view) {
  if (!view.spec) return std::nullopt;
  Shape s = view.spec->shape;
  if (s.size() == 4 && s[0] == 1) s.erase(s.begin());
  if (s.size() != 3) return std::nullopt;
  Picture p;
  if (s[2] == 3 || s[2] == 1) {
    p.height = int(s[0]);
    p.width = int(s[1]);
    p.channels = int(s[2]);
  } else if (s[0] == 3 || s[0] == 1) {
    p.height = int(s[1]);
    p.width = int(s[2]);
    p.channels = int(s[0]);
    p.first = true;
  } else return std::nullopt;
  auto values = stored_as_float(view);
  if (!values || values->size() < 64) return std::nullopt;
  p.stored = std::move(*values);
  p.bytes = view.spec->dtype == DType::kInt8 || view.spec->dtype == DType::kUInt8;
  p.lowest = view.spec->dtype == DType::kInt8 ? -128 : 0;
  return p;
}

struct Norm {
  const char* name;
  double mean[3], std[3];
};
/// Fewer rows or columns cannot show bars.
constexpr int kLeastSide = 16;
constexpr Norm kNorms[] = {
    {"0..255", {0, 0, 0}, {1, 1, 1}},
    {"0..1", {0, 0, 0}, {255, 255, 255}},
    {"-1..1 (x/127.5 - 1)", {127.5, 127.5, 127.5}, {127.5, 127.5, 127.5}},
    {"(x - 128)/128", {128, 128, 128}, {128, 128, 128}},
    {"(x - 127)/128", {127, 127, 127}, {128, 128, 128}},
    {"-0.5..0.5", {127.5, 127.5, 127.5}, {255, 255, 255}},
    {"x - 128", {128, 128, 128}, {1, 1, 1}},
    {"ImageNet mean and std", {123.675, 116.28, 103.53}, {58.395, 57.12, 57.375}},
    {"Caffe means", {123.68, 116.779, 103.939}, {1, 1, 1}},
};

bool on_lattice(const preprocess::Raster& r, const Norm& norm) {
  double off = 0, least = 1e9, most = -1e9;
  for (std::size_t i = 0; i < r.values.size(); ++i) {
    const std::size_t c = r.channels == 3 ? i % 3 : 0;
    const double x = double(r.values[i]) * norm.std[c] + norm.mean[c];
    off += std::abs(x - std::round(x));
    least = std::min(least, x);
    most = std::max(most, x);
  }
  return off / double(r.values.size()) < 0.02 && least > -0.6 && most < 255.6 && most > 16;
}

double correlation(const preprocess::Raster& r, int a, int b) {
  double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  const std::size_t n = r.values.size() / r.channels;
  for (std::size_t p = 0; p < n; ++p) {
    const double x = r.values[p * r.channels + a], y = r.values[p * r.channels + b];
    sa += x;
    sb += y;
    saa += x * x;
    sbb += y * y;
    sab += x * y;
  }
  const double m = double(n), va = saa - sa * sa / m, vb = sbb - sb * sb / m;
  return va > 0 && vb > 0 ? (sab - sa * sb / m) / std::sqrt(va * vb) : 1;
}

/// True if opposite borders have rows or columns of one value, as bars do.
bool has_letterbox(const preprocess::Raster& r) {
  if (std::min(r.width, r.height) < kLeastSide) return false;
  const auto constant_row = [&](int y) {
    const std::size_t line = std::size_t(r.width) * r.channels;
    const float* row = r.values.data() + std::size_t(y) * line;
    for (std::size_t x = r.channels; x < line; ++x)
      if (row[x] != row[x % r.channels]) return false;
    return true;
  };
  const auto constant_column = [&](int x) {
    for (int y = 1; y < r.height; ++y)
      for (int c = 0; c < r.channels; ++c)
        if (r.values[(std::size_t(y) * r.width + x) * r.channels + c] !=
            r.values[std::size_t(x) * r.channels + c])
          return false;
    return true;
  };
  const bool rows = constant_row(r.height - 1) && constant_row(r.height - 2);
  const bool columns = constant_column(r.width - 1) && constant_column(r.width - 2);
  return rows != columns;
}

std::string of_frames(std::size_t n, std::size_t all) {
  return " on " + std::to_string(n) + " of " + std::to_string(all) +
         (all == 1 ? " frame" : " frames");
}

}  // namespace

std::vector<std::string> describe_without_raw(const std::vector<TensorView>& target_inputs) {
  std::vector<Picture> pictures;
  for (const auto& view : target_inputs)
    if (auto p = picture_of(view)) pictures.push_back(std::move(*p));
  std::vector<std::string> said;
  if (pictures.empty())
    return {"the model input is not a picture of one frame; record raw inputs to get a verdict"};
  const std::size_t all = pictures.size();

  double least = 1e300, most = -1e300, sum = 0, squares = 0, count = 0;
  std::size_t other_order = 0, gray = 0, bars = 0, sign = 0, colour = 0, bytes = 0;
  std::vector<std::size_t> norms(std::size(kNorms));
  for (const Picture& p : pictures) {
    for (float v : p.stored) {
      least = std::min(least, double(v));
      most = std::max(most, double(v));
      sum += v;
      squares += double(v) * v;
      ++count;
    }
    const Order declared = p.first ? Order::kChw : Order::kHwc;
    const auto as_declared = arranged(p.stored, declared, p.height, p.width, p.channels);
    if (p.channels == 3) {
      ++colour;
      const auto other =
          arranged(p.stored, p.first ? Order::kHwc : Order::kChw, p.height, p.width, 3);
      other_order += total_variation(other) < 0.95 * total_variation(as_declared);
      gray += correlation(as_declared, 0, 1) > 0.9999 && correlation(as_declared, 0, 2) > 0.9999;
    }
    bars += has_letterbox(as_declared);
    if (p.bytes) {
      ++bytes;
      const auto above = std::count_if(p.stored.begin(), p.stored.end(),
                                       [&](float v) { return v >= p.lowest + 128; });
      const double share = double(above) / double(p.stored.size());
      const auto flipped =
          arranged(sign_flipped(p.stored, p.lowest), declared, p.height, p.width, p.channels);
      sign +=
          share > 0.01 && share < 0.99 && total_variation(flipped) < total_variation(as_declared);
    } else {
      for (std::size_t k = 0; k < std::size(kNorms); ++k)
        norms[k] += on_lattice(as_declared, kNorms[k]);
    }
  }
  const double mean = sum / count;
  said.push_back("stored values are in " + number(least) + ".." + number(most) + ", mean " +
                 number(mean) + ", deviation " +
                 number(std::sqrt(std::max(0.0, squares / count - mean * mean))));
  std::string fitting;
  for (std::size_t k = 0; k < norms.size(); ++k)
    if (norms[k] == all - bytes && all > bytes)
      fitting += (fitting.empty() ? "" : " or ") + std::string(kNorms[k].name);
  if (!fitting.empty())
    said.push_back("the values are 8-bit pixels in the range " + fitting +
                   " (whole-number lattice)");
  else if (all > bytes)
    said.push_back("the values are not on the lattice of 8-bit pixels in a usual range");
  if (other_order * 2 > colour)
    said.push_back("read with channels " + std::string(pictures[0].first ? "last" : "first") +
                   " the picture is smoother" + of_frames(other_order, colour) +
                   ": the memory order may be the other one");
  if (gray > 0)
    said.push_back("the three channels are copies of each other" + of_frames(gray, colour));
  if (bars > 0)
    said.push_back("constant rows or columns at the border, as a letterbox leaves them," +
                   of_frames(bars, all));
  if (sign > 0)
    said.push_back("with the sign bit of every code turned over the picture is smoother" +
                   of_frames(sign, bytes) + ": int8 and uint8 may be mixed up");
  said.push_back(
      "channel order, rotation, crop and resize kernel cannot be decided without the raw inputs");
  return said;
}

}  // namespace edgeprobe::diagnose
