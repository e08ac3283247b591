// SPDX-License-Identifier: Apache-2.0
#include "diagnose/tensors/changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <span>

#include "core/dtype.h"
#include "diagnose/tensors/where.h"

namespace edgeprobe::diagnose::tensors {
namespace {

using Frames = std::vector<std::vector<float>>;

constexpr std::size_t kRows = 12, kColumns = 5, kFrames = 8;
constexpr Codes kCodes{0.05, -20, -128, 127};

/// Recorded inputs of a model that takes real values, and of one that takes codes.
struct Model {
  const char* name;
  std::optional<Codes> codes;
  DType type;
};
const Model kReal{"real", std::nullopt, DType::kFloat32};
const Model kCoded{"codes", kCodes, DType::kInt8};

float coded(double real) {
  return float(std::clamp(std::round(real / kCodes.scale) + kCodes.zero, -128.0, 127.0));
}

class TensorChanges : public testing::TestWithParam<Model> {
 protected:
  TensorChanges() {
    std::mt19937 random(7);
    std::normal_distribution<double> values(0.3, 1.2);
    for (std::size_t f = 0; f < kFrames; ++f) {
      real_.emplace_back();
      for (std::size_t i = 0; i < kRows * kColumns; ++i) real_.back().push_back(values(random));
    }
  }

  /// The values that a front end stores.
  std::vector<float> stored(const std::vector<double>& real) const {
    std::vector<float> out;
    for (const double value : real) out.push_back(GetParam().codes ? coded(value) : float(value));
    return out;
  }
  Frames right() const {
    Frames out;
    for (const auto& real : real_) out.push_back(stored(real));
    return out;
  }
  /// Replaces each real value.
  Frames with(const std::function<double(double)>& change) const {
    Frames out;
    for (auto real : real_) {
      for (double& value : real) value = change(value);
      out.push_back(stored(real));
    }
    return out;
  }
  /// Takes each value of a frame from another row and column; below 0: zero.
  Frames from(const std::function<std::pair<int, int>(int, int)>& place) const {
    Frames out;
    for (const auto& frame : right()) {
      std::vector<float> moved;
      for (int r = 0; r < int(kRows); ++r)
        for (int c = 0; c < int(kColumns); ++c) {
          const auto [row, column] = place(r, c);
          moved.push_back(row < 0 ? zero()
                                  : frame[std::size_t(row) * kColumns + std::size_t(column)]);
        }
      out.push_back(std::move(moved));
    }
    return out;
  }
  float zero() const { return GetParam().codes ? float(kCodes.zero) : 0; }

  Pairs pairs(const Frames& fed) const {
    std::vector<Pair> all;
    const Frames wanted = right();
    for (std::size_t f = 0; f < fed.size(); ++f)
      all.push_back({std::uint32_t(f + 10), f == 0, wanted[f], fed[f]});
    return paired(std::move(all), {1, kRows, kColumns, 1}, GetParam().type, GetParam().codes, 0);
  }
  std::string said(const Frames& fed) const {
    const Pairs given = pairs(fed);
    if (const auto change = change_of_all(given)) return change->detail;
    const auto change = change_of_some(given);
    return change ? change->detail : "";
  }

  std::vector<std::vector<double>> real_;
};
INSTANTIATE_TEST_SUITE_P(Of, TensorChanges, testing::Values(kReal, kCoded),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(TensorChanges, RightOnesSayNothing) {
  const Pairs given = pairs(right());
  EXPECT_TRUE(given.differs.empty());
  EXPECT_EQ(said(right()), "");
}

TEST_P(TensorChanges, LinesThroughTheValuesAreNamed) {
  EXPECT_EQ(said(with([](double x) { return x * 0.5; })), "is the reference's times 0.5");
  EXPECT_EQ(said(with([](double x) { return -x; })), "is the reference's with the other sign");
  EXPECT_EQ(said(with([](double x) { return x + 0.5; })), GetParam().codes
                                                              ? "holds codes that are 10 too high"
                                                              : "is 0.5 too high in every value");
  const std::string both = said(with([](double x) { return x * 0.5 - 0.52; }));
  EXPECT_EQ(both.substr(0, 35), "is the reference's times 0.5 minus ") << both;
}

TEST_P(TensorChanges, RoundingToFloat16IsNamed) {
  if (GetParam().codes) return;
  Frames fed = right();
  for (auto& frame : fed)
    for (float& value : frame) value = half_to_float(float_to_half(value));
  EXPECT_EQ(said(fed), "is the reference's rounded to float16");
}

// Softmax along the last axis, by another formula than the finder's.
TEST_P(TensorChanges, WhatIsMadeOfAWholeRowIsNamed) {
  if (GetParam().codes) return;
  const auto rows = [&](const std::function<void(std::span<float>)>& make) {
    Frames fed = right();
    for (auto& frame : fed)
      for (std::size_t r = 0; r < kRows; ++r)
        make(std::span<float>(frame).subspan(r * kColumns, kColumns));
    return fed;
  };
  const auto made = [&](const Frames& fed) {
    const auto change = other_rows(pairs(fed));
    return change ? change->detail : "";
  };
  EXPECT_EQ(made(rows([](std::span<float> row) {
              double sum = 0;
              for (const float value : row) sum += std::exp(double(value));
              for (float& value : row) value = float(std::exp(double(value)) / sum);
            })),
            "is the softmax of the reference's");
  EXPECT_EQ(made(rows([](std::span<float> row) { std::ranges::sort(row); })),
            "holds the reference's values in ascending order, whatever their places");
  EXPECT_EQ(made(rows([](std::span<float> row) {
              const float length =
                  std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0f));
              for (float& value : row) value /= length;
            })),
            "is the reference's divided by its length (L2)");
  EXPECT_EQ(made(right()), "");
}

TEST_P(TensorChanges, PlacesAreNamed) {
  EXPECT_EQ(said(from([](int r, int c) { return std::pair(int(kRows) - 1 - r, c); })),
            "holds its rows in reverse order");
  EXPECT_EQ(said(from([](int r, int c) { return std::pair(r, c == 1   ? 3
                                                             : c == 3 ? 1
                                                                      : c); })),
            "holds its columns 1 and 3 in each other's place");
  EXPECT_EQ(said(from([](int r, int c) { return std::pair((r + 10) % 12, c); })),
            "holds its rows turned round by 2 to the end");
  EXPECT_EQ(said(from([](int r, int c) { return std::pair(r, c == 4 ? 2 : c); })),
            "holds column 2 a second time in the place of column 4");
  EXPECT_EQ(said(from([](int r, int c) { return std::pair(r - 3, c); })),
            "is shifted by 3 rows towards the end; its first 3 rows are not the reference's");
  EXPECT_EQ(said(from([](int r, int c) {
              return std::pair(r < 4 ? r : r + 2 < 12 ? r + 2 : 11, c);
            })),
            "lacks 2 of its rows from row 4 on");
  const Frames turned = from([](int r, int c) {
    const int at = r * int(kColumns) + c;  // Stored as 5 x 12.
    return std::pair(at % int(kRows), at / int(kRows));
  });
  EXPECT_EQ(said(turned),
            "holds its values in another order of the axes: the app writes them as "
            "5x12 (transposed), the model takes 12x5");
  const std::string filler = GetParam().codes ? "-20 (the code of 0)" : "0";
  EXPECT_EQ(said(from([](int r, int c) { return std::pair(r > 8 ? -1 : r, c); })),
            "is " + filler + " in rows 9 to 11 of 12; all other values are the reference's");
}

TEST_P(TensorChanges, ColumnsThatAreAnotherAreNumbered) {
  Frames fed = right();
  for (auto& frame : fed)
    for (std::size_t r = 0; r < kRows; ++r) {
      float& value = frame[r * kColumns + 3];
      const float half = (value - zero()) / 2;
      value = GetParam().codes ? std::round(half) + zero() : half;
    }
  const std::string text = said(fed);
  const std::string wanted =
      "is another in some of its columns only: column 3 is the reference's times 0.5";
  EXPECT_EQ(text.substr(0, wanted.size()), wanted) << text;  // Codes round the gain.
}

TEST_P(TensorChanges, FramesWithoutValuesAreNamed) {
  Frames fed = right();
  for (std::size_t f = 5; f < kFrames; ++f)
    for (float& value : fed[f]) value = zero();
  EXPECT_EQ(said(fed), std::string("is ") + (GetParam().codes ? "-20" : "0") +
                           " in all values; the other frames are the reference's");
}

TEST_P(TensorChanges, PaddingBehindRowsIsNamed) {
  Frames fed;
  for (const auto& frame : right()) {
    std::vector<float> buffer;
    for (std::size_t r = 0; r < kRows; ++r) {
      for (std::size_t c = 0; c < kColumns; ++c) buffer.push_back(frame[r * kColumns + c]);
      buffer.insert(buffer.end(), 3, zero());
    }
    buffer.resize(frame.size());
    fed.push_back(buffer);
  }
  EXPECT_EQ(said(fed),
            "holds rows of 8 values, 3 more than the model's 5: padding after each row of the "
            "app's buffer");
}

TEST_P(TensorChanges, OtherFramesAreNamed) {
  Frames late = right(), stuck = right(), order = right();
  for (std::size_t f = kFrames; f-- > 2;) late[f] = late[f - 2];
  late[1] = late[0];
  EXPECT_EQ(said(late), "is that of 2 frames before");
  for (auto& frame : stuck) frame = stuck[3];
  EXPECT_EQ(said(stuck), "is always that of frame 13");
  std::swap(order[2], order[5]);
  EXPECT_EQ(said(order), "is that of another frame: frame 12 has the reference's of frame 15");
}

TEST_P(TensorChanges, WhatNoOneChangeGivesHasNoNameAndAPlace) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 0.4);
  Frames fed = right();
  const Frames other = with([&](double x) { return x + noise(random); });
  for (std::size_t f = 2; f < 5; ++f)
    for (std::size_t r = 0; r < kRows; ++r) fed[f][r * kColumns + 1] = other[f][r * kColumns + 1];
  EXPECT_EQ(said(fed), "");
  const Where where = where_of(pairs(fed));
  EXPECT_EQ(where.frames, 3u);
  EXPECT_EQ(where.first, 12u);
  EXPECT_EQ(where.following, 2u);
  EXPECT_EQ(place_of(where), "column 1 of 5");
  EXPECT_EQ(of_other_frames(pairs(fed)), 0u);
  const std::string text = worded(where);
  EXPECT_EQ(text.substr(0, 64), "in 3 of 8 frames, first at frame 12 and in the 2 that follow; 80")
      << text;
  EXPECT_NE(text.find("all but those in column 1 of 5"), std::string::npos) << text;
}

/// Two healthy front ends may round to neighbouring codes, or to the last digit.
TEST_P(TensorChanges, RoundingIsNoChange) {
  Frames fed = right();
  for (auto& frame : fed)
    for (std::size_t i = 0; i < frame.size(); i += 3)
      frame[i] = GetParam().codes ? std::min(frame[i] + 1, 127.0f) : frame[i] * 1.0000001f;
  EXPECT_EQ(said(fed), "");
}

class Codes8 : public TensorChanges {};
INSTANTIATE_TEST_SUITE_P(Of, Codes8, testing::Values(kCoded),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Codes8, FaultsOfCodesAreNamed) {
  Frames sign = right(), zero = right();
  for (auto& frame : sign)
    for (float& code : frame) code = code < 0 ? code + 128 : code - 128;
  EXPECT_NE(said(sign).find("128 too high or too low: the app writes uint8"), std::string::npos);
  for (auto& frame : zero)
    for (float& code : frame) code = std::clamp(code + 20.0f, -128.0f, 127.0f);
  EXPECT_EQ(said(zero), "holds codes that are 20 too high: its zero point is taken for 0, not -20");
  Frames scale;
  for (const auto& real : real_) {
    scale.emplace_back();
    for (const double value : real)
      scale.back().push_back(float(std::clamp(std::round(value / 0.08) + 11, -128.0, 127.0)));
  }
  // The scale is measured from codes, to a little more than two digits.
  const std::string measured = said(scale);
  EXPECT_EQ(measured.substr(0, 25), "holds codes of scale 0.08") << measured;
  EXPECT_NE(measured.find("and zero point 11; the model's are 0.05 and -20"), std::string::npos)
      << measured;
}

class Real32 : public TensorChanges {};
INSTANTIATE_TEST_SUITE_P(Of, Real32, testing::Values(kReal),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Real32, FaultsOfRealValuesAreNamed) {
  Frames swapped = right(), columns = right(), frames = right();
  for (auto& frame : swapped)
    for (float& value : frame)
      value = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  EXPECT_EQ(said(swapped).substr(0, 41), "holds its numbers in the other byte order");
  for (auto& frame : columns)
    for (std::size_t i = 0; i < frame.size(); ++i)
      frame[i] = frame[i] * float(1 + i % kColumns) - float(i % kColumns);
  EXPECT_NE(said(columns).find("of its own in each column"), std::string::npos) << said(columns);
  for (std::size_t f = 0; f < frames.size(); ++f)
    for (float& value : frames[f]) value = value * float(f + 2) - 3;
  EXPECT_NE(said(frames).find("of its own in each frame"), std::string::npos) << said(frames);
  EXPECT_EQ(said(with([](double x) { return std::exp(x); })),
            "is e to the power of the reference's");
  EXPECT_EQ(said(with([](double x) { return std::abs(x); })),
            "is the reference's without its sign");
  EXPECT_NE(said(with([](double x) { return std::min(x, 1.0); })).find("cut off above 1;"),
            std::string::npos);
}

/// Ids of tokens: integers without a scale, padded at the end.
Pairs ids(const std::function<std::vector<float>(const std::vector<float>&)>& change) {
  std::mt19937 random(5);
  std::vector<Pair> all;
  for (std::uint32_t f = 0; f < 10; ++f) {
    std::vector<float> own(16, 0);
    for (std::size_t i = 0; i < 6 + f % 5; ++i) own[i] = float(4 + random() % 12);
    all.push_back({f, f == 0, own, change(own)});
  }
  return paired(std::move(all), {1, 16}, DType::kInt64, std::nullopt, 0.01);
}

TEST(TensorChangesOfIds, AreNamed) {
  const auto said = [](const Pairs& pairs) {
    const auto change = change_of_all(pairs);
    return change ? change->detail : "";
  };
  const auto each = [](const std::function<float(float)>& change) {
    return [change](std::vector<float> ids) {
      for (float& id : ids) id = change(id);
      return ids;
    };
  };
  EXPECT_EQ(said(ids(each([](float id) { return id; }))), "");
  EXPECT_EQ(said(ids(each([](float id) { return id + 1; }))), "is 1 too high in every value");
  EXPECT_EQ(said(ids(each([](float id) { return id > 0 ? id + 3 : 0; }))),
            "is 3 too high in every value, but for values that are the reference's own");
  const std::string table =
      said(ids(each([](float id) { return id > 9 ? float(int(id * id) % 23 + 40) : id; })));
  EXPECT_EQ(table.substr(0, 32), "holds other values by a table: 6") << table;
  EXPECT_EQ(said(ids([](std::vector<float> ids) {
              std::reverse(ids.begin(), ids.end());
              return ids;
            })),
            "holds its values in reverse order");
  EXPECT_EQ(said(ids([](std::vector<float> ids) {
              const auto end = std::find(ids.begin(), ids.end(), 0);
              std::rotate(ids.begin(), end, ids.end());
              return ids;
            })).substr(0, 61),
            "holds its padding in front, the reference's at the end: what ");
}

}  // namespace
}  // namespace edgeprobe::diagnose::tensors
