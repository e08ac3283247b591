// SPDX-License-Identifier: Apache-2.0
// The real libiio, over its network and its XML context. The board at the other end is this test:
// it speaks what iiod speaks.
#include "meter/iio.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace edgeprobe::meter {
namespace {

constexpr const char* kHead =
    R"(<?xml version="1.0" encoding="utf-8"?><!DOCTYPE context [<!ELEMENT context (device | context-attribute)*><!ELEMENT context-attribute EMPTY>)"
    R"(<!ELEMENT device (channel | attribute | debug-attribute | buffer-attribute)*><!ELEMENT channel (scan-element?, attribute*)><!ELEMENT attribute EMPTY>)"
    R"(<!ELEMENT scan-element EMPTY><!ELEMENT debug-attribute EMPTY><!ELEMENT buffer-attribute EMPTY><!ATTLIST context name CDATA #REQUIRED description CDATA #IMPLIED>)"
    R"(<!ATTLIST context-attribute name CDATA #REQUIRED value CDATA #REQUIRED><!ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED>)"
    R"(<!ATTLIST channel id CDATA #REQUIRED type (input|output) #REQUIRED name CDATA #IMPLIED><!ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED scale CDATA #IMPLIED>)"
    R"(<!ATTLIST attribute name CDATA #REQUIRED filename CDATA #IMPLIED><!ATTLIST debug-attribute name CDATA #REQUIRED><!ATTLIST buffer-attribute name CDATA #REQUIRED>]>)"
    R"(<context name="local" description="a board">)";

/// "accel_x": "raw scale" as XML.
std::string device(const std::string& id, const std::string& name,
                   const std::map<std::string, std::vector<std::string>>& channels) {
  std::string xml =
      "<device id=\"" + id + "\"" + (name.empty() ? "" : " name=\"" + name + "\"") + ">";
  for (const auto& [channel, attributes] : channels) {
    const bool output = channel.rfind("out:", 0) == 0;
    xml += "<channel id=\"" + channel.substr(output ? 4 : 0) + "\" type=\"" +
           (output ? "output" : "input") + "\">";
    for (const std::string& attribute : attributes)
      xml += "<attribute name=\"" + attribute + "\" filename=\"in_" + channel + "_" + attribute +
             "\"/>";
    xml += "</channel>";
  }
  return xml + "</device>";
}

/// Speaks iiod's text protocol to one client at a time: PRINT, TIMEOUT, READ.
class Board {
 public:
  Board(std::string xml, std::map<std::string, std::string> values)
      : xml_(std::move(xml)), values_(std::move(values)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 4), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    uri_ = "ip:127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this] { serve(); });
  }
  ~Board() {
    stop_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    if (client_ >= 0) ::shutdown(client_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  const std::string& uri() const { return uri_; }

 private:
  void serve() {
    while (!stop_) {
      const int client = ::accept(listener_, nullptr, nullptr);
      if (client < 0) return;
      client_ = client;
      std::string line;
      for (char c; ::recv(client, &c, 1, 0) == 1;) {
        if (c != '\n') {
          if (c != '\r') line += c;
          continue;
        }
        if (line == "EXIT") break;
        if (const std::string reply = answer(line); !reply.empty())
          (void)!::send(client, reply.data(), reply.size(), MSG_NOSIGNAL);
        line.clear();
      }
      client_ = -1;
      ::close(client);
    }
  }
  std::string answer(const std::string& line) const {
    if (line.empty()) return "";
    if (line == "PRINT") return std::to_string(xml_.size()) + "\n" + xml_ + "\n";
    if (line.rfind("TIMEOUT", 0) == 0) return "0\n";
    const auto value = values_.find(line);  // "READ iio:device0 INPUT accel_x raw"
    if (value == values_.end()) return "-22\n";
    if (value->second[0] == '-' && value->second.size() > 1 && value->second[1] == 'E')
      return value->second.substr(2) + "\n";  // "-E-19"
    const std::string text = value->second + std::string(1, '\0');
    return std::to_string(text.size()) + "\n" + text + "\n";
  }
  std::string xml_, uri_;
  std::map<std::string, std::string> values_;
  int listener_ = -1;
  std::atomic<int> client_{-1};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class Iio : public testing::Test {
 protected:
  void SetUp() override {
    if (!::dlopen("libiio.so.0", RTLD_NOW))
      GTEST_SKIP() << "no libiio.so.0; script/setup --test installs it";
  }
};

const SensorReading* find(const std::vector<SensorReading>& readings, const std::string& name) {
  for (const SensorReading& one : readings)
    if (one.name == name) return &one;
  return nullptr;
}

const std::string kXml =
    kHead +
    device("iio:device0", "mpu6050",
           {{"accel_x", {"raw", "scale"}},
            {"accel_y", {"raw", "scale"}},
            {"accel_z", {"raw", "scale"}},
            {"anglvel_x", {"raw", "scale"}},
            {"anglvel_y", {"raw", "scale"}},
            {"anglvel_z", {"raw", "scale"}},
            {"temp", {"raw", "offset", "scale"}}}) +
    device("iio:device1", "tsl2561", {{"illuminance0", {"input"}}, {"intensity_both", {"raw"}}}) +
    device("iio:device2", "",
           {{"accel_x", {"raw", "scale"}}, {"magn_x", {"raw"}}, {"magn_y", {"raw"}}}) +
    device("iio:device3", "dac", {{"out:voltage0", {"raw"}}, {"voltage1", {"raw"}}}) + "</context>";

std::map<std::string, std::string> board_values() {
  std::map<std::string, std::string> values;
  const auto put = [&](const std::string& place, const std::string& attribute,
                       const std::string& value) {
    values["READ iio:device" + place + " " + attribute] = value;
  };
  for (const auto& [axis, raw] : {std::pair("x", "0"), {"y", "-100"}, {"z", "16384"}}) {
    put("0 INPUT accel_" + std::string(axis), "raw", raw);
    put("0 INPUT accel_" + std::string(axis), "scale", "0.000598");
    put("0 INPUT anglvel_" + std::string(axis), "raw", raw);
    put("0 INPUT anglvel_" + std::string(axis), "scale", "0.001");
  }
  put("0 INPUT temp", "raw", "-1200");
  put("0 INPUT temp", "offset", "12420");
  put("0 INPUT temp", "scale", "2.941176");
  put("1 INPUT illuminance0", "input", "312.5");
  put("2 INPUT accel_x", "raw", "-E-19");
  put("2 INPUT accel_x", "scale", "1");
  put("2 INPUT magn_x", "raw", "3");
  put("2 INPUT magn_y", "raw", "garbage");
  return values;
}

TEST_F(Iio, ABoardOverTheNetworkGivesItsSensorsInPhysicalUnits) {
  const Board board(kXml, board_values());
  auto sensors = IioSensors::open(board.uri());
  ASSERT_TRUE(sensors) << sensors.error().what;
  EXPECT_THAT(sensors->version(), testing::StartsWith("0."));
  const auto readings = sensors->read();
  std::vector<std::string> names;
  for (const auto& one : readings) names.push_back(one.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("accelerometer", "gyroscope", "temperature",
                                                   "light", "light intensity",
                                                   "accelerometer iio:device2", "magnetometer"))
      << "voltages and outputs are no sensors";
  const SensorReading* const accelerometer = find(readings, "accelerometer");
  ASSERT_TRUE(accelerometer);
  EXPECT_EQ(accelerometer->unit, "m/s^2");
  EXPECT_EQ(accelerometer->source, "iio device 'mpu6050': accel_x, accel_y, accel_z");
  EXPECT_THAT(accelerometer->values, testing::ElementsAre(0, testing::DoubleEq(-100 * 0.000598),
                                                          testing::DoubleEq(16384 * 0.000598)));
  EXPECT_THAT(find(readings, "gyroscope")->values,
              testing::ElementsAre(0, testing::DoubleEq(-0.1), testing::DoubleEq(16.384)));
  EXPECT_EQ(find(readings, "light")->unit, "lx");
  EXPECT_THAT(find(readings, "light")->values, testing::ElementsAre(312.5));
  // (raw + offset) * scale is in thousandths of a degree.
  EXPECT_THAT(find(readings, "temperature")->values,
              testing::ElementsAre(testing::DoubleNear((12420 - 1200) * 2.941176e-3, 1e-9)));
}

TEST_F(Iio, WhatCannotBeReadHasAReasonAndNoValue) {
  const Board board(kXml, board_values());
  auto sensors = IioSensors::open(board.uri());
  ASSERT_TRUE(sensors) << sensors.error().what;
  const auto readings = sensors->read();
  const SensorReading* const gone = find(readings, "accelerometer iio:device2");
  ASSERT_TRUE(gone);
  EXPECT_TRUE(gone->values.empty());
  EXPECT_THAT(gone->reason, testing::HasSubstr("No such device"));
  const SensorReading* const garbage = find(readings, "magnetometer");
  EXPECT_TRUE(garbage->values.empty()) << "one axis alone is no magnetic field";
  EXPECT_FALSE(garbage->reason.empty());
  EXPECT_TRUE(find(readings, "light intensity")->values.empty());
}

TEST_F(Iio, ABoardThatIsGoneGivesReasons) {
  auto board = std::make_unique<Board>(kXml, board_values());
  auto sensors = IioSensors::open(board->uri());
  ASSERT_TRUE(sensors) << sensors.error().what;
  board.reset();
  for (const SensorReading& one : sensors->read()) {
    EXPECT_TRUE(one.values.empty()) << one.name;
    EXPECT_FALSE(one.reason.empty()) << one.name;
  }
}

TEST_F(Iio, AnXmlDescriptionHasSensorsWithoutValues) {
  const std::string file =
      testing::TempDir() + "edgeprobe-iio-" + std::to_string(::getpid()) + ".xml";
  std::ofstream(file) << kXml;
  auto sensors = IioSensors::open("xml:" + file);
  ASSERT_TRUE(sensors) << sensors.error().what;
  const auto readings = sensors->read();
  EXPECT_EQ(readings.size(), 7u);
  for (const SensorReading& one : readings) {
    EXPECT_TRUE(one.values.empty());
    EXPECT_THAT(one.reason, testing::HasSubstr("no values"));
  }
  ::unlink(file.c_str());
}

TEST_F(Iio, ABoardWithoutSensorsSaysSo) {
  const Board board(
      kHead + device("iio:device0", "dac", {{"out:voltage0", {"raw"}}}) + "</context>", {});
  auto sensors = IioSensors::open(board.uri());
  ASSERT_TRUE(sensors) << sensors.error().what;
  const auto readings = sensors->read();
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_THAT(readings[0].reason, testing::HasSubstr("no sensor of a known kind"));
}

TEST_F(Iio, AContextThatIsNotThereIsAnErrorThatNamesIt) {
  const auto sensors = IioSensors::open("xml:/nowhere/at/all.xml");
  ASSERT_FALSE(sensors);
  EXPECT_EQ(sensors.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(sensors.error().what, testing::HasSubstr("/nowhere/at/all.xml"));
}

TEST(IioLibrary, OneThatIsNotThereOrAnotherOneIsRefused) {
  const auto absent = IioSensors::open("local:", "libnosuchthing.so.9");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().kind, ErrorKind::kNotFound);
  EXPECT_THAT(absent.error().what, testing::HasSubstr("libiio0"));
  const auto other = IioSensors::open("local:", "libc.so.6");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().kind, ErrorKind::kUnsupported);
  EXPECT_THAT(other.error().what, testing::HasSubstr("iio_create_context_from_uri"));
}

}  // namespace
}  // namespace edgeprobe::meter
