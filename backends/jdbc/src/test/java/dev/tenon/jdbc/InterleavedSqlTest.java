package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.InterleavedGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Two databases with increment 2, of different makes: the odd numbers of one, the even ones of the other. */
class InterleavedSqlTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Set<Long> issued = new HashSet<>();

    @Test
    void oneDatabaseMayBeAway() {
        SqlAddress mariaDb = MariaDbServer.shared();
        try (FaultProxy line = FaultProxy.to(mariaDb.socket());
                JdbcBackend odd = TwoBackends.connect(mariaDb.at(line.address()));
                JdbcBackend even = TwoBackends.connect(PostgresServer.shared());
                InterleavedGenerator ids = InterleavedGenerator.builder("orders")
                        .policy(SegmentPolicy.ofStep(20))
                        .member(odd.ranges())
                        .member(even.ranges())
                        .build()) {
            await().atMost(PATIENCE).until(() -> take(ids, 50) == 3);
            line.refuseNew();
            line.cut();
            take(ids, 100);
            await().atMost(PATIENCE).until(() -> take(ids, 50) == 2);
            line.acceptNew();
            await().atMost(PATIENCE).until(() -> take(ids, 50) == 3);
            assertThatThrownBy(() -> InterleavedGenerator.builder("orders")
                            .member(even.ranges())
                            .member(odd.ranges())
                            .build())
                    .isInstanceOf(DefinitionConflictException.class);
        }
    }

    /** Takes IDs, each of which is new: 1 if some are odd, 2 if some are even, 3 if both. */
    private int take(InterleavedGenerator ids, int count) {
        int members = 0;
        for (int i = 0; i < count; i++) {
            long id = ids.nextId();
            assertThat(issued.add(id)).isTrue();
            members |= id % 2 == 1 ? 1 : 2;
        }
        return members;
    }
}
