// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/members.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "diagnose/sensor/problem.h"
#include "preprocess/recipe/recipe.h"

namespace edgeprobe::diagnose::sensor {
namespace {

using edgeprobe::sensor::FrontEnd;

/// The inside of the step that a front end with these members alone has; `none` where it has no
/// such step.
template <class Copy>
std::string step_inside(const FrontEnd& f, const char* step, const char* none, Copy copy) {
  FrontEnd alone;
  copy(alone, f);
  const std::string front = std::string(step) + "(";
  for (const auto& spelled : preprocess::spelled(preprocess::recipe_of(short_form(alone))))
    if (spelled.text.compare(0, front.size(), front) == 0 && spelled.text != "axes(all)")
      return spelled.text.substr(front.size(), spelled.text.size() - front.size() - 1);
  return none;
}

void copy_axes(FrontEnd& to, const FrontEnd& from) {
  to.axes = from.axes;
  to.axes_last = from.axes_last;
}
void copy_unit(FrontEnd& to, const FrontEnd& from) { to.scale = from.scale; }
void copy_rate(FrontEnd& to, const FrontEnd& from) {
  to.rate = from.rate;
  to.believed = from.believed;
  to.kernel = from.kernel;
}
void copy_window(FrontEnd& to, const FrontEnd& from) {
  to.length = from.length;
  to.offset = from.offset;
  to.at_end = from.at_end;
  to.fill = from.fill;
  to.roll = from.roll;
  to.kept = from.kept;
  to.newest_first = from.newest_first;
}
void copy_norm(FrontEnd& to, const FrontEnd& from) {
  to.mean = from.mean;
  to.std = from.std;
  to.own = from.own;
  to.over_all = from.over_all;
}
void copy_codes(FrontEnd& to, const FrontEnd& from) {
  to.quantize = from.quantize;
  to.code_scale = from.code_scale;
  to.code_zero = from.code_zero;
  to.codes = from.codes;
  to.sign_flipped = from.sign_flipped;
}

std::string axes_text(const FrontEnd& f) { return step_inside(f, "axes", "all", copy_axes); }
std::string unit_text(const FrontEnd& f) { return step_inside(f, "scale", "1", copy_unit); }
std::string rate_text(const FrontEnd& f) {
  return step_inside(f, "rate", "as recorded", copy_rate);
}
std::string window_text(const FrontEnd& f) { return step_inside(f, "window", "all", copy_window); }
std::string norm_text(const FrontEnd& f) { return step_inside(f, "normalize", "none", copy_norm); }
std::string codes_text(const FrontEnd& f) { return step_inside(f, "quantize", "none", copy_codes); }
std::string layout_text(const FrontEnd& f) { return f.axes_first ? "axes first" : "steps first"; }

/// " (m/s² for g)" where the app's factor is so many times the reference's.
std::string unit_words(const FrontEnd& app, const FrontEnd& reference) {
  struct Named {
    double ratio;
    const char *one, *other;
  };
  static constexpr std::array kNamed{Named{9.80665, "m/s²", "g"}, Named{9.81, "m/s²", "g"},
                                     Named{9.8, "m/s²", "g"},
                                     Named{180 / 3.14159265358979323846, "degrees", "radians"},
                                     Named{1000, "thousandths", "whole units"}};
  double ratio = 1;
  for (std::size_t a = 0; a < app.scale.size() && a < reference.scale.size(); ++a)
    if (app.scale[a] != reference.scale[a]) ratio = app.scale[a] / reference.scale[a];
  for (const Named& named : kNamed) {
    if (std::abs(ratio / named.ratio - 1) < 1e-9)
      return std::string(" (") + named.one + " for " + named.other + ")";
    if (std::abs(ratio * named.ratio - 1) < 1e-9)
      return std::string(" (") + named.other + " for " + named.one + ")";
  }
  return "";
}

template <auto copy>
bool same_by(const FrontEnd& a, const FrontEnd& b) {
  FrontEnd with = a;
  copy(with, b);
  return short_form(with) == short_form(a);
}
/// Lists belong to the order that the axes are taken in, so they go with them.
bool other_order(const FrontEnd& a, const FrontEnd& b) { return a.axes_last != b.axes_last; }

constexpr std::array<Kind, 7> kKinds{{
    {"axes", CauseKind::kAxisOrder, "axes are", same_by<copy_axes>, copy_axes, axes_text},
    {"unit", CauseKind::kUnit, "factor to the unit is",
     [](const FrontEnd& a, const FrontEnd& b) {
       return other_order(a, b) || same_by<copy_unit>(a, b);
     },
     copy_unit, unit_text},
    {"rate", CauseKind::kSampleRate, "sampling rate is", same_by<copy_rate>, copy_rate, rate_text},
    {"window", CauseKind::kWindow, "window is", same_by<copy_window>, copy_window, window_text},
    {"normalisation", CauseKind::kFeatureNormalization, "normalisation is",
     [](const FrontEnd& a, const FrontEnd& b) {
       return other_order(a, b) ? a.own == b.own && a.over_all == b.over_all
                                : same_by<copy_norm>(a, b);
     },
     copy_norm, norm_text},
    {"layout", CauseKind::kLayout, "layout is",
     [](const FrontEnd& a, const FrontEnd& b) { return a.axes_first == b.axes_first; },
     [](FrontEnd& to, const FrontEnd& from) { to.axes_first = from.axes_first; }, layout_text},
    {"codes", CauseKind::kInputQuantization, "quantisation is", same_by<copy_codes>, copy_codes,
     codes_text},
}};

}  // namespace

std::span<const Kind> kinds() { return kKinds; }

std::set<std::string> kinds_between(const FrontEnd& a, const FrontEnd& b) {
  return kinds_that_differ(kinds(), a, b);
}

FrontEnd with_kind_of(FrontEnd from, const FrontEnd& other, const Kind& kind) {
  if (kind.cause == CauseKind::kAxisOrder && from.axes_last != other.axes_last) {
    copy_unit(from, other);
    copy_norm(from, other);
  }
  kind.copy(from, other);
  return from;
}

std::string described(const FrontEnd& app, const FrontEnd& reference, const Kind& kind) {
  return std::string("the app's ") + kind.noun + " " + kind.text(app) + "; the reference's " +
         (std::string(kind.noun).ends_with("are") ? "are " : "is ") + kind.text(reference) +
         (kind.cause == CauseKind::kUnit ? unit_words(app, reference) : "");
}

}  // namespace edgeprobe::diagnose::sensor
