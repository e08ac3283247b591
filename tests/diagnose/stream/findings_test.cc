// SPDX-License-Identifier: Apache-2.0
#include "diagnose/stream/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

namespace edgeprobe::diagnose::stream {
namespace {

constexpr long kRows = 24, kHop = 8, kColumns = 8, kWindows = 10;

/// Values that are all different: row and column of the stream.
float value(long place, long column) {
  return static_cast<float>(place * 31 % 97 + column * 100 + place);
}

/// Windows; row t of window i is row `place(i, t)` of the stream. Places below -999 are zeros.
Windows windows(const std::function<long(long, long)>& place) {
  Windows out{kRows, kColumns, 0.01, {}};
  for (long i = 0; i < kWindows; ++i) {
    Window one{static_cast<std::uint32_t>(i + 100), i == 0, {}, {}};
    for (long t = 0; t < kRows; ++t)
      for (long c = 0; c < kColumns; ++c) {
        one.wanted.push_back(value(i * kHop + t, c));
        const long from = place(i, t);
        one.fed.push_back(from < -999 ? 0 : value(from, c));
      }
    out.all.push_back(std::move(one));
  }
  return out;
}

Finding only(const Windows& given) {
  const Findings found = findings_of(given);
  EXPECT_EQ(found.all.size(), 1u);
  EXPECT_TRUE(found.unexplained.empty());
  EXPECT_EQ(found.hop, kHop);
  return found.all.empty() ? Finding{} : found.all.front();
}

TEST(StreamWindows, RightOnesSayNothing) {
  const Findings found = findings_of(windows([](long i, long t) { return i * kHop + t; }));
  EXPECT_TRUE(found.all.empty());
  EXPECT_TRUE(found.unexplained.empty());
  EXPECT_EQ(found.hop, kHop);
}

TEST(StreamWindows, AnotherHopIsTold) {
  const Finding finding = only(windows([](long i, long t) { return i * 6 + t; }));
  EXPECT_EQ(finding.kind, Kind::kHop);
  EXPECT_EQ(finding.rows, 6);
  EXPECT_EQ(finding.windows.front(), 1u);
}

TEST(StreamWindows, RowsLostInEachChunkAreTold) {
  // Five rows remain of each eight, the newest at the end; the app filled the places before them.
  const Finding finding = only(windows([](long i, long t) {
    const long newest = i * kHop + kRows - 1, back = kRows - 1 - t;
    const long place = newest - back / 5 * 8 - back % 5;
    return place < 0 ? -1000 : place;
  }));
  EXPECT_EQ(finding.kind, Kind::kThinned);
  EXPECT_EQ(finding.rows, 3);
  EXPECT_EQ(finding.row, 5u);
}

TEST(StreamWindows, OneWindowLateIsTold) {
  const Finding finding =
      only(windows([](long i, long t) { return (i > 0 ? i - 1 : 0) * kHop + t; }));
  EXPECT_EQ(finding.kind, Kind::kLate);
  EXPECT_EQ(finding.rows, -kHop);
  EXPECT_EQ(finding.windows.size(), 9u);
}

TEST(StreamWindows, AStaleWindowIsToldOnce) {
  const Finding finding = only(windows([](long i, long t) { return (i == 6 ? 5 : i) * kHop + t; }));
  EXPECT_EQ(finding.kind, Kind::kStale);
  EXPECT_EQ(finding.rows, -kHop);
  EXPECT_EQ(finding.windows, std::vector<std::size_t>{6});
}

TEST(StreamWindows, TheEndOfAStalePartIsTold) {
  const Finding finding =
      only(windows([](long i, long t) { return (i == 7 && t < 10 ? i - 1 : i) * kHop + t; }));
  EXPECT_EQ(finding.kind, Kind::kHalfWritten);
  EXPECT_EQ(finding.row, 0u);
  EXPECT_EQ(finding.end, 10u);
}

TEST(StreamWindows, WindowsFromAnywhereAreOneFinding) {
  constexpr std::array<long, kWindows> kOrder{4, 8, 1, 6, 0, 9, 2, 7, 3, 5};
  const Finding finding =
      only(windows([&](long i, long t) { return kOrder[std::size_t(i)] * kHop + t; }));
  EXPECT_EQ(finding.kind, Kind::kStale);
  EXPECT_TRUE(finding.varies());
  EXPECT_EQ(finding.windows.size(), 9u) << "all but the seventh";
}

TEST(StreamWindows, AWindowThatIsRightAgainIsNotCalledStale) {
  // The app skips two windows; the recording ends before the stream can continue.
  const Findings found = findings_of(
      windows([](long i, long t) { return std::min(i < 4 ? i : i + 2, kWindows - 1) * kHop + t; }));
  ASSERT_EQ(found.all.size(), 2u);
  EXPECT_EQ(found.all[0].kind, Kind::kDropped);
  EXPECT_EQ(found.all[0].rows, 2 * kHop);
  EXPECT_EQ(found.all[1].kind, Kind::kStale);
  EXPECT_EQ(found.all[1].rows, kHop) << "after its own window, not before";
  EXPECT_EQ(found.all[1].windows, std::vector<std::size_t>{8});
}

TEST(StreamWindows, RowsThatAreLostNowAndThenAreCounted) {
  // One row is inserted before window 3 and one before window 6.
  const Finding finding =
      only(windows([](long i, long t) { return i * kHop + std::min(i / 3, 2L) + t; }));
  EXPECT_EQ(finding.kind, Kind::kDropped);
  EXPECT_EQ(finding.least, 1);
  EXPECT_EQ(finding.most, 2);
  EXPECT_EQ(finding.windows.size(), 7u);
}

TEST(StreamWindows, LostRowsMoveAllThatFollows) {
  // Two rows are missing from place 36 on: window 2 (16 to 39) is the first that lacks them.
  const Finding finding = only(windows([](long i, long t) {
    const long place = i * kHop + t;
    return place < 36 ? place : place + 2;
  }));
  EXPECT_EQ(finding.kind, Kind::kDropped);
  EXPECT_EQ(finding.rows, 2);
  EXPECT_EQ(finding.windows.front(), 2u);
  EXPECT_EQ(finding.row, 20u);
}

TEST(StreamWindows, HalfOfTheWindowBeforeIsToldWithItsRow) {
  const Finding finding =
      only(windows([](long i, long t) { return (i == 7 && t >= 5 ? i - 1 : i) * kHop + t; }));
  EXPECT_EQ(finding.kind, Kind::kHalfWritten);
  EXPECT_EQ(finding.rows, -kHop);
  EXPECT_EQ(finding.row, 5u);
  EXPECT_EQ(finding.end, std::size_t{kRows});
}

TEST(StreamWindows, ExchangedWindowsAreToldTogether) {
  const Finding finding = only(windows([](long i, long t) {
    return (i == 4 ? 5 : i == 5 ? 4 : i) * kHop + t;
  }));
  EXPECT_EQ(finding.kind, Kind::kExchanged);
  EXPECT_EQ(finding.windows, (std::vector<std::size_t>{4, 5}));
}

TEST(StreamWindows, AContextOfZerosIsTold) {
  const Finding finding = only(
      windows([](long i, long t) { return i > 0 && t < kRows - kHop ? -1000 : i * kHop + t; }));
  EXPECT_EQ(finding.kind, Kind::kNoContext);
  EXPECT_EQ(finding.row, 16u);
  EXPECT_EQ(finding.windows.front(), 1u);
}

TEST(StreamWindows, OtherValuesAreNotExplained) {
  Windows given = windows([](long i, long t) { return i * kHop + t; });
  for (float& fed : given.all[3].fed) fed += 7;
  const Findings found = findings_of(given);
  EXPECT_TRUE(found.all.empty());
  EXPECT_EQ(found.unexplained, std::vector<std::size_t>{3});
}

TEST(StreamWindows, AStreamThatDoesNotGoOnIsABreak) {
  Windows given = windows([](long i, long t) { return i * kHop + t; });
  for (std::size_t i = 5; i < given.all.size(); ++i)
    for (std::size_t v = 0; v < given.all[i].wanted.size(); ++v)
      given.all[i].wanted[v] = given.all[i].fed[v] =
          value(500 + static_cast<long>(i) * kHop + static_cast<long>(v) / kColumns,
                static_cast<long>(v) % kColumns);
  EXPECT_EQ(findings_of(given).breaks, std::vector<std::size_t>{5});
}

}  // namespace
}  // namespace edgeprobe::diagnose::stream
