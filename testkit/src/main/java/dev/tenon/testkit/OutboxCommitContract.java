package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The part of {@link OutboxStoreContract} that is about a message which commits its own transaction. */
abstract class OutboxCommitContract extends OutboxStoreScenario {
    @Test
    void aMessageThatCommitsItsTransactionIsItsWritersUntilTheLeaseIsOver() throws SQLException {
        long number;
        try (Connection connection = begin()) {
            store().insert(connection, outbox, List.of(message("a")));
            number = store().commit(connection, outbox, message("b"), LEASE).orElseThrow();
            connection.rollback(); // too late
        }
        assertThat(texts(drain(otherStore()))).containsExactly("a");
        OutboxEntry own = store().find(outbox, number).orElseThrow();
        assertThat(own.message()).isEqualTo(message("b").withId(own.message().id()));
        assertThat(own).extracting(OutboxEntry::claim, OutboxEntry::attempts).containsExactly(1L, 1);
        store().settle(outbox, List.of(new Settlement.Sent(own, false)));
        assertThat(store().find(outbox, number)).isEmpty();

        try (Connection connection = begin()) {
            number = store().commit(connection, outbox, message("c"), MOMENT).orElseThrow();
        }
        OutboxEntry late = store().find(outbox, number).orElseThrow();
        OutboxEntry taken = awaitClaim(otherStore());
        assertThat(taken).extracting(OutboxEntry::number, OutboxEntry::claim).containsExactly(number, 2L);
        if (late.claim() == 1) {
            store().settle(outbox, List.of(new Settlement.Sent(late, false)));
        }
        assertThat(store().find(outbox, number))
                .as("the older claim ends nothing")
                .isPresent();
    }

    @Test
    void aMessageThatCommitsItsTransactionIsAnybodysWithAKeyOrNoLease() throws SQLException {
        try (Connection connection = begin()) {
            store().insert(connection, outbox, List.of(keyed("k", "1")));
            assertThat(store().commit(connection, outbox, keyed("k", "2"), LEASE))
                    .isEmpty();
            assertThat(store().commit(connection, outbox, message("a"), Duration.ZERO))
                    .isEmpty();
        }
        assertThat(texts(drain(otherStore()))).containsExactly("1", "2", "a");
    }

    @Test
    void nothingIsCommittedWithAMessageThatCantBeWritten() throws SQLException {
        try (Connection connection = begin()) {
            store().insert(connection, outbox, List.of(message("a")));
            assertThatThrownBy(() -> store().commit(connection, "a\nb", message("b"), LEASE))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().commit(connection, outbox, message("b"), LEASE.negated()))
                    .isInstanceOf(IllegalArgumentException.class);
            connection.rollback();
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> store().commit(connection, outbox, message("c"), LEASE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
        assertThat(claim(10)).isEmpty();
    }
}
