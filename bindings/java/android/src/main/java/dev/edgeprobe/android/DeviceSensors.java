// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.android;

import android.content.Context;
import android.hardware.Sensor;
import android.hardware.SensorManager;
import android.os.Handler;
import android.os.HandlerThread;
import android.os.Process;
import android.os.SystemClock;
import dev.edgeprobe.Probe;
import dev.edgeprobe.Status;
import java.util.ArrayList;
import java.util.List;

/**
 * Records the device's sensors in a probe's trace, each value with the time of its measurement: accelerometer,
 * gyroscope, magnetometer, light, pressure, humidity, ambient temperature; each second the battery's temperature and
 * Android's thermal status. {@code edgeprobe diagnose} tests whether failing frames correlate with them.
 *
 * <pre>{@code
 * try (Probe probe = Probe.open(path); DeviceSensors sensors = DeviceSensors.start(context, probe)) { ... }
 * }</pre>
 *
 * <p>Names and units are those of {@code edgeprobe run --sensors} on Linux; axes are Android's. A sensor that is
 * missing or not accessible is in the trace without values, with the reason. The last values of sensors that report
 * only changes (light, temperature) are repeated each second.
 *
 * <p>Like a probe it never breaks the application: nothing here throws, and {@link Probe#error()} has the error. It
 * stops when the probe is closed. It runs on its own thread, or on that of {@link Builder#handler}.
 */
public final class DeviceSensors implements AutoCloseable {
  static final long TICK_NS = 1_000_000_000L;
  private static final long TICK_MS = TICK_NS / 1_000_000;

  private final Probe probe;
  private final List<SensorLog> logs = new ArrayList<>();
  private final Runnable ticking = this::tick;
  private SensorManager manager;
  private Warmth warmth;
  private HandlerThread thread;
  private Handler handler;
  private boolean isRunning;

  private DeviceSensors(Probe probe) {
    this.probe = probe;
  }

  /** With the defaults of {@link Builder}. */
  public static DeviceSensors start(Context context, Probe probe) {
    return builder(context, probe).start();
  }

  public static Builder builder(Context context, Probe probe) {
    return new Builder(context, probe);
  }

  /**
   * True if it records; false after {@link #close}, after the probe is closed, or if the probe was off at the start.
   */
  public boolean isRunning() {
    synchronized (this) {
      return isRunning;
    }
  }

  /** Releases every sensor. Nothing is recorded after this returns. A second call does nothing. */
  @Override
  public void close() {
    synchronized (this) {
      if (!isRunning) return;
      isRunning = false;
      for (SensorLog log : logs) manager.unregisterListener(log);
      logs.clear();
      handler.removeCallbacks(ticking);
      if (thread != null) thread.quitSafely();
    }
  }

  /** Stops when the probe answers OFF: then no work remains. */
  void said(Status status) {
    if (status == Status.OFF) close();
  }

  private void start(Context context, Handler given, long periodUs) {
    synchronized (this) {
      if (!probe.isOpen()) return;
      handler = given;
      if (handler == null) {
        thread = new HandlerThread("edgeprobe-sensors", Process.THREAD_PRIORITY_BACKGROUND);
        thread.start();
        handler = new Handler(thread.getLooper());
      }
      isRunning = true;
      manager = context.getSystemService(SensorManager.class);
      warmth = new Warmth(context, probe);
      for (Kind kind : Kind.values()) {
        String reason = listen(kind, periodUs);
        if (reason != null) probe.sensorAbsent(kind.title, kind.unit, reason);
      }
      handler.post(ticking);
    }
  }

  /** Null, or why there will be no values. */
  private String listen(Kind kind, long periodUs) {
    Sensor sensor = manager == null ? null : manager.getDefaultSensor(kind.type);
    if (sensor == null) return "absent";
    SensorLog log = new SensorLog(this, probe, kind, sensor, periodUs * 1000);
    try {
      if (!manager.registerListener(log, sensor, (int) periodUs, handler)) return "Android did not start it";
    } catch (SecurityException why) {
      return "not permitted: " + why.getMessage();
    }
    logs.add(log);
    return null;
  }

  private void tick() {
    synchronized (this) {
      if (!probe.isOpen()) close();
      if (!isRunning) return;
      try {
        warmth.log();
        for (SensorLog log : new ArrayList<>(logs)) log.tick(SystemClock.elapsedRealtimeNanos());
      } catch (RuntimeException wrong) {
        probe.report(wrong);
      }
      if (isRunning) handler.postDelayed(ticking, TICK_MS);
    }
  }

  /** How the sensors are read. */
  public static final class Builder {
    private final Context context;
    private final Probe probe;
    private Handler handler;
    private long periodMs = 100;

    private Builder(Context context, Probe probe) {
      this.context = context;
      this.probe = probe;
    }

    /**
     * The shortest interval between two values of a sensor in milliseconds (5 to 60,000; default 100); faster values
     * are dropped.
     */
    public Builder periodMs(long milliseconds) {
      this.periodMs = Math.max(5, Math.min(60_000, milliseconds));
      return this;
    }

    /** The handler for events; null: a background thread. Do not use the handler of the user interface. */
    public Builder handler(Handler handler) {
      this.handler = handler;
      return this;
    }

    /** Never returns null and never throws. */
    public DeviceSensors start() {
      DeviceSensors sensors = new DeviceSensors(probe);
      try {
        Context whole = context.getApplicationContext();  // A reference to an activity would prevent its garbage collection.
        sensors.start(whole == null ? context : whole, handler, periodMs * 1000);
      } catch (RuntimeException wrong) {
        probe.report(wrong);
        sensors.close();
      }
      return sensors;
    }
  }
}
