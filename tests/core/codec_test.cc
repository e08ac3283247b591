// SPDX-License-Identifier: Apache-2.0
// Little-endian bytes by hand: what a host of either order has to read and write.
#include "core/codec.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace edgeprobe {
namespace {

Bytes bytes_of(std::initializer_list<unsigned> values) {
  Bytes bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

TEST(Codec, WritesTheLowestByteFirst) {
  ByteWriter out;
  out.number(std::uint8_t{0x01});
  out.number(std::uint16_t{0x0302});
  out.number(std::uint32_t{0x07060504});
  out.number(std::uint64_t{0x0f0e0d0c0b0a0908});
  out.number(std::int16_t{-2});
  out.number(1.0f);
  EXPECT_EQ(out.bytes(), bytes_of({1,  2,  3,  4,  5,    6,    7, 8, 9,    10,  11,
                                   12, 13, 14, 15, 0xfe, 0xff, 0, 0, 0x80, 0x3f}));
}

TEST(Codec, ReadsTheLowestByteFirstAtAnyPlace) {
  const Bytes bytes = bytes_of({1,  2,  3,  4,    5,    6,    7,    8, 9, 10,   11,  12,
                                13, 14, 15, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0x80, 0x3f});
  ByteReader in(bytes);
  EXPECT_EQ(in.u8(), 0x01);
  EXPECT_EQ(in.u16(), 0x0302);
  EXPECT_EQ(in.u32(), 0x07060504u);
  EXPECT_EQ(in.u64(), 0x0f0e0d0c0b0a0908u);
  EXPECT_EQ(in.i32(), -2);
  EXPECT_EQ(in.f32(), 1.0f);
  EXPECT_TRUE(in.at_end());
}

TEST(Codec, TurnsNumbersForHostsOfTheOtherOrder) {
  EXPECT_EQ(byte_swapped(std::uint8_t{0x12}), 0x12);
  EXPECT_EQ(byte_swapped(std::uint16_t{0x1234}), 0x3412);
  EXPECT_EQ(byte_swapped(std::uint32_t{0x12345678}), 0x78563412u);
  EXPECT_EQ(byte_swapped(std::uint64_t{0x0102030405060708}), 0x0807060504030201u);
  EXPECT_EQ(byte_swapped(byte_swapped(3.25)), 3.25);
}

TEST(Codec, ReadsBackWhatItWrote) {
  enum class Word : std::uint32_t { kNone, kSome = 0xdeadbeef };
  ByteWriter out;
  out.number(Word::kSome);
  out.number(std::numeric_limits<double>::denorm_min());
  out.number(std::numeric_limits<std::int64_t>::min());
  out.sized<std::uint32_t>(view_of("text"));
  out.sized<std::uint64_t>({});
  out.append(view_of("end"));
  ByteReader in(out.bytes());
  EXPECT_EQ(in.number<Word>(), Word::kSome);
  EXPECT_EQ(in.number<double>(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(in.number<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(in.sized<std::uint32_t>().text(), "text");
  EXPECT_TRUE(in.sized<std::uint64_t>().empty());
  EXPECT_EQ(in.rest().text(), "end");
  EXPECT_FALSE(in.at_end());
  EXPECT_EQ(in.take(3).text(), "end");
  EXPECT_TRUE(in.at_end());
}

TEST(Codec, GivesNothingAfterAFieldThatDoesNotFit) {
  const Bytes bytes = bytes_of({1, 2, 3, 4, 5});
  ByteReader in(bytes);
  EXPECT_EQ(in.u16(), 0x0201);
  EXPECT_EQ(in.u32(), 0u) << "three bytes are left";
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.u8(), 0) << "although one would fit";
  EXPECT_TRUE(in.take(1).empty());
  EXPECT_TRUE(in.rest().empty());
  EXPECT_FALSE(in.at_end());
}

TEST(Codec, BelievesNoLength) {
  ByteWriter out;
  out.number(std::numeric_limits<std::uint64_t>::max());
  out.append(view_of("abc"));
  ByteReader wild(out.bytes());
  EXPECT_TRUE(wild.sized<std::uint64_t>().empty());
  EXPECT_FALSE(wild.ok());

  ByteWriter long_one;
  long_one.sized<std::uint32_t>(view_of("abcdef"));
  ByteReader short_of(long_one.bytes());
  EXPECT_TRUE(short_of.sized<std::uint32_t>(5).empty());
  EXPECT_FALSE(short_of.ok());
  ByteReader enough(long_one.bytes());
  EXPECT_EQ(enough.sized<std::uint32_t>(6).text(), "abcdef");

  ByteReader empty{ByteView()};
  EXPECT_TRUE(empty.at_end());
  EXPECT_TRUE(empty.take(0).empty());
  EXPECT_TRUE(empty.ok());
  EXPECT_EQ(empty.u8(), 0);
  EXPECT_FALSE(empty.ok());
}

TEST(Codec, IsToldOfWhatWasReadButCannotBe) {
  const Bytes bytes = bytes_of({7, 8});
  ByteReader in(bytes);
  in.fail();
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.u8(), 0);
}

}  // namespace
}  // namespace edgeprobe
