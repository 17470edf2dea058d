package dev.tenon.rocketmq;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.LocalParticipant;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Message;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.message.Envelope;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.rocketmq.client.Validators;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.LocalTransactionState;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.client.producer.TransactionListener;
import org.apache.rocketmq.client.producer.TransactionMQProducer;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;

/**
 * RocketMQ's own transactional messages, with a check-back that does not guess. RocketMQ takes the message and shows it
 * to nobody (<i>half</i>); the local transaction does its work, and writes a row of the barrier; then RocketMQ is told
 * how that ended. If it does not hear that, it asks any member of the group, and the barrier answers: a row that the
 * local transaction wrote is a yes. If there is none, it is written now, and the answer is no, for good: a local
 * transaction that is late is rolled back.
 *
 * <p>Promise: the local transaction is committed ⇒ the message is sent at least once; it is not ⇒ never. Both as long
 * as RocketMQ keeps the half message: it asks {@code transactionCheckMax} times, and then drops it. Messages have no
 * order. Thread-safe.
 */
public final class RocketMqReliableMessages implements AutoCloseable {
    private static final String BRANCH = "rocketmq";
    private static final String TARGET = "tenon-rocketmq/1";
    private static final int CHECK_THREADS = 4;

    private final RocketMqCluster cluster;
    private final Set<String> topics;
    private final LocalTransactions local;
    private final Barrier barrier;
    private final TransactionMQProducer producer;
    private final ExecutorService checks;
    private final Set<String> underWay = ConcurrentHashMap.newKeySet();
    private volatile Optional<String> trouble = Optional.empty();

    private RocketMqReliableMessages(
            RocketMqCluster cluster, String group, Set<String> topics, LocalTransactions local, Barrier barrier) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.local = Objects.requireNonNull(local, "local");
        this.barrier = Objects.requireNonNull(barrier, "barrier");
        this.topics = Set.copyOf(topics);
        this.checks = Executors.newFixedThreadPool(CHECK_THREADS, DaemonThreads.numbered("tenon-rocketmq-check"));
        this.producer = new TransactionMQProducer(group, cluster.hook().orElse(null), List.copyOf(topics));
        RocketMqPublisher.prepare(producer, cluster);
        producer.setExecutorService(checks);
        producer.setTransactionListener(new Listener());
    }

    /**
     * Begins to answer check-backs, also those of other members of the group, which may be gone. Start one whenever the
     * service starts, whether it will send something or not.
     *
     * @param group whose members send from local transactions in one and the same database; another database has
     *     another group
     * @param topics all that are sent to: their brokers ask
     * @param local transactions in that database
     * @param barrier of that database
     * @throws IllegalArgumentException if RocketMQ does not like the name of the group or of a topic
     * @throws IllegalStateException if there is no such topic
     * @throws BackendUnavailableException if no name server answers
     */
    public static RocketMqReliableMessages start(
            RocketMqCluster cluster, String group, Set<String> topics, LocalTransactions local, Barrier barrier) {
        try {
            Validators.checkGroup(group);
            for (String topic : topics) {
                Validators.checkTopic(topic);
            }
        } catch (MQClientException e) {
            throw new IllegalArgumentException(e.getErrorMessage(), e);
        }
        // Before its own client is there, which can't be ended if it does not start.
        try (RocketMqPublisher publisher = RocketMqPublisher.open(cluster)) {
            topics.forEach(publisher::queues);
        }
        RocketMqReliableMessages messages = new RocketMqReliableMessages(cluster, group, topics, local, barrier);
        try {
            messages.producer.start();
        } catch (MQClientException | IllegalStateException e) {
            messages.close();
            throw new BackendUnavailableException(
                    "No name server of " + cluster + " answers: " + RocketMqPublisher.reason(e), e);
        }
        return messages;
    }

    /** One send: what its local transaction does, and what came of it. */
    private static final class Attempt {
        private final TransactionId gid;
        private final Barrier.Work work;
        private boolean ran;
        private boolean threw;
        private @Nullable Reply reply;
        private @Nullable Throwable failure;

        Attempt(TransactionId gid, Barrier.Work work) {
            this.gid = gid;
            this.work = work;
        }
    }

    /**
     * Does the work in a local transaction, and sends the message if, and only if, that is committed. With the ID of a
     * message whose local transaction was committed, the work is not done again, and the message is sent again.
     *
     * @param work in the transaction of the connection; {@link Reply.Done} to commit it, anything else to roll it back
     * @return what the work has answered; refused as well, with nothing done, if RocketMQ never takes such a message
     * @throws BackendUnavailableException if RocketMQ does not take the message: nothing was done
     * @throws TransactionAbortedException if a check-back was told no before the local transaction could be committed:
     *     nothing was done, and this ID is used up
     * @throws IllegalArgumentException if its target is not among the topics
     * @throws IllegalStateException if a message of this ID is being sent by another thread
     * @throws Exception what the work or the database throws: what the work throws itself has rolled it back; otherwise
     *     it may have been committed, and the check-back finds out
     */
    public Reply send(Message message, Barrier.Work work) throws Exception {
        if (!topics.contains(message.target())) {
            throw new IllegalArgumentException("Topic " + message.target() + " is not among " + topics
                    + ": name it at the start, so that its brokers can ask us after a restart");
        }
        org.apache.rocketmq.common.message.Message half;
        try {
            half = RocketMqRecords.of(message);
        } catch (IllegalArgumentException e) {
            return Reply.refused(String.valueOf(e.getMessage()));
        }
        if (!underWay.add(message.id())) {
            throw new IllegalStateException("Message " + message.id() + " is being sent by another thread");
        }
        Attempt attempt = new Attempt(new TransactionId(message.id()), work);
        String place = "Topic " + message.target() + " of " + cluster;
        try {
            SendResult result = producer.sendMessageInTransaction(half, attempt);
            if (result.getSendStatus() != SendStatus.SEND_OK) {
                throw new BackendUnavailableException(
                        place + " has it not as safe as it should be, and gives it up: " + result.getSendStatus());
            }
        } catch (MQClientException e) {
            if (e.getCause() instanceof InterruptedException interrupted) {
                throw interrupted;
            }
            if (e.getCause() instanceof MQBrokerException told && RocketMqPublisher.isUnfit(told)) {
                return Reply.refused(place + " never takes it: " + told.getErrorMessage());
            }
            throw RocketMqPublisher.notSent(place, e);
        } finally {
            underWay.remove(message.id());
        }
        return outcome(attempt);
    }

    private static Reply outcome(Attempt attempt) throws Exception {
        if (attempt.failure instanceof Error error) {
            throw error;
        }
        if (attempt.failure instanceof Exception exception) {
            throw exception;
        }
        Reply reply = Objects.requireNonNull(attempt.reply);
        if (!attempt.ran && !(reply instanceof Reply.Done)) {
            throw new TransactionAbortedException("Message " + attempt.gid
                    + " was given up before its local transaction was committed: send it under another ID");
        }
        return reply;
    }

    private static BranchCall call(TransactionId gid, Operation operation) {
        return new BranchCall(gid, BRANCH, operation, TARGET, "", Map.of(), 1);
    }

    /** What went wrong with the last check-back; empty if nothing did. For a health check. */
    public Optional<String> trouble() {
        return trouble;
    }

    /** Answers no more check-backs, and ends the connections. Idempotent. */
    @Override
    public void close() {
        producer.shutdown();
        checks.shutdown();
    }

    /** Answers whether the message may be sent; package-private for tests. */
    LocalTransactionState check(MessageExt half) {
        String id = half.getProperty(Envelope.ID);
        if (id == null) {
            return unknown("A half message of " + half.getTopic() + " has no ID: somebody else's, in our group");
        }
        if (underWay.contains(id)) {
            return LocalTransactionState.UNKNOW;
        }
        try {
            Reply reply = LocalParticipant.check(local, barrier, call(new TransactionId(id), Operation.CHECK));
            trouble = Optional.empty();
            return reply instanceof Reply.Done
                    ? LocalTransactionState.COMMIT_MESSAGE
                    : LocalTransactionState.ROLLBACK_MESSAGE;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return unknown("interrupted");
        } catch (Exception e) {
            return unknown("The check-back of message " + id + " failed, and comes again: " + e.getMessage());
        }
    }

    private LocalTransactionState unknown(String why) {
        trouble = Optional.of(why);
        return LocalTransactionState.UNKNOW;
    }

    private final class Listener implements TransactionListener {
        @Override
        public LocalTransactionState executeLocalTransaction(
                org.apache.rocketmq.common.message.Message half, Object given) {
            Attempt attempt = (Attempt) given;
            try {
                Reply reply = local.run(connection ->
                        barrier.call(connection, call(attempt.gid, Operation.ACTION), open -> run(attempt, open)));
                attempt.reply = reply;
                return reply instanceof Reply.Done
                        ? LocalTransactionState.COMMIT_MESSAGE
                        : LocalTransactionState.ROLLBACK_MESSAGE;
            } catch (Exception | Error e) {
                attempt.failure = e;
                // Thrown by the work: rolled back. By the database, on the way to the commit or back: who knows.
                return attempt.threw ? LocalTransactionState.ROLLBACK_MESSAGE : LocalTransactionState.UNKNOW;
            }
        }

        private Reply run(Attempt attempt, java.sql.Connection connection) throws Exception {
            attempt.ran = true;
            attempt.threw = true;
            Reply reply = attempt.work.run(connection);
            attempt.threw = false;
            return reply;
        }

        @Override
        public LocalTransactionState checkLocalTransaction(MessageExt half) {
            return check(half);
        }
    }
}
