package dev.tenon.examples.micronaut;

import dev.tenon.id.SegmentGenerator;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.Locks;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.jdbc.DataSourceResolver;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import javax.sql.DataSource;

/** What the application has of Tenon. */
// tag::beans[]
@Factory
final class TenonBeans {
    @Singleton
    @Bean(preDestroy = "close")
    JdbcBackend backend(DataSource source, DataSourceResolver resolver) {
        // The pool itself: what is injected ties connections to the thread's transaction.
        return JdbcBackend.over(resolver.resolve(source));
    }

    @Singleton
    Locks locks(JdbcBackend backend) {
        return backend.locks();
    }

    @Singleton
    @Named("order")
    @Bean(preDestroy = "close")
    SegmentGenerator orderIds(JdbcBackend backend) {
        return SegmentGenerator.create(backend.ranges(), "order");
    }

    @Context // with the application, not with the first order: messages of the last run may wait
    @Bean(preDestroy = "close")
    Outbox outbox(JdbcBackend backend, Points points) {
        MessageHandlers handlers = MessageHandlers.none().with("points", points.sink());
        return Outbox.over(backend.outbox(), handlers, OutboxOptions.DEFAULT).start();
    }
}
// end::beans[]
