/**
 * Locks, number ranges, worker IDs and definitions as one replicated state machine on an existing Raft engine. Start at
 * {@link dev.tenon.raft.RaftBackend}.
 */
@NullMarked
package dev.tenon.raft;

import org.jspecify.annotations.NullMarked;
