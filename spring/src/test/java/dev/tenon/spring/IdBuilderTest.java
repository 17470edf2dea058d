package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.builder.IdBuilder;
import dev.tenon.id.builder.IdBuilderOptions;
import dev.tenon.id.builder.LocalIdBuilder;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.protocol.DescribeLocksRequest;
import dev.tenon.protocol.IdsGrpc;
import dev.tenon.protocol.InspectLockRequest;
import dev.tenon.protocol.InspectLockResponse;
import dev.tenon.protocol.LockTraits;
import dev.tenon.protocol.LocksGrpc;
import dev.tenon.protocol.NextIdByCodeRequest;
import dev.tenon.protocol.NextIdByCodeResponse;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** IDs by code as a bean. */
class IdBuilderTest {
    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
            .withPropertyValues(
                    "tenon.backend=jdbc", "tenon.jdbc.url=" + url, "tenon.jdbc.allow-in-memory-database=true");

    @BeforeEach
    void makeTable() throws Exception {
        try (JdbcBackend database = JdbcBackend.connect(url, "", "");
                Connection connection = DriverManager.getConnection(url)) {
            database.createIdBuilderTable();
            connection
                    .createStatement()
                    .execute("INSERT INTO t_id_builder_config"
                            + " (id, des, init_num, current_threshold, step, biz_code, is_seq)"
                            + " VALUES (1, 'orders', 0, 100, 10, 'order_', 0)");
        }
    }

    private long threshold() throws Exception {
        try (JdbcBackend database = JdbcBackend.connect(url, "", "")) {
            return database.builderConfigs().raiseTo(1, -1);
        }
    }

    record Shop(IdBuilder ids) {}

    @Test
    void whoWantsItGetsItWithTheFirstSegmentAtHand() {
        runner.withBean(Shop.class)
                .withPropertyValues("tenon.id-builder.machine-index=1001")
                .run(context -> {
                    assertThat(threshold()).as("before the first call").isEqualTo(110);
                    IdBuilder ids = context.getBean(Shop.class).ids();
                    assertThat(ids.unionSeqId(1)).isEqualTo(100);
                    assertThat(ids.unionSeqIdStr(1)).isEqualTo("order_1001101");
                    assertThat(ids.unionId(1)).isBetween(110L, 119L);
                    assertThat(context.getBean(LocalIdBuilder.class)).isSameAs(ids);
                    context.close();
                    assertThatThrownBy(() -> ids.unionSeqId(1)).isInstanceOf(IllegalStateException.class);
                });
    }

    @Test
    void whereNobodyWantsItNothingIsTaken() {
        runner.run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(IdBuilder.class);
            assertThat(threshold()).isEqualTo(100);
        });
    }

    @Test
    void theFirstSegmentMayBeLeftToTheFirstCall() {
        runner.withBean(Shop.class)
                .withPropertyValues("tenon.id-builder.fetch-at-start=false")
                .run(context -> {
                    assertThat(threshold()).isEqualTo(100);
                    assertThat(context.getBean(IdBuilder.class).unionSeqIdStr(1))
                            .isEqualTo("order_100");
                });
    }

    @Test
    void theTableIsMadeWhereThatIsAskedFor() {
        String fresh = "tenon.jdbc.url=jdbc:h2:mem:" + UUID.randomUUID();
        runner.withBean(Shop.class)
                .withPropertyValues(fresh)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(IdBuilder.class).unionId(1))
                        .isInstanceOf(UnknownCodeException.class)
                        .hasMessageContaining("createIdBuilderTable"));
        runner.withBean(Shop.class)
                .withPropertyValues(fresh, "tenon.id-builder.create-table=true")
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(IdBuilder.class).unionId(1))
                        .isInstanceOf(UnknownCodeException.class)
                        .hasMessageContaining("INSERT INTO"));
    }

    @Test
    void itCanBeSwitchedOffAndReplaced() {
        runner.withPropertyValues("tenon.id-builder.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(IdBuilder.class));
        try (JdbcBackend database = JdbcBackend.connect(url, "", "");
                LocalIdBuilder own = LocalIdBuilder.create(
                        database.builderConfigs(), IdBuilderOptions.DEFAULT.withFetchAtStart(false))) {
            runner.withBean("own", IdBuilder.class, () -> own)
                    .run(context -> assertThat(context.getBean(IdBuilder.class)).isSameAs(own));
        }
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
                .withPropertyValues("tenon.backend=memory")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(IdBuilder.class));
    }

    @Test
    void whatIsWrongIsSaidWithItsKey() {
        for (String wrong : new String[] {"machine-index=-1", "prefetch-at=0", "wait-at-most=-1s"}) {
            runner.withBean(Shop.class)
                    .withPropertyValues("tenon.id-builder." + wrong)
                    .run(context -> assertThat(new TenonFailureAnalyzer()
                                    .analyze(context.getStartupFailure())
                                    .getDescription())
                            .contains("tenon.id-builder isn't right"));
        }
    }

    @Test
    void aServerIsAskedByCode() throws Exception {
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .addService(new NoLocks())
                .addService(new OneCode())
                .build()
                .start();
        try {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
                    .withPropertyValues("tenon.backend=server", "tenon.server.address=127.0.0.1:" + server.getPort())
                    .withBean(Shop.class)
                    .run(context -> {
                        IdBuilder ids = context.getBean(Shop.class).ids();
                        assertThat(ids.unionSeqId(7)).isEqualTo(70);
                        assertThat(ids.unionId(7)).isEqualTo(71);
                        assertThat(ids.unionIdStr(7)).isEqualTo("text 71");
                    });
        } finally {
            server.shutdownNow();
        }
    }

    private static final class NoLocks extends LocksGrpc.LocksImplBase {
        @Override
        public void describe(DescribeLocksRequest request, StreamObserver<LockTraits> answer) {
            answer.onNext(LockTraits.getDefaultInstance());
            answer.onCompleted();
        }

        @Override
        public void inspect(InspectLockRequest request, StreamObserver<InspectLockResponse> answer) {
            answer.onNext(InspectLockResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }

    private static final class OneCode extends IdsGrpc.IdsImplBase {
        @Override
        public void nextByCode(NextIdByCodeRequest request, StreamObserver<NextIdByCodeResponse> answer) {
            int number = request.getCode() * 10 + (request.getShuffled() ? 1 : 0);
            answer.onNext(
                    request.getText()
                            ? NextIdByCodeResponse.newBuilder()
                                    .setText("text " + number)
                                    .build()
                            : NextIdByCodeResponse.newBuilder()
                                    .setNumber(number)
                                    .build());
            answer.onCompleted();
        }
    }
}
