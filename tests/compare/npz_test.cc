#include "compare/golden/npz.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>
#include <string>

namespace edgeprobe::compare {
namespace {

void put(std::string& out, std::uint64_t value, std::size_t bytes) { out.append(reinterpret_cast<const char*>(&value), bytes); }

// One stored array of `count` bytes, which the directory lists `times` times.
std::string archive(std::size_t count, std::size_t times) {
  std::string head = "{'descr': '|u1', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }";
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
  EXPECT_EQ(multiplied.error().fault, Fault::kCorrupt);
  EXPECT_NE(multiplied.error().what.find("larger than the file"), std::string::npos) << multiplied.error().what;
}

}  // namespace
}  // namespace edgeprobe::compare
