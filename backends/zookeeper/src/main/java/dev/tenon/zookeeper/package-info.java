/**
 * Locks, number ranges, worker IDs and version numbers in a ZooKeeper that a team already runs. Start at {@link
 * dev.tenon.zookeeper.ZooKeeperBackend}; what this backend guarantees, and what not, is in {@code
 * docs/backends/zookeeper.md}.
 */
@NullMarked
package dev.tenon.zookeeper;

import org.jspecify.annotations.NullMarked;
