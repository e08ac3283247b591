// SPDX-License-Identifier: Apache-2.0
#include "diagnose/preprocessing/model/geometry.h"

#include <algorithm>
#include <cmath>

#include "preprocess/picture/geometry.h"

namespace edgeprobe::diagnose {
namespace {

using preprocess::BandedMatrix;

BandedMatrix identity(int n) {
  BandedMatrix m{n, n, 1, std::vector<int>(std::size_t(n)),
                 std::vector<double>(std::size_t(n), 1.0)};
  for (int i = 0; i < n; ++i) m.first[std::size_t(i)] = i;
  return m;
}

/// The matrix with its outputs in reverse order.
BandedMatrix reversed(const BandedMatrix& m) {
  BandedMatrix r = m;
  for (int i = 0; i < m.out; ++i) {
    const int from = m.out - 1 - i;
    r.first[std::size_t(i)] = m.first[std::size_t(from)];
    std::copy_n(m.weight.begin() + std::ptrdiff_t(from) * m.taps, m.taps,
                r.weight.begin() + std::ptrdiff_t(i) * m.taps);
  }
  return r;
}

BandedMatrix part(const BandedMatrix& m, int begin, int count) {
  BandedMatrix r{m.in, count, m.taps, {}, {}};
  r.first.assign(m.first.begin() + begin, m.first.begin() + begin + count);
  r.weight.assign(m.weight.begin() + std::ptrdiff_t(begin) * m.taps,
                  m.weight.begin() + std::ptrdiff_t(begin + count) * m.taps);
  return r;
}

/// Product: `second` applied to the result of `first`.
BandedMatrix after(const BandedMatrix& second, const BandedMatrix& first) {
  BandedMatrix r{first.in, second.out, 1, std::vector<int>(std::size_t(second.out)), {}};
  std::vector<std::vector<double>> dense(std::size_t(second.out));
  for (int i = 0; i < second.out; ++i) {
    int low = first.in, high = 0;
    for (int k = 0; k < second.taps; ++k) {
      const double w = second.weight[std::size_t(i) * second.taps + k];
      if (w == 0) continue;
      const int j = second.first[std::size_t(i)] + k;
      low = std::min(low, first.first[std::size_t(j)]);
      high = std::max(high, first.first[std::size_t(j)] + first.taps);
    }
    if (high <= low) {
      low = 0;
      high = 1;
    }
    auto& row = dense[std::size_t(i)];
    row.assign(std::size_t(high - low), 0.0);
    for (int k = 0; k < second.taps; ++k) {
      const double w = second.weight[std::size_t(i) * second.taps + k];
      if (w == 0) continue;
      const int j = second.first[std::size_t(i)] + k;
      for (int t = 0; t < first.taps; ++t)
        row[std::size_t(first.first[std::size_t(j)] + t - low)] +=
            w * first.weight[std::size_t(j) * first.taps + t];
    }
    r.first[std::size_t(i)] = low;
    r.taps = std::max(r.taps, high - low);
  }
  r.weight.assign(std::size_t(r.out) * r.taps, 0.0);
  for (int i = 0; i < r.out; ++i) {
    // A padded row must stay inside the input.
    const int low = std::min(r.first[std::size_t(i)], r.in - r.taps);
    const int shift = r.first[std::size_t(i)] - low;
    r.first[std::size_t(i)] = low;
    std::copy(dense[std::size_t(i)].begin(), dense[std::size_t(i)].end(),
              r.weight.begin() + std::ptrdiff_t(i) * r.taps + shift);
  }
  return r;
}

BandedMatrix chain(const BandedMatrix& second, const BandedMatrix& first, bool first_is_identity) {
  return first_is_identity ? second : after(second, first);
}

/// State of the content while the steps are processed; rows and columns refer to the oriented
/// picture.
struct State {
  Orientation turned = 0;
  BandedMatrix rows, columns;
  bool plain_rows = true, plain_columns = true;  ///< True while still the identity.
};

void turn(State& state, Orientation o) {
  if (o & 4) {
    state.columns = reversed(state.columns);
    state.plain_columns = false;
  }
  for (int k = 0; k < (o & 3); ++k) {
    // Clockwise: new row i is old column i, new column j is old row H-1-j.
    std::swap(state.rows, state.columns);
    state.columns = reversed(state.columns);
    state.turned = state.turned == 0 ? 7 : 0;
  }
  if (o & 3) state.plain_rows = state.plain_columns = false;
}

/// Moves the source of each output up by `by` places; `edge` defines values beyond the ends.
BandedMatrix shifted(const BandedMatrix& m, int by, preprocess::Shift::Edge edge) {
  BandedMatrix r = m;
  for (int i = 0; i < m.out; ++i) {
    int from = i - by;
    const bool outside = from < 0 || from >= m.out;
    from = edge == preprocess::Shift::Edge::kWrap ? ((from % m.out) + m.out) % m.out
                                                  : std::clamp(from, 0, m.out - 1);
    r.first[std::size_t(i)] = m.first[std::size_t(from)];
    const auto to = r.weight.begin() + std::ptrdiff_t(i) * m.taps;
    if (outside && edge == preprocess::Shift::Edge::kBlack) std::fill_n(to, m.taps, 0.0);
    else std::copy_n(m.weight.begin() + std::ptrdiff_t(from) * m.taps, m.taps, to);
  }
  return r;
}

/// Turns the frame together with its bars.
void turn_frame(Geometry& out, Orientation o, int content_height, int content_width) {
  if (o & 4) out.left = out.width - out.left - content_width;
  for (int k = 0; k < (o & 3); ++k) {
    const int top = out.left, left = out.height - out.top - content_height;
    std::swap(out.height, out.width);
    std::swap(content_height, content_width);
    out.top = top;
    out.left = left;
  }
}

void resize(State& state, const preprocess::Resampling& resampling, int height, int width) {
  auto both = preprocess::resizer(resampling, state.rows.out, state.columns.out, height, width);
  state.rows = chain(both.rows, state.rows, state.plain_rows);
  state.columns = chain(both.columns, state.columns, state.plain_columns);
  state.plain_rows = state.plain_columns = false;
}

}  // namespace

bool is_geometric(const preprocess::Step& step) {
  return orientation_of(step) || std::holds_alternative<preprocess::Crop>(step) ||
         std::holds_alternative<preprocess::Resize>(step) ||
         std::holds_alternative<preprocess::Letterbox>(step) ||
         std::holds_alternative<preprocess::Shift>(step);
}

std::optional<Geometry> geometry(const std::vector<preprocess::Step>& steps, int height,
                                 int width) {
  State state{0, identity(height), identity(width)};
  Geometry out;
  bool boxed = false;
  for (const auto& step : steps) {
    if (!is_geometric(step)) continue;
    const int h = state.rows.out, w = state.columns.out;
    if (const auto o = orientation_of(step)) {
      if (boxed) turn_frame(out, *o, h, w);
      turn(state, *o);
      continue;
    }
    if (boxed) return std::nullopt;
    if (const auto* move = std::get_if<preprocess::Shift>(&step)) {
      state.rows = shifted(state.rows, move->down, move->edge);
      state.columns = shifted(state.columns, move->right, move->edge);
      state.plain_rows = state.plain_columns = false;
    } else if (const auto* crop = std::get_if<preprocess::Crop>(&step)) {
      const auto box = preprocess::crop_window(*crop, h, w);
      if (box.top < 0 || box.left < 0 || box.height < 1 || box.width < 1 ||
          box.height > h - box.top || box.width > w - box.left)
        return std::nullopt;
      state.rows = part(state.rows, box.top, box.height);
      state.columns = part(state.columns, box.left, box.width);
      state.plain_rows = state.plain_columns = false;
    } else if (const auto* to = std::get_if<preprocess::Resize>(&step)) {
      const auto size = preprocess::resized_extent(*to, h, w);
      if (!size || size->height < 1 || size->width < 1) return std::nullopt;
      resize(state, to->resampling, size->height, size->width);
    } else if (const auto* bars = std::get_if<preprocess::Letterbox>(&step)) {
      if (bars->height < 1 || bars->width < 1) return std::nullopt;
      const auto inside = preprocess::letterbox_window(*bars, h, w);
      resize(state, bars->resampling, inside.height, inside.width);
      out.top = inside.top;
      out.left = inside.left;
      out.height = bars->height;
      out.width = bars->width;
      out.fill = bars->fill;
      out.channel_fill = bars->channel_fill;
      boxed = true;
    }
  }
  out.turned = state.turned;
  out.rows = std::move(state.rows);
  out.columns = std::move(state.columns);
  if (!boxed) {
    out.height = out.rows.out;
    out.width = out.columns.out;
  }
  return out;
}

preprocess::BandedMatrix in_cells(const BandedMatrix& matrix, int offset, int full, int cells,
                                  std::vector<float>& coverage) {
  auto area = preprocess::resampling_matrix({preprocess::Kernel::kArea}, full, cells);
  BandedMatrix inside{matrix.out, cells, std::min(area.taps, matrix.out), {}, {}};
  inside.weight.assign(std::size_t(cells) * inside.taps, 0.0);
  coverage.assign(std::size_t(cells), 0.f);
  for (int i = 0; i < cells; ++i) {
    const int first = area.first[std::size_t(i)] - offset;
    const int at = std::clamp(first, 0, matrix.out - inside.taps);
    inside.first.push_back(at);
    for (int k = 0; k < area.taps; ++k) {
      const int j = first + k - at;
      const double w = area.weight[std::size_t(i) * area.taps + k];
      if (first + k < 0 || first + k >= matrix.out || j < 0 || j >= inside.taps) continue;
      inside.weight[std::size_t(i) * inside.taps + j] = w;
      coverage[std::size_t(i)] += float(w);
    }
  }
  return after(inside, matrix);
}

std::vector<preprocess::Step> with_resampling(std::vector<preprocess::Step> steps,
                                              const preprocess::Resampling& resampling,
                                              preprocess::Rounding rounding) {
  for (auto& step : steps) {
    if (auto* resize_step = std::get_if<preprocess::Resize>(&step)) {
      resize_step->resampling = resampling;
      resize_step->rounding = rounding;
    } else if (auto* bars = std::get_if<preprocess::Letterbox>(&step)) {
      bars->resampling = resampling;
      bars->rounding = rounding;
    }
  }
  return steps;
}

}  // namespace edgeprobe::diagnose
