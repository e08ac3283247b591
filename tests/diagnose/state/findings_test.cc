// SPDX-License-Identifier: Apache-2.0
#include "diagnose/state/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "diagnose/state/pairs.h"
#include "support.h"

namespace edgeprobe::diagnose::state {
namespace {

using Buffer = App::Buffer;
using Fault = std::function<void(App::Step&)>;

Findings planted(const Fault& fault, App app = {}) {
  app.fault = fault;
  return findings(app.record());
}

/// The only finding of a fault that has exactly one.
Finding only(const Findings& all) {
  EXPECT_EQ(all.found.size(), 1U);
  return all.found.empty() ? Finding{} : all.found.front();
}

using Steps = std::vector<std::size_t>;
const Steps kBoth{0, 1};

// Rounds without the library's tables: scales to whole numbers.
float rounded(float value, int bits) {
  if (value == 0) return 0;
  const int exponent = std::max(std::ilogb(value), -14);
  return static_cast<float>(
      std::ldexp(std::nearbyint(std::ldexp(double(value), bits - exponent)), exponent - bits));
}

void change(Buffer& values, const std::function<float(float)>& to) {
  for (float& value : values) value = to(value);
}

TEST(StateFindings, AreNoneInAHealthyApp) {
  for (unsigned seed = 0; seed < 30; ++seed)
    for (const float initial : {0.F, 0.25F}) {
      App app;
      app.seed = seed;
      app.initial = initial;
      app.lengths = {1, 5, 2, 12, 1, 3};
      const Findings all = findings(app.record());
      EXPECT_TRUE(all.found.empty());
      EXPECT_EQ(all.judged, 24U);
    }
}

TEST(StateFindings, NotFedBackIsAlwaysTheInitialValue) {
  for (const float initial : {0.F, 0.5F}) {
    App app;
    app.initial = initial;
    const Finding found = only(planted(
        [&](App::Step& s) {
          s.h.assign(12, initial);
          s.c.assign(12, initial);
        },
        app));
    EXPECT_EQ(found.change.source, Source::kInitial);
    EXPECT_EQ(found.extent, Extent::kEvery);
    EXPECT_EQ(found.states, kBoth);
    EXPECT_EQ(found.steps.front(), 1U);
    // An input that is never written again keeps its initial value.
    ASSERT_EQ(found.alternatives.size(), 1U);
    EXPECT_EQ(found.alternatives[0].source, Source::kKept);
  }
}

TEST(StateFindings, ZerosAreToldFromAnotherInitialValue) {
  App app;
  app.initial = 0.5F;
  const Finding found = only(planted(
      [](App::Step& s) {
        if (!s.begins) s.h.assign(12, 0.F);
      },
      app));
  EXPECT_EQ(found.change.source, Source::kZero);
  EXPECT_EQ(found.extent, Extent::kEvery);
  EXPECT_EQ(found.states, Steps{0});
}

TEST(StateFindings, ResetsAreToldByTheirStepsOrTheirPeriod) {
  const auto reset = [](App::Step& s) {
    s.h.assign(12, 0.F);
    s.c.assign(12, 0.F);
  };
  Finding found = only(planted([&](App::Step& s) {
    if (s.number == 5 || s.number == 12) reset(s);
  }));
  EXPECT_EQ(found.change.source, Source::kInitial);
  EXPECT_EQ(found.extent, Extent::kSome);
  EXPECT_EQ(found.steps, (Steps{5, 12}));
  found = only(planted([&](App::Step& s) {
    if (s.in_sequence % 3 == 0) reset(s);
  }));
  EXPECT_EQ(found.extent, Extent::kPeriod);
  EXPECT_EQ(found.period, 3U);
  EXPECT_EQ(found.steps.front(), 3U);
  found = only(planted([&](App::Step& s) {
    if (s.number % 5 == 2) reset(s);
  }));
  EXPECT_EQ(found.extent, Extent::kPeriod);
  EXPECT_EQ(found.period, 5U);
  found = only(planted([&](App::Step& s) {
    if (s.number >= 11 && !s.begins) reset(s);
  }));
  EXPECT_EQ(found.extent, Extent::kFrom);
  EXPECT_EQ(found.steps.front(), 11U);
}

TEST(StateFindings, ExchangedStatesAreOneStory) {
  const Finding found = only(planted([](App::Step& s) {
    if (!s.begins) std::swap(s.h, s.c);
  }));
  EXPECT_TRUE(found.exchanged);
  EXPECT_EQ(found.states, kBoth);
  EXPECT_EQ(found.extent, Extent::kEvery);
}

TEST(StateFindings, AnotherOutputIsNamed) {
  const Finding found = only(planted([](App::Step& s) {
    if (!s.begins) s.h = s.y;
  }));
  EXPECT_FALSE(found.exchanged);
  EXPECT_EQ(found.change.source, Source::kOutput);
  EXPECT_EQ(found.change.output, 0U);
  EXPECT_EQ(found.states, Steps{0});
}

TEST(StateFindings, LateByStepsBeginsWithTheInitialValue) {
  for (const std::size_t late : {1U, 2U, 3U}) {
    const Finding found = only(planted([&](App::Step& s) {
      if (s.begins) return;
      const auto back = s.h_all.size() - 1;
      s.h = std::size_t(s.in_sequence) > late ? s.h_all[back - late] : Buffer(12, 0.F);
    }));
    EXPECT_EQ(found.change.source, Source::kLate);
    EXPECT_EQ(found.change.ago, late + 1);
    EXPECT_EQ(found.extent, Extent::kEvery);
    EXPECT_EQ(found.steps.front(), 1U);
  }
}

TEST(StateFindings, KeptOnceIsAlsoLateOnce) {
  // The app skips the copy of the output in one step: the buffer keeps the previous input.
  Buffer last;
  const Finding found = only(planted([&](App::Step& s) {
    if (s.number == 4) s.c = last;
    last = s.c;
  }));
  EXPECT_EQ(found.steps, Steps{4});
  EXPECT_EQ(found.states, Steps{1});
  std::vector<Source> said{found.change.source};
  for (const Change& other : found.alternatives) said.push_back(other.source);
  std::sort(said.begin(), said.end());
  EXPECT_EQ(said, (std::vector<Source>{Source::kLate, Source::kKept}));
}

TEST(StateFindings, KeptForSeveralStepsIsKept) {
  Buffer last;
  const Finding found = only(planted([&](App::Step& s) {
    if (s.in_sequence >= 3 && s.in_sequence <= 6) s.h = last;
    last = s.h;
  }));
  EXPECT_EQ(found.change.source, Source::kKept);
  EXPECT_EQ(found.steps.front(), 3U);
}

TEST(StateFindings, RoundingIsNamedByItsBits) {
  const auto all = [](const std::function<float(float)>& to) {
    return [=](App::Step& s) {
      change(s.h, to);
      change(s.c, to);
    };
  };
  EXPECT_EQ(only(planted(all([](float v) { return rounded(v, 10); }))).change.bend.kind,
            BendKind::kFloat16);
  EXPECT_EQ(only(planted(all([](float v) { return rounded(v, 7); }))).change.bend.kind,
            BendKind::kBFloat16);
  EXPECT_EQ(only(planted(all([](float v) {
              std::uint32_t bits = 0;
              std::memcpy(&bits, &v, 4);
              bits &= 0xFFFF0000U;
              std::memcpy(&v, &bits, 4);
              return v;
            }))).change.bend.kind,
            BendKind::kBFloat16Cut);
  for (const int digits : {2, 3, 4}) {
    const auto unit = static_cast<float>(std::pow(10, digits));
    const Finding found =
        only(planted(all([=](float v) { return std::nearbyint(v * unit) / unit; })));
    EXPECT_EQ(found.change.bend, (Bend{BendKind::kDecimals, digits}));
    EXPECT_EQ(found.extent, Extent::kEvery);
  }
}

TEST(StateFindings, EightBitsAreNamedInEveryForm) {
  const auto symmetric = [](Buffer& values) {
    float top = 0;
    for (const float v : values) top = std::max(top, std::abs(v));
    const float scale = top / 127;
    if (scale > 0)
      for (float& v : values) v = std::clamp(std::round(v / scale), -127.F, 127.F) * scale;
  };
  const auto fixed = [](Buffer& values) {
    for (float& v : values) v = std::clamp(std::round(v / 0.0078125F), -128.F, 127.F) * 0.0078125F;
  };
  const auto asymmetric = [](Buffer& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const float from = *low, scale = (*high - from) / 255;
    if (scale > 0)
      for (float& v : values) v = from + std::round((v - from) / scale) * scale;
  };
  for (const auto& quantize :
       {std::function<void(Buffer&)>(symmetric), std::function<void(Buffer&)>(fixed),
        std::function<void(Buffer&)>(asymmetric)}) {
    App app;
    app.width = 32;
    app.shape = {1, 1, 32};
    const Finding found = only(planted([&](App::Step& s) { quantize(s.h); }, app));
    EXPECT_EQ(found.change.bend.kind, BendKind::kLevels);
    EXPECT_EQ(found.states, Steps{0});
    ASSERT_TRUE(found.level_step.has_value());
    EXPECT_GT(*found.level_step, 1e-4);
  }
}

TEST(StateFindings, LayersAndAxesAreNamed) {
  // Shape 2 x 1 x 6: two layers of six.
  const auto layers = [](Buffer& v) { std::rotate(v.begin(), v.begin() + 6, v.end()); };
  Finding found = only(planted([&](App::Step& s) { layers(s.h); }));
  EXPECT_EQ(found.change.bend.kind, BendKind::kPermuted);
  EXPECT_EQ(found.change.bend.a, 0);
  const auto transposed = [](Buffer& v) {
    const Buffer was = v;
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t j = 0; j < 6; ++j) v[j * 2 + i] = was[i * 6 + j];
  };
  found = only(planted([&](App::Step& s) { transposed(s.c); }));
  EXPECT_EQ(found.change.bend, (Bend{BendKind::kTransposed, 0, 2}));
  found = only(planted([&](App::Step& s) { change(s.c, std::negate<float>()); }));
  EXPECT_EQ(found.change.bend.kind, BendKind::kNegated);
}

TEST(StateFindings, AHalfCopiedStateIsToldWithItsPlace) {
  Buffer last(12, 0.F);
  const auto race = [&](App::Step& s) {
    if (s.number == 3 || s.number == 13 || s.number == 20)
      std::copy(last.begin() + 8, last.end(), s.h.begin() + 8);
    last = s.h;
  };
  const Finding found = only(planted(race));
  EXPECT_EQ(found.change.source, Source::kHalf);
  EXPECT_EQ(found.steps, (Steps{3, 13, 20}));
  ASSERT_TRUE(found.half.has_value());
  EXPECT_EQ(found.half->new_until, 8U);
  EXPECT_EQ(found.half->old, 4U);
}

TEST(StateFindings, NaNIsTold) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Findings all = planted([&](App::Step& s) {
    if (s.number == 6) s.h[2] = nan;
  });
  // From here on the network itself gives NaN, and the app feeds it back correctly.
  const Finding found = only(all);
  EXPECT_EQ(found.change.source, Source::kNotANumber);
  EXPECT_EQ(found.steps, Steps{6});
}

TEST(StateFindings, AStateThatIsNotSetBackIsTold) {
  const Finding found = only(planted([](App::Step& s) {
    if (s.number == 0) return;
    s.h = s.h_out;
    s.c = s.c_out;
  }));
  EXPECT_EQ(found.change.source, Source::kNotReset);
  EXPECT_EQ(found.extent, Extent::kEvery);
  EXPECT_EQ(found.steps, (Steps{9, 16}));
}

TEST(StateFindings, AnotherInitialValueIsTold) {
  const Finding found = only(planted([](App::Step& s) {
    if (s.begins) s.h.assign(12, 1.F);
  }));
  EXPECT_EQ(found.change.source, Source::kOtherInitial);
  EXPECT_EQ(found.steps, (Steps{0, 9, 16}));
}

TEST(StateFindings, TwoFaultsOfOneStateAreBothTold) {
  const Findings both = planted([](App::Step& s) {
    if (s.number == 12) s.h.assign(12, 0.F);
    change(s.h, [](float v) { return rounded(v, 10); });
  });
  ASSERT_EQ(both.found.size(), 2U);
  EXPECT_EQ(both.found[0].change.bend.kind, BendKind::kFloat16);
  EXPECT_EQ(both.found[1].change.source, Source::kInitial);
  const Finding at_once = only(planted([](App::Step& s) {
    if (s.begins) return;
    s.h = s.c_out;
    change(s.h, [](float v) { return rounded(v, 10); });
  }));
  EXPECT_EQ(at_once.change.source, Source::kOutput);
  EXPECT_EQ(at_once.change.output, 2U);
  EXPECT_EQ(at_once.change.bend.kind, BendKind::kFloat16);
}

TEST(StateFindings, ForeignFaultsHaveNoName) {
  std::mt19937 random(5);
  std::normal_distribution<float> noise(0, 1e-3F);
  Buffer peak(12, 0.F);
  const std::pair<const char*, Fault> faults[] = {
      {"times 0.9", [](App::Step& s) { change(s.h, [](float v) { return v * 0.9F; }); }},
      {"noise",
       [&](App::Step& s) {
         if (!s.begins) change(s.h, [&](float v) { return v + noise(random); });
       }},
      {"relu", [](App::Step& s) { change(s.h, [](float v) { return std::max(v, 0.F); }); }},
      {"small values dropped",
       [](App::Step& s) { change(s.h, [](float v) { return std::abs(v) < 0.4F ? 0.F : v; }); }},
      {"the larger of two steps",
       [](App::Step& s) {
         if (s.in_sequence > 1)
           for (std::size_t i = 0; i < 12; ++i)
             s.h[i] = std::max(s.h[i], s.h_all[s.h_all.size() - 2][i]);
       }},
      {"mean of two steps",
       [](App::Step& s) {
         if (s.in_sequence > 1)
           for (std::size_t i = 0; i < 12; ++i)
             s.h[i] = (s.h[i] + s.h_all[s.h_all.size() - 2][i]) / 2;
       }},
      {"normalised",
       [](App::Step& s) {
         float sum = 1e-6F;
         for (const float v : s.h) sum += v * v;
         change(s.h, [&](float v) { return v / std::sqrt(sum); });
       }},
      {"clipped",
       [](App::Step& s) { change(s.h, [](float v) { return std::clamp(v, -0.5F, 0.5F); }); }},
      {"shifted by one",
       [](App::Step& s) { std::rotate(s.h.begin(), s.h.begin() + 1, s.h.end()); }},
      {"an offset",
       [](App::Step& s) {
         if (!s.begins) change(s.h, [](float v) { return v + 0.01F; });
       }},
  };
  for (const auto& [name, fault] : faults) {
    const Findings all = planted(fault);
    ASSERT_FALSE(all.found.empty()) << name;
    for (const Finding& found : all.found) EXPECT_FALSE(found.is_exact()) << name;
    EXPECT_LE(all.found.front().steps.front(), 2U) << name;
  }
}

TEST(StateFindings, StepsBehindALostOneAreNotJudged) {
  App app;
  const Recording holes = without(app.record(), {4, 5, 9, 20});
  const Findings all = findings(holes);
  EXPECT_TRUE(all.found.empty());
  EXPECT_EQ(all.cut, 3U);  // 6, 10 and 21.
  EXPECT_EQ(all.judged, holes.steps() - 3);
  app.fault = [](App::Step& s) {
    if (!s.begins) std::swap(s.h, s.c);
  };
  EXPECT_TRUE(only(findings(without(app.record(), {4, 5, 9, 20}))).exchanged);
}

TEST(StatePairs, AreFoundByExactCopies) {
  App app;
  Recording recording = app.record();
  EXPECT_EQ(output_of(recording, recording.states[0].fed), 1U);
  EXPECT_EQ(output_of(recording, recording.states[1].fed), 2U);
  app.fault = [](App::Step& s) { change(s.h, [](float v) { return v * 0.9F; }); };
  recording = app.record();
  EXPECT_EQ(output_of(recording, recording.states[0].fed), std::nullopt);
}

TEST(StateInitial, IsWhatMostSequencesBeginWith) {
  App app;
  app.initial = 0.5F;
  Recording recording = app.record();
  EXPECT_EQ(initial_of(recording, recording.states[0].fed, Values(12, 0.0)), Values(12, 0.5));
  app.initial = 0;
  app.fault = [](App::Step& s) {
    if (s.begins && s.number > 0) s.h = s.h_out;
  };
  recording = app.record();
  EXPECT_EQ(initial_of(recording, recording.states[0].fed, Values(12, 0.0)), Values(12, 0.0));
}

}  // namespace
}  // namespace edgeprobe::diagnose::state
