// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "core/codes.h"
#include "core/file.h"
#include "core/sha256_kernels.h"
#include "core/tensor.h"
#include "core/text.h"

namespace edgeprobe {
namespace {

TEST(Sha256, EqualsThePublishedExamples) {  // FIPS 180-4 examples, also sha256sum
  EXPECT_EQ(sha256(view_of("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(view_of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(view_of(std::string(1000, 'a'))),
            "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
}

TEST(Sha256, EqualsHashlibAtEveryLengthByEveryKernel) {
  std::string few(300, 0), many((9 << 20) + 5, 0);
  for (std::size_t i = 0; i < few.size(); ++i)
    few[i] = static_cast<char>((i * 7 + i / 256 * 13) % 256);
  for (std::size_t i = 0; i < many.size(); ++i)
    many[i] = static_cast<char>((i * 31 + i / 977) % 256);
  for (const Sha256Kernel& kernel : sha256_kernels()) {
    SCOPED_TRACE(kernel.name);
    std::string all;  // Expected: hashlib's sha256 of the 301 joined hexdigests of the same bytes.
    for (std::size_t n = 0; n <= few.size(); ++n)
      all += sha256_by(kernel, view_of(few.substr(0, n)));
    EXPECT_EQ(sha256_by(kernel, view_of(all)),
              "84c2b5d867f52481e782aec608ea03f9345a6a89687a1e49f6541775352c8256");
    EXPECT_EQ(sha256_by(kernel, view_of(many)),
              "0016edf5ab3a92c2415e74e65ea1c6b0228b553ef4c7c0e310c68d504684ddf6");
  }
}

TEST(Shape, RefusesOverflowAndOpenDimensions) {
  EXPECT_EQ(element_count({2, 3, 4}), 24u);
  EXPECT_EQ(element_count({}), 1u);
  EXPECT_FALSE(element_count({-1, 3}));
  EXPECT_FALSE(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40}));
  EXPECT_EQ(shape_from_list("1,224,224,3"), (Shape{1, 224, 224, 3}));
  EXPECT_FALSE(shape_from_list("1,,2"));
  EXPECT_FALSE(shape_from_list("1,2x"));
}

TEST(Tensor, DequantisesWithOneAndWithManyScales) {
  Tensor t{{"t", DType::kInt8, {2, 2}, {{0.5f}, {-1}, 0}}, Bytes(4)};
  const std::int8_t codes[] = {-128, 0, 1, 127};
  std::memcpy(t.bytes.data(), codes, 4);
  EXPECT_EQ(*to_float(t), (std::vector<float>{-63.5f, 0.5f, 1.f, 64.f}));  // (c + 1) * 0.5
  t.spec.quantization = {{1.f, 2.f}, {0}, 1};
  EXPECT_EQ(*to_float(t), (std::vector<float>{-128.f, 0.f, 1.f, 254.f}));
  t.spec.quantization.axis = 7;
  EXPECT_EQ(to_float(t).error().kind, ErrorKind::kCorrupt);
}

TEST(Tensor, RefusesBytesThatDoNotFitTheShape) {
  Tensor t{{"t", DType::kFloat32, {3}, {}}, Bytes(8)};
  EXPECT_EQ(to_float(t).error().kind, ErrorKind::kCorrupt);
  t.spec.dtype = DType::kOther;
  EXPECT_EQ(to_float(t).error().kind, ErrorKind::kUnsupported);
}

TEST(HalfToFloat, CoversNormalSubnormalAndSpecialValues) {
  EXPECT_EQ(half_to_float(0x3c00), 1.f);
  EXPECT_EQ(half_to_float(0xc000), -2.f);
  EXPECT_EQ(half_to_float(0x0001), 0x1p-24f);
  EXPECT_EQ(half_to_float(0x7bff), 65504.f);
  EXPECT_TRUE(std::isinf(half_to_float(0x7c00)));
  EXPECT_TRUE(std::isnan(half_to_float(0x7e00)));
}

TEST(FloatToHalf, RoundsToTheNearestAndToEven) {
  EXPECT_EQ(float_to_half(1 + 0x1p-11f), 0x3c00);  // half-way to the next: even below
  EXPECT_EQ(float_to_half(1 + 0x3p-11f), 0x3c02);  // half-way: even above
  EXPECT_EQ(float_to_half(0x1p-25f), 0);           // half of the least number
  EXPECT_EQ(float_to_half(std::nextafter(65520.f, 0.f)), 0x7bff);
  EXPECT_EQ(float_to_half(-65520.f), 0xfc00);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(std::nanf("")))));
  for (std::uint32_t bits = 0; bits <= 0x7c00; ++bits)
    EXPECT_EQ(float_to_half(half_to_float(static_cast<std::uint16_t>(bits))), bits);
}

TEST(Printable, EscapesWhatCouldDriveATerminal) {
  EXPECT_EQ(sanitized("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(sanitized(std::string_view("n\0u", 3)), "n\\x00u");
  EXPECT_EQ(sanitized("\xff"), "\\xff");
  EXPECT_EQ(sanitized("Größe"), "Größe");
  EXPECT_EQ(sanitized("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_LE(sanitized(std::string(1 << 20, 'x')).size(), 170u);
}

TEST(Nearest, FindsASlipAndNotMore) {
  EXPECT_EQ(closest_match("biliner", {"nearest", "bilinear"}), "bilinear");
  EXPECT_EQ(closest_match("xyz", {"nearest", "bilinear"}), "");
}

TEST(File, WritesWholeAndNamesWhatItCannotRead) {
  const auto dir =
      std::filesystem::temp_directory_path() / ("edgeprobe_core_" + std::to_string(::getpid()));
  std::filesystem::create_directories(dir);
  ASSERT_TRUE(write_file(dir / "a", view_of("hello")));
  EXPECT_EQ(ByteView(*read_file(dir / "a")).text(), "hello");
  EXPECT_EQ((std::filesystem::status(dir / "a").permissions() & std::filesystem::perms::mask),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(read_file(dir / "missing").error().kind, ErrorKind::kNotFound);
  EXPECT_EQ(read_file(dir).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(read_file(dir / "a", 3).error().kind, ErrorKind::kLimit);
  EXPECT_EQ(MappedFile::open(dir / "a")->bytes().text(), "hello");
  std::filesystem::remove_all(dir);
}

TEST(File, WritesThroughPipesAndRefusesLinks) {
  const auto dir = std::filesystem::temp_directory_path() /
                   ("edgeprobe_core_places_" + std::to_string(::getpid()));
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  const auto kind = [&](const char* name) {
    return std::filesystem::symlink_status(dir / name).type();
  };

  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(
      write_file(dir / "pipe", view_of("lost")).error().what.find("this pipe has no reader") !=
          std::string::npos,
      true);
  const int reader = ::open((dir / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  std::filesystem::create_symlink(dir / "pipe", dir / "link_to_pipe");
  for (const char* name : {"pipe", "link_to_pipe"}) {
    ASSERT_TRUE(write_file(dir / name, view_of("hello")));
    char got[8] = {};
    EXPECT_EQ(::read(reader, got, sizeof got), 5);
    EXPECT_STREQ(got, "hello");
  }
  ::close(reader);
  EXPECT_EQ(kind("pipe"), std::filesystem::file_type::fifo);
  EXPECT_EQ(kind("link_to_pipe"), std::filesystem::file_type::symlink);
  // Uses a link: a bug here must not destroy the machine's device.
  std::filesystem::create_symlink("/dev/full", dir / "full");
  EXPECT_EQ(write_file(dir / "full", view_of("x")).error().kind, ErrorKind::kLimit);
  EXPECT_EQ(kind("full"), std::filesystem::file_type::symlink);

  ASSERT_TRUE(write_file(dir / "precious", view_of("precious")));
  std::filesystem::create_symlink(dir / "precious", dir / "link");
  std::filesystem::create_symlink(dir / "nowhere", dir / "dangling");
  for (const char* name : {"link", "dangling", "."}) {
    EXPECT_EQ(check_writable(dir / name).error().kind, ErrorKind::kUsage) << name;
    EXPECT_EQ(write_file(dir / name, view_of("x")).error().kind, ErrorKind::kUsage) << name;
  }
  EXPECT_EQ(kind("link"), std::filesystem::file_type::symlink);
  EXPECT_EQ(kind("dangling"), std::filesystem::file_type::symlink);
  EXPECT_EQ(ByteView(*read_file(dir / "precious")).text(), "precious");
  std::filesystem::remove_all(dir);
}

// A mask, an index and a picture of bytes are integers without a scale; codes have one, also with
// 16 bits.
TEST(Codes, AreIntegersWithAScale) {
  EXPECT_TRUE(holds_codes({"x", DType::kInt8, {1}, {{0.5f}, {-1}, 0}}));
  EXPECT_TRUE(holds_codes({"x", DType::kInt16, {1}, {{0.5f}, {0}, 0}}));
  EXPECT_TRUE(holds_codes({"bias", DType::kInt32, {1}, {{0.5f}, {0}, 0}}));
  for (const DType dtype : {DType::kBool, DType::kUInt8, DType::kInt8, DType::kInt64})
    EXPECT_FALSE(holds_codes({"x", dtype, {1}, {}})) << name(dtype);
  EXPECT_FALSE(holds_codes({"x", DType::kFloat32, {1}, {{0.5f}, {0}, 0}}));
}

}  // namespace
}  // namespace edgeprobe
