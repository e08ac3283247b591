// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.android;

import android.annotation.TargetApi;
import android.content.Context;
import android.content.Intent;
import android.content.IntentFilter;
import android.os.BatteryManager;
import android.os.Build;
import android.os.PowerManager;
import dev.edgeprobe.Probe;

/** The temperature of the battery, and Android's thermal status: how much it slows the processors down. */
final class Warmth {
  private static final String BATTERY = "temperature battery";
  private static final String THERMAL = "thermal status";

  private final Context context;
  private final Probe probe;
  private final PowerManager power;
  private String batteryReason;
  private boolean isThermalAbsent;

  Warmth(Context context, Probe probe) {
    this.context = context;
    this.probe = probe;
    this.power = context.getSystemService(PowerManager.class);
  }

  void log() {
    logBattery();
    logThermal();
  }

  private void logBattery() {
    // Android keeps the newest broadcast of this kind; a query with a null receiver registers nothing.
    Intent state = context.registerReceiver(null, new IntentFilter(Intent.ACTION_BATTERY_CHANGED));
    String reason = null;
    int tenths = Integer.MIN_VALUE;
    if (state == null) {
      reason = "absent";
    } else if (!state.getBooleanExtra(BatteryManager.EXTRA_PRESENT, true)) {
      reason = "no battery";
    } else {
      tenths = state.getIntExtra(BatteryManager.EXTRA_TEMPERATURE, Integer.MIN_VALUE);
      if (tenths == Integer.MIN_VALUE) reason = "the battery gives none";
    }
    if (reason == null) probe.sensor(BATTERY, "degC", tenths / 10.0);
    else if (!reason.equals(batteryReason)) probe.sensorAbsent(BATTERY, "degC", reason);
    batteryReason = reason;
  }

  private void logThermal() {
    if (isThermalAbsent) return;
    isThermalAbsent = power == null || Build.VERSION.SDK_INT < Build.VERSION_CODES.Q;
    if (isThermalAbsent) probe.sensorAbsent(THERMAL, "", power == null ? "absent" : "needs Android 10 (API level 29)");
    else probe.sensor(THERMAL, "", thermalStatus());
  }

  @TargetApi(Build.VERSION_CODES.Q)
  private int thermalStatus() {
    return power.getCurrentThermalStatus();
  }
}
