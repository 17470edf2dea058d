/**
 * The parts of the store, each behind a class of its own that times every call and counts what the answers mean. Start
 * at {@link dev.tenon.server.metered.MeteredBackend}; {@code docs/server/operations.md} lists the metrics.
 */
@NullMarked
package dev.tenon.server.metered;

import org.jspecify.annotations.NullMarked;
