// SPDX-License-Identifier: Apache-2.0
#include "diagnose/sensor/members.h"

#include <array>
#include <cmath>

#include "core/text.h"
#include "diagnose/sensor/problem.h"
#include "preprocess/recipe/readings_steps.h"
#include "recipe/read.h"

namespace edgeprobe::diagnose::sensor {
namespace {

using edgeprobe::sensor::FrontEnd;

/// " (m/s² for g)" if the app's factor is that multiple of the reference's.
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

/// Per-axis lists follow the order in which the axes are taken.
bool other_order(const FrontEnd& a, const FrontEnd& b) { return a.axes_last != b.axes_last; }

constexpr std::array<Kind, 7> kKinds{{
    {"axes", CauseKind::kAxisOrder, "axes", "axes are", "all"},
    {"unit", CauseKind::kUnit, "scale", "factor to the unit is", "1"},
    {"rate", CauseKind::kSampleRate, "rate", "sampling rate is", "as recorded"},
    {"window", CauseKind::kWindow, "window", "window is", "all"},
    {"normalisation", CauseKind::kFeatureNormalization, "normalize", "normalisation is", "none"},
    {"layout", CauseKind::kLayout, "layout", "layout is", "steps first"},
    {"codes", CauseKind::kInputQuantization, "quantize", "quantisation is", "none"},
}};

}  // namespace

std::span<const Kind> kinds() { return kKinds; }

void Kind::copy(FrontEnd& to, const FrontEnd& from) const {
  recipe::copy_step(*recipe::find_step(preprocess::readings_steps(), step), &to, &from);
}

bool Kind::same(const FrontEnd& a, const FrontEnd& b) const {
  if (cause == CauseKind::kLayout) return a.axes_first == b.axes_first;
  if (cause == CauseKind::kUnit && other_order(a, b)) return true;
  if (cause == CauseKind::kFeatureNormalization && other_order(a, b))
    return a.own == b.own && a.over_all == b.over_all;
  FrontEnd with = a;
  copy(with, b);
  return short_form(with) == short_form(a);
}

std::string Kind::text(const FrontEnd& f) const {
  if (cause == CauseKind::kLayout) return f.axes_first ? "axes first" : "steps first";
  FrontEnd alone;
  copy(alone, f);
  const std::string front = std::string(step) + "(";
  for (const auto& spelled : preprocess::spelled_readings(short_form(alone)))
    if (spelled.text.starts_with(front) && spelled.text != "axes(all)")
      return spelled.text.substr(front.size(), spelled.text.size() - front.size() - 1);
  return none;
}

std::vector<FrontEnd> with_each(const FrontEnd& from, const char* argument) {
  const recipe::Field& field = *recipe::find_field(preprocess::readings_steps(), argument);
  std::vector<FrontEnd> out;
  for (const recipe::Value& value : recipe::other_values(field)) {
    out.push_back(from);
    field.member.set(&out.back(), value);
  }
  return out;
}

std::set<std::string> kinds_between(const FrontEnd& a, const FrontEnd& b) {
  std::set<std::string> differing;
  for (const auto& member : kinds())
    if (!member.same(a, b)) differing.insert(member.name);
  return differing;
}

FrontEnd with_kind_of(FrontEnd from, const FrontEnd& other, const Kind& kind) {
  if (kind.cause == CauseKind::kAxisOrder && from.axes_last != other.axes_last)
    for (const Kind& one : kKinds)
      if (one.cause == CauseKind::kUnit || one.cause == CauseKind::kFeatureNormalization)
        one.copy(from, other);
  kind.copy(from, other);
  return from;
}

std::string described(const FrontEnd& app, const FrontEnd& reference, const Kind& kind) {
  return std::string("the app's ") + kind.noun + " " + kind.text(app) + "; the reference's " +
         (std::string(kind.noun).ends_with("are") ? "are " : "is ") + kind.text(reference) +
         (kind.cause == CauseKind::kUnit ? unit_words(app, reference) : "");
}

}  // namespace edgeprobe::diagnose::sensor
