// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.android;

import android.hardware.Sensor;
import android.hardware.SensorEvent;
import android.hardware.SensorEventListener;
import android.hardware.SensorManager;
import android.os.SystemClock;
import dev.edgeprobe.Probe;

/** Records the events of one sensor. All methods run under the lock of their owner. */
final class SensorLog implements SensorEventListener {
  /** Events arrive within milliseconds; a time stamp that seems older than this comes from another clock. */
  static final long LONGEST_DELAY_NS = 10_000_000_000L;

  private final DeviceSensors owner;
  private final Probe probe;
  private final Kind kind;
  private final long periodNs;
  private final boolean givesChangesOnly;
  private double[] newest;
  private long loggedNs;
  private boolean isNewestLogged;
  private boolean hasOtherClock;
  private int accuracy = SensorManager.SENSOR_STATUS_ACCURACY_HIGH;

  SensorLog(DeviceSensors owner, Probe probe, Kind kind, Sensor sensor, long periodNs) {
    this.owner = owner;
    this.probe = probe;
    this.kind = kind;
    this.periodNs = periodNs;
    this.givesChangesOnly = sensor.getReportingMode() == Sensor.REPORTING_MODE_ON_CHANGE;
  }

  @Override
  public void onSensorChanged(SensorEvent event) {
    synchronized (owner) {
      if (!owner.isRunning()) return;
      long now = SystemClock.elapsedRealtimeNanos();
      long age = age(now - event.timestamp);
      boolean isDue = newest == null || now - age - loggedNs >= periodNs - periodNs / 4;  // Sensors keep time roughly.
      // A value that comes too soon is dropped. Only a sensor that reports changes keeps it for the next tick.
      if (!isDue && !givesChangesOnly) return;
      newest = new double[Math.min(kind.count, event.values.length)];
      for (int i = 0; i < newest.length; i++) newest[i] = event.values[i] / kind.divisor;
      isNewestLogged = false;
      if (isDue) log(now, age);
    }
  }

  /** Nanoseconds since the event, by the clock of its time stamp; 0 if that clock is another one. */
  private long age(long seeming) {
    if (seeming >= 0 && seeming <= LONGEST_DELAY_NS) return seeming;
    // A change may be old, and some time stamps are slightly in the future.
    boolean isAnotherClock = !givesChangesOnly && (seeming > 0 || seeming < -1_000_000_000L);
    if (isAnotherClock && !hasOtherClock) {
      hasOtherClock = true;
      probe.mark("sensor clock", kind.title + ": its time stamps are of another clock; its values have the time at which they came");
    }
    return 0;
  }

  /** Every second: repeats the last value of sensors that report only changes. */
  void tick(long now) {
    if (givesChangesOnly && newest != null && (!isNewestLogged || now - loggedNs >= DeviceSensors.TICK_NS / 2)) log(now, 0);
  }

  private void log(long now, long age) {
    loggedNs = now - age;
    isNewestLogged = true;
    owner.said(probe.sensorAgo(age, kind.title, kind.unit, newest));
  }

  @Override
  public void onAccuracyChanged(Sensor sensor, int accuracy) {
    synchronized (owner) {
      if (!owner.isRunning() || accuracy == this.accuracy) return;
      this.accuracy = accuracy;
      probe.mark("sensor accuracy", kind.title + ": " + words(accuracy));
    }
  }

  private static String words(int accuracy) {
    switch (accuracy) {
      case SensorManager.SENSOR_STATUS_NO_CONTACT: return "no contact";
      case SensorManager.SENSOR_STATUS_UNRELIABLE: return "unreliable";
      case SensorManager.SENSOR_STATUS_ACCURACY_LOW: return "low";
      case SensorManager.SENSOR_STATUS_ACCURACY_MEDIUM: return "medium";
      case SensorManager.SENSOR_STATUS_ACCURACY_HIGH: return "high";
      default: return "status " + accuracy;
    }
  }
}
