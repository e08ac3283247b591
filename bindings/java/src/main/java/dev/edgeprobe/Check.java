// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** What an application asserts of itself; one that throws does not hold. */
@FunctionalInterface
public interface Check {
  /** What is wrong, in a few words; null or empty where the assertion holds. */
  String wrong() throws Exception;
}
