// SPDX-License-Identifier: Apache-2.0
// A whole server on a real socket, with an engine that computes nothing behind it; clients that
// behave and clients that vanish.
#include "serve/server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <map>
#include <optional>
#include <thread>

#include "core/file.h"
#include "engine/wire.h"
#include "null_engine.h"
#include "protocol/extension.h"
#include "protocol/message_reader.h"
#include "protocol/reply.h"
#include "source_dir.h"
#include "transport/dial.h"

namespace edgeprobe::serve {
namespace {

using namespace std::chrono_literals;
using engine::wire::Writer;
using protocol::ExtensionKind;
using protocol::Generation;
using protocol::Type;
using transport::Transfer;

transport::Wait soon() { return {process::deadline_after(120s)}; }

const Bytes& model() {
  static const Bytes bytes =
      read_file(std::string(test::source_dir()) + "/models/signs_float.tflite").value();
  return bytes;
}

/// A server of g4 in a separate thread.
class RunningServer {
 public:
  explicit RunningServer(Device::Opener opener = NullEngine<1>::open) {
    options_.protocol = Generation::kG4;
    log_.listening = [this](const transport::Address& address) { listening_.set_value(address); };
    log_.connected = [this](const std::string&) { ++connected; };
    log_.ended = [this](const Served& served) {
      ++ended;
      damaged += served.damaged;
    };
    log_.refused = [this](const std::string&) { ++refused; };
    thread_ = std::thread([this, opener] {
      EXPECT_TRUE(serve({"127.0.0.1", 0, {}}, options_, log_, {&stop_, {}}, opener));
    });
    address_ = listening_.get_future().get();
  }
  ~RunningServer() {
    stop_ = true;
    thread_.join();
  }
  const transport::Address& address() const { return address_; }

  std::atomic<int> connected{0}, ended{0}, refused{0};
  std::atomic<std::uint64_t> damaged{0};

 private:
  Options options_;
  Log log_;
  std::promise<transport::Address> listening_;
  transport::Address address_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

Bytes frame(Type type, ByteView payload = {}) {
  return protocol::to_bytes(protocol::request(type, payload), {}).value();
}
Bytes ask(std::uint32_t request, ExtensionKind kind, ByteView body = {}) {
  ByteWriter payload;
  protocol::write(payload, {request, kind, 0});
  payload.append(body);
  return frame(Type::kExtension, payload.bytes());
}
Bytes infer(std::uint32_t request, std::byte first) {
  Writer body;
  body.number(std::uint32_t{1});  // Session.
  body.number(std::uint32_t{1});  // Samples.
  body.append(Bytes{first, {}, {}, {}});
  return ask(request, ExtensionKind::kInfer, body.bytes());
}
/// Offers, uploads and loads a model as session 1: four requests.
std::vector<Bytes> loading() {
  const Bytes hash = [] {
    Bytes bytes;
    const std::string hex = sha256(model());
    for (std::size_t i = 0; i < hex.size(); i += 2)
      bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
  }();
  Writer hello, offer, upload, load;
  hello.number(protocol::kExtensionVersion);
  hello.text("test");
  hello.text("tflite");
  offer.append(hash);
  offer.number<std::uint64_t>(model().size());
  upload.append(hash);
  upload.number(std::uint64_t{0});
  upload.append(model());
  load.append(hash);
  load.text("signs");
  load.text("{}");
  return {
      ask(1, ExtensionKind::kHello, hello.bytes()), ask(2, ExtensionKind::kOffer, offer.bytes()),
      ask(3, ExtensionKind::kUpload, upload.bytes()), ask(4, ExtensionKind::kLoad, load.bytes())};
}

class Client {
 public:
  explicit Client(const RunningServer& server)
      : connection_(transport::dial(server.address(), soon()).value()),
        reader_(Generation::kG4, 1 << 20) {
    std::byte greeting{};
    std::size_t got = 0;
    is_greeted_ = connection_->read(&greeting, 1, got, soon()) == Transfer::kDone;
  }
  bool send(ByteView bytes) {
    const ByteView parts[] = {bytes};
    return connection_->write(parts, soon()) == Transfer::kDone;
  }
  /// The next answer; empty if the server has closed.
  std::optional<protocol::Message> answer() {
    while (is_greeted_) {
      auto message = reader_.next();
      if (!message) break;
      if (!*message) {
        const protocol::Space space = reader_.space();
        std::size_t got = 0;
        if (connection_->read(space.at, space.size, got, soon()) != Transfer::kDone) break;
        reader_.advance(got);
        continue;
      }
      if (*message && (*message)->header.type == Type::kLogs) ++logs;
      else if (*message) return *std::move(*message);
    }
    return std::nullopt;
  }
  bool succeeds(ByteView request) {
    (void)send(request);  // A server that refuses a request may close before it has read all of it.
    const auto message = answer();
    return message && message->header.has(protocol::flag::kSuccess);
  }
  void vanish() { connection_.reset(); }

  int logs = 0;

 private:
  std::unique_ptr<transport::Connection> connection_;
  protocol::MessageReader reader_;
  bool is_greeted_ = false;
};

/// A client that the server accepts; the server may still be busy with the previous one.
Client served_client(const RunningServer& server) {
  while (true) {
    Client client(server);
    if (client.succeeds(frame(Type::kStatistics))) return client;
  }
}

std::uint32_t request_of(const protocol::Message& message) {
  ByteReader in(message.bytes());
  return protocol::read_extension_header(in).request;
}
std::uint16_t code_of(const protocol::Message& message) {
  ByteReader in(message.bytes());
  return protocol::read_extension_header(in).code;
}

void load_model(Client& client) {
  for (const Bytes& request : loading()) ASSERT_TRUE(client.succeeds(request));
}

void run_sample(Client& client, std::uint8_t value) {
  const Bytes sample{std::byte{value}, {}, {}, std::byte{7}};
  ASSERT_TRUE(client.succeeds(frame(Type::kData, sample)));
  ASSERT_TRUE(client.succeeds(frame(Type::kProcess)));
  ASSERT_TRUE(client.send(frame(Type::kOutput)));
  const auto output = client.answer();
  ASSERT_TRUE(output);
  EXPECT_EQ(output->payload, sample);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator("/proc/self/fd"))
    ++count;
  return count;
}

TEST(Server, ServesOneClientAfterTheOther) {
  RunningServer server;
  for (std::uint8_t i = 0; i < 10; ++i) {
    Client client = served_client(server);
    ASSERT_TRUE(client.succeeds(frame(Type::kModel, model())));
    for (std::uint8_t k = 0; k < 5; ++k) run_sample(client, static_cast<std::uint8_t>(i + k));
  }
  EXPECT_GE(server.connected, 10);
}

TEST(Server, TellsEachFurtherClientThatItIsBusy) {
  RunningServer server;
  Client first = served_client(server);
  ASSERT_TRUE(first.succeeds(frame(Type::kModel, model())));
  std::vector<std::thread> others;
  std::atomic<int> told{0};
  for (int i = 0; i < 4; ++i)
    others.emplace_back([&] {
      Client client(server);
      const bool served = client.succeeds(frame(Type::kModel, model()));
      if (!served && client.logs == 1 && !client.answer()) ++told;
    });
  for (std::uint8_t k = 0; k < 20; ++k) run_sample(first, k);
  for (std::thread& other : others) other.join();
  EXPECT_EQ(told, 4);
  EXPECT_EQ(server.refused, 4);
  run_sample(first, 3);
}

TEST(Server, AnswersCancelledRequestsAndThoseInFlight) {
  RunningServer server;
  Client client = served_client(server);
  load_model(client);
  for (int round = 0; round < 5; ++round) {
    Bytes all;
    const auto add = [&](const Bytes& bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); };
    add(infer(10, kNullSlow));
    for (std::uint32_t request = 11; request < 19; ++request) add(infer(request, {}));
    Writer cancelled;
    cancelled.number(std::uint32_t{15});
    add(ask(20, ExtensionKind::kCancel, cancelled.bytes()));
    ASSERT_TRUE(client.send(all));
    std::map<std::uint32_t, std::uint16_t> codes;
    while (codes.size() < 10) {
      const auto message = client.answer();
      ASSERT_TRUE(message);
      codes[request_of(*message)] = code_of(*message);
    }
    for (const auto& [request, code] : codes)
      EXPECT_EQ(code, request == 15 ? protocol::code_of(ErrorKind::kInterrupted) : 0) << request;
  }
}

/// Short outputs are copied into the answer, long ones are sent from where they are.
template <std::int64_t width>
void expect_each_sample_back() {
  constexpr auto kWidth = static_cast<std::size_t>(width);
  RunningServer server(NullEngine<1, width>::open);
  Client client = served_client(server);
  load_model(client);
  Bytes samples;
  for (std::size_t i = 0; i < 3 * kWidth; ++i)
    samples.push_back(static_cast<std::byte>(i * 7 % 83));  // Neither slow nor a failure.
  Writer body;
  body.number(std::uint32_t{1});  // Session.
  body.number(std::uint32_t{3});  // Samples.
  body.append(samples);
  ASSERT_TRUE(client.send(ask(9, ExtensionKind::kInfer, body.bytes())));
  const auto message = client.answer();
  ASSERT_TRUE(message);
  engine::wire::Reader in(message->bytes());
  EXPECT_EQ(protocol::read_extension_header(in).request, 9u);
  for (std::size_t sample = 0; sample < 3; ++sample) {
    engine::Inference inference;
    in.number<std::int64_t>();  // Time in the queue, then that of the engine.
    in.number<std::int64_t>();
    engine::wire::read_times(in, inference);
    ASSERT_EQ(in.count(), 1u);
    EXPECT_EQ(engine::wire::read_spec(in).name, "x");
    EXPECT_EQ(in.blob().copy(), ByteView(samples).sub(sample * kWidth, kWidth).copy()) << sample;
  }
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.rest().empty());
}
TEST(Server, AnswersSeveralSamplesOfOneRequestInOrder) {
  expect_each_sample_back<4>();
  expect_each_sample_back<4095>();
  expect_each_sample_back<4096>();
  expect_each_sample_back<150'001>();
}

/// Clients disconnect after any byte of a conversation, with unread answers and unfinished work.
TEST(Server, OutlivesClientsThatVanishAtAnyByte) {
  Bytes plain = frame(Type::kStatistics);
  const Bytes sample{std::byte{1}, {}, {}, {}};
  for (const Bytes& part : {frame(Type::kData, sample), frame(Type::kProcess), frame(Type::kOutput),
                            frame(Type::kModel, ByteView(model()).sub(0, 9))})
    plain.insert(plain.end(), part.begin(), part.end());
  Bytes extension;
  for (const Bytes& part : {infer(1, kNullSlow), infer(2, {}), infer(3, kNullFailure)})
    extension.insert(extension.end(), part.begin(), part.end());

  RunningServer server;
  const std::size_t before = open_descriptors();
  int clients = 0;
  for (const bool in_session : {false, true}) {
    const Bytes& stream = in_session ? extension : plain;
    for (std::size_t size = 0; size <= stream.size(); ++size, ++clients) {
      Client client = in_session ? served_client(server) : Client(server);
      if (in_session) load_model(client);
      ASSERT_TRUE(client.send(ByteView(stream).sub(0, size)) || !in_session);
      client.vanish();
    }
  }
  Client last = served_client(server);
  ASSERT_TRUE(last.succeeds(frame(Type::kModel, model())));
  run_sample(last, 5);
  EXPECT_LE(open_descriptors(), before + 2);
  EXPECT_GE(server.connected + server.refused, clients);
}

TEST(Server, TellsAWrongChecksum) {
  RunningServer server;
  Client client = served_client(server);
  ASSERT_TRUE(client.succeeds(frame(Type::kModel, model())));
  const Bytes sample{std::byte{1}, {}, {}, {}};
  protocol::Writing with_checksum;
  with_checksum.checksum = true;
  Bytes data = protocol::to_bytes(protocol::request(Type::kData, sample), with_checksum).value();
  EXPECT_TRUE(client.succeeds(data));
  EXPECT_EQ(client.logs, 0);
  data.back() ^= std::byte{1};
  EXPECT_TRUE(client.succeeds(data));
  EXPECT_EQ(client.logs, 1);
  client.vanish();
  while (server.ended < 1) std::this_thread::sleep_for(1ms);
  EXPECT_EQ(server.damaged, 1u);
}

TEST(Server, EndsWhileItServes) {
  std::optional<Client> client;
  {
    RunningServer server;
    client.emplace(served_client(server));
    load_model(*client);
    for (std::uint32_t request = 5; request < 9; ++request)
      ASSERT_TRUE(client->send(infer(request, kNullSlow)));
  }
  while (client->answer()) {
  }
}

}  // namespace
}  // namespace edgeprobe::serve
