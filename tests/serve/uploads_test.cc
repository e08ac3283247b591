// SPDX-License-Identifier: Apache-2.0
#include "serve/uploads.h"

#include <gtest/gtest.h>

#include "core/file.h"

namespace edgeprobe::serve {
namespace {

Bytes hash_of(const Bytes& bytes) {
  const std::string hex = sha256(bytes);
  Bytes hash;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    hash.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return hash;
}

TEST(Uploads, GoOnWhereTheyWereCutOff) {
  Uploads uploads(1000);
  const Bytes model(500, std::byte{3});
  const Bytes hash = hash_of(model);
  EXPECT_EQ(uploads.offer(hash, 500).value(), 0u);
  EXPECT_EQ(uploads.add(hash, 0, ByteView(model).sub(0, 200)).value(), 200u);
  EXPECT_EQ(uploads.offer(hash, 500).value(), 200u);
  EXPECT_NE(uploads.model(hash).error().what.find("200 of 500"), std::string::npos);
  // Bytes that arrived already are skipped; a gap is refused.
  EXPECT_EQ(uploads.add(hash, 100, ByteView(model).sub(100, 200)).value(), 300u);
  EXPECT_FALSE(uploads.add(hash, 301, ByteView(model).sub(301, 10)));
  EXPECT_FALSE(uploads.add(hash, 300, model));
  EXPECT_EQ(uploads.add(hash, 300, ByteView(model).sub(300, 200)).value(), 500u);
  EXPECT_EQ(uploads.model(hash).value().copy(), model);
  EXPECT_FALSE(uploads.offer(hash, 501));
}

TEST(Uploads, OfAnotherHashAreDropped) {
  Uploads uploads(1000);
  const Bytes hash(32, std::byte{1});
  ASSERT_TRUE(uploads.offer(hash, 3));
  ASSERT_TRUE(uploads.add(hash, 0, view_of("abc")));
  EXPECT_EQ(uploads.model(hash).error().kind, ErrorKind::kCorrupt);
  EXPECT_EQ(uploads.offer(hash, 3).value(), 0u);
}

TEST(Uploads, MakeRoomForNewerOnes) {
  Uploads uploads(1000);
  const Bytes a(32, std::byte{1}), b(32, std::byte{2}), c(32, std::byte{3});
  ASSERT_TRUE(uploads.offer(a, 400));
  ASSERT_TRUE(uploads.offer(b, 400));
  ASSERT_TRUE(uploads.add(a, 0, view_of("used")));
  ASSERT_TRUE(uploads.offer(c, 400));
  EXPECT_TRUE(uploads.add(a, 4, view_of("x")));
  EXPECT_FALSE(uploads.add(b, 0, view_of("x")));
  EXPECT_EQ(uploads.offer(b, 2000).error().kind, ErrorKind::kLimit);
  // An unverified size may have been wrong.
  EXPECT_EQ(uploads.offer(a, 401).value(), 0u);
  EXPECT_FALSE(uploads.offer(view_of("short"), 3));
}

}  // namespace
}  // namespace edgeprobe::serve
