// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe.android;

import android.hardware.Sensor;

/** Sensors with the names and units that edgeprobe uses on Linux, so that a diagnosis treats both alike. */
enum Kind {
  ACCELEROMETER(Sensor.TYPE_ACCELEROMETER, "accelerometer", "m/s^2", 1, 3),
  GYROSCOPE(Sensor.TYPE_GYROSCOPE, "gyroscope", "rad/s", 1, 3),
  MAGNETOMETER(Sensor.TYPE_MAGNETIC_FIELD, "magnetometer", "Gauss", 100, 3),  // Android: microtesla
  LIGHT(Sensor.TYPE_LIGHT, "light", "lx", 1, 1),
  PRESSURE(Sensor.TYPE_PRESSURE, "pressure", "kPa", 10, 1),  // Android: hectopascal
  HUMIDITY(Sensor.TYPE_RELATIVE_HUMIDITY, "humidity", "%", 1, 1),
  TEMPERATURE(Sensor.TYPE_AMBIENT_TEMPERATURE, "temperature", "degC", 1, 1);

  final int type;
  final String title;
  final String unit;
  /** The number of Android units in one unit of the trace. */
  final double divisor;
  /** The number of meaningful values; an event may have more. */
  final int count;

  Kind(int type, String title, String unit, double divisor, int count) {
    this.type = type;
    this.title = title;
    this.unit = unit;
    this.divisor = divisor;
    this.count = count;
  }
}
