// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

import java.io.File;
import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Records a model's inputs, layers and outputs inside your own application, as a trace that {@code edgeprobe compare},
 * {@code diagnose} and any MCAP library can read.
 *
 * <pre>{@code
 * try (Probe probe = Probe.open("app.mcap"); Frame frame = probe.frame()) {
 *   frame.tensor("pixels", pixels, 64, 64, 3);
 * }
 * }</pre>
 *
 * <p>A probe never breaks the application. Only opening throws ({@link Builder#openOrOff} never does). A later call
 * that fails records nothing, returns the reason, and sets the message of {@link #error()}. Calls on a closed probe, or
 * on its frames, return {@link Status#OFF}.
 *
 * <p>Any thread may call it; use each frame in one thread at a time. A probe that is never closed leaves an unfinished
 * file, which {@code edgeprobe trace recover} repairs.
 */
public final class Probe implements AutoCloseable {
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final Set<Frame> open = ConcurrentHashMap.newKeySet();
  /**
   * The frames that a thread began, the newest last; closed ones are removed when they are found. The references are
   * weak, so a thread does not keep the probe alive.
   */
  private final ThreadLocal<ArrayDeque<WeakReference<Frame>>> begun = new ThreadLocal<>();
  final boolean redacts;
  private long handle;
  private boolean isClosing;
  private Statistics last = new Statistics(new long[7]);
  private volatile EdgeprobeException error;

  private Probe(boolean redacts) {
    this.redacts = redacts;
  }

  /** Opens a probe with the defaults of {@link Builder}. Throws like {@link Builder#open}. */
  public static Probe open(String path) {
    return builder(path).open();
  }

  /** @param path of the trace; the probe creates it with mode 0600 and refuses an existing file or a symbolic link */
  public static Builder builder(String path) {
    return new Builder(path);
  }

  public static Builder builder(File path) {
    return new Builder(path.getPath());
  }

  /** A probe that does nothing: all its calls return {@link Status#OFF}. */
  public static Probe off() {
    return new Probe(false);
  }

  /** The release of the C library, "1.0.0". */
  public static String version() {
    Library.load();
    return Text.of(Native.version());
  }

  static Probe open(Builder builder, Redactor redactor) {
    Library.load();
    Probe probe = new Probe(redactor != null);
    int[] status = new int[1];
    Redaction redaction = redactor == null ? null : new Redaction(redactor, probe);
    probe.handle = builder.open(redaction, status);
    if (probe.handle == 0) throw new EdgeprobeException(Status.of(status[0]), Text.of(Native.lastError()));
    return probe;
  }

  static Probe off(EdgeprobeException why) {
    Probe probe = off();
    probe.error = why;
    System.err.println("edgeprobe: nothing is recorded: " + why.getMessage());
    return probe;
  }

  /** Begins a frame: one inference. Never null. Close it to write its record. */
  public Frame frame() {
    Lock read = lock.readLock();
    read.lock();
    try {
      if (handle == 0 || isClosing) return new Frame(this, 0);
      int[] status = new int[1];
      Frame frame = new Frame(this, Native.frameBegin(handle, status));
      if (check(status[0]) == Status.OK) {
        open.add(frame);
        remember(frame);
      }
      return frame;
    } finally {
      read.unlock();
    }
  }

  /** The innermost open frame of this probe that this thread began, or null. Adapters record in it. */
  public Frame current() {
    ArrayDeque<WeakReference<Frame>> mine = begun.get();
    if (mine == null) return null;
    for (WeakReference<Frame> last = mine.peekLast(); last != null; last = mine.peekLast()) {
      Frame frame = last.get();
      if (frame != null && open.contains(frame)) return frame;
      mine.removeLast();
    }
    return null;
  }

  private void remember(Frame frame) {
    ArrayDeque<WeakReference<Frame>> mine = begun.get();
    if (mine == null) {
      mine = new ArrayDeque<>();
      begun.set(mine);
    }
    // Another thread may have closed any of them.
    mine.removeIf(known -> {
      Frame older = known.get();
      return older == null || !open.contains(older);
    });
    mine.addLast(new WeakReference<>(frame));
  }

  /**
   * A fact about the deployment: "model", "model_sha256", "engine", "engine_version", "kernels", "threads", "recipe", ...
   * (docs/reference/trace-format.md, edgeprobe.run).
   */
  public Status describe(String key, String value) {
    return guarded(() -> Native.describe(handle, Text.required("the key", key), Text.required("the value", value)));
  }

  /** An event, such as "camera restarted". {@code text} may be null. */
  public Status mark(String name, String text) {
    return guarded(() -> Native.mark(handle, Text.required("the name of a mark", name), Text.bytes(text)));
  }

  /**
   * Checks once, for example when the application starts: {@code if (!probe.assertThat("labels", labels.size() ==
   * 1001)) return;}. Returns whether it holds, even if the probe is off. {@code edgeprobe contract check} judges it.
   */
  public boolean assertThat(String name, boolean holds) {
    return recorded(name, Assertion.wrong(holds));
  }

  /**
   * The same for a check that returns the problem, or throws: {@code probe.assertThat("size", () -> w == 96 ? "" : w +
   * " wide")}.
   */
  public boolean assertThat(String name, Check check) {
    return recorded(name, Assertion.wrong(check));
  }

  private boolean recorded(String name, String wrong) {
    guarded(() -> Native.assertThat(handle, Text.required("the name of an assertion", name), Text.bytes(wrong)));
    return wrong == null;
  }

  /** Values of a sensor now, such as "accelerometer", "m/s^2", three values. */
  public Status sensor(String name, String unit, double... values) {
    return sensorAgo(0, name, unit, values);
  }

  /**
   * Values measured this many nanoseconds ago: the current time of the sensor's clock minus the time stamp (Android:
   * {@code SystemClock.elapsedRealtimeNanos() - event.timestamp}).
   */
  public Status sensorAgo(long ageNs, String name, String unit, double... values) {
    return guarded(() -> {
      if (ageNs < 0) throw new EdgeprobeException(Status.USAGE, "an age of " + ageNs + " ns: expected 0 or more");
      return Native.sensor(handle, Text.required("the name of a sensor", name), present(values), Text.bytes(unit), ageNs);
    });
  }

  /** A sensor without a value, with the reason: "absent", "not permitted". */
  public Status sensorAbsent(String name, String unit, String reason) {
    return guarded(() -> Native.sensorAbsent(handle, Text.required("the name of a sensor", name), Text.bytes(unit), Text.bytes(reason)));
  }

  /** Returns when everything logged before is in the file. It takes milliseconds, so do not call it for every frame. */
  public Status flush() {
    return guarded(() -> Native.flush(handle));
  }

  /** Counters so far; after {@link #close}, of the whole recording. */
  public Statistics statistics() {
    Lock read = lock.readLock();
    read.lock();
    try {
      if (handle == 0) return last;
      long[] values = new long[7];
      check(Native.statistics(handle, values));
      return new Statistics(values);
    } finally {
      read.unlock();
    }
  }

  /** True if the probe records; false if it is closed or could not be opened. */
  public boolean isOpen() {
    Lock read = lock.readLock();
    read.lock();
    try {
      return handle != 0;
    } finally {
      read.unlock();
    }
  }

  /** The error of the latest failed call in any thread, or null. */
  public EdgeprobeException error() {
    return error;
  }

  /** For adapters: reports the failure that prevented logging. {@link #error()} returns it. */
  public void report(RuntimeException why) {
    failed(why);
  }

  /** Ends open frames and finishes the file. {@link #error()} has a failure. A second call does nothing. */
  @Override
  public void close() {
    // A redactor runs inside a call of a frame: closing there would take the memory from under it.
    if (Frame.insideRedactor(open)) {
      failed(new EdgeprobeException(Status.USAGE, "a probe cannot be closed from within its own call"));
      return;
    }
    Lock write = lock.writeLock();
    write.lock();
    isClosing = true;  // From now on no frame can begin.
    write.unlock();
    // The lock is not held here: a frame in another thread may be in a redactor that calls this probe.
    for (Frame frame : open) frame.close();
    write.lock();
    try {
      if (handle == 0) return;
      long[] values = new long[7];
      check(Native.close(handle, values));
      last = new Statistics(values);
      handle = 0;
    } finally {
      write.unlock();
    }
  }

  void ended(Frame frame) {
    open.remove(frame);
  }

  Status check(int code) {
    if (code == 0) return Status.OK;
    Status status = Status.of(code);
    if (status != Status.OFF) error = new EdgeprobeException(status, Text.of(Native.lastError()));
    return status;
  }

  /** An exception of Java itself during a call; the application never sees it. */
  Status failed(Throwable wrong) {
    EdgeprobeException known = wrong instanceof EdgeprobeException
        ? (EdgeprobeException) wrong
        : new EdgeprobeException(Status.FAILED, String.valueOf(wrong), wrong);
    error = known;
    return known.status();
  }

  private static double[] present(double[] values) {
    if (values == null) throw new EdgeprobeException(Status.USAGE, "the values are null");
    return values;
  }

  private interface Call {
    int run();
  }

  private Status guarded(Call call) {
    Lock read = lock.readLock();
    read.lock();
    try {
      return handle == 0 ? Status.OFF : check(call.run());
    } catch (RuntimeException wrong) {
      return failed(wrong);
    } finally {
      read.unlock();
    }
  }

  /** Options of a probe. Defaults are those of {@code edgeprobe_options_init()}. */
  public static final class Builder {
    private static final int EVERY = 0;
    private static final int RANDOM = 1;
    private static final int TRIGGER = 2;

    private final String path;
    private Level level = Level.IO;
    private String include;
    private String exclude;
    private int sampling = EVERY;
    private long every = 1;
    private long seed;
    private long before;
    private double belowConfidence;
    private Raw raw = Raw.SAMPLE;
    private long rawFrames = 32;
    private long rawBytes = 64_000_000;
    private boolean sketch;
    private double timeShare;
    private long bytesPerSecond;
    private long totalBytes = 4_000_000_000L;
    private long partBytes;
    private long newestParts;
    private long ownOutputs;
    private long flushMs = 1000;
    private boolean waitWhenFull;
    private Redactor redactor;

    private Builder(String path) {
      this.path = path;
    }

    public Builder level(Level level) {
      this.level = level;
      return this;
    }

    /** Tensors to log, as patterns with * and ? over "stage/name", separated by spaces. Null: all. */
    public Builder include(String patterns) {
      this.include = patterns;
      return this;
    }

    public Builder exclude(String patterns) {
      this.exclude = patterns;
      return this;
    }

    /** Records every n-th frame, starting with the first. For the others only the frame record is kept. */
    public Builder every(long n) {
      this.sampling = EVERY;
      this.every = n;
      return this;
    }

    /** Each frame is recorded with probability 1/n. */
    public Builder random(long n, long seed) {
      this.sampling = RANDOM;
      this.every = n;
      this.seed = seed;
      return this;
    }

    /**
     * With {@link #every} and {@link #random}: this many unrecorded frames wait in memory and are recorded if the next
     * one trips a trigger.
     */
    public Builder before(long frames) {
      this.before = frames;
      return this;
    }

    /** Records frames that trip a trigger, and this many before each. */
    public Builder onTrigger(long framesBefore) {
      this.sampling = TRIGGER;
      this.before = framesBefore;
      return this;
    }

    /**
     * A frame trips a trigger if the largest real value of an output is less than this. Only outputs with scores count
     * (all values in 0..1, not all whole); with a limit below 0 or above 1 all outputs count. 0: never.
     */
    public Builder belowConfidence(double value) {
      this.belowConfidence = value;
      return this;
    }

    public Builder raw(Raw raw) {
      this.raw = raw;
      return this;
    }

    /** For {@link Raw#SAMPLE}: the number of first frames, and the number of bytes in total (0: no limit). */
    public Builder rawLimits(long frames, long bytes) {
      this.rawFrames = frames;
      this.rawBytes = bytes;
      return this;
    }

    /** Layers become sketches: sums, a histogram of 64 bins, a sample of 4096 values by this seed. */
    public Builder sketch(long seed) {
      this.sketch = true;
      this.seed = seed;
      return this;
    }

    /** Share of the wall time spent in the library: 0.01 is one percent. The level is lowered before it is exceeded. */
    public Builder timeShare(double share) {
      this.timeShare = share;
      return this;
    }

    public Builder bytesPerSecond(long bytes) {
      this.bytesPerSecond = bytes;
      return this;
    }

    /**
     * Limit of the whole recording; when it is reached, nothing more is written. Default 4 GB, but no limit if {@link
     * #parts} keeps only the newest parts; 0: no limit.
     */
    public Builder totalBytes(long bytes) {
      this.totalBytes = bytes;
      return this;
    }

    /**
     * Continues in the next file (name-000.mcap, name-001.mcap, ...) after this many bytes; keeps this many files (0:
     * all).
     */
    public Builder parts(long bytes, long newest) {
      this.partBytes = bytes;
      this.newestParts = newest;
      return this;
    }

    /** For models patched by {@code edgeprobe instrument}: outputs from this one on are layers. 0: not patched. */
    public Builder ownOutputs(long first) {
      this.ownOutputs = first;
      return this;
    }

    /** A chunk is closed after at most this many milliseconds. A kill loses at most that. */
    public Builder flushMs(long milliseconds) {
      this.flushMs = milliseconds;
      return this;
    }

    /** Calls wait for the disk instead of dropping frames; for programs that read a folder. */
    public Builder waitWhenFull(boolean yes) {
      this.waitWhenFull = yes;
      return this;
    }

    public Builder redact(Redactor redactor) {
      this.redactor = redactor;
      return this;
    }

    /**
     * @throws EdgeprobeException if the file cannot be created, an option is wrong, or the native library does not load
     */
    public Probe open() {
      return Probe.open(this, redactor);
    }

    /**
     * Never throws: a probe that cannot be opened does nothing. {@link Probe#error()} and one line on standard error
     * (on Android: in the log) give the reason.
     */
    public Probe openOrOff() {
      try {
        return open();
      } catch (EdgeprobeException why) {
        return Probe.off(why);
      } catch (RuntimeException why) {
        return Probe.off(new EdgeprobeException(Status.FAILED, String.valueOf(why), why));
      }
    }

    long open(Redaction redaction, int[] status) {
      if (level == null || raw == null) throw new EdgeprobeException(Status.USAGE, "the level or raw is null");
      long[] numbers = {level.ordinal(), sampling, count("every", every), seed, count("before", before), raw.ordinal(),
          count("rawFrames", rawFrames), rawBytes, sketch ? 1 : 0, bytesPerSecond, totalBytes, partBytes,
          count("newestParts", newestParts), count("ownOutputs", ownOutputs), count("flushMs", flushMs),
          waitWhenFull ? 1 : 0};
      for (int i : new int[] {7, 9, 10, 11}) {
        if (numbers[i] < 0) throw new EdgeprobeException(Status.USAGE, "a number of bytes is negative");
      }
      return Native.open(Text.required("the path", path), Text.bytes(include), Text.bytes(exclude), numbers,
          belowConfidence, timeShare, redaction, status);
    }

    private static long count(String what, long value) {
      if (value < 0 || value > 0xFFFFFFFFL) {
        throw new EdgeprobeException(Status.USAGE, what + " is " + value + ": expected 0 to 4294967295");
      }
      return value;
    }
  }
}
