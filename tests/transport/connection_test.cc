// SPDX-License-Identifier: Apache-2.0
// Both ends of a connection in this process.
#include "transport/connection.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

#include "transport/dial.h"
#include "transport/listener.h"

namespace edgeprobe::transport {
namespace {

using namespace std::chrono_literals;

Wait within(std::chrono::milliseconds limit) { return {process::deadline_after(limit)}; }

struct Ends {
  std::unique_ptr<Connection> client, server;
};
Ends connected(Listener& listener) {
  auto client = dial(listener.address(), within(5s));
  EXPECT_TRUE(client) << client.error().what;
  return {*std::move(client), listener.accept(within(5s))};
}

TEST(Connection, CarriesManyPartsWhole) {
  auto listener = Listener::open({"127.0.0.1", 0, {}});
  ASSERT_TRUE(listener) << listener.error().what;
  ASSERT_NE(listener->address().port, 0);
  auto [client, server] = connected(*listener);
  ASSERT_TRUE(server);
  std::vector<Bytes> parts;
  Bytes expected;
  for (std::size_t i = 0; i < 100; ++i) {
    // Includes empty parts, and more bytes than a socket holds.
    parts.emplace_back(i % 7 == 0 ? 0 : i * 1999, static_cast<std::byte>(i));
    expected.insert(expected.end(), parts.back().begin(), parts.back().end());
  }
  std::thread writer([&, &client = client] {
    const std::vector<ByteView> views(parts.begin(), parts.end());
    EXPECT_EQ(client->write(views, within(20s)), Transfer::kDone);
    client->shut();
  });
  Bytes came;
  std::array<std::byte, 4096> piece{};
  std::size_t got = 0;
  Transfer last = Transfer::kDone;
  while ((last = server->read(piece.data(), piece.size(), got, within(20s))) == Transfer::kDone)
    came.insert(came.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
  writer.join();
  EXPECT_EQ(last, Transfer::kClosed);
  EXPECT_EQ(came, expected);
}

TEST(Connection, DoesNotWaitBeyondItsDeadline) {
  auto listener = Listener::open({"127.0.0.1", 0, {}});
  ASSERT_TRUE(listener);
  auto [client, server] = connected(*listener);
  std::byte byte{};
  std::size_t got = 0;
  EXPECT_EQ(client->read(&byte, 1, got, within(50ms)), Transfer::kLate);
  const Bytes much(64 << 20);
  const ByteView parts[] = {much};
  EXPECT_EQ(client->write(parts, within(50ms)), Transfer::kLate);
  server.reset();
  EXPECT_EQ(client->read(&byte, 1, got, within(5s)), Transfer::kClosed);
}

TEST(Connection, AUnixSocketIsForItsUserAndGoesWithTheServer) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("edgeprobe_transport_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const Address address{{}, 0, folder / "socket"};
  {
    auto listener = Listener::open(address);
    ASSERT_TRUE(listener) << listener.error().what;
    struct stat file {};
    ASSERT_EQ(::stat(address.path.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777U, 0600U);
    EXPECT_TRUE(connected(*listener).server);
    // Another listener has this address.
    EXPECT_FALSE(Listener::open(address));
  }
  EXPECT_FALSE(std::filesystem::exists(address.path));
  // A file that is not a socket is not removed.
  std::ofstream(address.path) << "mine";
  const auto refused = Listener::open(address);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("not a socket"), std::string::npos) << refused.error().what;
  EXPECT_TRUE(std::filesystem::exists(address.path));
  std::filesystem::remove_all(folder);
}

TEST(Connection, SaysWhyItCannotBeMade) {
  auto listener = Listener::open({"127.0.0.1", 0, {}});
  ASSERT_TRUE(listener);
  const Address used = listener->address();
  EXPECT_NE(Listener::open(used).error().what.find("another server runs there"), std::string::npos);
  { const Listener gone = *std::move(listener); }
  EXPECT_NE(dial(used, within(5s)).error().what.find("no server listens there"), std::string::npos);
}

TEST(Connection, PipesAreBothDirections) {
  int there[2], back[2];
  ASSERT_EQ(::pipe(there), 0);
  ASSERT_EQ(::pipe(back), 0);
  const auto ours = over_pipes(Descriptor(back[0]), Descriptor(there[1]), "ours");
  const auto theirs = over_pipes(Descriptor(there[0]), Descriptor(back[1]), "theirs");
  const Bytes word(3, std::byte{7});
  const ByteView parts[] = {word};
  std::array<std::byte, 8> piece{};
  std::size_t got = 0;
  EXPECT_EQ(ours->write(parts, within(1s)), Transfer::kDone);
  EXPECT_EQ(theirs->read(piece.data(), piece.size(), got, within(1s)), Transfer::kDone);
  EXPECT_EQ(got, 3u);
  const Bytes much(1 << 20);
  const ByteView more[] = {much};
  EXPECT_EQ(theirs->write(more, within(50ms)), Transfer::kLate);  // The peer does not read.
}

}  // namespace
}  // namespace edgeprobe::transport
