package dev.tenon.examples;

import dev.tenon.memory.MemoryBackend;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A distributed lock as {@link java.util.concurrent.locks.Lock}, for code that knows only that: reentrant, with
 * conditions.
 */
public final class JavaLockExample {
    private final Lock lock;
    private final Condition brewed;
    private boolean ready;

    private JavaLockExample(Lock lock) {
        this.lock = lock;
        this.brewed = lock.newCondition();
    }

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.create()) {
            JavaLockExample kitchen =
                    new JavaLockExample(backend.locks().lock("kettle").asJavaLock());
            Thread guest = new Thread(kitchen::drink, "guest");
            guest.start();
            kitchen.brew();
            guest.join();
        }
    }

    // tag::java-lock[]
    private void brew() {
        lock.lock();
        try {
            pour(); // takes the same lock again: counted in the process, no round trip
            brewed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void pour() {
        lock.lock();
        try {
            ready = true;
            System.out.println("The tea is ready.");
        } finally {
            lock.unlock();
        }
    }
    // end::java-lock[]

    private void drink() {
        lock.lock();
        try {
            while (!ready) {
                brewed.awaitUninterruptibly();
            }
            System.out.println("The tea is drunk.");
        } finally {
            lock.unlock();
        }
    }
}
