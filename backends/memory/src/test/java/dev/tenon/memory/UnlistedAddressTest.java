package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalPropagation;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.tcc.Tcc;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the log says of addresses that are called within a transaction and are no service. */
class UnlistedAddressTest {
    private final Logger logger = Logger.getLogger(GlobalTransactions.class.getName());
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (line.getLevel() == Level.WARNING && line.getMessage().contains("unlisted")) {
                warnings.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private final MemoryBackend backend = MemoryBackend.create();
    private final NamedParticipants named = new NamedParticipants();
    private final Transactions transactions = TransactionEngine.over(
            backend.transactions(), named, TransactionOptions.DEFAULT.withService("unlisted-shop"));
    private final Tcc tcc = Tcc.over(transactions, named);
    private final GlobalTransactions global = GlobalTransactions.over(
            transactions, new GlobalScope(), tcc, Map.of(), Map.of("unlisted-stock", "http://gate/stock"));

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void close() {
        logger.removeHandler(handler);
        tcc.close();
        transactions.close();
        backend.close();
    }

    @Test
    void aCallThatTakesNoPartIsToldOnceForEachHost() {
        within(GlobalOptions.DEFAULT, "http://ann:secret@unlisted:8080/a?b=c");
        within(GlobalOptions.DEFAULT, "http://UNLISTED:8080/d");
        within(GlobalOptions.DEFAULT, "http://gate/unlisted"); // below no service's address
        assertThat(warnings)
                .satisfiesExactly(
                        first -> assertThat(first)
                                .startsWith(
                                        "http://unlisted:8080 is called within a global transaction and is not a service of"
                                                + " tenon.transactions.services")
                                .doesNotContain("secret"),
                        second -> assertThat(second).startsWith("http://gate is called"));
    }

    @Test
    void nothingIsToldWhereThereIsNoTransaction() {
        assertThat(global.outgoing("http://unlisted/a")).isEmpty();
        within(GlobalOptions.DEFAULT.reading(), "http://unlisted/a");
        within(GlobalOptions.DEFAULT.withPropagation(GlobalPropagation.NOT_SUPPORTED), "http://unlisted/a");
        assertThat(warnings).isEmpty();
    }

    @Test
    void manyHostsFillNoLog() {
        for (int i = 0; i < 300; i++) {
            within(GlobalOptions.DEFAULT, "http://unlisted-" + i + "/a");
        }
        assertThat(warnings).hasSize(100);
    }

    private void within(GlobalOptions options, String address) {
        global.call(options, () -> assertThat(global.outgoing(address)).isEmpty());
    }
}
