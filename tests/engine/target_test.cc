// SPDX-License-Identifier: Apache-2.0
// What --engine names: an engine of this machine, or the address of another one.
#include "engine/target.h"

#include <gmock/gmock.h>

#include <random>

#include "engine/kinds.h"

namespace edgeprobe::engine::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TargetUri read(std::string_view text) {
  auto target = target_from_text(text);
  EXPECT_TRUE(target) << text << ": " << (target ? "" : target.error().what);
  return target ? *std::move(target) : TargetUri{};
}

std::string refusal(std::string_view text) {
  const auto target = target_from_text(text);
  EXPECT_FALSE(target) << text;
  if (!target) {
    EXPECT_EQ(target.error().kind, ErrorKind::kUsage) << text;
  }
  return target ? "" : target.error().what;
}

TEST(Targets, AreAnEngineAndAnOptionalLibrary) {
  EXPECT_EQ(read("litert").kind, "litert");
  EXPECT_TRUE(read("litert").library.empty());
  EXPECT_EQ(read("tflite:/opt/a:b.so").library, "/opt/a:b.so");
  EXPECT_EQ(read("tflite:/opt/a:b.so").transport, Transport::kNone);
  EXPECT_THAT(refusal("tflte"), HasSubstr("did you mean 'tflite'"));
  EXPECT_THAT(refusal("theano"), AllOf(HasSubstr("engine 'theano' is unknown; known are litert, "),
                                       HasSubstr("each with an optional ':library.so'"),
                                       HasSubstr("and plug-ins: executorch, jax, keras, ")));
  EXPECT_THAT(refusal("kears"), HasSubstr("did you mean 'keras'"));
  EXPECT_THAT(refusal("tflite:"), HasSubstr("names no library"));
  EXPECT_THAT(refusal("stretch:"), HasSubstr("names no plan"));
}

TEST(Targets, MayBePlugins) {
  for (const char* const text :
       {"my.py:Engine", "/a/b.py:Engine?x=1&y=a:b", "keras", "sklearn?allow=m.pkl"}) {
    EXPECT_EQ(read(text).kind, "python") << text;
    EXPECT_EQ(read(text).library, text);
    EXPECT_EQ(to_string(read(text)), text);
    EXPECT_EQ(to_string(read(std::string("python:") + text)), text);
  }
  EXPECT_EQ(read("python:name?x=1").library, "name?x=1");
  // Without the prefix it is the library of another engine.
  EXPECT_EQ(to_string(read("python:litert:a.py:B")), "python:litert:a.py:B");
  EXPECT_THAT(refusal("python:"), HasSubstr("names no plug-in"));
}

TEST(Targets, OfOtherMachinesHaveAnAddress) {
  const TargetUri tcp = read("tcp://board.local:4050");
  EXPECT_EQ(tcp.transport, Transport::kTcp);
  EXPECT_EQ(tcp.host, "board.local");
  EXPECT_EQ(tcp.port, 4050);
  EXPECT_TRUE(tcp.kind.empty());
  EXPECT_EQ(read("tls://[fe80::1%eth0]:1").host, "fe80::1%eth0");
  EXPECT_EQ(read("tls://b:1?ca=/c a.pem&cert=x").parameters.at("ca"), "/c a.pem");
  EXPECT_EQ(to_string(read("tls://b:1?key=k&cert=c&ca=a")), "tls://b:1?ca=a&cert=c&key=k");
  EXPECT_EQ(shown(read("tls://b:1?ca=a")), "tls://b:1");
  EXPECT_EQ(read("kenning://10.0.0.2:12345").transport, Transport::kKenning);
  EXPECT_EQ(read("kenning://b:1?generation=g2").parameters.at("generation"), "g2");
  EXPECT_EQ(read("kenning:/dev/ttyUSB0?baud=9600&generation=g3").path, "/dev/ttyUSB0");
  EXPECT_EQ(to_string(read("kenning:/dev/ttyUSB0?generation=g3&baud=9600")),
            "kenning:/dev/ttyUSB0?baud=9600&generation=g3");
  EXPECT_EQ(read("unix:/run/a?b").path, "/run/a?b");
  EXPECT_EQ(read("ssh://pi@board:22").user, "pi");
  EXPECT_EQ(read("ssh://board").port, std::nullopt);
  EXPECT_EQ(read("unix:/run/my socket").path, "/run/my socket");
  EXPECT_EQ(read("serial:/dev/ttyUSB0").path, "/dev/ttyUSB0");
  EXPECT_EQ(read("adb:10.0.0.2:5555").serial, "10.0.0.2:5555");
  EXPECT_EQ(read("ssh://board?program=/opt/a?b").parameters.at("program"), "/opt/a?b");
}

TEST(Targets, WithAWrongAddressSayWhatIsExpected) {
  for (const char* const text :
       {"tcp:", "tcp://", "tcp://host", "tcp://host:", "tcp://host:0", "tcp://host:65536",
        "tcp://host:1x", "tcp://host:1/path", "tcp://user@host:1", "tcp:host:1", "tcp://[1.2]:3",
        "tcp://[::1:3", "tcp://[::1]3", "tcp://a b:1"})
    EXPECT_THAT(refusal(text), HasSubstr("expected tcp://HOST:PORT")) << text;
  EXPECT_THAT(refusal("ssh://@host"), HasSubstr("expected ssh://[USER@]HOST[:PORT]"));
  EXPECT_THAT(refusal("unix:run/socket"), HasSubstr("expected unix:/PATH"));
  EXPECT_THAT(refusal("serial:"), HasSubstr("expected serial:/dev/NAME"));
  EXPECT_THAT(refusal("adb:a b"), HasSubstr("expected adb:SERIAL"));
  EXPECT_THAT(refusal("udp://host:1"),
              AllOf(HasSubstr("transport 'udp' is unknown"), HasSubstr("'tcp'")));
  EXPECT_THAT(refusal("websocket://host:1"), HasSubstr("known are tcp, tls, "));
}

TEST(Targets, WithTlsNameTheirCertificates) {
  EXPECT_THAT(refusal("tls://h:1?crt=a"), HasSubstr("did you mean 'cert'"));
  EXPECT_THAT(refusal("tls://h:1?"), HasSubstr("parameter '' is unknown; known are cert, key"));
  EXPECT_THAT(refusal("tls://h:1?ca="), HasSubstr("expected a file in PEM"));
  EXPECT_THAT(refusal("tls://h:1?ca=a&ca=b"), HasSubstr("ca is given twice"));
  EXPECT_THAT(refusal("tcp://h:1?ca=a"), HasSubstr("expected tcp://HOST:PORT"));
  EXPECT_THAT(address_from_target_text("tls://h:1?cert=a").error().what,
              HasSubstr("the authority of the server's certificate is missing"));
  EXPECT_THAT(address_from_target_text("tls://h:1?ca=a&key=k").error().what,
              HasSubstr("key without cert"));
  EXPECT_EQ(address_from_target_text("tls://h:1?ca=a")->host, "h");
}

TEST(Targets, WithWrongParametersSayWhichThereAre) {
  EXPECT_THAT(refusal("kenning://h:1?generation=g9"), HasSubstr("expected g1, g1-iospec, g2"));
  EXPECT_THAT(refusal("kenning://h:1?"), HasSubstr("parameter '' is unknown"));
  EXPECT_THAT(refusal("kenning://h:1?bd=1"), HasSubstr("is unknown"));
  EXPECT_THAT(refusal("serial:/dev/tty?generation=g2"), HasSubstr("known are baud and flow"));
  EXPECT_THAT(refusal("serial:/dev/tty?flow=xon"), HasSubstr("expected none or rtscts"));
  EXPECT_THAT(refusal("kenning://h:1?flow=rtscts"), HasSubstr("flow is of a serial line"));
  EXPECT_THAT(refusal("kenning:/dev/tty?generation=g1"), HasSubstr("from g2 on"));
  EXPECT_THAT(refusal("tcp://h:1?baud=9600"), HasSubstr("expected tcp://HOST:PORT"));
}

TEST(Targets, OfOtherMachinesAreNoEnginesOfThisOne) {
  const auto choice = engine_choice_from_text("tcp://host:4050");
  ASSERT_FALSE(choice);
  EXPECT_EQ(choice.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(choice.error().what, HasSubstr("is an address, which goes to --target"));
  EXPECT_EQ(engine_choice_from_text("openvino:/lib/x")->kind, "openvino");
}

TEST(Targets, AddressesAreThoseThatThisVersionReaches) {
  EXPECT_EQ(address_from_target_text("tcp://host:4050")->host, "host");
  EXPECT_EQ(address_from_target_text("unix:/run/edgeprobe")->path, "/run/edgeprobe");
  EXPECT_THAT(address_from_target_text("litert").error().what, HasSubstr("goes to --engine"));
  EXPECT_EQ(address_from_target_text("adb:1234")->serial, "1234");
  EXPECT_EQ(address_from_target_text("ssh://pi@board")->user, "pi");
}

TEST(Targets, NoEngineIsCalledAsATransportIs) {
  for (const EngineKind& kind : engine_kinds())
    for (int t = 1; t <= static_cast<int>(Transport::kAdb); ++t)
      EXPECT_STRNE(kind.name, name(static_cast<Transport>(t)));
}

/// A target with every field that its transport has, made of characters that are easily confused.
TargetUri random_target(std::mt19937& generator) {
  const auto text = [&](std::string_view letters, std::size_t least) {
    std::string made;
    const std::size_t size = least + generator() % 6;
    while (made.size() < size) made += letters[generator() % letters.size()];
    return made;
  };
  TargetUri target;
  target.transport = static_cast<Transport>(generator() % 8);
  switch (target.transport) {
    case Transport::kNone:
      target.kind = engine_names()[generator() % engine_names().size()];
      target.library = text("/:a.\xff @", 0);
      break;
    case Transport::kUnix:
    case Transport::kSerial: target.path = "/" + text("/:a.\xff @", 0); break;
    case Transport::kAdb: target.serial = text("a0.:-_", 1); break;
    case Transport::kSsh: target.user = text("a0.-_", 0); [[fallthrough]];
    default:
      target.host = generator() % 2 ? text("a0.-_", 1) : ":" + text("0f:.%", 0);
      if (target.transport != Transport::kSsh || generator() % 2)
        target.port = static_cast<std::uint16_t>(1 + generator() % 65535);
  }
  return target;
}

TEST(Targets, ReadBackAsTheyWere) {
  std::mt19937 generator(1);
  for (int round = 0; round < 20'000; ++round) {
    const TargetUri target = random_target(generator);
    const std::string text = to_string(target);
    const auto again = target_from_text(text);
    ASSERT_TRUE(again) << text << ": " << again.error().what;
    ASSERT_EQ(*again, target) << text;
  }
}

TEST(Targets, OfAnyTextAreRefusedOrReadBack) {
  std::mt19937 generator(2);
  constexpr std::string_view kPieces[] = {"tcp", "ssh", "unix", "adb",  "tflite", ":", "//",   "/",
                                          "[",   "]",   "@",    "host", "0080",   "%", "\xff", ""};
  std::size_t good = 0;
  for (int round = 0; round < 50'000; ++round) {
    std::string text;
    for (int piece = 0; piece < 7; ++piece) text += kPieces[generator() % std::size(kPieces)];
    const auto target = target_from_text(text);
    if (!target) continue;
    ++good;
    ASSERT_EQ(*target_from_text(to_string(*target)), *target) << text;
    ASSERT_LE(to_string(*target).size(), text.size());
  }
  EXPECT_GT(good, 100u);
}

}  // namespace
}  // namespace edgeprobe::engine::testing
