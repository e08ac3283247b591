// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace edgeprobe::diagnose::state {
namespace {

Values doubles(const App::Buffer& buffer) { return {buffer.begin(), buffer.end()}; }

}  // namespace

Recording App::record() const {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 1);
  const auto n = static_cast<std::size_t>(width);
  const auto matrix = [&] {
    Buffer values(n * n);
    for (float& value : values) value = normal(random) * 0.4F;
    return values;
  };
  const Buffer of_h = matrix(), of_c = matrix(), of_x = matrix(), of_y = matrix();
  const auto times = [&](const Buffer& m, const Buffer& v, std::size_t row) {
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += m[row * n + i] * v[i];
    return sum;
  };
  Recording out;
  out.outputs = {{"y", {}}, {"h_out", {}}, {"c_out", {}}};
  out.states = {{"h", 1, shape, {}, Values(n, double(initial))},
                {"c", 2, shape, {}, Values(n, double(initial))}};
  const Buffer first(n, initial);
  Buffer h(n), c(n), h_out(n), c_out(n), y(n), x(n);
  std::vector<Buffer> h_all, c_all;
  int number = 0;
  for (const int length : lengths)
    for (int t = 0; t < length; ++t, ++number) {
      for (float& value : x) value = normal(random);
      h = t == 0 ? first : h_out;
      c = t == 0 ? first : c_out;
      Step step{number, t, t == 0, h, c, h_out, c_out, y, h_all, c_all};
      if (fault) fault(step);
      Buffer next_h(n), next_c(n);
      for (std::size_t i = 0; i < n; ++i) {
        next_c[i] = 0.6F * c[i] + std::tanh(times(of_x, x, i) + times(of_c, h, i));
        next_h[i] = std::tanh(next_c[i] + times(of_h, h, i));
        y[i] = times(of_y, h, i) + 0.3F * next_h[i];
      }
      out.frames.push_back(static_cast<std::uint32_t>(number));
      out.begins.push_back(t == 0);
      out.states[0].fed.emplace_back(doubles(h));
      out.states[1].fed.emplace_back(doubles(c));
      h_out = next_h;
      c_out = next_c;
      h_all.push_back(h_out);
      c_all.push_back(c_out);
      out.outputs[0].made.emplace_back(doubles(y));
      out.outputs[1].made.emplace_back(doubles(h_out));
      out.outputs[2].made.emplace_back(doubles(c_out));
    }
  return out;
}

Recording without(Recording recording, const std::vector<std::uint32_t>& frames) {
  for (const std::uint32_t frame : frames) {
    const auto at = std::find(recording.frames.begin(), recording.frames.end(), frame);
    if (at == recording.frames.end()) continue;
    const auto place = at - recording.frames.begin();
    recording.frames.erase(at);
    recording.begins.erase(recording.begins.begin() + place);
    for (Output& output : recording.outputs) output.made.erase(output.made.begin() + place);
    for (State& state : recording.states) state.fed.erase(state.fed.begin() + place);
  }
  return recording;
}

}  // namespace edgeprobe::diagnose::state
