package dev.tenon.rabbitmq;

import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.global.JoinedScope;
import dev.tenon.tx.global.OutgoingCall;
import java.util.Map;
import java.util.Optional;

/**
 * Carries global transactions in the headers of messages, between services that ask and answer each other over
 * RabbitMQ: {@link #send} and {@link #answered} where one asks and waits, {@link #join} and {@link #answer} where one
 * answers. The maps are those of {@code AMQP.BasicProperties}. A message that nobody waits for is none of this: its
 * receiver comes after the decision, and is refused. That is what an {@link dev.tenon.tx.message.Outbox} is for.
 */
public final class RabbitMqTransactionHeaders {
    private RabbitMqTransactionHeaders() {}

    /** Puts the transaction into the headers of a request. */
    public static void send(OutgoingCall call, Map<String, Object> request) {
        request.put(GlobalTransactions.HEADER, call.header());
    }

    /** The response to the request of a call has come. */
    public static void answered(OutgoingCall call, Map<String, Object> response) {
        call.answered(read(response).orElse(null));
    }

    /**
     * Takes part in the transaction that a request belongs to, in this thread; empty if it belongs to none.
     *
     * @throws IllegalArgumentException if its header is no ID of a part
     */
    public static Optional<JoinedScope> join(GlobalTransactions transactions, Map<String, Object> request) {
        return read(request).map(transactions::join);
    }

    /** Says in the headers of the response that the work is done, unless it has failed. */
    public static void answer(JoinedScope scope, Map<String, Object> response) {
        scope.answer().ifPresent(text -> response.put(GlobalTransactions.HEADER, text));
    }

    /** The client has texts that came over the wire as LongString. */
    private static Optional<String> read(Map<String, Object> headers) {
        return Optional.ofNullable(headers.get(GlobalTransactions.HEADER)).map(Object::toString);
    }
}
