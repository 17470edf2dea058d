package dev.tenon.zookeeper;

import dev.tenon.lock.spi.cell.Cell;
import dev.tenon.lock.spi.cell.CellEvents;
import dev.tenon.lock.spi.cell.Mail;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** Keeps what a process is told of cells. Thread-safe. */
final class HeardCells implements CellEvents {
    private final List<Mail> mail = new CopyOnWriteArrayList<>();
    private final List<String> gone = new CopyOnWriteArrayList<>();
    private final AtomicInteger resyncs = new AtomicInteger();

    @Override
    public void mail(Mail letter, Optional<Cell> now) {
        mail.add(letter);
    }

    @Override
    public void gone(String process) {
        gone.add(process);
    }

    @Override
    public void resync() {
        resyncs.incrementAndGet();
    }

    List<Mail> mail() {
        return List.copyOf(mail);
    }

    List<String> gone() {
        return List.copyOf(gone);
    }

    int resyncs() {
        return resyncs.get();
    }
}
