// SPDX-License-Identifier: Apache-2.0
#include "archive/npz.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace edgeprobe::archive {
namespace {

void put(std::string& out, std::uint64_t value, std::size_t bytes) {
  out.append(reinterpret_cast<const char*>(&value), std::min(bytes, sizeof value));
  if (bytes > sizeof value) out.append(bytes - sizeof value, '\0');
}

// One stored array of `count` bytes; the directory lists it `times` times.
std::string archive(std::size_t count, std::size_t times) {
  std::string head =
      "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  head.resize(118, ' ');
  std::string member("\x93NUMPY\x01\x00", 8);
  put(member, head.size(), 2);
  member += head + std::string(count, '\7');
  const auto checksum = ::crc32_z(0, reinterpret_cast<const Bytef*>(member.data()), member.size());
  std::string file;
  put(file, 0x04034b50, 4);
  put(file, 0, 10);
  put(file, checksum, 4);
  put(file, member.size(), 4);
  put(file, member.size(), 4);
  put(file, 5, 4);
  file += "a.npy" + member;
  const std::size_t directory = file.size();
  for (std::size_t i = 0; i < times; ++i) {
    put(file, 0x02014b50, 4);
    put(file, 0, 12);
    put(file, checksum, 4);
    put(file, member.size(), 4);
    put(file, member.size(), 4);
    put(file, 5, 2);
    put(file, 0, 16);
    file += "a.npy";
  }
  const std::size_t length = file.size() - directory;
  put(file, 0x06054b50, 4);
  put(file, 0, 4);
  put(file, times, 2);
  put(file, times, 2);
  put(file, length, 4);
  put(file, directory, 4);
  put(file, 0, 2);
  return file;
}

TEST(Npz, MembersThatShareTheirBytesAreRefused) {
  const std::string sound = archive(1000, 1);
  const auto npz = parse_npz(view_of(sound));
  ASSERT_TRUE(npz) << npz.error().what;
  ASSERT_EQ(npz->arrays.size(), 1u);
  EXPECT_EQ(npz->arrays[0].bytes, Bytes(1000, std::byte{7}));
  const auto multiplied = parse_npz(view_of(archive(1000, 60)));
  ASSERT_FALSE(multiplied);
  EXPECT_EQ(multiplied.error().kind, ErrorKind::kCorrupt);
  EXPECT_NE(multiplied.error().what.find("larger than the file"), std::string::npos)
      << multiplied.error().what;
}

std::string texts_of_one_byte(std::size_t count) {
  std::string head =
      "{'descr': '|S1', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
  head.resize(118, ' ');
  std::string file("\x93NUMPY\x01\x00", 8);
  put(file, head.size(), 2);
  return file + head + std::string(count, 'x');
}

// A text takes 32 bytes in memory, but only a fraction of one byte in the archive.
TEST(Npz, TextsAreReadForFramesOnlyAndAreCounted) {
  const std::string few = texts_of_one_byte(3);
  EXPECT_EQ(parse_npy(view_of(few), kSamples)->texts.at(kSamples),
            (std::vector<std::string>{"x", "x", "x"}));
  const std::string bomb = texts_of_one_byte(kMostNpzTexts + 1);
  const auto refused = parse_npy(view_of(bomb), kSamples);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kLimit);
  const auto other = parse_npy(view_of(bomb), "remarks");
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->texts.empty());
}

}  // namespace
}  // namespace edgeprobe::archive
