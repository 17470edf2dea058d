package dev.tenon.spring;

import dev.tenon.TenonException;
import dev.tenon.id.IdGenerator;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** A generator that counts what it issues, and closes what it stands on. Thread-safe. */
final class CountedIds implements IdGenerator, AutoCloseable {
    private final IdGenerator ids;
    private final List<AutoCloseable> under;
    private final LongAdder issued = new LongAdder();

    CountedIds(IdGenerator ids, List<AutoCloseable> under) {
        this.ids = ids;
        this.under = under;
    }

    @Override
    public long nextId() {
        long id = ids.nextId();
        issued.increment();
        return id;
    }

    @Override
    public void fill(long[] numbers) {
        ids.fill(numbers);
        issued.add(numbers.length);
    }

    long issued() {
        return issued.sum();
    }

    @Override
    public void close() {
        for (AutoCloseable one : under) {
            try {
                one.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new TenonException("IDs could not be closed", e);
            }
        }
    }

    @Override
    public String toString() {
        return ids.toString();
    }
}
