// SPDX-License-Identifier: Apache-2.0
// Both ends of TLS in this process, over a socket pair whose bytes a third thread may cut.
#include "transport/tls.h"

#include <gmock/gmock.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <fstream>
#include <random>
#include <thread>

#include "certificates.h"

namespace edgeprobe::transport {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

Wait within(std::chrono::milliseconds limit) { return {process::deadline_after(limit)}; }

std::pair<Descriptor, Descriptor> socket_pair() {
  int both[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both), 0);
  return {Descriptor(both[0]), Descriptor(both[1])};
}

using Met = Result<std::unique_ptr<Connection>>;
struct Ends {
  Met client{Error{}}, server{Error{}};
};

/// A handshake between two connected sockets.
Ends shaken(Descriptor client, Descriptor server, const TlsFiles& client_files,
            const TlsFiles& server_files, const std::string& host = "localhost",
            Wait wait = within(10s)) {
  const auto client_context = tls_client(client_files), server_context = tls_server(server_files);
  EXPECT_TRUE(client_context) << client_context.error().what;
  EXPECT_TRUE(server_context) << server_context.error().what;
  Ends ends;
  std::thread accepting([&, socket = std::move(server)]() mutable {
    ends.server = accept_tls(std::move(socket), "client", *server_context, wait);
  });
  ends.client = connect_tls(std::move(client), "server", host, *client_context, wait);
  // A server refuses only after the client's side of TLS 1.3 has finished.
  if (ends.client) {
    accepting.join();
    return ends;
  }
  accepting.join();
  return ends;
}

Bytes pattern(std::size_t size, unsigned seed) {
  std::minstd_rand random(seed);
  Bytes bytes(size);
  for (std::byte& one : bytes) one = static_cast<std::byte>(random());
  return bytes;
}

/// Reads until the other side closes, or `most` bytes have arrived.
Bytes all_from(Connection& connection, Transfer& last, std::size_t most = SIZE_MAX) {
  Bytes came, piece(5000);
  std::size_t got = 0;
  while (came.size() < most &&
         (last = connection.read(piece.data(), piece.size(), got, within(60s))) == Transfer::kDone)
    came.insert(came.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
  return came;
}

/// Carries bytes between two sockets in pieces of random lengths, at most `most` in total.
void carry(int one, int other, std::size_t longest, std::size_t most) {
  std::minstd_rand random(1);
  Bytes piece(longest);
  pollfd polled[2] = {{one, POLLIN, 0}, {other, POLLIN, 0}};
  while (most > 0 && ::poll(polled, 2, 20'000) > 0) {
    for (int i = 0; i < 2 && most > 0; ++i) {
      if (!polled[i].revents) continue;
      const ssize_t got = ::recv(polled[i].fd, piece.data(),
                                 std::min<std::size_t>(1 + random() % longest, most), 0);
      if (got <= 0) {
        most = 0;
        break;
      }
      most -= static_cast<std::size_t>(got);
      (void)::send(polled[1 - i].fd, piece.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
    }
  }
  ::shutdown(one, SHUT_RDWR);
  ::shutdown(other, SHUT_RDWR);
}

class Tls : public ::testing::Test {
 protected:
  void SetUp() override {
    certificates.make("server");
    certificates.make("host");
  }
  Ends usual() {
    auto [client, server] = socket_pair();
    return shaken(std::move(client), std::move(server), certificates.files("host"),
                  certificates.files("server"));
  }
  Certificates certificates;
};

TEST_F(Tls, CarriesManyPartsWholeInBothDirectionsAtOnce) {
  auto [client, server] = usual();
  ASSERT_TRUE(client && server);
  EXPECT_EQ((*server)->peer(), "client (host)");
  std::vector<Bytes> parts;
  Bytes expected;
  for (std::size_t i = 0; i < 100; ++i) {
    parts.push_back(pattern(i % 7 == 0 ? 0 : i * i * 7, static_cast<unsigned>(i)));
    expected.insert(expected.end(), parts.back().begin(), parts.back().end());
  }
  const std::vector<ByteView> views(parts.begin(), parts.end());
  std::array<Bytes, 2> came;
  std::vector<std::thread> threads;
  for (const int i : {0, 1}) {
    Connection& end = i == 0 ? **client : **server;
    threads.emplace_back(
        [&end, &views] { EXPECT_EQ(end.write(views, within(60s)), Transfer::kDone); });
    threads.emplace_back([&end, &to = came[static_cast<std::size_t>(i)], &expected] {
      Bytes piece(70'000);
      std::size_t got = 0;
      while (to.size() < expected.size() &&
             end.read(piece.data(), piece.size(), got, within(60s)) == Transfer::kDone)
        to.insert(to.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(came[0] == expected);
  EXPECT_TRUE(came[1] == expected);
}

TEST_F(Tls, BytesMayComeInAnyPieces) {
  auto [client, far] = socket_pair();
  auto [near, server] = socket_pair();
  std::thread carrier([&, one = far.get(), other = near.get()] { carry(one, other, 9, SIZE_MAX); });
  auto ends = shaken(std::move(client), std::move(server), certificates.files("host"),
                     certificates.files("server"));
  ASSERT_TRUE(ends.client && ends.server);
  const Bytes sent = pattern(60'000, 3);
  const ByteView parts[] = {sent};
  EXPECT_EQ((*ends.client)->write(parts, within(60s)), Transfer::kDone);
  std::thread closing([&] { ends.client->reset(); });
  Transfer last = Transfer::kDone;
  EXPECT_TRUE(all_from(**ends.server, last) == sent);
  EXPECT_EQ(last, Transfer::kClosed);
  closing.join();
  carrier.join();
}

TEST_F(Tls, ACutAnywhereEndsBothSides) {
  const Bytes sent = pattern(20'000, 4);
  const ByteView parts[] = {sent};
  bool is_whole = false;
  for (std::size_t after = 0; !is_whole; after += after < 3000 ? 97 : 2503) {
    auto [client, far] = socket_pair();
    auto [near, server] = socket_pair();
    std::thread carrier(
        [&, one = far.get(), other = near.get()] { carry(one, other, 4096, after); });
    auto ends = shaken(std::move(client), std::move(server), certificates.files("host"),
                       certificates.files("server"));
    if (ends.client) (void)(*ends.client)->write(parts, within(60s));
    if (ends.server) {
      Transfer last = Transfer::kDone;
      const Bytes came = all_from(**ends.server, last, sent.size());
      is_whole = came.size() == sent.size();
      EXPECT_EQ(last, is_whole ? Transfer::kDone : Transfer::kClosed) << after;
      ASSERT_LE(came.size(), sent.size());
      EXPECT_TRUE(std::equal(came.begin(), came.end(), sent.begin())) << after;
    } else {
      EXPECT_THAT(ends.server.error().what, HasSubstr("during the TLS handshake")) << after;
    }
    ends = Ends();
    carrier.join();
  }
}

TEST_F(Tls, DoesNotWaitBeyondItsDeadline) {
  auto [client, server] = usual();
  ASSERT_TRUE(client && server);
  std::byte byte{};
  std::size_t got = 0;
  EXPECT_EQ((*client)->read(&byte, 1, got, within(50ms)), Transfer::kLate);
  EXPECT_EQ((*client)->wait_readable(within(50ms)), Transfer::kLate);
  const Bytes much(16 << 20);
  const ByteView parts[] = {much};
  EXPECT_EQ((*client)->write(parts, within(50ms)), Transfer::kLate);
  // Available data is returned even after the deadline.
  EXPECT_EQ((*server)->wait_readable(within(0ms)), Transfer::kDone);
  EXPECT_EQ((*server)->read(&byte, 1, got, within(0ms)), Transfer::kDone);
  std::atomic<bool> stop{true};
  EXPECT_EQ((*server)->read(&byte, 1, got, {process::kForever, &stop}), Transfer::kStopped);
  std::thread shutting([&server = server] {
    std::this_thread::sleep_for(50ms);
    (*server)->shut();
  });
  Bytes rest(1 << 20);
  Transfer last = Transfer::kDone;
  while (last == Transfer::kDone)
    last = (*server)->read(rest.data(), rest.size(), got, within(60s));
  EXPECT_EQ(last, Transfer::kClosed);
  EXPECT_EQ((*server)->problem(), "");
  shutting.join();
}

TEST_F(Tls, AHandshakeHasItsTimeAlsoWhereBytesKeepComing) {
  auto [client, server] = socket_pair();
  std::atomic<bool> done{false};
  std::thread trickling([&, socket = client.get()] {
    // The beginning of a ClientHello of 16 KB, sent byte by byte.
    constexpr std::array<unsigned char, 9> kStart{22, 3, 1, 64, 0, 1, 0, 63, 252};
    for (std::size_t i = 0; !done; ++i) {
      const unsigned char byte = i < kStart.size() ? kStart.at(i) : 0;
      (void)::send(socket, &byte, 1, MSG_NOSIGNAL);
      std::this_thread::sleep_for(1ms);
    }
  });
  const auto context = tls_server(certificates.files("server"));
  const auto begun = process::Clock::now();
  const Met met = accept_tls(std::move(server), "slow", *context, within(200ms));
  EXPECT_LT(process::Clock::now() - begun, 60s);
  done = true;
  trickling.join();
  ASSERT_FALSE(met);
  EXPECT_THAT(met.error().what, HasSubstr("did not come to its end in time"));
}

TEST_F(Tls, SaysWhatIsWrongWithACertificate) {
  certificates.make_authority("stranger");
  certificates.make("foreign", {.authority = "stranger"});
  certificates.make("expired", {.valid_from = -7000, .valid_to = -10});
  certificates.make("early", {.valid_from = 3600, .valid_to = 7000});
  certificates.make("elsewhere", {.name = "DNS:elsewhere.example,IP:10.0.0.1"});
  certificates.make("serving", {.purpose = "serverAuth"});
  certificates.make("address", {.name = "IP:127.0.0.1"});
  const auto tried = [&](const TlsFiles& client_files, const TlsFiles& server_files,
                         const std::string& host = "localhost") {
    auto [client, server] = socket_pair();
    return shaken(std::move(client), std::move(server), client_files, server_files, host);
  };
  const TlsFiles good = certificates.files("server"), host = certificates.files("host");
  for (const auto& [server, ours, theirs] :
       {std::tuple("expired", "the server's certificate has expired", "expired"),
        std::tuple("early", "is not valid yet", "the client refuses"),
        std::tuple("foreign", "another authority than those of 'ca'", "another authority"),
        std::tuple("elsewhere", "is for another host", "refuses this server's certificate")}) {
    const Ends ends = tried(host, certificates.files(server));
    ASSERT_FALSE(ends.client || ends.server);
    EXPECT_THAT(ends.client.error().what, HasSubstr(ours));
    EXPECT_THAT(ends.server.error().what, HasSubstr(theirs));
  }
  EXPECT_TRUE(tried(host, certificates.files("address"), "127.0.0.1").client);
  EXPECT_THAT(tried(host, certificates.files("address"), "127.0.0.2").client.error().what,
              HasSubstr("is for another host"));
  TlsFiles none = host;
  none.certificate = none.key = "";
  for (const auto& [client, ours, theirs] :
       {std::tuple(certificates.files("expired"), "it has expired", "client's certificate has exp"),
        std::tuple(certificates.files("foreign"), "another authority", "those of --tls-client-ca"),
        std::tuple(certificates.files("serving"), "unsupported", "not made for a client"),
        std::tuple(none, "wants a client's certificate", "the client has no certificate")}) {
    const Ends ends = tried(client, good);
    ASSERT_FALSE(ends.server);
    EXPECT_THAT(ends.server.error().what, HasSubstr(theirs));
    ASSERT_TRUE(ends.client);  // TLS 1.3: the refusal arrives when the client reads.
    std::byte byte{};
    std::size_t got = 0;
    EXPECT_EQ((*ends.client)->read(&byte, 1, got, within(5s)), Transfer::kClosed);
    EXPECT_THAT((*ends.client)->problem(), HasSubstr(ours));
  }
}

TEST_F(Tls, SaysWhatIsWrongWithAFile) {
  const TlsFiles good = certificates.files("server");
  const auto refusal = [](const TlsFiles& files) {
    const auto made = tls_server(files);
    EXPECT_FALSE(made);
    return made ? "" : made.error().what;
  };
  TlsFiles bad = good;
  bad.certificate = certificates.file("nowhere.pem");
  EXPECT_THAT(refusal(bad), HasSubstr("nowhere.pem': No such file"));
  bad = good;
  bad.key = certificates.file("host.key");
  EXPECT_THAT(refusal(bad), HasSubstr("does not belong to the certificate"));
  bad = good;
  bad.authority = certificates.file("server.key");
  EXPECT_THAT(refusal(bad), HasSubstr("contains no certificate of an authority in PEM"));
  bad.authority = certificates.file("junk");
  std::ofstream(bad.authority) << "junk";
  EXPECT_THAT(refusal(bad), HasSubstr("contains no certificate of an authority in PEM"));
  bad = good;
  bad.key = good.certificate;
  EXPECT_THAT(refusal(bad), HasSubstr("contains no private key in PEM"));
  bad.key = certificates.encrypt_key("server");
  EXPECT_THAT(refusal(bad), HasSubstr("the key has a passphrase"));
}

TEST_F(Tls, PlainBytesAreToldApart) {
  const std::array<unsigned char, 6> hello{22, 3, 1, 2, 0, 1}, message{22, 3, 1, 2, 5, 0};
  const auto view = [](const auto& bytes) {
    return ByteView(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  };
  EXPECT_TRUE(is_client_hello(view(hello)));
  EXPECT_FALSE(is_client_hello(view(message)));
  EXPECT_TRUE(is_tls_alert(tls_refusal()));
  auto [client, server] = socket_pair();
  const Bytes plain = pattern(1000, 9);
  ASSERT_EQ(::send(client.get(), plain.data(), plain.size(), 0), 1000);
  const auto context = tls_server(certificates.files("server"));
  const Met met = accept_tls(std::move(server), "plain", *context, within(5s));
  ASSERT_FALSE(met);
  EXPECT_THAT(met.error().what, HasSubstr("the client speaks no TLS"));
  std::array<std::byte, 16> alert{};
  const ssize_t got = ::recv(client.get(), alert.data(), alert.size(), 0);
  EXPECT_TRUE(is_tls_alert({alert.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))}));
}

/// OpenSSL's own client over a socket: repeated key updates, and old versions.
TEST_F(Tls, AnotherClientMayRenewItsKeys) {
  auto [client, server] = socket_pair();
  const auto server_context = tls_server(certificates.files("server"));
  const auto client_context = tls_client(certificates.files("host"));
  std::thread echoing([&, socket = std::move(server)]() mutable {
    const Met met = accept_tls(std::move(socket), "client", *server_context, within(10s));
    ASSERT_TRUE(met) << met.error().what;
    Bytes piece(10'000);
    std::size_t got = 0;
    while ((*met)->read(piece.data(), piece.size(), got, within(10s)) == Transfer::kDone) {
      const ByteView parts[] = {{piece.data(), got}};
      EXPECT_EQ((*met)->write(parts, within(10s)), Transfer::kDone);
    }
  });
  const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(client_context->get()), SSL_free);
  SSL_set_fd(ssl.get(), client.get());
  SSL_set1_host(ssl.get(), "localhost");
  ASSERT_EQ(SSL_connect(ssl.get()), 1);
  for (unsigned i = 0; i < 50; ++i) {
    ASSERT_EQ(SSL_key_update(ssl.get(), SSL_KEY_UPDATE_REQUESTED), 1);
    const Bytes word = pattern(1000, i);
    ASSERT_EQ(SSL_write(ssl.get(), word.data(), 1000), 1000);
    Bytes back(1000);
    for (int got = 0; got < 1000;) {
      const int some = SSL_read(ssl.get(), back.data() + got, 1000 - got);
      ASSERT_GT(some, 0);
      got += some;
    }
    ASSERT_TRUE(back == word);
  }
  SSL_shutdown(ssl.get());
  ::shutdown(client.get(), SHUT_RDWR);
  echoing.join();
}

}  // namespace
}  // namespace edgeprobe::transport
