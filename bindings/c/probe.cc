#include "probe/probe.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "answers.h"

// Probes: opening, closing, and what is said outside frames.

namespace probe = edgeprobe::probe;
using namespace edgeprobe::c;

namespace {

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
    out.redact = [redact = given.redact, context = given.redact_context](const char* name, void* bytes, std::size_t size) {
      redact(context, name, bytes, size);
    };
  return out;
}

const char* why_wrong(const edgeprobe_options& options) {
  if (!in_range(options.level, EDGEPROBE_LEVEL_LAYERS)) return "options.level is no edgeprobe_level";
  if (!in_range(options.sampling, EDGEPROBE_SAMPLE_TRIGGER)) return "options.sampling is no edgeprobe_sampling";
  if (!in_range(options.raw, EDGEPROBE_RAW_ALL)) return "options.raw is no edgeprobe_raw";
  if (options.every == 0) return "options.every is 0, expected 1 or more";
  if (options.flush_ms == 0) return "options.flush_ms is 0, expected 1 or more";
  if (!(options.time_share >= 0 && options.time_share <= 1)) return "options.time_share is not between 0 and 1";
  if (options.below_confidence != options.below_confidence) return "options.below_confidence is not a number";
  return nullptr;
}

void give(const probe::Statistics& from, edgeprobe_statistics* to) {
  to->level = static_cast<edgeprobe_level>(std::max(0, static_cast<int>(from.level)));
  to->frames = from.frames;
  to->recorded_frames = from.recorded_frames;
  to->dropped_frames = from.dropped_frames;
  to->tensors = from.tensors;
  to->bytes = from.bytes;
  to->time_ns = from.time_ns;
}

}  // namespace

extern "C" {

int edgeprobe_abi_version(void) { return EDGEPROBE_ABI_MAJOR * 1000 + EDGEPROBE_ABI_MINOR; }
const char* edgeprobe_version(void) { return EDGEPROBE_VERSION; }
const char* edgeprobe_last_error(void) { return last_error(); }
edgeprobe_status edgeprobe_fail(edgeprobe_status status, const char* what) { return fail(status, what ? what : ""); }

void edgeprobe_options_init(edgeprobe_options* options) {
  if (!options) return;
  const probe::Options defaults;
  *options = {};
  options->struct_size = sizeof *options;
  options->level = static_cast<edgeprobe_level>(defaults.level);
  options->every = defaults.every;
  options->raw_frames = defaults.raw_frames;
  options->raw_bytes = defaults.raw_bytes;
  options->flush_ms = defaults.flush_ms;
}

edgeprobe_status edgeprobe_open(const char* path, const edgeprobe_options* options, edgeprobe_probe** out) {
  if (!out) return usage("the place for the probe is NULL");
  *out = nullptr;
  if (!path || !*path) return usage("the path is NULL or empty");
  edgeprobe_options all;
  edgeprobe_options_init(&all);
  if (options) {
    if (!is_struct_of(options->struct_size, sizeof all)) return usage("options.struct_size is wrong: call edgeprobe_options_init() first");
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

edgeprobe_status edgeprobe_statistics_now(edgeprobe_probe* handle, edgeprobe_statistics* statistics) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!statistics || !is_struct_of(statistics->struct_size, sizeof *statistics)) return usage("statistics is NULL, or its struct_size is wrong");
    give(probe.statistics(), statistics);
    return EDGEPROBE_OK;
  });
}

edgeprobe_status edgeprobe_flush(edgeprobe_probe* handle) {
  return with_probe(handle, [](probe::Probe& probe) { return told(probe.flush()); });
}

edgeprobe_status edgeprobe_close(edgeprobe_probe* handle, edgeprobe_statistics* statistics) {
  return guarded([&] {
    if (statistics && !is_struct_of(statistics->struct_size, sizeof *statistics)) return usage("statistics.struct_size is wrong");
    const auto probe = edgeprobe::c::give_up(handle);
    if (!probe) return off();
    const auto closed = probe->close();
    if (statistics) give(closed ? *closed : probe->statistics(), statistics);
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

edgeprobe_status edgeprobe_sensor(edgeprobe_probe* handle, const char* name, const double* values, size_t count, const char* unit) {
  return edgeprobe_sensor_ago(handle, name, values, count, unit, 0);
}

edgeprobe_status edgeprobe_sensor_ago(edgeprobe_probe* handle, const char* name, const double* values, size_t count, const char* unit,
                                      uint64_t age_ns) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!name || (count && !values)) return usage("the name or the values are NULL");
    return told(probe.recorder().sensor(name, values, count, unit ? unit : "", age_ns));
  });
}

edgeprobe_status edgeprobe_sensor_absent(edgeprobe_probe* handle, const char* name, const char* unit, const char* reason) {
  return with_probe(handle, [&](probe::Probe& probe) {
    if (!name || !reason) return usage("the name or the reason is NULL");
    return told(probe.recorder().sensor_absent(name, unit ? unit : "", reason));
  });
}

}  // extern "C"
