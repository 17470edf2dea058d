package dev.tenon.kafka;

import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.global.JoinedScope;
import dev.tenon.tx.global.OutgoingCall;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Carries global transactions in the headers of records, between services that ask and answer each other over Kafka:
 * {@link #send} and {@link #answered} where one asks and waits, {@link #join} and {@link #answer} where one answers. A
 * record that nobody waits for is none of this: its receiver comes after the decision, and is refused. That is what an
 * {@link dev.tenon.tx.message.Outbox} is for.
 */
public final class KafkaTransactionHeaders {
    private KafkaTransactionHeaders() {}

    /** Puts the transaction into the headers of a request. */
    public static void send(OutgoingCall call, Headers request) {
        put(request, call.header());
    }

    /** The response to the request of a call has come. */
    public static void answered(OutgoingCall call, Headers response) {
        call.answered(read(response).orElse(null));
    }

    /**
     * Takes part in the transaction that a request belongs to, in this thread; empty if it belongs to none.
     *
     * @throws IllegalArgumentException if its header is no ID of a part
     */
    public static Optional<JoinedScope> join(GlobalTransactions transactions, Headers request) {
        return read(request).map(transactions::join);
    }

    /** Says in the headers of the response that the work is done, unless it has failed. */
    public static void answer(JoinedScope scope, Headers response) {
        scope.answer().ifPresent(text -> put(response, text));
    }

    private static void put(Headers headers, String text) {
        headers.remove(GlobalTransactions.HEADER).add(GlobalTransactions.HEADER, text.getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> read(Headers headers) {
        return Optional.ofNullable(headers.lastHeader(GlobalTransactions.HEADER))
                .map(Header::value)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }
}
