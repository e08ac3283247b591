// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/color.h"

#include <algorithm>
#include <array>
#include <utility>

#include "preprocess/picture/values.h"

namespace edgeprobe::diagnose {
namespace {

constexpr double kSameColor = 0.12;

Mixing permutation(preprocess::ChannelOrder order) {
  Mixing m{name(order), {}};
  m.order = order;
  for (const int i : preprocess::channels_of(order)) {
    std::array<double, 3> row{};
    row[i] = 1;
    m.rows.push_back(row);
  }
  return m;
}

Mixing one(std::string name, std::array<double, 3> weights, int channels) {
  return {std::move(name), std::vector<std::array<double, 3>>(channels, weights)};
}

}  // namespace

std::vector<Mixing> usual_mixings(const Reference& reference, int picture_channels) {
  std::vector<Mixing> all = {reference.mixing};
  if (picture_channels == 1) return all;
  using enum preprocess::ChannelOrder;
  const int c = reference.channels;
  const auto push = [&](Mixing m) {
    if (std::find(all.begin(), all.end(), m) == all.end()) all.push_back(std::move(m));
  };
  if (c == 3) {
    push(permutation(kRgb));
    push(permutation(kBgr));
  }
  Mixing gray = one("gray", {0.299, 0.587, 0.114}, c);
  gray.gray_step = true;
  push(std::move(gray));
  if (c == 3) {
    push(permutation(kRbg));
    push(permutation(kGrb));
    push(permutation(kGbr));
    push(permutation(kBrg));
  }
  push(one("gray with red and blue exchanged", {0.114, 0.587, 0.299}, c));
  push(one("gray by ITU-R BT.709", {0.2126, 0.7152, 0.0722}, c));
  push(one("the mean of red, green and blue", {1.0 / 3, 1.0 / 3, 1.0 / 3}, c));
  for (const auto& [name, weights] :
       {std::pair<const char*, std::array<double, 3>>{"the red channel", {1, 0, 0}},
        {"the green channel", {0, 1, 0}},
        {"the blue channel", {0, 0, 1}}}) {
    Mixing channel = one(name, weights, c);
    channel.one_channel = true;
    push(std::move(channel));
  }
  return all;
}

ColorAnswer name_color(const Sums& sums, const Reference& reference, int picture_channels) {
  ColorAnswer answer;
  const Fit free = fit(sums);
  answer.free_residual = free.residual;
  const double limit = std::max(free.residual + kSameColor, free.residual * 1.12);
  const auto all = usual_mixings(reference, picture_channels);
  Mixing reversed = reference.mixing;
  std::reverse(reversed.rows.begin(), reversed.rows.end());
  bool own_fits = false, opposite_fits = false;
  Mixed nearest;
  nearest.residual = 1e300;
  for (const Mixing& m : all) {
    Mixed mixed{m, {}, {}, 0};
    std::vector<Line> lines;
    for (int c = 0; c < sums.channels; ++c) {
      auto weights = m.rows[c];
      if (picture_channels == 1) weights = {1, 0, 0};
      lines.push_back(fit(sums, c, weights));
      mixed.gain.push_back(lines.back().coefficients[0]);
      mixed.offset.push_back(lines.back().coefficients[1]);
    }
    mixed.residual = residual_of(sums, lines, free.response);
    const bool fits = mixed.residual <= limit;
    if (m == reference.mixing) own_fits = fits;
    else if (m == reversed) opposite_fits = fits;
    if (fits && !answer.named) {
      answer.chosen = mixed;
      answer.named = true;
    }
    if (mixed.residual < nearest.residual) nearest = mixed;
  }
  if (!answer.named) answer.chosen = nearest;
  answer.order_undecidable =
      reference.channels == 3 && (picture_channels == 1 || (own_fits && opposite_fits));
  return answer;
}

}  // namespace edgeprobe::diagnose
