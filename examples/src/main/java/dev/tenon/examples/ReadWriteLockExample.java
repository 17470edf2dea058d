package dev.tenon.examples;

import dev.tenon.lock.DistributedReadWriteLock;
import dev.tenon.lock.Lease;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;
import java.util.concurrent.locks.ReadWriteLock;

/** Readers together, a writer alone, and an updater that becomes the writer when it must. */
public final class ReadWriteLockExample {
    private int price = 10;

    private ReadWriteLockExample() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.create()) {
            ReadWriteLockExample shop = new ReadWriteLockExample();
            DistributedReadWriteLock lock = backend.locks().readWriteLock("price:42");
            shop.raiseTo(12, lock);
            shop.show(lock.asJavaReadWriteLock());
        }
    }

    // tag::update[]
    private void raiseTo(int least, DistributedReadWriteLock lock) throws InterruptedException {
        Lease update = lock.updateLock().acquire(Duration.ofSeconds(5)); // readers go on reading
        if (price < least) {
            try (Lease write = lock.upgrade(update, Duration.ofSeconds(5))) { // waits for the readers to leave
                save(least, write.token());
            }
        }
        update.close(); // nothing, if it was upgraded
    }
    // end::update[]

    // tag::java[]
    private void show(ReadWriteLock lock) {
        lock.readLock().lock();
        try {
            System.out.println("It costs " + price);
        } finally {
            lock.readLock().unlock();
        }
    }
    // end::java[]

    private void save(int newPrice, long token) {
        price = newPrice;
        System.out.println("Raised to " + newPrice + " (token " + token + ")");
    }
}
