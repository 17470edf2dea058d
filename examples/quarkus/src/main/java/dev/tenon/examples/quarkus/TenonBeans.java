package dev.tenon.examples.quarkus;

import dev.tenon.id.SegmentGenerator;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.Locks;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import io.quarkus.agroal.DataSource;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Named;
import jakarta.inject.Singleton;

/** What the application has of Tenon. */
// tag::beans[]
@Singleton
final class TenonBeans {
    @Produces
    @Singleton
    JdbcBackend backend(@DataSource("tenon") javax.sql.DataSource source) {
        return JdbcBackend.over(source);
    }

    @Produces
    @Singleton
    Locks locks(JdbcBackend backend) {
        return backend.locks();
    }

    @Produces
    @Singleton
    @Named("order")
    SegmentGenerator orderIds(JdbcBackend backend) {
        return SegmentGenerator.create(backend.ranges(), "order");
    }

    @Produces
    @Singleton
    Outbox outbox(JdbcBackend backend, Points points) {
        MessageHandlers handlers = MessageHandlers.none().with("points", points.sink());
        return Outbox.over(backend.outbox(), handlers, OutboxOptions.DEFAULT);
    }

    /** With the application, not with the first order: messages of the last run may wait. */
    void start(@Observes StartupEvent event, Outbox outbox) {
        outbox.start();
    }

    void close(@Disposes Outbox outbox) {
        outbox.close();
    }

    void close(@Disposes @Named("order") SegmentGenerator ids) {
        ids.close();
    }

    void close(@Disposes JdbcBackend backend) {
        backend.close();
    }
}
// end::beans[]
