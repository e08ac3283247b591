// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/ranges.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::Normalize;
using preprocess::Scale;
using preprocess::Step;

/// A usual map from pixels to real values, one line per channel.
struct Habit {
  std::string name;
  std::vector<double> gain, offset;
  std::vector<Step> steps;
  bool composed = false;
  bool rare = false;
  bool bounds = false, video_levels = false;  ///< See Range.
};

Habit habit(std::string name, const std::vector<double>& mean, const std::vector<double>& std_,
            int channels, std::vector<Step> steps) {
  Habit h{std::move(name), {}, {}, std::move(steps), false, false};
  for (int c = 0; c < channels; ++c) {
    const double m = mean.size() == 1 ? mean[0] : mean[c], s = std_.size() == 1 ? std_[0] : std_[c];
    h.gain.push_back(1 / s);
    h.offset.push_back(-m / s);
  }
  return h;
}

std::vector<Habit> habits(int channels) {
  const auto one = [&](std::string name, double mean, double std_, std::vector<Step> steps) {
    return habit(std::move(name), {mean}, {std_}, channels, std::move(steps));
  };
  const auto bounds = [](Habit h) {
    h.bounds = true;
    return h;
  };
  const auto rare = [](Habit h) {
    h.rare = true;
    return h;
  };
  std::vector<Habit> all;
  all.push_back(bounds(one("0..1", 0, 255, {Scale{0, 1}})));
  all.push_back(bounds(one("-1..1", 127.5, 127.5, {Scale{-1, 1}})));
  all.push_back(bounds(one("0..255", 0, 1, {})));
  all.push_back(rare(one("(x - 128)/128", 128, 128, {Normalize{{128}, {128}}})));
  all.push_back(rare(one("(x - 127)/128", 127, 128, {Normalize{{127}, {128}}})));
  all.push_back(rare(one("(x - 127.5)/128", 127.5, 128, {Normalize{{127.5}, {128}}})));
  all.push_back(rare(one("x/256", 0, 256, {Normalize{{0}, {256}}})));
  all.push_back(bounds(one("-0.5..0.5", 127.5, 255, {Scale{-0.5, 0.5}})));
  all.push_back(one("x - 128", 128, 1, {Normalize{{128}, {1}}}));
  all.push_back(rare(one("x - 127.5", 127.5, 1, {Normalize{{127.5}, {1}}})));
  all.push_back(one("0..1 applied twice", 0, 255.0 * 255, {Scale{0, 1}, Scale{0, 1}}));
  all.push_back(one("-1..1 applied twice", 127.5 + 127.5 * 127.5, 127.5 * 127.5,
                    {Scale{-1, 1}, Scale{-1, 1}}));
  all.push_back(
      one("-1..1 applied to 0..1", 127.5 * 255, 127.5 * 255, {Scale{0, 1}, Scale{-1, 1}}));
  all.push_back(one("0..1 applied to -1..1", 127.5, 127.5 * 255, {Scale{-1, 1}, Scale{0, 1}}));
  if (channels == 3) {
    const std::vector<double> m = {123.675, 116.28, 103.53}, s = {58.395, 57.12, 57.375};
    const std::vector<double> mr(m.rbegin(), m.rend()), sr(s.rbegin(), s.rend());
    const std::vector<double> caffe = {123.68, 116.779, 103.939},
                              caffe_r = {103.939, 116.779, 123.68};
    std::vector<double> small_m, small_s;
    for (int c = 0; c < 3; ++c) {
      small_m.push_back(m[c] / 255);
      small_s.push_back(s[c] / 255);
    }
    all.push_back(habit("ImageNet mean and std", m, s, 3, {Normalize{m, s}}));
    all.push_back(habit("ImageNet mean and std in B, G, R order", mr, sr, 3, {Normalize{mr, sr}}));
    all.push_back(habit("Caffe means (R, G, B)", caffe, {1}, 3, {Normalize{caffe, {1}}}));
    all.push_back(habit("Caffe means (B, G, R)", caffe_r, {1}, 3, {Normalize{caffe_r, {1}}}));
    all.push_back(habit("ImageNet mean and std without the division by 255", small_m, small_s, 3,
                        {Normalize{small_m, small_s}}));
  } else {
    all.push_back(
        one("MNIST mean and std", 0.1307 * 255, 0.3081 * 255, {Normalize{{33.3285}, {78.5655}}}));
  }
  return all;
}

/// "127" or "(123.675, 116.28, 103.53)".
std::string values_text(const std::vector<double>& values) {
  std::string text;
  for (double v : values) text += (text.empty() ? "" : ", ") + number(v, 6);
  return values.size() == 1 ? text : "(" + text + ")";
}

/// The reference's own mean and deviation applied only in part, in the wrong order or in the wrong
/// units; without those in `known`.
std::vector<Habit> own_by_halves(const Habit& own, const std::vector<Habit>& known) {
  const std::size_t channels = own.gain.size();
  std::vector<double> mean, deviation;
  for (std::size_t c = 0; c < channels; ++c) {
    mean.push_back(-own.offset[c] / own.gain[c]);
    deviation.push_back(1 / own.gain[c]);
  }
  const auto even = [](const std::vector<double>& v) {
    return std::all_of(v.begin(), v.end(), [&](double x) {
      return std::abs(x - v[0]) <= 1e-9 * std::max(1.0, std::abs(v[0]));
    });
  };
  const auto scaled = [](std::vector<double> v, double by) {
    for (double& x : v) x *= by;
    return v;
  };
  std::vector<Habit> all;
  const auto add = [&](std::string name, std::vector<double> m, std::vector<double> s) {
    if (even(m)) m.resize(1);
    if (even(s)) s.resize(1);
    Habit next = habit(std::move(name), m, s, int(channels), {Normalize{m, s}});
    const auto alike = [&](const Habit& other) {
      bool same = true;
      for (std::size_t c = 0; c < channels; ++c)
        same = same && std::abs(next.gain[c] / other.gain[c] - 1) < 1e-6 &&
               std::abs(next.offset[c] - other.offset[c]) < 1e-6 * std::abs(255 * other.gain[c]);
      return same;
    };
    if (!alike(own) && std::none_of(known.begin(), known.end(), alike) &&
        std::none_of(all.begin(), all.end(), alike))
      all.push_back(std::move(next));
  };
  std::vector<double> m = mean, s = deviation;
  if (even(m)) m.resize(1);
  if (even(s)) s.resize(1);
  add("x - " + values_text(m) + ", not divided by " + values_text(s), mean, {1});
  add("x/" + values_text(s) + ", the mean " + values_text(m) + " not subtracted", {0}, deviation);
  const std::vector<double> mean_back(mean.rbegin(), mean.rend()),
      deviation_back(deviation.rbegin(), deviation.rend());
  add("the reference's mean and std in reverse order", mean_back, deviation_back);
  add("the reference's mean and std of 0..1 on pixels 0..255", scaled(mean, 1 / 255.0),
      scaled(deviation, 1 / 255.0));
  add("the reference's on pixels already divided by 255", scaled(mean, 255),
      scaled(deviation, 255));
  // x/255 - mean/std: without parentheses only the mean is divided by the deviation.
  std::vector<double> shifted, unshifted;
  for (std::size_t c = 0; c < channels; ++c) {
    shifted.push_back(255 * mean[c] / deviation[c]);
    unshifted.push_back(mean[c] / deviation[c]);
  }
  add("x/255 - mean/std for (x/255 - mean)/std (without parentheses)", shifted, {255});
  add("x - mean/std for (x - mean)/std (without parentheses)", unshifted, {1});
  std::vector<double> twice_mean, twice_deviation;
  for (std::size_t c = 0; c < channels; ++c) {
    twice_mean.push_back(mean[c] + deviation[c] * mean[c]);
    twice_deviation.push_back(deviation[c] * deviation[c]);
  }
  add("the reference's applied twice", twice_mean, twice_deviation);
  return all;
}

/// `h` after a conversion of the pixels to or from video levels: x' = gain x + offset.
Habit behind(const Habit& h, std::string name, double gain, double offset,
             std::vector<Step> first) {
  Habit both{std::move(name), {}, {}, std::move(first), true, false};
  both.video_levels = true;
  for (std::size_t c = 0; c < h.gain.size(); ++c) {
    both.gain.push_back(h.gain[c] * gain);
    both.offset.push_back(h.offset[c] + h.gain[c] * offset);
  }
  both.steps.insert(both.steps.end(), h.steps.begin(), h.steps.end());
  return both;
}

Range stored(const Habit& h, const Reference& reference) {
  Range r{h.name,    CauseKind::kValueRange, {}, {}, h.steps, std::nullopt, false, false, h.rare,
          h.composed};
  r.bounds = h.bounds;
  r.video_levels = h.video_levels;
  for (std::size_t c = 0; c < h.gain.size(); ++c) {
    r.gain.push_back(h.gain[c] / reference.scale);
    r.offset.push_back(h.offset[c] / reference.scale + reference.zero_point);
  }
  return r;
}

Range quantized_as(const Reference& reference, std::string name, double scale, double zero_point) {
  Range r{std::move(name),
          CauseKind::kInputQuantization,
          {},
          {},
          reference.range_steps,
          preprocess::Quantize{},
          false,
          false,
          false,
          false};
  r.quantize->scale = scale;
  r.quantize->zero_point = int(std::lround(zero_point));
  for (std::size_t c = 0; c < reference.real_gain.size(); ++c) {
    r.gain.push_back(reference.real_gain[c] / scale);
    r.offset.push_back(reference.real_offset[c] / scale + zero_point);
  }
  return r;
}

void add_quantizations(std::vector<Range>& all, const Reference& reference) {
  if (!reference.coded || reference.target.quantization.empty()) return;
  const double z = reference.zero_point, s = reference.scale;
  const auto text = [](double v) { return number(v, 6); };
  std::vector<double> points;
  for (double p : {0.0, z - 128, z + 128, -z, 128.0, -128.0, 127.0})
    if (p != z && p >= reference.lowest && p <= reference.highest &&
        std::find(points.begin(), points.end(), p) == points.end())
      points.push_back(p);
  for (double p : points)
    all.push_back(
        quantized_as(reference, "zero point " + text(p) + " instead of " + text(z), s, p));
  for (double p : {z - 1, z + 1})
    if (p >= reference.lowest && p <= reference.highest &&
        std::find(points.begin(), points.end(), p) == points.end())
      all.push_back(
          quantized_as(reference, "zero point " + text(p) + " instead of " + text(z), s, p));
  for (double k : {1.0, 1.0 / 255, 1.0 / 256, 1.0 / 127, 1.0 / 127.5, 1.0 / 128, 2.0 / 255})
    if (std::abs(k / s - 1) > 0.02)
      all.push_back(quantized_as(reference, "scale " + text(k) + " instead of " + text(s), k, z));
  // Pixel bytes fed unchanged, or shifted to the signed range.
  Range raw{"the pixel bytes themselves",
            CauseKind::kInputQuantization,
            {},
            {},
            {},
            preprocess::Quantize{},
            false,
            false,
            false,
            false};
  raw.pixel_bytes = true;
  raw.quantize->scale = 1;
  raw.quantize->zero_point = reference.lowest < 0 ? -128 : 0;
  raw.gain.assign(reference.gain.size(), 1);
  raw.offset.assign(reference.gain.size(), reference.lowest < 0 ? -128 : 0);
  all.push_back(raw);
  // A difference of one code may be a decoder's bias or rounding of halves: it must fit the target
  // better than those.
  for (Range& range : all) {
    bool next = range.kind == CauseKind::kInputQuantization;
    for (std::size_t c = 0; c < range.gain.size(); ++c)
      next = next && std::abs(range.gain[c] / reference.gain[c] - 1) < 1e-3 &&
             std::abs(range.offset[c] - reference.offset[c]) < 1.5;
    range.rare = range.rare || next;
  }
}

}  // namespace

double distance(const Measured& measured, const Range& range) {
  double sum = 0;
  for (std::size_t c = 0; c < measured.gain.size(); ++c) {
    const double gain = measured.gain[c] - range.gain[c],
                 offset = measured.offset[c] - range.offset[c];
    const double squares =
        gain * gain * measured.square[c] + 2 * gain * offset * measured.mean[c] + offset * offset;
    sum += std::max(0.0, squares) / std::max(range.gain[c] * range.gain[c], 1e-300);
  }
  return std::sqrt(sum / double(std::max<std::size_t>(1, measured.gain.size())));
}

std::vector<Range> known_ranges(const Reference& reference) {
  std::vector<Range> all;
  Habit own{"", reference.real_gain, reference.real_offset, reference.range_steps, false, false};
  all.push_back(stored(own, reference));
  all.back().kind.reset();
  const auto plain = habits(int(reference.gain.size()));
  for (const Habit& h : plain) {
    if (h.gain == reference.real_gain && h.offset == reference.real_offset) {
      all.front().name = h.name;
      all.front().bounds = h.bounds;
    } else {
      all.push_back(stored(h, reference));
    }
  }
  for (const Habit& h : own_by_halves(own, plain)) all.push_back(stored(h, reference));
  add_quantizations(all, reference);
  std::vector<Habit> bases = {own};
  bases.insert(bases.end(), plain.begin(), plain.end());
  for (const Habit& h : bases) {
    const bool is_own = &h == &bases.front();
    const std::string behind_text = is_own ? "" : ", then " + h.name;
    all.push_back(stored(behind(h, "limited-range video levels (16..235)" + behind_text,
                                219.0 / 255, 16, {Scale{16, 235}}),
                         reference));
    all.push_back(
        stored(behind(h, "levels 16..235 stretched to 0..255" + behind_text, 255.0 / 219,
                      -16 * 255.0 / 219, {Scale{-16 * 255.0 / 219, 255 + 20 * 255.0 / 219}}),
               reference));
    if (is_own) {
      all[all.size() - 1].composed = all[all.size() - 2].composed = false;
    }
  }
  return all;
}

std::vector<Range> mixed_ranges(const Reference& reference) {
  std::vector<Range> all;
  if (reference.gain.size() != 3) return all;
  struct Triple {
    std::string name;
    std::vector<double> value;
  };
  std::vector<Triple> triples = {
      {"ImageNet mean", {123.675, 116.28, 103.53}},    {"ImageNet std", {58.395, 57.12, 57.375}},
      {"CIFAR-10 mean", {125.307, 122.961, 113.8575}}, {"CIFAR-10 std", {62.985, 62.08875, 66.708}},
      {"CLIP mean", {122.7709, 116.7460, 104.0937}},   {"CLIP std", {68.5005, 66.6322, 70.3232}},
      {"Caffe means", {123.68, 116.779, 103.939}}};
  bool uneven = false;
  Triple own_mean{"the reference's mean", {}}, own_std{"the reference's std", {}};
  for (std::size_t c = 0; c < 3; ++c) {
    own_mean.value.push_back(-reference.real_offset[c] / reference.real_gain[c]);
    own_std.value.push_back(1 / reference.real_gain[c]);
    uneven = uneven || std::abs(own_mean.value[c] - own_mean.value[0]) > 0.01 ||
             std::abs(own_std.value[c] / own_std.value[0] - 1) > 1e-4;
  }
  const auto is_known = [&](const Triple& t) {
    return std::any_of(triples.begin(), triples.end(), [&](const Triple& other) {
      for (std::size_t c = 0; c < 3; ++c)
        if (std::abs(other.value[c] - t.value[c]) > 1e-3) return false;
      return true;
    });
  };
  if (uneven && !is_known(own_mean)) triples.push_back(own_mean);
  if (uneven && !is_known(own_std)) triples.push_back(own_std);
  const auto orders = [&](std::vector<Triple> scalars) {
    constexpr std::array<std::array<int, 3>, 6> kOrders = {
        {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}}};
    static constexpr const char* kLetters = "RGB";
    for (const Triple& t : triples)
      for (const auto& order : kOrders) {
        Triple turned{t.name, {}};
        std::string letters;
        for (int i : order) {
          turned.value.push_back(t.value[std::size_t(i)]);
          letters += (letters.empty() ? "" : ", ") + std::string(1, kLetters[i]);
        }
        if (order[0] != 0 || order[1] != 1) turned.name += " in " + letters + " order";
        scalars.push_back(std::move(turned));
      }
    return scalars;
  };
  const auto same = [](std::string name, double v) { return Triple{std::move(name), {v, v, v}}; };
  const auto means = orders({same("mean 0", 0), same("mean 127.5", 127.5), same("mean 128", 128)});
  const auto stds = orders(
      {same("std 1", 1), same("std 255", 255), same("std 127.5", 127.5), same("std 128", 128)});
  for (const Triple& mean : means)
    for (const Triple& deviation : stds)
      all.push_back(stored(habit(mean.name + " with " + deviation.name, mean.value, deviation.value,
                                 3, {Normalize{mean.value, deviation.value}}),
                           reference));
  return all;
}

Range measured_range(const Measured& measured, const Reference& reference) {
  // The reference's gain with another offset: all codes are shifted.
  if (reference.coded && !reference.target.quantization.empty()) {
    double shift = 0, uneven = 0;
    for (std::size_t c = 0; c < measured.gain.size(); ++c) {
      const double x = measured.mean[c];
      const double d =
          (measured.gain[c] - reference.gain[c]) * x + measured.offset[c] - reference.offset[c];
      if (c == 0) shift = d;
      uneven = std::max({uneven, std::abs(d - shift) * reference.steps_per_unit(),
                         std::abs(measured.gain[c] / reference.gain[c] - 1) * 128});
    }
    const double zero_point = std::round(reference.zero_point + shift);
    if (uneven < 2 && zero_point >= reference.lowest && zero_point <= reference.highest)
      return quantized_as(
          reference,
          "zero point " + number(zero_point) + " instead of " + number(reference.zero_point),
          reference.scale, zero_point);
  }
  Range own;
  own.kind = CauseKind::kValueRange;
  own.gain = measured.gain;
  own.offset = measured.offset;
  Normalize line;
  for (std::size_t c = 0; c < measured.gain.size(); ++c) {
    const double gain = measured.gain[c] * reference.scale;
    const double offset = (measured.offset[c] - reference.zero_point) * reference.scale;
    line.mean.push_back(gain != 0 ? -offset / gain : 0);
    line.std.push_back(gain != 0 ? 1 / gain : 1);
    own.name += (c ? ", " : "") + std::string("x*") + number(gain, 4) +
                (offset < 0 ? " - " : " + ") + number(std::abs(offset), 4);
  }
  own.steps = {line};
  return own;
}

}  // namespace edgeprobe::diagnose
