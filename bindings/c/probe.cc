// SPDX-License-Identifier: Apache-2.0
#include "probe/probe.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "answers.h"

// Probes: opening, closing, and data outside of frames.

namespace probe = edgeprobe::probe;
using namespace edgeprobe::c;

namespace {

// Size of the struct in version 1.0.
constexpr std::size_t kLeastOptions = offsetof(edgeprobe_options, redact_context) + sizeof(void*);
constexpr std::size_t kLeastStatistics =
    offsetof(edgeprobe_statistics, time_ns) + sizeof(std::uint64_t);

probe::Options options_from(const edgeprobe_options& given) {
  probe::Options out;
  out.level = static_cast<probe::Level>(given.level);
  if (given.include) out.include = given.include;
  if (given.exclude) out.exclude = given.exclude;
  out.sampling = static_cast<probe::Sampling>(given.sampling);
  out.every = given.every;
  out.seed = given.seed;
  out.before = given.before;
  out.below_confidence = given.below_confidence;
  out.raw = static_cast<probe::Raw>(given.raw);
  out.raw_frames = given.raw_frames;
  out.raw_bytes = given.raw_bytes;
  out.sketch = given.sketch != 0;
  out.time_share = given.time_share;
  out.bytes_per_second = given.bytes_per_second;
  out.total_bytes = given.total_bytes;
  out.part_bytes = given.part_bytes;
  out.newest_parts = given.newest_parts;
  out.own_outputs = given.own_outputs;
  out.flush_ms = given.flush_ms;
  out.wait_when_full = given.wait_when_full != 0;
  if (given.redact)
    out.redact = [redact = given.redact, context = given.redact_context](
                     const char* name, void* bytes, std::size_t size) {
      redact(context, name, bytes, size);
    };
  return out;
}

const char* why_wrong(const edgeprobe_options& options) {
  if (!in_range(options.level, EDGEPROBE_LEVEL_LAYERS))
    return "options.level is not an edgeprobe_level";
  if (!in_range(options.sampling, EDGEPROBE_SAMPLE_TRIGGER))
    return "options.sampling is not an edgeprobe_sampling";
  if (!in_range(options.raw, EDGEPROBE_RAW_ALL)) return "options.raw is not an edgeprobe_raw";
  if (options.every == 0) return "options.every is 0, expected 1 or more";
  if (options.flush_ms == 0) return "options.flush_ms is 0, expected 1 or more";
  if (!(options.time_share >= 0 && options.time_share <= 1))
    return "options.time_share is not between 0 and 1";
  if (options.below_confidence != options.below_confidence)
    return "options.below_confidence is not a number";
  return nullptr;
}

/// The part of `from` that exists in the caller's version of the struct, `size` bytes long.
template <class Struct>
void give(Struct from, Struct* to, std::size_t size) {
  from.struct_size = static_cast<std::uint32_t>(size);
  std::memcpy(static_cast<void*>(to), &from, std::min(size, sizeof from));
}

edgeprobe_statistics statistics_of(const probe::Statistics& from) {
  edgeprobe_statistics to = {};
  to.level = static_cast<edgeprobe_level>(std::max(0, static_cast<int>(from.level)));
  to.frames = from.frames;
  to.recorded_frames = from.recorded_frames;
  to.dropped_frames = from.dropped_frames;
  to.tensors = from.tensors;
  to.bytes = from.bytes;
  to.time_ns = from.time_ns;
  return to;
}

}  // namespace

extern "C" {

int edgeprobe_abi_version(void) { return EDGEPROBE_ABI_MAJOR * 1000 + EDGEPROBE_ABI_MINOR; }
const char* edgeprobe_version(void) { return EDGEPROBE_VERSION; }
const char* edgeprobe_last_error(void) { return last_error(); }
edgeprobe_status edgeprobe_fail(edgeprobe_status status, const char* what) {
  return fail(status, what ? what : "");
}

void edgeprobe_options_init_sized(edgeprobe_options* options, size_t size) {
  if (!options || size < sizeof options->struct_size) return;
  const probe::Options defaults;
  edgeprobe_options all = {};
  all.level = static_cast<edgeprobe_level>(defaults.level);
  all.every = defaults.every;
  all.raw_frames = defaults.raw_frames;
  all.raw_bytes = defaults.raw_bytes;
  all.total_bytes = defaults.total_bytes;
  all.flush_ms = defaults.flush_ms;
  std::memset(static_cast<void*>(options), 0, size);
  give(all, options, size);
}

edgeprobe_status edgeprobe_open(const char* path, const edgeprobe_options* options,
                                edgeprobe_probe** out) {
  const edgeprobe_status status = edgeprobe_try_open(path, options, out);
  // An application that ignores the status would believe that it records.
  if (status != EDGEPROBE_OK)
    std::fprintf(stderr, "edgeprobe: nothing is recorded: %s\n", edgeprobe_last_error());
  return status;
}

edgeprobe_status edgeprobe_try_open(const char* path, const edgeprobe_options* options,
                                    edgeprobe_probe** out) {
  if (!out) return usage("the place for the probe is NULL");
  *out = nullptr;
  if (!path || !*path) return usage("the path is NULL or empty");
  edgeprobe_options all;
  edgeprobe_options_init(&all);
  if (options) {
    if (!is_struct_of(options->struct_size, kLeastOptions))
      return usage("options.struct_size is wrong: call edgeprobe_options_init() first");
    std::memcpy(&all, options, std::min<std::size_t>(options->struct_size, sizeof all));
  }
  if (const char* why = why_wrong(all)) return usage(why);
  return guarded([&] {
    auto opened = probe::Probe::open(path, options_from(all));
    if (!opened) return told(opened.error());
    *out = edgeprobe::c::keep(std::shared_ptr<probe::Probe>(std::move(*opened)));
    return *out ? EDGEPROBE_OK : fail(EDGEPROBE_LIMIT, "too many probes are open");
  });
}

edgeprobe_status edgeprobe_statistics_now(edgeprobe_probe* handle,
                                          edgeprobe_statistics* statistics) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!statistics || !is_struct_of(statistics->struct_size, kLeastStatistics))
      return usage("statistics is NULL, or its struct_size is wrong");
    give(statistics_of(probe.statistics()), statistics, statistics->struct_size);
    return EDGEPROBE_OK;
  });
}

edgeprobe_status edgeprobe_flush(edgeprobe_probe* handle) {
  return with_probe(handle, [](probe::Probe& probe) { return told(probe.flush()); });
}

edgeprobe_status edgeprobe_close(edgeprobe_probe* handle, edgeprobe_statistics* statistics) {
  return guarded([&] {
    if (statistics && !is_struct_of(statistics->struct_size, kLeastStatistics))
      return usage("statistics.struct_size is wrong");
    if (redacting) return usage("a probe cannot be closed by its redaction");
    const auto probe = edgeprobe::c::give_up(handle);
    if (!probe) return off();
    // Other threads may still be in calls, and the application frees its redaction's data once this
    // returns.
    while (probe.use_count() > 1) std::this_thread::sleep_for(std::chrono::microseconds(50));
    const auto closed = probe->close();
    if (statistics)
      give(statistics_of(closed ? *closed : probe->statistics()), statistics,
           statistics->struct_size);
    return closed ? EDGEPROBE_OK : told(closed.error());
  });
}

edgeprobe_status edgeprobe_describe(edgeprobe_probe* handle, const char* key, const char* value) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!key || !*key || !value) return usage("the key is NULL or empty, or the value is NULL");
    return told(probe.recorder().describe(key, value));
  });
}

edgeprobe_status edgeprobe_mark(edgeprobe_probe* handle, const char* name, const char* text) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!name) return usage("the name of the mark is NULL");
    return told(probe.recorder().mark(name, text ? text : ""));
  });
}

edgeprobe_status edgeprobe_sensor(edgeprobe_probe* handle, const char* name, const double* values,
                                  size_t count, const char* unit) {
  return edgeprobe_sensor_ago(handle, name, values, count, unit, 0);
}

edgeprobe_status edgeprobe_sensor_ago(edgeprobe_probe* handle, const char* name,
                                      const double* values, size_t count, const char* unit,
                                      uint64_t age_ns) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!name || (count && !values)) return usage("the name or the values are NULL");
    return told(probe.recorder().sensor(name, values, count, unit ? unit : "", age_ns));
  });
}

edgeprobe_status edgeprobe_sensor_absent(edgeprobe_probe* handle, const char* name,
                                         const char* unit, const char* reason) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!name || !reason) return usage("the name or the reason is NULL");
    return told(probe.recorder().sensor_absent(name, unit ? unit : "", reason));
  });
}

}  // extern "C"
