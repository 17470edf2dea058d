package dev.tenon.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.tenon.TenonException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreTraits;
import dev.tenon.protocol.AcquireRequest;
import dev.tenon.protocol.LockOutcome;
import dev.tenon.protocol.LockStatus;
import dev.tenon.protocol.ReleaseResponse;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every message of locks, worker IDs and times: what one end says is what the other end reads, and the bytes stay what
 * they were.
 */
class MessagesRoundTripTest {
    private static final Duration LEASE = Duration.ofSeconds(30, 7);
    private static final Instant AT = Instant.parse("2030-01-02T03:04:05.678901234Z");
    private static final long TOKEN = 1L << 60;
    private static final LockMessages.Holders NOBODY = (name, token) -> Optional.empty();

    /**
     * Something that is said.
     *
     * @param write its message
     * @param read what the other end takes the message for
     */
    private record Said<T, M extends Message>(T value, Function<T, M> write, Function<M, T> read) {
        @SuppressWarnings("unchecked") // a message's parser makes messages of its type
        Class<?> makesItsWay() throws InvalidProtocolBufferException {
            M message = write.apply(value);
            M arrived = (M) message.getParserForType().parseFrom(message.toByteArray());
            assertThat(read.apply(arrived)).as("%s", value).isEqualTo(value);
            return message.getClass();
        }
    }

    private static List<Said<?, ?>> everything() {
        List<Said<?, ?>> all = new ArrayList<>();
        locks(all);
        views(all);
        Stream.of(claim(), claim().wanting(3), claim().keeping(5, 1L << 52), claim().inNewStore())
                .forEach(claim ->
                        all.add(new Said<>(claim, c -> WorkerIdMessages.message("g", c), WorkerIdMessages::claim)));
        all.add(new Said<>(new WorkerSlot(3, 9, AT, Instant.EPOCH), WorkerIdMessages::message, WorkerIdMessages::slot));
        all.add(new Said<>(
                new WorkerSlotView(3, "me", AT, LEASE, Instant.MAX),
                WorkerIdMessages::message,
                WorkerIdMessages::view));
        Stream.of(Duration.ZERO, LEASE, Duration.ofSeconds(Long.MAX_VALUE, 999_999_999), Duration.ofMillis(-1))
                .forEach(d -> all.add(new Said<>(d, TimeMessages::message, TimeMessages::duration)));
        Stream.of(AT, Instant.EPOCH.minusNanos(1), Instant.MIN, Instant.MAX)
                .forEach(at -> all.add(new Said<>(at, TimeMessages::message, TimeMessages::instant)));
        return all;
    }

    private static WorkerClaim claim() {
        return new WorkerClaim("r", "me", "layout", 1024, LEASE, AT, Duration.ofHours(1));
    }

    private static Acquire acquire(Optional<Duration> lease, Duration wait, Terms terms) {
        return new Acquire("orders/1", "session", "request", "me at home", lease, wait, terms);
    }

    private static void locks(List<Said<?, ?>> all) {
        Stream.of(
                        acquire(Optional.empty(), Duration.ZERO, Terms.EXCLUSIVE),
                        acquire(
                                Optional.of(LEASE),
                                Duration.ofMinutes(1),
                                Terms.of(LockMode.SHARED).barging()),
                        acquire(
                                Optional.of(LEASE),
                                Duration.ZERO,
                                Terms.of(LockMode.permits(2, 5)).withLockDelay(Duration.ofSeconds(9))),
                        acquire(
                                Optional.empty(),
                                LEASE,
                                Terms.of(LockMode.UPDATE).converting(TOKEN)))
                .forEach(a -> all.add(new Said<>(a, LockMessages::message, LockMessages::acquire)));
        Stream.<Outcome>of(
                        new Outcome.Granted(TOKEN, LEASE),
                        new Outcome.Queued(3, LEASE),
                        new Outcome.Busy("me", LEASE),
                        new Outcome.NotHeld(),
                        new Outcome.NoSession())
                .forEach(o -> all.add(new Said<>(o, LockMessages::message, LockMessages::outcome)));
        all.add(new Said<>(
                List.of(new Release("a", 1), new Release("b", TOKEN)),
                r -> LockMessages.releases(r, NOBODY),
                LockMessages::releases));
        all.add(new Said<>(List.of(Released.values()), LockMessages::released, LockMessages::released));
        all.add(new Said<>(
                List.of(new Renew("a", 1, Optional.empty()), new Renew("b", TOKEN, Optional.of(LEASE))),
                r -> LockMessages.renewals(r, NOBODY),
                LockMessages::renewals));
        all.add(new Said<>(
                List.<Renewed>of(
                        new Renewed.Extended(LEASE),
                        new Renewed.Extended(LEASE, Optional.of("ops")),
                        new Renewed.Extended(LEASE, Optional.of("")),
                        new Renewed.NotHeld()),
                LockMessages::renewed,
                LockMessages::renewed));
        all.add(new Said<>(new Cancel("a", "request"), LockMessages::message, LockMessages::cancel));
        Stream.<Cancelled>of(new Cancelled.Gone(), new Cancelled.WasGranted(TOKEN, LEASE))
                .forEach(c -> all.add(new Said<>(c, LockMessages::message, LockMessages::cancelled)));
    }

    private static void views(List<Said<?, ?>> all) {
        for (StoreTraits.TokenSource source : StoreTraits.TokenSource.values()) {
            for (StoreTraits.Push push : StoreTraits.Push.values()) {
                StoreTraits traits = new StoreTraits(source, push, push == StoreTraits.Push.TIMED, true, LEASE);
                all.add(new Said<>(traits, t -> LockMessages.message(t, true), LockMessages::traits));
            }
        }
        all.add(new Said<>(new Grant("a", "r", "s", TOKEN, LEASE, LEASE), LockMessages::message, LockMessages::grant));
        all.add(new Said<>(new Revocation("a", "s", TOKEN, "ops"), LockMessages::message, LockMessages::revocation));
        all.add(new Said<>(new LockView("a", 0, List.of(), List.of()), LockMessages::message, LockMessages::view));
        List<LockMode> modes = List.of(
                LockMode.EXCLUSIVE, LockMode.SHARED, LockMode.UPDATE, LockMode.permits(1, LockMode.PERMITS_MAX));
        LockView crowded = new LockView(
                "a",
                TOKEN,
                modes.stream()
                        .map(mode -> new LockView.HolderView("s", "o", 1, AT, LEASE, mode, Optional.of("ops")))
                        .toList(),
                modes.stream()
                        .map(mode -> new LockView.WaiterView("s", "o", AT, LEASE, mode))
                        .toList());
        all.add(new Said<>(crowded, LockMessages::message, LockMessages::view));
    }

    @Test
    void whatOneEndSaysTheOtherReads() throws InvalidProtocolBufferException {
        Set<Class<?>> written = new LinkedHashSet<>();
        for (Said<?, ?> said : everything()) {
            written.add(said.makesItsWay());
        }
        Set<Class<?>> writable = new LinkedHashSet<>();
        Set<Class<?>> readable = new LinkedHashSet<>();
        Stream.of(LockMessages.class, WorkerIdMessages.class, TimeMessages.class)
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .forEach(method -> {
                    if (Message.class.isAssignableFrom(method.getReturnType())) {
                        writable.add(method.getReturnType());
                    } else {
                        readable.add(firstParameter(method));
                    }
                });
        assertThat(written).containsExactlyInAnyOrderElementsOf(writable);
        assertThat(readable).containsExactlyInAnyOrderElementsOf(writable);
    }

    private static Class<?> firstParameter(Method method) {
        return method.getParameterTypes()[0];
    }

    /** Servers and clients of every version have to understand each other. */
    @Test
    void theBytesStayWhatTheyWere() {
        Acquire all = acquire(
                Optional.of(LEASE),
                Duration.ofMinutes(1),
                Terms.of(LockMode.permits(2, 5))
                        .barging()
                        .withLockDelay(Duration.ofSeconds(9))
                        .converting(7));
        assertThat(hex(LockMessages.message(all)))
                .isEqualTo("0a086f72646572732f31120773657373696f6e1a0772657175657374220a6d6520617420686f6d652a04081e10"
                        + "073202083c3a0608031002180540014a0208095007");
        assertThat(hex(LockMessages.message(acquire(Optional.empty(), Duration.ZERO, Terms.EXCLUSIVE))))
                .isEqualTo("0a086f72646572732f31120773657373696f6e1a0772657175657374220a6d6520617420686f6d653a00");
        assertThat(hex(LockMessages.message(new Outcome.Queued(3, LEASE)))).isEqualTo("120808031204081e1007");
        assertThat(hex(LockMessages.released(List.of(Released.values())))).isEqualTo("0a03010203");
        assertThat(hex(LockMessages.releases(List.of(new Release("a", 1)), (name, token) -> Optional.of("s"))))
                .isEqualTo("0a080a016110011a0173");
        assertThat(hex(WorkerIdMessages.message("g", claim().keeping(5, 9))))
                .isEqualTo(
                        "0a01671201721a026d6522066c61796f75742880083204081e10073a0c08a5aaf5860710f2ebdcc302420308901c520408051009");
    }

    private static String hex(Message message) {
        return HexFormat.of().formatHex(message.toByteArray());
    }

    @ParameterizedTest
    @EnumSource(LockMode.Kind.class)
    void aModeThatIsNotKnownIsRefusedInARequestAndTakenForANewerServersInAnAnswer(LockMode.Kind known) {
        dev.tenon.protocol.LockMode unknown = dev.tenon.protocol.LockMode.newBuilder()
                .setKindValue(LockMode.Kind.values().length + known.ordinal())
                .build();
        AcquireRequest request = AcquireRequest.newBuilder().setMode(unknown).build();
        assertThatThrownBy(() -> LockMessages.acquire(request))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no lock mode " + unknown.getKindValue());
        LockStatus status = LockStatus.newBuilder()
                .addHolders(LockStatus.Holder.newBuilder().setMode(unknown))
                .build();
        assertThatThrownBy(() -> LockMessages.view(status))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("newer");
    }

    @Test
    void anAnswerOfANewerServerIsSaidToBeOne() {
        assertThatThrownBy(() -> LockMessages.outcome(LockOutcome.getDefaultInstance()))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("newer");
        assertThatThrownBy(() -> LockMessages.released(
                        ReleaseResponse.newBuilder().addReleasedValue(99).build()))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("newer");
    }

    @Test
    void aTimeThatIsOutOfRangeIsRefused() {
        var never = com.google.protobuf.Timestamp.newBuilder()
                .setSeconds(Long.MAX_VALUE)
                .build();
        assertThatThrownBy(() -> TimeMessages.instant(never)).isInstanceOf(IllegalArgumentException.class);
        var eternity = com.google.protobuf.Duration.newBuilder()
                .setSeconds(Long.MAX_VALUE)
                .setNanos(Integer.MAX_VALUE)
                .build();
        assertThatThrownBy(() -> TimeMessages.duration(eternity)).isInstanceOf(IllegalArgumentException.class);
    }
}
