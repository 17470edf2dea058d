package dev.tenon.examples.quarkus;

import dev.tenon.id.IdGenerator;
import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import dev.tenon.tx.message.Outbox;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Takes orders: one at a time for each item. */
// tag::orders[]
@Singleton
final class Orders {
    private final Locks locks;
    private final IdGenerator ids;
    private final Books books;
    private final Outbox outbox;

    Orders(Locks locks, @Named("order") IdGenerator ids, Books books, Outbox outbox) {
        this.locks = locks;
        this.ids = ids;
        this.books = books;
        this.outbox = outbox;
    }

    long place(String customer, String item) throws InterruptedException {
        long id = ids.nextId();
        // The lock is outside the transaction: the next one must see what this one has committed.
        try (Lease lease = locks.lock("stock:" + item).acquire(Duration.ofSeconds(5))) {
            books.sell(id, customer, item, lease.token());
        }
        outbox.dispatch(); // now, and not at the next look
        return id;
    }
}
// end::orders[]
