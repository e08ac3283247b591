// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "core/file.h"
#include "dataset/readings/recording.h"
#include "dataset/sources.h"
#include "dataset/tables.h"

namespace edgeprobe::dataset {
namespace {

namespace fs = std::filesystem;

Recording read(const std::string& text, const std::vector<std::string>& classes = {}) {
  auto recording = read_recording(text, "'walk.csv'", classes);
  EXPECT_TRUE(recording) << recording.error().what;
  return recording ? *std::move(recording) : Recording{};
}
std::string refusal(const std::string& text, const std::vector<std::string>& classes = {}) {
  const auto recording = read_recording(text, "'walk.csv'", classes);
  EXPECT_FALSE(recording);
  if (recording) return "";
  EXPECT_EQ(recording.error().kind, ErrorKind::kUsage);
  return recording.error().what;
}

TEST(Readings, ColumnsAreAxesAndTheTimeGivesTheRate) {
  const Recording walk = read("time,accel,gyro\r\n0.00,1,-2.5\r\n0.02, 3 ,4e1\r\n0.04,5,+6\r\n");
  EXPECT_EQ(walk.series.axes, 2);
  EXPECT_EQ(walk.series.rate, 50);
  EXPECT_EQ(walk.series.values, (std::vector<float>{1, -2.5, 3, 40, 5, 6}));
  EXPECT_EQ(walk.axes, (std::vector<std::string>{"accel", "gyro"}));
  EXPECT_EQ(walk.note, "");
  EXPECT_EQ(read("a,b\n1,2\n\n").series.rate,
            0);  // No time column; an empty line at the end does not count.
}

TEST(Readings, TimesOfPhonesAreNanosecondsAndTheirAxesGoByName) {
  // As a logger app writes them: the newest time unit comes first, and z before x.
  const Recording walk = read(
      "time,seconds_elapsed,z,y,x\n"
      "1700000000000000001,0.1,3,2,1\n1700000000010000001,0.11,6,5,4\n"
      "1700000000020000001,0.12,9,8,7\n");
  EXPECT_EQ(walk.series.values, (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(walk.series.rate, 100);
  EXPECT_EQ(read("timestamp_ns,acc_y,acc_x,acc_z\n1700000000000000000,2,1,3\n"
                 "1700000000016806723,2,1,3\n1700000000033613446,2,1,3\n")
                .series.values,
            (std::vector<float>{1, 2, 3, 1, 2, 3, 1, 2, 3}));
  // 59.5 Hz: a fractional rate is kept.
  EXPECT_NEAR(read("t_us,x\n0,1\n16807,1\n33613,1\n50420,1\n").series.rate, 59.5, 1e-3);
}

TEST(Readings, TablesOfOtherToolsAreRead) {
  const std::vector<float> values{1, -2.5, 3, 40};
  EXPECT_EQ(read("time\taccel\tgyro\n0.00\t1\t-2.5\n0.02\t3\t40\n").series.values, values);
  // A spreadsheet with a decimal comma.
  const Recording german = read("time;accel;gyro\r\n0,00;1,0;-2,5\r\n0,02;3;40,0\r\n");
  EXPECT_EQ(german.series.values, values);
  EXPECT_EQ(german.series.rate, 50);
  EXPECT_EQ(read("'time','accel','gyro'\n0.00,1,-2.5\n0.02,3,40\n").axes,
            (std::vector<std::string>{"accel", "gyro"}));
  // The index of pandas' to_csv() is not an axis; an unnamed column that does not count is refused.
  const Recording indexed = read(",accel,gyro\n128,1,-2.5\n129,3,40\n");
  EXPECT_EQ(indexed.series.values, values);
  EXPECT_EQ(indexed.axes, (std::vector<std::string>{"accel", "gyro"}));
  EXPECT_EQ(refusal(",b\n0.5,2\n0.25,3\n"),
            "'walk.csv' line 2: column 1 has no name, and '0.5' goes on no index: name every axis");
  EXPECT_EQ(refusal(",b\n3,2\n3,3\n"),
            "'walk.csv' line 3: column 1 has no name, and '3' goes on no index: name every axis");
}

TEST(Readings, WhatPartsATableIsNamed) {
  EXPECT_EQ(
      refusal("a,b\n1,2\n\n3,4\n"),
      "'walk.csv' line 3: it is blank: a table holds one recording, so cut it there into files, "
      "or take the line out");
  EXPECT_EQ(refusal("'MLII','V5'\n'mV','mV'\n0.1,0.2\n"),
            "'walk.csv' line 2: column 'MLII' is 'mV': a line of units; take it out");
  EXPECT_TRUE(is_recording("'MLII','V5'\n'mV','mV'\n0.1,0.2\n"));
  EXPECT_TRUE(is_recording("a;b\n0,5;1,5\n"));
  EXPECT_FALSE(is_recording("text;label\ngood;1\n"));
}

TEST(Readings, GapsAndJitterOfTheTimeAreTold) {
  std::string text = "time_ms,x\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(10 * i + (i >= 7 ? 90 : 0)) + ",1\n";
  const Recording walk = read(text);
  EXPECT_EQ(walk.series.rate, 100);
  // Step 7 is on line 9: one header, and lines count from 1.
  EXPECT_NE(walk.note.find("1 of 39 steps of time are gaps, the first before line 9 (100 ms for "
                           "10 ms)"),
            std::string::npos)
      << walk.note;
  text = "time_ms,x\n";
  for (int i = 0; i < 40; ++i) text += std::to_string(10 * i + (i % 2 ? 2 : -1)) + ",1\n";
  EXPECT_NE(read(text).note.find("off by more than a fifth"), std::string::npos);
}

TEST(Readings, BadTablesGetASentenceWithFileAndLine) {
  const auto expect = [&](const std::string& text, const std::string& words) {
    const std::string told = refusal(text);
    EXPECT_EQ(told.substr(0, 10), "'walk.csv'") << told;
    EXPECT_NE(told.find(words), std::string::npos) << told;
  };
  expect("", "it is empty: a header line");
  expect("x,y\n", "it contains a header but no row");
  expect("x,y\n1,2\n3\n", "line 3: 1 fields, and the header has 2");
  expect("x,y\n1,2\n3,4,5\n", "line 3: 3 fields, and the header has 2");
  expect("x,y\n1,2\n3,left\n", "line 3: column 'y' is 'left', expected a number");
  expect("x,y\n1,2\n3,1e99\n", "line 3: column 'y' is '1e99', expected a number");
  expect("x,y\n1,nan\n", "line 2: column 'y' is 'nan', expected a finite number");
  expect("x,y\n1,-inf\n", "line 2: column 'y' is '-inf', expected a finite number");
  expect("x,y\n1,\n", "line 2: column 'y' is empty");
  expect("x,y\n1,2\n\n3,4\n", "line 3: it is blank");
  expect("x,\"y\n1,2\n", "line 1: column 3: a quote is never closed");
  expect("1,2\n3,4\n", "line 1: '1' is a number: the first line names the axes");
  expect("x,x\n1,2\n", "line 1: the column 'x' appears twice");
  expect("x,,y\n1,2,3\n", "line 1: column 2 has no name");
  expect("time,label\n0.1,2\n", "line 1: no axis next to the time");
  expect("time,x\n0.1,1\n0.2,1\n0.15,1\n", "line 4: the time 'time' goes back");
  expect("time,x\n0,1\n20,1\n40,1\n", "call the column time_s, time_ms, time_us or time_ns");
  expect("time,x\n1,1\n1,1\n1,1\n", "does not advance");
  expect("time_ns,x\n0,1\n20,1\n40,1\n", "steps a second");
  expect("time,x\nsoon,1\n", "line 2: the time 'time' is 'soon', expected a number");
  expect("x,label\n1,walking\n", "line 2: label 'walking', expected a class number");
  std::string wide = "a0";
  for (int i = 1; i <= sensor::kMostAxes; ++i) wide += ",a" + std::to_string(i);
  expect(wide + "\n", "line 1: 65 axes, expected at most 64");
  EXPECT_NE(refusal("x,label\n1,runing\n", {"walking", "running"}).find("no such line"),
            std::string::npos);
}

TEST(Readings, LabelsAreTakenByMajority) {
  const Recording walk =
      read("x,label\n1,walking\n2,0\n3,\n4,running\n5,1\n", {"walking", "running"});
  EXPECT_EQ(walk.classes, (std::vector<int>{0, 0, -1, 1, 1}));
  EXPECT_EQ(majority(walk, 0, 4), 0);   // Two of class 0, one of class 1.
  EXPECT_EQ(majority(walk, 0, 5), -1);  // Two each.
  EXPECT_EQ(majority(walk, 2, 1), -1);  // The class is unknown.
}

class ReadingsFolder : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("edgeprobe_readings_" + std::to_string(::getpid()));
    fs::create_directories(dir_ / "run");
  }
  void TearDown() override { fs::remove_all(dir_); }
  void put(const char* name, const std::string& text) {
    ASSERT_TRUE(write_file(dir_ / name, view_of(text)));
  }
  static std::vector<float> values_of(const Sample& sample) {
    const auto loaded = sample.load();
    EXPECT_TRUE(loaded) << loaded.error().what;
    return readings_of(loaded->input)->values;
  }
  static std::string rows(int count, const char* header = "x,label") {
    std::string text = std::string(header) + "\n";
    for (int i = 0; i < count; ++i)
      text += std::to_string(i) + (header[1] ? "," + std::to_string(i / 5) : "") + "\n";
    return text;
  }
  fs::path dir_;
};

TEST_F(ReadingsFolder, TablesAreRecordingsAndTablesOfLabelsAreNone) {
  put("b.csv", rows(4, "x"));
  put("run/a.csv", rows(3, "x"));
  put("labels.csv", "file,label\nb.csv,1\n");
  put("notes.csv", "text\nwell\n");
  const auto samples = open_folder(dir_, *read_labels((dir_ / "labels.csv").string(), ""));
  ASSERT_TRUE(samples) << samples.error().what;
  ASSERT_EQ(samples->size(), 2u);
  EXPECT_EQ((*samples)[0].name, "b.csv");
  EXPECT_EQ((*samples)[1].name, "run/a.csv");
  EXPECT_EQ(values_of((*samples)[0]), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ((*samples)[0].annotation, task::Annotation(task::ClassLabel{1}));
  put("c.csv", rows(3, "y"));
  const auto unequal = open_folder(dir_, {});
  ASSERT_FALSE(unequal);
  EXPECT_NE(unequal.error().what.find("c.csv' line 1: its axes are y; those of 'b.csv' are x"),
            std::string::npos)
      << unequal.error().what;
}

TEST_F(ReadingsFolder, IrregularTimesAreToldOnce) {
  std::string text = "time_ms,x\n";
  for (int i = 0; i < 20; ++i) text += std::to_string(10 * i + (i >= 7 ? 90 : 0)) + ",1\n";
  put("walk.csv", text);
  put("more.csv", text);
  std::string note;
  const auto samples = open_folder(dir_, {}, 0, &note);
  ASSERT_TRUE(samples) << samples.error().what;
  EXPECT_NE(note.find("'more.csv': 1 of 19 steps"), std::string::npos) << note;
  EXPECT_NE(note.find("the same of 1 other recordings"), std::string::npos) << note;
  EXPECT_EQ(readings_of((*samples)[0].load()->input)->rate, 100);
}

}  // namespace
}  // namespace edgeprobe::dataset
