// SPDX-License-Identifier: Apache-2.0
#include "meter/iio.h"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <set>

#include "core/text.h"

namespace edgeprobe::meter {
namespace {

// The functions of libiio that are used, as declared in its 0.x documentation. Contexts, devices
// and channels are opaque.
struct Api {
  void (*library_get_version)(unsigned* major, unsigned* minor, char git_tag[8]);
  void* (*create_context_from_uri)(const char* uri);
  void (*context_destroy)(void* context);
  int (*context_set_timeout)(void* context, unsigned ms);
  unsigned (*context_get_devices_count)(const void* context);
  void* (*context_get_device)(const void* context, unsigned index);
  const char* (*device_get_id)(const void* device);
  const char* (*device_get_name)(const void* device);
  unsigned (*device_get_channels_count)(const void* device);
  void* (*device_get_channel)(const void* device, unsigned index);
  const char* (*channel_get_id)(const void* channel);
  bool (*channel_is_output)(const void* channel);
  const char* (*channel_find_attr)(const void* channel, const char* name);
  int (*channel_attr_read_double)(const void* channel, const char* attribute, double* value);
};

constexpr unsigned kTimeoutMs = 1000;

// The kernel's names of channel types, and its units after scale and offset
// (Documentation/ABI/testing/sysfs-bus-iio).
struct Kind {
  const char* type;
  const char* name;
  const char* unit;
  double factor;
};
constexpr std::array<Kind, 9> kKinds{{{"accel", "accelerometer", "m/s^2", 1},
                                      {"anglvel", "gyroscope", "rad/s", 1},
                                      {"magn", "magnetometer", "Gauss", 1},
                                      {"illuminance", "light", "lx", 1},
                                      {"intensity", "light intensity", "", 1},
                                      {"proximity", "proximity", "", 1},
                                      {"pressure", "pressure", "kPa", 1},
                                      {"humidityrelative", "humidity", "%", 1e-3},
                                      {"temp", "temperature", "degC", 1e-3}}};

// "accel_x" is of type accel; "illuminance" and "illuminance0" are of type illuminance.
const Kind* kind_of(const std::string& id) {
  const std::string type = id.substr(0, id.find_first_of("_0123456789"));
  const auto at = std::find_if(kKinds.begin(), kKinds.end(),
                               [&](const Kind& kind) { return type == kind.type; });
  return at == kKinds.end() ? nullptr : &*at;
}

bool is_axis(const std::string& id) {
  return id.size() > 2 && id[id.size() - 2] == '_' && id.back() >= 'x' && id.back() <= 'z';
}

// libiio writes to connections that the peer has closed: the signal would kill the program.
class WithoutSigpipe {
 public:
  WithoutSigpipe() {
    sigset_t pending;
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGPIPE);
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &set_, &old_);
  }
  ~WithoutSigpipe() {
    const timespec now{};
    if (!was_pending_)
      while (::sigtimedwait(&set_, nullptr, &now) == SIGPIPE) {
      }
    ::pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  sigset_t set_, old_;
  bool was_pending_ = false;
};

struct Sensor {
  SensorReading empty;  // All fields except values and reason.
  double factor = 1;
  std::vector<const void*> channels;
};

std::string said(int error) {
  return error == ENOSYS ? "this context has a description, and no values" : std::strerror(error);
}

}  // namespace

struct IioSensors::State {
  Api api{};
  void* context = nullptr;
  std::string version;
  std::vector<Sensor> sensors;

  ~State() {
    const WithoutSigpipe guard;
    if (context) api.context_destroy(context);
  }

  // Empty, with the reason, if it cannot be read.
  std::optional<double> attribute(const void* channel, const char* name,
                                  std::string& reason) const {
    double value = 0;
    const int result = api.channel_attr_read_double(channel, name, &value);
    if (result == 0 && std::isfinite(value)) return value;
    reason = std::string(name) + ": " + (result == 0 ? "not a number" : said(-result));
    return std::nullopt;
  }

  std::optional<double> value_of(const void* channel, std::string& reason) const {
    if (api.channel_find_attr(channel, "input")) return attribute(channel, "input", reason);
    const auto raw = attribute(channel, "raw", reason);
    if (!raw) return std::nullopt;
    // If missing, the kernel means 0 and 1; if present but unreadable, the value is unknown.
    std::optional<double> offset = 0, scale = 1;
    if (api.channel_find_attr(channel, "offset")) offset = attribute(channel, "offset", reason);
    if (api.channel_find_attr(channel, "scale")) scale = attribute(channel, "scale", reason);
    if (!offset || !scale) return std::nullopt;
    return (*raw + *offset) * *scale;
  }

  void find_sensors() {
    std::set<std::string> names;
    for (unsigned d = 0; d < api.context_get_devices_count(context); ++d) {
      const void* const device = api.context_get_device(context, d);
      const char* const named = api.device_get_name(device);
      const std::string device_name = sanitized(named ? named : api.device_get_id(device), 40);
      std::vector<std::pair<std::string, const void*>> channels;
      for (unsigned c = 0; c < api.device_get_channels_count(device); ++c) {
        const void* const channel = api.device_get_channel(device, c);
        if (!api.channel_is_output(channel) &&
            (api.channel_find_attr(channel, "raw") || api.channel_find_attr(channel, "input")))
          channels.emplace_back(api.channel_get_id(channel), channel);
      }
      std::sort(channels.begin(), channels.end());
      Sensor* open = nullptr;
      for (const auto& [id, channel] : channels) {
        const Kind* const kind = kind_of(id);
        if (!kind) continue;
        // Axes of one kind form one sensor; others are separate.
        const bool joins = open && is_axis(id) && open->empty.unit == kind->unit &&
                           open->empty.name.rfind(kind->name, 0) == 0;
        if (!joins) {
          Sensor sensor;
          sensor.empty.name =
              names.count(kind->name) ? std::string(kind->name) + " " + device_name : kind->name;
          for (int again = 2; names.count(sensor.empty.name); ++again)
            sensor.empty.name =
                std::string(kind->name) + " " + device_name + " " + std::to_string(again);
          names.insert(sensor.empty.name);
          sensor.empty.unit = kind->unit;
          sensor.empty.source = "iio device '" + device_name + "': ";
          sensor.factor = kind->factor;
          sensors.push_back(std::move(sensor));
        }
        Sensor& sensor = sensors.back();
        sensor.empty.source += (sensor.channels.empty() ? "" : ", ") + sanitized(id, 40);
        sensor.channels.push_back(channel);
        open = is_axis(id) ? &sensor : nullptr;
      }
    }
  }
};

Result<IioSensors> IioSensors::open(const std::string& uri, const std::string& library) {
  const std::string file = library.empty() ? "libiio.so.0" : library;
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* const why = ::dlerror();
    return Error{ErrorKind::kNotFound,
                 "sensors: cannot open '" + sanitized(file) +
                     "' (Debian's package libiio0): " + sanitized(why ? why : "", 200)};
  }
  auto state = std::make_unique<State>();
  Api& api = state->api;
  std::string missing;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(::dlsym(handle, name));
    if (!function) missing += (missing.empty() ? "" : ", ") + std::string(name);
  };
  find(api.library_get_version, "iio_library_get_version");
  find(api.create_context_from_uri, "iio_create_context_from_uri");
  find(api.context_destroy, "iio_context_destroy");
  find(api.context_set_timeout, "iio_context_set_timeout");
  find(api.context_get_devices_count, "iio_context_get_devices_count");
  find(api.context_get_device, "iio_context_get_device");
  find(api.device_get_id, "iio_device_get_id");
  find(api.device_get_name, "iio_device_get_name");
  find(api.device_get_channels_count, "iio_device_get_channels_count");
  find(api.device_get_channel, "iio_device_get_channel");
  find(api.channel_get_id, "iio_channel_get_id");
  find(api.channel_is_output, "iio_channel_is_output");
  find(api.channel_find_attr, "iio_channel_find_attr");
  find(api.channel_attr_read_double, "iio_channel_attr_read_double");
  if (!missing.empty())
    return Error{ErrorKind::kUnsupported,
                 "sensors: '" + sanitized(file) + "' is not libiio 0.x: it lacks " + missing};
  unsigned major = 0, minor = 0;
  char tag[8] = {};
  api.library_get_version(&major, &minor, tag);
  if (major != 0)
    return Error{ErrorKind::kUnsupported, "sensors: '" + sanitized(file) + "' is libiio " +
                                              std::to_string(major) + "." + std::to_string(minor) +
                                              ", expected 0.x"};
  state->version = std::to_string(major) + "." + std::to_string(minor);
  const WithoutSigpipe guard;
  errno = 0;
  state->context = api.create_context_from_uri(uri.c_str());
  if (!state->context)
    return Error{ErrorKind::kNotFound, "sensors: no libiio context '" + sanitized(uri) +
                                           "': " + std::strerror(errno ? errno : ENODEV)};
  (void)api.context_set_timeout(state->context, kTimeoutMs);
  state->find_sensors();
  return IioSensors(std::move(state));
}

IioSensors::IioSensors(std::unique_ptr<State> state) : state_(std::move(state)) {}
IioSensors::IioSensors(IioSensors&&) noexcept = default;
IioSensors& IioSensors::operator=(IioSensors&&) noexcept = default;
IioSensors::~IioSensors() = default;

const std::string& IioSensors::version() const { return state_->version; }

std::vector<SensorReading> IioSensors::read() {
  const WithoutSigpipe guard;
  std::vector<SensorReading> readings;
  for (const Sensor& sensor : state_->sensors) {
    SensorReading reading = sensor.empty;
    for (const void* const channel : sensor.channels) {
      const auto value = state_->value_of(channel, reading.reason);
      if (!value) {
        reading.values.clear();
        break;
      }
      reading.values.push_back(*value * sensor.factor);
    }
    if (!reading.values.empty()) reading.reason.clear();
    readings.push_back(std::move(reading));
  }
  if (readings.empty())
    readings.push_back(
        {"iio", {}, "", "libiio " + state_->version, "the context has no sensor of a known kind"});
  return readings;
}

}  // namespace edgeprobe::meter
