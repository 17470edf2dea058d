package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.InterleavedGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Two databases with increment 2, of different makes: the odd numbers of one, the even ones of the other. */
class InterleavedSqlTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Set<Long> issued = new HashSet<>();

    static Stream<Named<Supplier<SqlAddress>>> databases() {
        return Stream.of(Named.of("MariaDB", MariaDbServer::shared), Named.of("MySQL", MySqlServer::shared));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void oneDatabaseMayBeAway(Supplier<SqlAddress> database) {
        SqlAddress first = database.get();
        try (FaultProxy line = FaultProxy.to(first.socket());
                JdbcBackend odd = TwoBackends.connect(first.at(line.address()));
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
