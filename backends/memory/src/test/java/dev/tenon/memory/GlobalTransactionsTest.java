package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.ManualClock;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalPropagation;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransaction;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.global.JoinedScope;
import dev.tenon.tx.global.OutgoingCall;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.tcc.TccTransaction;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Global transactions of a thread, over two services that each have a log of their own. */
class GlobalTransactionsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final Service stock = new Service("stock", Map.of(), target -> Optional.empty());
    private final Service shop = new Service(
            "shop",
            Map.of("stock", "http://stock:8080"),
            target -> target.equals("http://stock:8080/tenon/transactions")
                    ? Optional.of(stock.global.participant())
                    : Optional.empty());

    /** A service with a log, and a participant that says what it is told. */
    private final class Service implements AutoCloseable {
        private final MemoryBackend backend = MemoryBackend.on(clock);
        private final Transactions transactions;
        private final Tcc tcc;
        private final GlobalTransactions global;

        Service(String name, Map<String, String> others, Participants addresses) {
            NamedParticipants named = new NamedParticipants();
            transactions = TransactionEngine.over(
                    backend.transactions(),
                    named.or(addresses),
                    TransactionOptions.DEFAULT.withTime(clock).withService(name));
            tcc = Tcc.over(transactions, named)
                    .register(name, 1, TccParticipant.of(says(name), says(name), says(name)));
            global = GlobalTransactions.over(transactions, new GlobalScope(), tcc, Map.of(), others);
        }

        private Participant says(String name) {
            return call -> {
                calls.add(name + " " + call.operation().text() + " " + call.branch());
                return call.payload().equals("refuse") ? Reply.refused("sold out") : Reply.done();
            };
        }

        TransactionId branch(String name) {
            GlobalTransaction tx = global.scope().current().orElseThrow();
            tx.tryIt(new TccBranch(name, shopOrStock(), ""));
            return tx.gid();
        }

        private String shopOrStock() {
            return this == stock ? "stock" : "shop";
        }

        TransactionState end(TransactionId gid) throws InterruptedException {
            return transactions.await(gid, PATIENCE).state();
        }

        @Override
        public void close() {
            tcc.close();
            transactions.close();
            backend.close();
        }
    }

    @AfterEach
    void close() {
        shop.close();
        stock.close();
    }

    @Test
    void whatTakesPartIsCommittedWithTheScope() throws InterruptedException {
        TransactionId gid = shop.global.call(GlobalOptions.DEFAULT, () -> shop.branch("a"));
        assertThat(shop.end(gid)).isEqualTo(TransactionState.COMMITTED);
        assertThat(calls).containsExactly("shop try a", "shop confirm a");
        assertThat(shop.global.scope().current()).isEmpty();
    }

    @Test
    void whatIsThrownRollsBackAndIsThrownOn() {
        assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT, () -> {
                    shop.branch("a");
                    throw new IllegalStateException("no");
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no");
        assertThat(calls).containsExactly("shop try a", "shop cancel a");
        assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT, failure -> false, () -> {
                    shop.branch("b");
                    throw new IllegalStateException("but commit");
                }))
                .hasMessage("but commit");
        assertThat(calls).endsWith("shop try b", "shop confirm b");
    }

    @Test
    void aCommitThatFailsIsTheFirstThingThatIsTold() {
        IllegalArgumentException ordinary = new IllegalArgumentException("does not roll back");
        assertThatThrownBy(() -> shop.global.call(
                        GlobalOptions.DEFAULT, failure -> failure instanceof IllegalStateException, () -> {
                            shop.branch("a");
                            shop.global.scope().current().orElseThrow().rollBackOnly("something within has failed");
                            throw ordinary;
                        }))
                .isInstanceOf(TransactionAbortedException.class)
                .hasMessageContaining("something within has failed")
                .hasSuppressedException(ordinary);
        assertThat(calls).containsExactly("shop try a", "shop cancel a");
    }

    @Test
    void aLocalTransactionThatIsNotOverRollsTheWholeBack() throws Exception {
        AtResource rows = new AtResource() {
            @Override
            public Connection connect(TransactionId gid, String branch) {
                return (Connection) Proxy.newProxyInstance(
                        Connection.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (self, method, args) -> null);
            }

            @Override
            public Participant participant() {
                return call -> {
                    calls.add("rows " + call.operation().text());
                    return Reply.done();
                };
            }
        };
        Map<String, AtResource> databases = Map.of("rows", rows);
        try (MemoryBackend backend = MemoryBackend.on(clock);
                Transactions transactions = TransactionEngine.over(
                        backend.transactions(),
                        AtTransactions.participants(databases),
                        TransactionOptions.DEFAULT.withTime(clock).withService("shop"))) {
            GlobalTransactions global =
                    GlobalTransactions.over(transactions, new GlobalScope(), shop.tcc, databases, Map.of());
            GlobalTransactions.Work<Connection, SQLException> leavesItOpen =
                    () -> global.scope().current().orElseThrow().connection("rows");
            assertThatThrownBy(() -> global.call(GlobalOptions.DEFAULT, leavesItOpen))
                    .isInstanceOf(TransactionAbortedException.class)
                    .hasMessageContaining("a local transaction in \"rows\" is not over");
            assertThat(calls).containsExactly("rows cancel");
            for (boolean commits : List.of(true, false)) {
                global.call(GlobalOptions.DEFAULT, () -> {
                    Connection connection = leavesItOpen.run();
                    if (commits) {
                        connection.commit();
                    } else {
                        connection.close();
                    }
                    return connection;
                });
            }
            assertThat(calls).containsExactly("rows cancel", "rows confirm", "rows confirm");
            calls.clear();
            IllegalStateException own = new IllegalStateException("of the work");
            for (boolean fails : List.of(true, false)) {
                assertThatThrownBy(() -> global.call(GlobalOptions.DEFAULT, () -> {
                            global.scope().current().orElseThrow().connection("rows", whole -> {
                                throw new IllegalStateException("a pool that is closed");
                            });
                            if (fails) {
                                throw own;
                            }
                            return true;
                        }))
                        .satisfies(thrown -> {
                            if (fails) {
                                assertThat(thrown).isSameAs(own);
                            } else {
                                assertThat(thrown)
                                        .isInstanceOf(TransactionAbortedException.class)
                                        .hasMessageContaining("could not be ended: a pool that is closed");
                            }
                        });
            }
            assertThat(calls).containsExactly("rows cancel", "rows cancel");
        }
    }

    @Test
    void oneWithoutBranchesIsNotInTheLog() {
        TransactionId gid = shop.global.call(
                GlobalOptions.DEFAULT,
                () -> shop.global.scope().current().orElseThrow().gid());
        assertThat(shop.transactions.find(gid)).isEmpty();
    }

    @Test
    void anInnerFailureThatIsCaughtRollsTheWholeBack() {
        assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT, () -> {
                    shop.branch("a");
                    assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT, () -> {
                                throw new IllegalStateException("inner");
                            }))
                            .hasMessage("inner");
                    return "goes on";
                }))
                .isInstanceOf(TransactionAbortedException.class)
                .hasMessageContaining("rolled back, and not committed")
                .hasMessageContaining("inner");
        assertThat(calls).containsExactly("shop try a", "shop cancel a");
    }

    @Test
    void aBranchThatIsRefusedRollsTheWholeBackEvenIfThatIsCaught() {
        assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT, () -> {
                    GlobalTransaction tx = shop.global.scope().current().orElseThrow();
                    assertThatThrownBy(() -> tx.tryIt(new TccBranch("a", "shop", "refuse")))
                            .hasMessageContaining("sold out");
                    return "goes on";
                }))
                .isInstanceOf(TransactionAbortedException.class)
                .hasMessageContaining("sold out");
    }

    @Test
    void aNewOneIsOnItsOwn() throws InterruptedException {
        TransactionId[] inner = new TransactionId[1];
        assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT, () -> {
                    TransactionId outer = shop.branch("outer");
                    inner[0] = shop.global.call(
                            GlobalOptions.DEFAULT.withPropagation(GlobalPropagation.REQUIRES_NEW),
                            () -> shop.branch("inner"));
                    assertThat(shop.global.scope().current().orElseThrow().gid())
                            .isEqualTo(outer);
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertThat(shop.end(inner[0])).isEqualTo(TransactionState.COMMITTED);
        assertThat(calls).contains("shop confirm inner", "shop cancel outer");
    }

    @ParameterizedTest
    @EnumSource(GlobalPropagation.class)
    void propagationIsAsInSpring(GlobalPropagation kind) {
        GlobalOptions options = GlobalOptions.DEFAULT.withPropagation(kind);
        Optional<Boolean> alone = attempt(() -> shop.global.scope().current().isPresent(), options);
        Optional<Boolean> inside = shop.global.call(GlobalOptions.DEFAULT, failure -> false, () -> {
            TransactionId outer = shop.global.scope().current().orElseThrow().gid();
            return attempt(
                    () -> shop.global
                            .scope()
                            .current()
                            .filter(tx -> tx.gid().equals(outer))
                            .isPresent(),
                    options);
        });
        assertThat(List.of(alone, inside))
                .isEqualTo(
                        switch (kind) {
                            case REQUIRED -> List.of(Optional.of(true), Optional.of(true));
                            case REQUIRES_NEW -> List.of(Optional.of(true), Optional.of(false));
                            case SUPPORTS -> List.of(Optional.of(false), Optional.of(true));
                            case NOT_SUPPORTED -> List.of(Optional.of(false), Optional.of(false));
                            case MANDATORY -> List.of(Optional.empty(), Optional.of(true));
                            case NEVER -> List.of(Optional.of(false), Optional.empty());
                        });
    }

    private Optional<Boolean> attempt(GlobalTransactions.Work<Boolean, RuntimeException> work, GlobalOptions options) {
        try {
            return Optional.of(shop.global.call(options, failure -> false, work));
        } catch (IllegalStateException e) {
            return Optional.empty();
        }
    }

    @Test
    void oneForReadingTakesNoBranches() {
        shop.global.call(GlobalOptions.DEFAULT.reading(), () -> {
            assertThat(shop.global.scope().current()).isEmpty();
            assertThatThrownBy(() -> shop.global.scope().writing()).hasMessageContaining("read-only");
            return shop.global.call(GlobalOptions.DEFAULT, () -> {
                assertThatThrownBy(() -> shop.global.scope().writing()).hasMessageContaining("read-only");
                return true;
            });
        });
        shop.global.call(GlobalOptions.DEFAULT, () -> {
            shop.branch("a");
            return shop.global.call(
                    GlobalOptions.DEFAULT.reading(),
                    () -> assertThatThrownBy(() -> shop.global.scope().writing())
                            .hasMessageContaining("read-only"));
        });
        assertThat(calls).containsExactly("shop try a", "shop confirm a");
    }

    @Test
    void afterItsTimeoutNothingIsCommittedAndNothingJoins() {
        assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT.withTimeout(Duration.ofSeconds(10)), () -> {
                    shop.branch("a");
                    clock.advance(Duration.ofSeconds(11));
                    assertThatThrownBy(() -> shop.branch("late")).hasMessageContaining("within its timeout of PT10S");
                    return "too late";
                }))
                .isInstanceOf(TransactionAbortedException.class)
                .hasMessageContaining("within its timeout of PT10S");
        assertThat(calls).containsExactly("shop try a", "shop cancel a");
    }

    @Test
    void anotherThreadTakesPartIfItsWorkIsWrapped() throws Exception {
        Runnable[] late = new Runnable[1];
        shop.global.call(GlobalOptions.DEFAULT, () -> {
            Thread plain =
                    new Thread(() -> calls.add("in " + shop.global.scope().current()));
            Thread wrapped = new Thread(shop.global.scope().wrap(() -> {
                shop.branch("elsewhere");
            }));
            late[0] = shop.global.scope().wrap(() -> {
                shop.branch("late");
            });
            plain.start();
            plain.join();
            wrapped.start();
            wrapped.join();
            return true;
        });
        assertThat(calls).containsExactly("in Optional.empty", "shop try elsewhere", "shop confirm elsewhere");
        assertThatThrownBy(late[0]::run).hasMessageContaining("is over");
    }

    @Test
    void aServiceThatIsCalledTakesPart() throws InterruptedException {
        TransactionId gid = shop.global.call(GlobalOptions.DEFAULT, () -> {
            TransactionId own = shop.branch("a");
            call("b", "");
            call("c", ""); // again: the same part
            return own;
        });
        assertThat(shop.end(gid)).isEqualTo(TransactionState.COMMITTED);
        assertThat(stock.end(new TransactionId(gid + ":stock"))).isEqualTo(TransactionState.COMMITTED);
        assertThat(calls).startsWith("shop try a", "stock try b", "stock try c");
        assertThat(calls)
                .contains("shop confirm a", "stock confirm b", "stock confirm c")
                .hasSize(6);
    }

    @Test
    void aServiceIsUndoneWithItsCaller() throws InterruptedException {
        TransactionId[] gid = new TransactionId[1];
        assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT, () -> {
                    gid[0] = call("b", "");
                    throw new IllegalStateException("after the call");
                }))
                .hasMessage("after the call");
        assertThat(shop.end(gid[0])).isEqualTo(TransactionState.ABORTED);
        assertThat(stock.end(new TransactionId(gid[0] + ":stock"))).isEqualTo(TransactionState.ABORTED);
        assertThat(calls).containsExactly("stock try b", "stock cancel b");
    }

    @Test
    void aCallThatHasNoAnswerRollsTheWholeBackEvenIfThatIsCaught() {
        assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT, () -> call("b", "refuse")))
                .isInstanceOf(TransactionAbortedException.class)
                .hasMessageContaining("\"stock\"");
        assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT, () -> {
                    try (OutgoingCall call =
                            shop.global.scope().writing().orElseThrow().outgoing("stock")) {
                        return call.header();
                    }
                }))
                .hasMessageContaining("has ended without an answer");
        assertThatThrownBy(() -> shop.global.call(
                        GlobalOptions.DEFAULT,
                        () -> shop.global.scope().writing().orElseThrow().outgoing("stock")))
                .hasMessageContaining("has no answer yet");
    }

    @Test
    void aServiceThatIsCalledAfterTheDecisionRefuses() throws InterruptedException {
        String[] header = new String[1];
        assertThatThrownBy(() -> shop.global.call(GlobalOptions.DEFAULT, () -> {
                    header[0] = shop.global
                            .scope()
                            .writing()
                            .orElseThrow()
                            .outgoing("stock")
                            .header();
                    throw new IllegalStateException("before it has come");
                }))
                .hasMessage("before it has come");
        assertThat(stock.end(new TransactionId(header[0]))).isEqualTo(TransactionState.ABORTED);
        try (JoinedScope late = stock.global.join(header[0])) {
            assertThat(late.transaction().isInitiator()).isFalse();
            assertThatThrownBy(() -> stock.branch("late"))
                    .isInstanceOf(TransactionAbortedException.class)
                    .hasMessageContaining("a new branch can't join it");
        }
        assertThat(calls).isEmpty();
    }

    @Test
    void aHeaderThatIsNoneIsRefusedAndNobodyDecidesWhatIsNotApart() throws Exception {
        assertThatThrownBy(() -> stock.global.join("no part")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> stock.global.join("nopart")).hasMessageContaining("gid:service");
        Participant told = stock.global.participant();
        BranchCall forged =
                new BranchCall(new TransactionId("other"), "b", Operation.CANCEL, "", "mine:stock", Map.of(), 1);
        assertThat(told.call(forged)).isInstanceOf(Reply.Refused.class);
        try (TccTransaction own = stock.tcc.begin(new TransactionId("own"));
                TccTransaction nested = own.nested("n", TccBranch.of("stock", ""))) {
            BranchCall atNested = new BranchCall(
                    own.gid(), "b", Operation.CANCEL, "", nested.gid().text(), Map.of(), 1);
            assertThatThrownBy(() -> told.call(atNested)).hasMessageContaining("is not a part of");
            nested.commit();
            own.commit();
        }
    }

    /** As a transport does it. */
    private TransactionId call(String branch, String payload) {
        GlobalTransaction tx = shop.global.scope().writing().orElseThrow();
        try (OutgoingCall call = tx.outgoing("stock");
                JoinedScope joined = stock.global.join(call.header())) {
            try {
                joined.transaction().tryIt(new TccBranch(branch, "stock", payload));
            } catch (TransactionAbortedException e) {
                joined.failed("said in its status");
            }
            call.answered(joined.answer().orElse(null));
        }
        return tx.gid();
    }
}
