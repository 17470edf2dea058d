package dev.tenon.benchmarks;

import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Consumer;

/** An outbox that is written and sent by this process. Threads share it. */
interface SendingOutbox extends AutoCloseable {
    /** What the table calls it. */
    String title();

    /** Whether it can keep the messages of a key in their order. */
    boolean ordered();

    /** From now on gives each message to a handler, one or many at a time. */
    void start(Consumer<String> handler) throws Exception;

    /**
     * Commits the business with a message in it.
     *
     * @param account of the business, and of this thread alone
     * @param key empty for none
     */
    void write(int account, String key, String text) throws SQLException;

    /**
     * Begins to send what has been written, where nothing was sent meanwhile: then it is counted from here on.
     *
     * @return ends the sending; empty if it is sent all the time
     */
    default Optional<Runnable> send() {
        return Optional.empty();
    }

    @Override
    void close();
}
