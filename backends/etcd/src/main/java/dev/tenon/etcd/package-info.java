/**
 * Number ranges and worker IDs in an etcd that a team already runs. Start at {@link dev.tenon.etcd.EtcdBackend}; what
 * this backend guarantees, and what not, is in {@code docs/backends/etcd.md}.
 */
@NullMarked
package dev.tenon.etcd;

import org.jspecify.annotations.NullMarked;
