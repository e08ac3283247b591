// SPDX-License-Identifier: Apache-2.0
#include "sensor/synthesis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "audio/signal.h"
#include "core/text.h"

namespace edgeprobe::sensor {
namespace {

Error usage(const std::string& what) { return {ErrorKind::kUsage, what}; }

/// The single number, or that of an axis.
double of_axis(const std::vector<double>& list, std::size_t axis) {
  return list.size() == 1 ? list.front() : list[axis];
}

Result<std::vector<double>> means(const std::vector<double>& in, double from, double to) {
  const double each = std::round(from / to);
  if (each < 1 || std::abs(from / to - each) > 1e-9 * each)
    return usage("rate: mean takes whole numbers of steps together, and " + number(from, 7) +
                 " Hz is not a multiple of " + number(to, 7));
  const auto n = static_cast<std::size_t>(each);
  std::vector<double> out(in.size() / n);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t k = 0; k < n; ++k) out[i] += in[i * n + k];
    out[i] /= each;
  }
  return out;
}

Result<std::vector<double>> column_at_rate(const std::vector<double>& in, double from, double to,
                                           Kernel kernel) {
  switch (kernel) {
    case Kernel::kMean: return means(in, from, to);
    case Kernel::kNearest: return audio::resampled(in, from, to, audio::Kernel::kNearest);
    case Kernel::kPoly: return audio::resampled(in, from, to, audio::Kernel::kPoly);
    case Kernel::kSinc: return audio::resampled(in, from, to, audio::Kernel::kSinc);
    case Kernel::kSoxr: return audio::resampled(in, from, to, audio::Kernel::kSoxr);
    case Kernel::kLinear: break;
  }
  return audio::resampled(in, from, to, audio::Kernel::kLinear);
}

std::ptrdiff_t begin_of(std::size_t steps, const FrontEnd& f) {
  const std::ptrdiff_t free =
      static_cast<std::ptrdiff_t>(steps) - static_cast<std::ptrdiff_t>(f.length);
  return f.offset + (f.at_end ? free : 0);
}

/// The step at position `t` of the app's window: `newest_first` reverses the order, `roll` shifts
/// it.
std::size_t shown(std::size_t t, std::size_t length, const FrontEnd& f) {
  if (f.newest_first) t = length - 1 - t;
  const auto roll = static_cast<std::ptrdiff_t>(f.roll), n = static_cast<std::ptrdiff_t>(length);
  return static_cast<std::size_t>(((static_cast<std::ptrdiff_t>(t) + roll) % n + n) % n);
}

bool is_read(std::size_t t, const FrontEnd& f) {
  return f.kept <= 0 || t < static_cast<std::size_t>(f.kept);
}

void normalise_by_own(Table& table, const FrontEnd& f) {
  const std::size_t groups = f.over_all ? 1 : table.axes;
  for (std::size_t g = 0; g < groups; ++g) {
    double sum = 0, least = std::numeric_limits<double>::infinity(), most = -least;
    std::size_t count = 0;
    const auto each = [&](auto&& visit) {
      for (std::size_t t = 0; t < table.steps; ++t)
        for (std::size_t a = 0; a < table.axes; ++a)
          if (f.over_all || a == g) visit(table.at(t, a));
    };
    each([&](double& value) {
      sum += value;
      least = std::min(least, value);
      most = std::max(most, value);
      ++count;
    });
    const double mean = sum / static_cast<double>(count);
    double squares = 0;
    each([&](double& value) { squares += (value - mean) * (value - mean); });
    const bool of_sample = f.own == Own::kMeanAndSampleVariance && count > 1;
    const double deviation = std::sqrt(squares / static_cast<double>(count - (of_sample ? 1 : 0)));
    const double low = f.own == Own::kRange ? least : mean;
    double unit = f.own == Own::kRange                          ? most - least
                  : f.own == Own::kMeanAndVariance || of_sample ? deviation
                                                                : 1;
    if (!(unit > 0)) unit = 1;  // A constant axis becomes 0, not NaN.
    each([&](double& value) { value = (value - low) / unit; });
  }
}

Table axes_taken(const Table& from, const std::vector<Axis>& axes) {
  if (axes.empty()) return from;
  Table out{from.steps, axes.size(), std::vector<double>(from.steps * axes.size())};
  for (std::size_t t = 0; t < from.steps; ++t)
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const double value = from.at(t, static_cast<std::size_t>(axes[a].of));
      out.at(t, a) = axes[a].negative ? -value : value;
    }
  return out;
}

}  // namespace

Status check(const FrontEnd& f) {
  if (f.kept > f.length) return usage("window: kept is above the window's length");
  if (f.length == 0 && (f.offset != 0 || f.roll != 0))
    return usage("window: give its length in steps");
  std::size_t axes = f.axes_last ? 0 : f.axes.size();
  for (const auto* list : {&f.scale, &f.mean, &f.std}) {
    if (list->size() == 1) continue;
    if (axes != 0 && list->size() != axes)
      return usage("a list has " + std::to_string(list->size()) + " numbers, and there are " +
                   std::to_string(axes) + " axes");
    axes = list->size();
  }
  return {};
}

Result<Table> at_rate(const Series& series, const FrontEnd& f) {
  const auto axes = static_cast<std::size_t>(series.axes);
  Table table{series.steps(), axes, {series.values.begin(), series.values.end()}};
  if (f.rate <= 0) return table;
  const double from = f.believed > 0 ? f.believed : series.rate;
  if (from <= 0)
    return usage("rate: the readings do not say their rate: give rate(" + number(f.rate, 7) +
                 ", from=HZ)");
  if (from == f.rate) return table;
  if (static_cast<double>(table.values.size()) * f.rate / from > static_cast<double>(kMostValues))
    return Error{ErrorKind::kLimit, "rate: that many steps are not made: cut the readings"};
  Table out{0, axes, {}};
  std::vector<double> column(table.steps);
  for (std::size_t a = 0; a < axes; ++a) {
    for (std::size_t t = 0; t < table.steps; ++t) column[t] = table.at(t, a);
    EP_TRY(auto made, column_at_rate(column, from, f.rate, f.kernel));
    if (a == 0) {
      out.steps = made.size();
      out.values.resize(out.steps * axes);
    }
    for (std::size_t t = 0; t < out.steps; ++t) out.at(t, a) = made[t];
  }
  return out;
}

std::vector<bool> filled_steps(std::size_t steps, const FrontEnd& f) {
  const auto length = f.length > 0 ? static_cast<std::size_t>(f.length) : steps;
  const std::ptrdiff_t begin = f.length > 0 ? begin_of(steps, f) : 0;
  std::vector<bool> filled(length);
  for (std::size_t t = 0; t < length; ++t) {
    const std::ptrdiff_t from = begin + static_cast<std::ptrdiff_t>(shown(t, length, f));
    filled[t] = !is_read(t, f) || from < 0 || from >= static_cast<std::ptrdiff_t>(steps);
  }
  return filled;
}

Result<Table> window_of(const Table& all, const FrontEnd& f) {
  if (all.steps == 0) return usage("no step of the readings is left at that rate");
  if (f.length <= 0 && !f.newest_first) return all;
  const auto length = f.length > 0 ? static_cast<std::size_t>(f.length) : all.steps;
  if (length > kMostValues / all.axes)
    return Error{ErrorKind::kLimit, "window: that many steps are not made"};
  const std::ptrdiff_t begin = f.length > 0 ? begin_of(all.steps, f) : 0;
  const auto filled = filled_steps(all.steps, f);
  if (f.fill == Fill::kRefuse && std::find(filled.begin(), filled.end(), true) != filled.end())
    return usage("window: it wants steps " + std::to_string(begin) + " to " +
                 std::to_string(begin + static_cast<std::ptrdiff_t>(length) - 1) + " of " +
                 std::to_string(all.steps) +
                 ": record more of them, or say what fills it (fill=zero, fill=edge)");
  Table out{length, all.axes, std::vector<double>(length * all.axes)};
  for (std::size_t t = 0; t < length; ++t) {
    if (filled[t] && f.fill != Fill::kEdge) continue;
    // Unread positions repeat the last step that is read.
    const std::size_t place = is_read(t, f) ? t : static_cast<std::size_t>(f.kept - 1);
    const std::ptrdiff_t from =
        std::clamp(begin + static_cast<std::ptrdiff_t>(shown(place, length, f)), std::ptrdiff_t{0},
                   static_cast<std::ptrdiff_t>(all.steps) - 1);
    for (std::size_t a = 0; a < all.axes; ++a)
      out.at(t, a) = all.at(static_cast<std::size_t>(from), a);
  }
  return out;
}

Result<Table> values_of(const Table& window, const FrontEnd& f) {
  for (const Axis& axis : f.axes)
    if (static_cast<std::size_t>(axis.of) >= window.axes)
      return usage("axes: the readings have " + std::to_string(window.axes) +
                   " axes, and one called a" + std::to_string(axis.of) + " is wanted");
  Table table = f.axes_last ? window : axes_taken(window, f.axes);
  for (const auto* list : {&f.scale, &f.mean, &f.std})
    if (list->size() != 1 && list->size() != table.axes)
      return usage("a list has " + std::to_string(list->size()) + " numbers, and there are " +
                   std::to_string(table.axes) + " axes");
  for (std::size_t t = 0; t < table.steps; ++t)
    for (std::size_t a = 0; a < table.axes; ++a)
      table.at(t, a) =
          (table.at(t, a) * of_axis(f.scale, a) - of_axis(f.mean, a)) / of_axis(f.std, a);
  if (f.own != Own::kNone) normalise_by_own(table, f);
  return f.axes_last ? axes_taken(table, f.axes) : table;
}

Result<Table> features(const Series& series, const FrontEnd& f) {
  auto all = at_rate(series, f);
  if (!all) return all;
  auto window = window_of(*all, f);
  if (!window) return window;
  auto values = values_of(*window, f);
  if (!values || f.fill != Fill::kZeroLast) return values;
  const auto filled = filled_steps(all->steps, f);
  for (std::size_t t = 0; t < values->steps; ++t)
    for (std::size_t a = 0; filled[t] && a < values->axes; ++a) values->at(t, a) = 0;
  return values;
}

}  // namespace edgeprobe::sensor
