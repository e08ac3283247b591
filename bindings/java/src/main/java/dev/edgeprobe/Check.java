// SPDX-License-Identifier: Apache-2.0
package dev.edgeprobe;

/** An application's assertion; if it throws, the assertion fails. */
@FunctionalInterface
public interface Check {
  /** Returns the problem in a few words; null or empty if the assertion holds. */
  String wrong() throws Exception;
}
