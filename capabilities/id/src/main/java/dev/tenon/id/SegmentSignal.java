package dev.tenon.id;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** What callers wait on that find no number; buffers whose numbers serve the same callers share one. */
final class SegmentSignal {
    final ReentrantLock lock = new ReentrantLock();
    final Condition changed = lock.newCondition();
}
