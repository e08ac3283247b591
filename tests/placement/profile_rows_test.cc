// SPDX-License-Identifier: Apache-2.0
// Profiles as a table: units, what is not known, and texts that are read again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "placement/profile/rows.h"

namespace edgeprobe::placement {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Figures measured() {
  Figures figures;
  figures.runs = 100;
  figures.quiet = 90;
  figures.median = 0.0012345;
  figures.min = 0.001;
  figures.p10 = 0.0011;
  figures.p90 = 0.002;
  figures.p99 = 0.003;
  figures.cpu = 0.0024;
  figures.energy.joules = 0.0125;
  figures.energy.source = "package-0 of /sys/class/powercap";
  figures.energy.runs = 4000;
  figures.difference.emplace();
  figures.difference->absolute = 2.5e-7;
  figures.difference->inputs = 20;
  return figures;
}

Row row_of(const Figures& figures) {
  Row row;
  row["cfg"] = "a.onnx";
  row["reference"] = "onnxruntime 1.0, 1 thread";
  tell(row, figures);
  return row;
}

TEST(ProfileRows, TimesAreMicrosecondsAndEnergyIsMicrojoules) {
  const Row row = row_of(measured());
  EXPECT_EQ(row["latency"], "1234.5");
  EXPECT_EQ(row["energy"], "12500");
  EXPECT_EQ(row["min_us"], "1000");
  EXPECT_EQ(row["p10_us"], "1100");
  EXPECT_EQ(row["p90_us"], "2000");
  EXPECT_EQ(row["p99_us"], "3000");
  EXPECT_EQ(row["cpu_us"], "2400");
  EXPECT_EQ(row["n"], "100");
  EXPECT_EQ(row["quiet_n"], "90");
  EXPECT_EQ(row["max_abs_d"], "2.5e-07");
  EXPECT_EQ(row["d_inputs"], "20");
  EXPECT_EQ(row["status"], "ok");
  EXPECT_EQ(row["energy_status"], "ok");
  EXPECT_EQ(row["energy_n"], "4000");
  EXPECT_EQ(row["reference"], "onnxruntime 1.0, 1 thread");
}

TEST(ProfileRows, WhatIsNotKnownIsEmptyAndNullAndHasAReason) {
  Figures figures = measured();
  figures.energy = {};
  figures.energy.reason = "no counter";
  figures.difference.reset();
  figures.no_difference = "it crashed, twice";
  figures.cpu.reset();
  figures.quiet = 3;
  const Row row = row_of(figures);
  for (const char* const column : {"energy", "energy_n", "max_abs_d", "d_inputs", "cpu_us"})
    EXPECT_EQ(row[column], "") << column;
  EXPECT_EQ(row["energy_status"], "no counter");
  EXPECT_EQ(row["reference"], "none: it crashed, twice");
  EXPECT_EQ(row["status"], "noisy: only 3 of 100 runs were quiet, so the figures are of all");
  const std::string json = to_json({row});
  EXPECT_THAT(json, HasSubstr("\"energy\": null"));
  EXPECT_THAT(json, HasSubstr("\"latency\": 1234.5"));
  EXPECT_THAT(json, HasSubstr("\"energy_status\": \"no counter\""));
}

TEST(ProfileRows, AnInfiniteDifferenceStaysOne) {
  Figures figures = measured();
  figures.difference->absolute = HUGE_VAL;
  EXPECT_EQ(row_of(figures)["max_abs_d"], "inf");
  EXPECT_THAT(to_json({row_of(figures)}), HasSubstr("\"max_abs_d\": \"inf\""));
}

TEST(ProfileRows, ATableIsReadAsItWasWritten) {
  EXPECT_THAT(
      to_csv({}),
      StartsWith("cfg,latency,energy,top1,top5,accuracy_n,top1_low,top1_high,accuracy_status,n,"));
  Row first = row_of(measured()), second;
  second["cfg"] = "a, \"b\".onnx";
  second["status"] = "failed: first\nand second line";
  const std::string text = to_csv({first, second});
  const auto rows = rows_from_csv(text);
  ASSERT_TRUE(rows) << rows.error().what;
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].fields(), first.fields());
  EXPECT_EQ((*rows)[1]["cfg"], "a, \"b\".onnx");
  // A record is one line.
  EXPECT_EQ((*rows)[1]["status"], "failed: first\\x0aand second line");
  EXPECT_EQ(to_csv(*rows), text);
  // As an editor or a spreadsheet saves it.
  std::string edited = "\xef\xbb\xbf";
  for (const char c : text) edited += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto again = rows_from_csv(edited + "\r\n\n");
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(to_csv(*again), text);
}

TEST(ProfileRows, ATableWithoutAccuracyIsReadToo) {
  std::string text = to_csv({row_of(measured())});
  const std::string added = ",top1,top5,accuracy_n,top1_low,top1_high,accuracy_status";
  text.replace(text.find(added), added.size(), "");
  const std::size_t empty = text.find(",,,,,,,");
  ASSERT_NE(empty, std::string::npos);
  text.replace(empty, 7, ",");
  const auto rows = rows_from_csv(text);
  ASSERT_TRUE(rows) << rows.error().what;
  EXPECT_EQ(rows->front().fields(), row_of(measured()).fields());
}

TEST(ProfileRows, HaveTheAccuracyOfTheFramesThatRan) {
  Answers answers;
  answers.classes = 10;
  // 7 of 10 right, 9 among the best five; one sample was not reached.
  for (int i = 0; i < 10; ++i) answers.frames.push_back(FrameAnswer{i, i < 7, i < 9});
  answers.frames.emplace_back();
  Row row;
  tell(row, answers);
  EXPECT_EQ(row["top1"], "0.7");
  EXPECT_EQ(row["top5"], "0.9");
  EXPECT_EQ(row["accuracy_n"], "10");
  EXPECT_EQ(row["accuracy_status"], "ok");
  // The roots of (p - 0.7)^2 = z^2 p (1 - p) / 10, solved in Python.
  EXPECT_EQ(row["top1_low"], "0.39677815");
  EXPECT_EQ(row["top1_high"], "0.89220873");
  answers.classes = 5;  // Always among five.
  answers.beyond = 2;
  Row other;
  tell(other, answers);
  EXPECT_EQ(other["top5"], "");
  EXPECT_EQ(other["accuracy_status"], "ok: 2 labelled samples left out");
}

TEST(ProfileRows, TextsThatAreNoTableAreRefused) {
  const std::string good = to_csv({row_of(measured())});
  for (const auto& [text, why] :
       {std::pair(std::string(), "it is empty"),
        {std::string("cfg,latency,energy\n"), "its columns are not those of 'stretch profile'"},
        {good.substr(0, good.size() - 30), "line 2: "},
        {good + "\"open\n", "line 3: "}}) {
    const auto rows = rows_from_csv(text);
    ASSERT_FALSE(rows) << text;
    EXPECT_EQ(rows.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(rows.error().what, StartsWith(why));
  }
}

}  // namespace
}  // namespace edgeprobe::placement
