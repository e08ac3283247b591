// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <climits>
#include <cstddef>
#include <cstring>

#include "support.h"

namespace edgeprobe::test {
namespace {

using trace::Stage;

// A value outside of an enumeration, as C allows.
template <class Enum>
void put(Enum& place, int value) {
  static_assert(sizeof place == sizeof value);
  std::memcpy(&place, &value, sizeof value);
}

TEST(ProbeMisuse, NoProbeMeansOff) {
  edgeprobe_frame* frame = nullptr;
  EXPECT_EQ(edgeprobe_frame_begin(nullptr, &frame), EDGEPROBE_OFF);
  EXPECT_EQ(frame, nullptr);
  EXPECT_EQ(edgeprobe_log_tensor(nullptr, Floats(EDGEPROBE_STAGE_LAYER, "x", {1})), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_log_image(nullptr, nullptr), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_frame_end(nullptr), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_frame_trip(nullptr, "x"), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_mark(nullptr, "x", nullptr), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_close(nullptr, nullptr), EDGEPROBE_OFF);
  edgeprobe_span span = edgeprobe_span_begin(nullptr, "x");
  EXPECT_EQ(edgeprobe_span_end(&span), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_frame_wants(nullptr, EDGEPROBE_STAGE_LAYER), 0);
}

TEST(ProbeMisuse, UseOfAnEndedFrameIsReported) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  edgeprobe_frame* const ended = begun(probe);
  EXPECT_EQ(edgeprobe_frame_end(ended), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_frame_end(ended), EDGEPROBE_USAGE);
  edgeprobe_frame* const next = begun(probe);  // the same memory, used again
  EXPECT_NE(next, ended);
  EXPECT_EQ(edgeprobe_log_scalar(ended, "x", 1), EDGEPROBE_USAGE);
  EXPECT_STREQ(edgeprobe_last_error(), "the frame has ended already");
  EXPECT_EQ(edgeprobe_log_scalar(next, "x", 1), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_log_scalar(next, "x", 1), EDGEPROBE_OFF);  // closed with its probe
  EXPECT_EQ(edgeprobe_frame_end(next), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_mark(probe, "x", nullptr), EDGEPROBE_OFF);
  edgeprobe_frame* frame = next;
  EXPECT_EQ(edgeprobe_frame_begin(probe, &frame), EDGEPROBE_OFF);
  EXPECT_EQ(frame, nullptr);
}

TEST(ProbeMisuse, StaleHandleIsReportedHoweverOftenItsSlotWasReused) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  edgeprobe_frame* const old = begun(probe);
  EXPECT_EQ(edgeprobe_frame_end(old), EDGEPROBE_OK);
  for (int i = 0; i < 70'000; ++i) {
    edgeprobe_frame* const frame = begun(probe);
    ASSERT_EQ(edgeprobe_frame_label(old, 1), EDGEPROBE_USAGE) << i;
    edgeprobe_frame_end(frame);
  }
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  for (int i = 0; i < 300; ++i) {
    edgeprobe_probe* const other = opened(folder / ("t" + std::to_string(i) + ".mcap"));
    ASSERT_EQ(edgeprobe_mark(probe, "x", nullptr), EDGEPROBE_OFF) << i;
    edgeprobe_close(other, nullptr);
  }
}

TEST(ProbeMisuse, AnAnnotationIsCheckedAndBelongsToItsFrame) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  edgeprobe_frame* const frame = begun(probe);
  EXPECT_EQ(edgeprobe_frame_annotation(frame, "class_set", "[3, 17]"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_frame_annotation(frame, "boxes", "[{\"x\": }]"), EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_frame_annotation(frame, "boxes", ""), EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_frame_annotation(frame, "boxes", nullptr), EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_frame_annotation(frame, nullptr, "[]"), EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_frame_annotation(frame, "", "[]"), EDGEPROBE_USAGE);
  const std::string text = '"' + std::string(12 * 1024 - 1, 'x') + '"';
  EXPECT_EQ(edgeprobe_frame_annotation(frame, "text", text.c_str()), EDGEPROBE_LIMIT);
  EXPECT_EQ(edgeprobe_frame_annotation(frame, std::string(65, 'k').c_str(), "1"), EDGEPROBE_LIMIT);
  EXPECT_EQ(edgeprobe_frame_annotation(nullptr, "boxes", "[]"), EDGEPROBE_OFF);
  EXPECT_EQ(edgeprobe_frame_end(frame), EDGEPROBE_OK);
  edgeprobe_frame* const next = begun(probe);
  EXPECT_EQ(edgeprobe_frame_end(next), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  const auto records = read(folder / "t.mcap").records();
  ASSERT_EQ(records.size(), 2u);
  ASSERT_TRUE(records[0].annotation);
  EXPECT_EQ(records[0].annotation->kind, "class_set");
  EXPECT_EQ(records[0].annotation->value, "[3, 17]");
  EXPECT_FALSE(records[1].annotation);
}

TEST(ProbeMisuse, AFrameThatIsOpenAtTheCloseKeepsItsRecord) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  edgeprobe_frame* const frame = begun(probe);
  edgeprobe_frame_sample(frame, "cat/0001.png");
  edgeprobe_frame_label(frame, 3);
  edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_MODEL_INPUT, "in", {1, 2}));
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  const auto records = read(folder / "t.mcap").records();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].sample, "cat/0001.png");
  EXPECT_EQ(records[0].label, 3);
}

// A struct of another version is shorter or longer: nothing is written beyond it, and its existing
// fields count.
TEST(ProbeMisuse, StructsOfOtherVersionsAreTaken) {
  struct {
    edgeprobe_options options;
    unsigned char behind[64];
  } place;
  std::memset(&place, 0xee, sizeof place);
  constexpr std::size_t kShorter = offsetof(edgeprobe_options, raw);
  edgeprobe_options_init_sized(&place.options, kShorter);
  EXPECT_EQ(place.options.struct_size, kShorter);
  EXPECT_EQ(place.options.every, 1u);
  EXPECT_EQ(reinterpret_cast<unsigned char*>(&place)[kShorter], 0xee);
  edgeprobe_options_init_sized(&place.options, sizeof place);
  EXPECT_EQ(place.options.struct_size, sizeof place);
  EXPECT_EQ(place.options.raw_frames, 32u);
  EXPECT_EQ(place.behind[63], 0);
  const Folder folder;
  edgeprobe_probe* probe = nullptr;
  ASSERT_EQ(edgeprobe_open((folder / "t.mcap").c_str(), &place.options, &probe), EDGEPROBE_OK)
      << edgeprobe_last_error();
  struct {
    edgeprobe_statistics statistics;
    std::uint64_t behind;
  } longer{};
  longer.statistics.struct_size = sizeof longer;
  longer.behind = 7;
  EXPECT_EQ(edgeprobe_frame_end(begun(probe)), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_close(probe, &longer.statistics), EDGEPROBE_OK);
  EXPECT_EQ(longer.statistics.frames, 1u);
  EXPECT_EQ(longer.statistics.struct_size, sizeof longer);
  EXPECT_EQ(longer.behind, 7u);
}

TEST(ProbeMisuse, ATensorThatDoesNotFitIsRefused) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  edgeprobe_frame* const frame = begun(probe);
  const Floats good(EDGEPROBE_STAGE_MODEL_INPUT, "in", {1, 2, 3});
  const auto refused = [&](auto change) {
    edgeprobe_tensor tensor = good.tensor;
    change(tensor);
    return edgeprobe_log_tensor(frame, &tensor);
  };
  const std::int64_t huge[3] = {LLONG_MAX, LLONG_MAX, 4}, negative = -1;
  const float scales[2] = {1, 2};
  EXPECT_EQ(refused([](auto& t) { t.struct_size = 0; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { t.struct_size = 1u << 30; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { t.size -= 1; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { t.size = 0; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { t.name = nullptr; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { t.data = nullptr; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { t.shape = nullptr; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { t.rank = 33; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { put(t.dtype, 77); }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { put(t.dtype, -1); }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { t.stage = EDGEPROBE_STAGE_RAW_INPUT; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([&](auto& t) { t.shape = huge, t.rank = 3; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([&](auto& t) { t.shape = &negative; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([](auto& t) { t.scale_count = 1; }), EDGEPROBE_USAGE);
  // three values along the axis
  EXPECT_EQ(refused([&](auto& t) { t.scale_count = 2, t.scale = scales; }), EDGEPROBE_USAGE);
  EXPECT_EQ(refused([&](auto& t) { t.scale_count = 2, t.scale = scales, t.axis = 7; }),
            EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_log_tensor(frame, good), EDGEPROBE_OK);
  edgeprobe_frame_end(frame);
  edgeprobe_close(probe, nullptr);
  EXPECT_EQ(read(folder / "t.mcap").channels().size(), 1u);
}

TEST(ProbeMisuse, WrongOptionsAreRefused) {
  const Folder folder;
  edgeprobe_probe* probe = nullptr;
  const auto status = [&](auto change) {
    edgeprobe_options options = defaults();
    change(options);
    return edgeprobe_open((folder / "t.mcap").c_str(), &options, &probe);
  };
  EXPECT_EQ(status([](auto& o) { o.struct_size = 3; }), EDGEPROBE_USAGE);
  EXPECT_EQ(status([](auto& o) { put(o.level, 9); }), EDGEPROBE_USAGE);
  EXPECT_EQ(status([](auto& o) { o.every = 0; }), EDGEPROBE_USAGE);
  EXPECT_EQ(status([](auto& o) { o.time_share = 2; }), EDGEPROBE_USAGE);
  EXPECT_EQ(probe, nullptr);
  EXPECT_EQ(edgeprobe_open(nullptr, nullptr, &probe), EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_open("x", nullptr, nullptr), EDGEPROBE_USAGE);
  EXPECT_EQ(edgeprobe_open((folder / "no/such/t.mcap").c_str(), nullptr, &probe),
            EDGEPROBE_NOT_FOUND);
  EXPECT_FALSE(std::filesystem::exists(folder / "t.mcap"));
}

TEST(ProbeMisuse, AFileOrLinkIsNeverOverwritten) {
  const Folder folder;
  edgeprobe_probe* probe = nullptr;
  std::filesystem::create_symlink(folder / "elsewhere.mcap", folder / "link.mcap");
  EXPECT_EQ(edgeprobe_open((folder / "link.mcap").c_str(), nullptr, &probe), EDGEPROBE_USAGE);
  EXPECT_FALSE(std::filesystem::exists(folder / "elsewhere.mcap"));
  edgeprobe_close(opened(folder / "t.mcap"), nullptr);
  EXPECT_EQ(edgeprobe_open((folder / "t.mcap").c_str(), nullptr, &probe), EDGEPROBE_USAGE);
  EXPECT_EQ(std::filesystem::status(folder / "t.mcap").permissions(), std::filesystem::perms(0600));
}

TEST(ProbeMisuse, NamesAreAnyBytes) {
  const Folder folder;
  edgeprobe_options options = defaults();
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  const std::string names[] = {
      "", "a b/c", "\xff\xfe\n\x01", "100%", "/../..", std::string(60000, 'x'), "\xe2\x82\xac"};
  edgeprobe_frame* const frame = begun(probe);
  for (const std::string& name : names)
    EXPECT_EQ(edgeprobe_log_scalar(frame, name.c_str(), 1), EDGEPROBE_OK) << edgeprobe_last_error();
  // a topic has at most 65,535 bytes
  EXPECT_EQ(edgeprobe_log_scalar(frame, std::string(70000, 'x').c_str(), 1), EDGEPROBE_LIMIT);
  EXPECT_EQ(edgeprobe_log_text(frame, "text", "\xff%\n"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_frame_sample(frame, "\x01 cat"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_mark(probe, "\x02\xff", "\xff"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_describe(probe, "\xfe", "\xff\n"), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_frame_end(frame), EDGEPROBE_OK);
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  const auto reader = read(folder / "t.mcap");
  for (const std::string& name : names)
    EXPECT_TRUE(has_channel(reader, Stage::kVariable, name)) << name;
  EXPECT_EQ(bytes(reader, 0, Stage::kVariable, "text"), "\xff%\n");
  EXPECT_EQ(reader.records()[0].sample, "\x01 cat");
}

TEST(ProbeMisuse, ANameThatComesTwiceInAFrameIsNumbered) {
  const Folder folder;
  edgeprobe_probe* const probe = opened(folder / "t.mcap");
  for (int i = 0; i < 3; ++i) {
    edgeprobe_frame* const frame = begun(probe);
    for (int k = 0; k <= i; ++k)
      edgeprobe_log_tensor(
          frame, Floats(EDGEPROBE_STAGE_INTERMEDIATE, "crop", {static_cast<float>(10 * i + k)}));
    edgeprobe_log_tensor(frame, Floats(EDGEPROBE_STAGE_INTERMEDIATE, "cro", {5}));
    edgeprobe_frame_end(frame);
  }
  edgeprobe_close(probe, nullptr);
  const auto reader = read(folder / "t.mcap");
  EXPECT_EQ(floats(reader, 2, Stage::kIntermediate, "crop"), (std::vector<float>{20}));
  EXPECT_EQ(floats(reader, 2, Stage::kIntermediate, "crop#2"), (std::vector<float>{21}));
  EXPECT_EQ(floats(reader, 2, Stage::kIntermediate, "crop#3"), (std::vector<float>{22}));
  EXPECT_EQ(floats(reader, 1, Stage::kIntermediate, "crop#2"), (std::vector<float>{11}));
  EXPECT_EQ(floats(reader, 2, Stage::kIntermediate, "cro"), (std::vector<float>{5}));
  EXPECT_EQ(reader.channels().size(), 4u);
}

}  // namespace
}  // namespace edgeprobe::test
