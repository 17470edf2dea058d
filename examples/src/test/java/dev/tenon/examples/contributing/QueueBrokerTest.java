package dev.tenon.examples.contributing;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.MessageBrokerContract;
import dev.tenon.testkit.MessageBrokerFixture;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.spi.OutboxStore;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;

// tag::test[]
class QueueBrokerTest extends MessageBrokerContract implements MessageBrokerFixture {
    private final QueueBroker broker = new QueueBroker();

    @Override
    protected MessageBrokerFixture broker() {
        return this;
    }

    @Override
    public void create(String target) {
        broker.create(target);
        broker.create(OPTIONS.deadLettersOf(target));
    }

    @Override
    public void kill() {
        broker.setUp(false);
    }
    // end::test[]

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);

    @Override
    public void restart() {
        broker.setUp(true);
    }

    @Override
    public MessageSink sink() {
        return broker.sink();
    }

    @Override
    public AutoCloseable receiver(String target, MessageSink handler, ConsumerOptions options) {
        return broker.receiver(target, handler, options);
    }

    @Override
    public List<DeadLetter> deadLetters(String target) {
        return broker.deadLetters(target, OPTIONS);
    }

    @Override
    public int replay(String target, int limit, String by) {
        return broker.replay(target, OPTIONS, limit, by);
    }

    @Override
    protected DataSource connections() {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(url);
        return source;
    }

    @Override
    protected OutboxStore outboxStore() {
        return backend.outbox();
    }

    @Override
    protected Barrier barrier() {
        return backend.barrier();
    }

    @AfterEach
    void close() {
        backend.close();
    }
}
