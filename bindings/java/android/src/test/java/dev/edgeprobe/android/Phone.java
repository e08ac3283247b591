// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.android;

import android.hardware.Sensor;
import android.hardware.SensorEventListener;
import android.hardware.SensorManager;
import android.os.Handler;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.robolectric.annotation.Implementation;
import org.robolectric.annotation.Implements;
import org.robolectric.shadows.ShadowSensorManager;

/** Robolectric's sensors, which can also refuse to start and which remember the requested settings. */
@Implements(SensorManager.class)
public class Phone extends ShadowSensorManager {
  static final Set<Kind> REFUSED = EnumSet.noneOf(Kind.class);
  static final Set<Kind> FORBIDDEN = EnumSet.noneOf(Kind.class);
  static final Map<Kind, SensorEventListener> LISTENERS = new EnumMap<>(Kind.class);
  static final Map<Kind, Integer> PERIODS_US = new EnumMap<>(Kind.class);
  static Handler handler;

  static void forget() {
    REFUSED.clear();
    FORBIDDEN.clear();
    LISTENERS.clear();
    PERIODS_US.clear();
    handler = null;
  }

  static Kind kindOf(Sensor sensor) {
    for (Kind kind : Kind.values()) if (kind.type == sensor.getType()) return kind;
    throw new AssertionError("nobody asks for sensors of type " + sensor.getType());
  }

  @Implementation
  @Override
  protected boolean registerListener(SensorEventListener listener, Sensor sensor, int periodUs, Handler events) {
    Kind kind = kindOf(sensor);
    if (FORBIDDEN.contains(kind)) throw new SecurityException("HIGH_SAMPLING_RATE_SENSORS");
    if (REFUSED.contains(kind)) return false;
    LISTENERS.put(kind, listener);
    PERIODS_US.put(kind, periodUs);
    handler = events;
    return super.registerListener(listener, sensor, periodUs, events);
  }
}
