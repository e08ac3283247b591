// SPDX-License-Identifier: Apache-2.0
// The rate of TLS compared with its cipher: 64 MB through two of our TLS connections over loopback,
// next to AES-128-GCM by itself over as many bytes in blocks of a record, and the same bytes over
// plain connections. Rounds of the three alternate.
//   tls_bench [ROUNDS]
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "certificates.h"
#include "transport/dial.h"
#include "transport/listener.h"

using namespace edgeprobe;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kBytes = std::size_t{64} << 20, kRecord = 16384;

void require(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "tls_bench: %s\n", what);
  std::exit(1);
}

double thread_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// MB/s by the clock, and by the processor time of one side.
struct Rates {
  double clock = 0, writer = 0, reader = 0;
};

double rate(double seconds) { return kBytes / 1e6 / seconds; }

/// A thread writes, this one reads.
Rates transfer(transport::Connection& from, transport::Connection& to, const Bytes& sent,
               Bytes& came) {
  Rates rates;
  const auto begun = Clock::now();
  std::thread writer([&] {
    const double before = thread_seconds();
    const ByteView parts[] = {sent};
    require(from.write(parts, {}) == process::Transfer::kDone, "write failed");
    rates.writer = rate(thread_seconds() - before);
  });
  const double before = thread_seconds();
  for (std::size_t at = 0, got = 0; at < kBytes; at += got)
    require(to.read(came.data() + at, kBytes - at, got, {}) == process::Transfer::kDone,
            "read failed");
  rates.reader = rate(thread_seconds() - before);
  rates.clock = rate(std::chrono::duration<double>(Clock::now() - begun).count());
  writer.join();
  require(std::memcmp(came.data(), sent.data(), kBytes) == 0, "other bytes came");
  return rates;
}

/// Encrypts each block like a record, with a nonce and a tag.
double cipher() {
  const std::array<unsigned char, 16> key{1};
  std::array<unsigned char, 12> nonce{};
  std::array<unsigned char, 16> tag{};
  std::vector<unsigned char> plain(kRecord, 5), secret(kRecord);
  EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nullptr, key.data(), nonce.data());
  const double before = thread_seconds();
  for (std::size_t at = 0; at < kBytes; at += kRecord) {
    int size = 0;
    ++nonce[0];
    EVP_EncryptInit_ex(context, nullptr, nullptr, nullptr, nonce.data());
    EVP_EncryptUpdate(context, secret.data(), &size, plain.data(), static_cast<int>(kRecord));
    EVP_EncryptFinal_ex(context, secret.data() + size, &size);
    EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag.data());
  }
  const double seconds = thread_seconds() - before;
  EVP_CIPHER_CTX_free(context);
  return rate(seconds);
}

double quantile(std::vector<double> values, double level) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<std::size_t>(level * static_cast<double>(values.size() - 1)));
}

void print(const char* what, const std::vector<double>& rates, const std::vector<double>& base) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < rates.size(); ++i) ratios.push_back(rates[i] / base[i]);
  std::printf("%-34s %6.0f MB/s, of the cipher %.2f (10 %% to 90 %%: %.2f to %.2f)\n", what,
              quantile(rates, .5), quantile(ratios, .5), quantile(ratios, .1),
              quantile(ratios, .9));
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20;
  require(rounds > 0, "expected a number of rounds");
  transport::Certificates certificates;
  certificates.make("server");
  certificates.make("host");
  const auto server = transport::tls_server(certificates.files("server"));
  require(server.has_value(), "no certificates");
  auto listener = transport::Listener::open({"localhost", 0, {}});
  require(listener.has_value(), "cannot listen");
  std::unique_ptr<transport::Connection> tls_end;
  std::thread accepting([&] {
    auto [socket, peer] = listener->accept_socket({});
    auto made = transport::accept_tls(std::move(socket), peer, *server, {});
    require(made.has_value(), "no handshake");
    tls_end = *std::move(made);
  });
  auto tls = transport::dial_tls(listener->address(), certificates.files("host"), {});
  require(tls.has_value(), "no handshake");
  accepting.join();
  auto plain = transport::dial(listener->address(), {});
  const auto plain_end = listener->accept({});
  require(plain.has_value() && plain_end, "cannot connect");

  std::vector<double> by_clock, writing, reading, plain_clock, plain_writing, plain_reading, alone;
  Bytes sent(kBytes), came(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) sent[i] = static_cast<std::byte>(i * i >> 7);
  for (std::size_t round = 0; round < rounds; ++round) {
    const Rates encrypted = transfer(**tls, *tls_end, sent, came);
    by_clock.push_back(encrypted.clock);
    writing.push_back(encrypted.writer);
    reading.push_back(encrypted.reader);
    alone.push_back(cipher());
    const Rates open = transfer(**plain, *plain_end, sent, came);
    plain_clock.push_back(open.clock);
    plain_writing.push_back(open.writer);
    plain_reading.push_back(open.reader);
  }
  print("AES-128-GCM alone", alone, alone);
  print("TLS, by the clock", by_clock, alone);
  print("TLS, the writer's processor time", writing, alone);
  print("TLS, the reader's processor time", reading, alone);
  print("plain, by the clock", plain_clock, alone);
  print("plain, the writer's processor time", plain_writing, alone);
  print("plain, the reader's processor time", plain_reading, alone);
  return 0;
}
