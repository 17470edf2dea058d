package dev.tenon.testkit;

import dev.tenon.lock.engine.Notice;
import dev.tenon.lock.engine.Register;
import dev.tenon.lock.engine.RegisterEvents;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps what a process is told of registers. Thread-safe. */
public final class RecordedRegisterEvents implements RegisterEvents {
    private final List<Notice> notices = new CopyOnWriteArrayList<>();
    private final List<String> gone = new CopyOnWriteArrayList<>();
    private final AtomicInteger resyncs = new AtomicInteger();

    @Override
    public void noticed(Notice notice, Optional<Register> now) {
        notices.add(notice);
    }

    @Override
    public void gone(String process) {
        gone.add(process);
    }

    @Override
    public void resync() {
        resyncs.incrementAndGet();
    }

    /** All notices so far, in the order in which they came. */
    public List<Notice> notices() {
        return List.copyOf(notices);
    }

    /** The processes that are gone, in the order in which that was told. */
    public List<String> gone() {
        return List.copyOf(gone);
    }

    /** How often it was told to ask again. */
    public int resyncs() {
        return resyncs.get();
    }
}
