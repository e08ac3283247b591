// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/run/sensor_log.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "meter/iio.h"
#include "meter/sampler.h"
#include "trace/names.h"

namespace edgeprobe::cli {
namespace {

constexpr std::chrono::milliseconds kPeriod{200}, kMachinePeriod{100};

std::string reading_json(const meter::SensorReading& reading) {
  nlohmann::json json;
  json["unit"] = trace::as_utf8(reading.unit);
  json["values"] = nullptr;
  if (!reading.values.empty()) json["values"] = reading.values;
  else json["reason"] = trace::as_utf8(reading.reason);
  return json.dump();
}

std::shared_ptr<void> sampler(trace::Writer& writer, std::vector<meter::SensorSource> sources,
                              std::chrono::milliseconds period) {
  return std::make_shared<meter::SensorSampler>(
      std::move(sources),
      [&writer](std::uint64_t time_ns, const meter::SensorReading& reading) {
        // A failing disk is reported by the frames, which are more frequent.
        (void)writer.stream("/sensor/" + trace::escape(reading.name), time_ns,
                            reading_json(reading));
      },
      period);
}

}  // namespace

std::vector<meter::Reading> iio_readings(const std::string& uri) {
  auto sensors = meter::IioSensors::open(uri);
  if (!sensors) return {meter::unknown("iio", "", "libiio", sensors.error().what)};
  std::vector<meter::Reading> readings;
  for (const meter::SensorReading& one : sensors->read()) {
    if (one.values.empty())
      readings.push_back(meter::unknown(one.name, one.unit, one.source, one.reason));
    for (std::size_t i = 0; i < one.values.size(); ++i)
      readings.push_back(
          meter::known(one.values.size() == 1 ? one.name : one.name + "[" + std::to_string(i) + "]",
                       one.unit, one.values[i], one.source));
  }
  return readings;
}

Result<BesideLog> sensor_log(const SensorFlag& flag) {
  if (!flag.wanted) return BesideLog{};
  auto opened = meter::IioSensors::open(flag.uri.empty() ? "local:" : flag.uri);
  if (!opened && !flag.uri.empty()) return std::move(opened.error());
  std::vector<meter::SensorSource> sources{[] { return meter::machine_sensors({}); }};
  if (opened) {
    auto sensors = std::make_shared<meter::IioSensors>(*std::move(opened));
    sources.push_back([sensors] { return sensors->read(); });
  } else {
    const std::string reason = opened.error().what;
    sources.push_back([reason] {
      return std::vector<meter::SensorReading>{{"iio", {}, "", "libiio", reason}};
    });
  }
  return BesideLog([sources](trace::Writer& writer) { return sampler(writer, sources, kPeriod); });
}

BesideLog machine_log(BesideLog other) {
  return [other](trace::Writer& writer) -> std::shared_ptr<void> {
    auto use = std::make_shared<meter::MachineUse>();
    auto all = std::make_shared<std::vector<std::shared_ptr<void>>>();
    all->push_back(sampler(writer, {[use] { return use->read(); }}, kMachinePeriod));
    if (other) all->push_back(other(writer));
    return all;
  };
}

}  // namespace edgeprobe::cli
