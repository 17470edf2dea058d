package dev.tenon.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.global.JoinedScope;
import dev.tenon.tx.global.OutgoingCall;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A global transaction in the headers of a request and of its response; the records themselves are those of every Kafka
 * client.
 */
class KafkaTransactionHeadersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String DECISIONS = "http://stock:8080" + GlobalTransactions.PATH;

    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final JdbcBackend stockRows = JdbcBackend.connect("jdbc:h2:mem:" + UUID.randomUUID());
    private final JdbcBackend shopRows = JdbcBackend.connect("jdbc:h2:mem:" + UUID.randomUUID());
    private final NamedParticipants local = new NamedParticipants();
    private final Transactions stockLog = log(stockRows, "stock", local);
    private final GlobalTransactions stock = GlobalTransactions.over(
            stockLog,
            new GlobalScope(),
            Tcc.over(stockLog, local).register("reserve", 1, TccParticipant.of(this::say, this::say, this::say)),
            Map.of(),
            Map.of());
    private final NamedParticipants none = new NamedParticipants();
    private final Transactions shopLog = log(
            shopRows,
            "shop",
            none.or(target -> target.equals(DECISIONS) ? Optional.of(stock.participant()) : Optional.empty()));
    private final GlobalTransactions shop = GlobalTransactions.over(
            shopLog, new GlobalScope(), Tcc.over(shopLog, none), Map.of(), Map.of("stock", "http://stock:8080"));

    private static Transactions log(JdbcBackend backend, String service, Participants participants) {
        return TransactionEngine.over(
                        backend.transactions(), participants, TransactionOptions.DEFAULT.withService(service))
                .start();
    }

    private Reply say(BranchCall call) {
        calls.add(call.operation().text());
        return Reply.done();
    }

    @AfterEach
    void close() {
        shopLog.close();
        stockLog.close();
        shopRows.close();
        stockRows.close();
    }

    @Test
    void whoAnswersIsCommittedWithWhoAsks() {
        shop.call(GlobalOptions.DEFAULT, () -> ask(false));
        Awaitility.await().atMost(PATIENCE).until(() -> calls.equals(List.of("try", "confirm")));
    }

    @Test
    void anAnswerThatHasFailedRollsTheWholeBack() {
        assertThatThrownBy(() -> shop.call(GlobalOptions.DEFAULT, () -> ask(true)))
                .isInstanceOf(TransactionAbortedException.class);
        Awaitility.await().atMost(PATIENCE).until(() -> calls.equals(List.of("try", "cancel")));
    }

    @Test
    void aRequestOutsideOfATransactionTakesPartInNone() {
        assertThat(KafkaTransactionHeaders.join(stock, new RecordHeaders())).isEmpty();
    }

    private boolean ask(boolean fails) {
        try (OutgoingCall call = shop.scope().writing().orElseThrow().outgoing("stock")) {
            Headers request = new RecordHeaders();
            KafkaTransactionHeaders.send(call, request);
            KafkaTransactionHeaders.answered(call, answer(request, fails));
            return true;
        }
    }

    private Headers answer(Headers request, boolean fails) {
        Headers response = new RecordHeaders();
        try (JoinedScope scope = KafkaTransactionHeaders.join(stock, request).orElseThrow()) {
            scope.transaction().tryIt(TccBranch.of("reserve", "3"));
            if (fails) {
                scope.failed("a mistake");
            }
            KafkaTransactionHeaders.answer(scope, response);
        }
        return response;
    }
}
