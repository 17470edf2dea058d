package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.ManualClock;
import dev.tenon.TenonException;
import dev.tenon.id.spi.RangeDefinition;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.MonthDay;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateGeneratorTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final String ORDERS = "ORD{yyyyMMdd}{seq:6}";

    private final TableRanges store = new TableRanges();
    private final ManualClock clock = new ManualClock(at("2026-11-21T12:00+01:00[Europe/Berlin]"));

    private static Instant at(String zoned) {
        return ZonedDateTime.parse(zoned).toInstant();
    }

    private TemplateGenerator.Builder daily(String template) {
        return TemplateGenerator.builder(template)
                .reset(TemplateReset.daily(), BERLIN)
                .time(clock);
    }

    private TemplateGenerator orders(ManualClock of) {
        return daily(ORDERS).time(of).build(store, "orders");
    }

    @Test
    void showsNumbersAsTheyAreWithoutReset() {
        TemplateGenerator sms = TemplateGenerator.builder("sms_{seq}").build(store, "sms");
        assertThat(sms.nextId()).isEqualTo("sms_1");
        assertThat(sms.nextId()).isEqualTo("sms_2");
        assertThat(sms.parts("sms_2")).isEqualTo(new TemplateParts(Optional.empty(), 2, OptionalInt.empty()));
        assertThat(sms.highestSeen()).hasValue(2);

        TemplateGenerator all = TemplateGenerator.builder("{biz}-{{{machine:4}}}-{seq}")
                .biz("coupon")
                .machine(17)
                .build(() -> 12908123);
        assertThat(all.nextId()).isEqualTo("coupon-{0017}-12908123");
        assertThat(all.parts("coupon-{1234}-5"))
                .isEqualTo(new TemplateParts(Optional.empty(), 5, OptionalInt.of(1234)));
        assertThat(all.highestSeen()).isEmpty();
        assertThat(all.regression()).isEmpty();
    }

    @Test
    void countsAnewEachDayInItsZoneWithOneCallForEachText() {
        TemplateGenerator orders = orders(clock);
        assertThat(orders.nextId()).isEqualTo("ORD20261121000001");
        int calls = store.counts().size();
        assertThat(orders.nextId()).isEqualTo("ORD20261121000002");
        String[] more = new String[1000];
        orders.fill(more);
        assertThat(more).startsWith("ORD20261121000003").endsWith("ORD20261121001002");
        assertThat(store.counts()).hasSize(calls + 2);

        clock.setWall(at("2026-11-21T23:59:59.999+01:00[Europe/Berlin]"));
        assertThat(orders.nextId()).isEqualTo("ORD20261121001003");
        clock.setWall(at("2026-11-22T00:00+01:00[Europe/Berlin]"));
        assertThat(orders.nextId()).isEqualTo("ORD20261122000001");
        assertThat(orders.parts("ORD20261122000001"))
                .isEqualTo(new TemplateParts(Optional.of(LocalDate.of(2026, 11, 22)), 1, OptionalInt.empty()));
    }

    @Test
    void aDailySerialMayCountFromZero() {
        TemplateGenerator serial = daily("{yyyyMMdd}{seq:4}").countFrom(0).build(store, "serial");
        assertThat(serial.nextId()).isEqualTo("202611210000");
        assertThat(serial.nextId()).isEqualTo("202611210001");
        assertThat(serial.parts("202611210000").counter()).isZero();
        assertThatThrownBy(() -> orders(clock).parts("ORD20261121000000"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("begins with 1");
    }

    @Test
    void aProcessWhoseClockIsBehindFollowsTheOneThatTurnedThePage() {
        ManualClock ahead = new ManualClock(at("2026-11-22T00:04+01:00[Europe/Berlin]"));
        ManualClock behind = new ManualClock(at("2026-11-21T23:56+01:00[Europe/Berlin]"));
        TemplateGenerator one = orders(ahead);
        TemplateGenerator other = orders(behind);
        assertThat(other.nextId()).isEqualTo("ORD20261121000001");
        assertThat(one.nextId()).isEqualTo("ORD20261122000001");
        assertThat(other.nextId()).isEqualTo("ORD20261122000002");
        assertThat(one.nextId()).isEqualTo("ORD20261122000003");
    }

    @Test
    void twoThatFindThePageOverAtOnceTurnItOnce() {
        TemplateGenerator one = orders(clock);
        one.nextId();
        clock.advance(Duration.ofDays(1));
        // Another process has turned the page between this one's look at the store and its own turn.
        store.raiseTo("orders", (LocalDate.of(2026, 11, 22).toEpochDay() << 40) + 7);
        assertThat(one.nextId()).isEqualTo("ORD20261122000009");
    }

    @Test
    void aPageFarAheadOfThisClockIsRefusedUntilItsDayHasCome() {
        ManualClock wrong = new ManualClock(at("2026-12-25T12:00+01:00[Europe/Berlin]"));
        TemplateGenerator orders = orders(clock);
        orders.nextId();
        assertThat(orders(wrong).nextId()).isEqualTo("ORD20261225000001");
        assertThatThrownBy(orders::nextId)
                .isInstanceOf(ClockMovedBackwardsException.class)
                .hasMessageContaining("is at 2026-12-25, but this clock says 2026-11-21T11:00:00Z");
        clock.setWall(at("2026-12-24T23:30+01:00[Europe/Berlin]"));
        assertThat(orders.nextId()).startsWith("ORD20261225");
        clock.setWall(at("2026-12-24T22:30+01:00[Europe/Berlin]"));
        assertThatThrownBy(orders::nextId).isInstanceOf(ClockMovedBackwardsException.class);
        assertThat(daily(ORDERS)
                        .clockBehindMax(Duration.ofHours(2))
                        .build(store, "orders")
                        .nextId())
                .startsWith("ORD20261225");
    }

    @Test
    void aClockThatIsYearsAheadDoesNotTurnThePage() {
        TemplateGenerator orders = orders(clock);
        orders.nextId();
        ManualClock broken = new ManualClock(at("2036-11-21T12:00+01:00[Europe/Berlin]"));
        assertThatThrownBy(() -> orders(broken).nextId())
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("still at 2026-11-21")
                .hasMessageContaining("idleMax");
        assertThat(orders.nextId()).startsWith("ORD20261121");
        assertThat(daily(ORDERS)
                        .time(broken)
                        .idleMax(Duration.ofDays(4000))
                        .build(store, "orders")
                        .nextId())
                .isEqualTo("ORD20361121000001");
    }

    @Test
    void aClockBeforeTheEpochIssuesNothing() {
        clock.setWall(Instant.parse("1969-12-31T12:00:00Z"));
        assertThatThrownBy(() -> orders(clock).nextId()).isInstanceOf(ClockMovedBackwardsException.class);
        assertThat(store.counts()).isEmpty();
    }

    @Test
    void aNumberWiderThanItsPlaceIsAnErrorAndTheNextPeriodIsFreeAgain() {
        TemplateGenerator narrow = daily("N{yyyyMMdd}-{seq:2}").build(store, "narrow");
        String[] all = new String[99];
        narrow.fill(all);
        assertThat(all[98]).isEqualTo("N20261121-99");
        assertThatThrownBy(narrow::nextId)
                .isInstanceOf(RangeExhaustedException.class)
                .hasMessageContaining("no number left for 2026-11-21: 100 has more than 2 digits; use a wider one")
                .hasMessageContaining("{seq:4}");
        assertThatThrownBy(() -> narrow.fill(new String[3])).isInstanceOf(RangeExhaustedException.class);
        clock.advance(Duration.ofDays(1));
        assertThat(narrow.nextId()).isEqualTo("N20261122-01");

        TemplateGenerator short4 = TemplateGenerator.builder("{seq:4}").build(() -> 10_000);
        assertThatThrownBy(short4::nextId).isInstanceOf(RangeExhaustedException.class);
        TemplateGenerator widest = TemplateGenerator.builder("{seq:18}").build(() -> 1_000_000_000_000_000_000L);
        assertThatThrownBy(widest::nextId).isInstanceOf(RangeExhaustedException.class);
        assertThat(TemplateGenerator.builder("{seq}")
                        .build(() -> Long.MAX_VALUE)
                        .nextId())
                .isEqualTo("9223372036854775807");
    }

    @Test
    void aCounterThatWouldRunIntoTheNextPeriodIsAnError() {
        TemplateGenerator orders = daily("{yyyyMMdd}-{seq}").build(store, "orders");
        orders.nextId();
        store.raiseTo("orders", (LocalDate.of(2026, 11, 21).toEpochDay() << 40) + (1L << 39) - 2);
        assertThat(orders.nextId()).isEqualTo("20261121-549755813888");
        assertThatThrownBy(orders::nextId).isInstanceOf(RangeExhaustedException.class);
    }

    @Test
    void aYearThatHasNoPlaceIsAnError() {
        clock.setWall(Instant.parse("2099-12-31T12:00:00Z"));
        TemplateGenerator shortYear = daily("{yyMMdd}{seq:3}").build(store, "short");
        assertThat(shortYear.nextId()).isEqualTo("991231001");
        assertThat(shortYear.parts("991231001").firstDay()).contains(LocalDate.of(2099, 12, 31));
        clock.advance(Duration.ofDays(1));
        assertThatThrownBy(shortYear::nextId)
                .isInstanceOf(RangeExhaustedException.class)
                .hasMessageContaining("2100-01-01");
    }

    @ParameterizedTest
    @CsvSource({
        "2026-03-31T23:59:59Z, F2025-001",
        "2026-04-01T00:00:00Z, F2026-001",
        "2027-03-31T23:59:59Z, F2026-001",
        "2028-02-29T12:00:00Z, F2027-001"
    })
    void aFiscalYearHasTheNameOfTheYearInWhichItBegins(String now, String text) {
        clock.setWall(Instant.parse(now));
        assertThat(TemplateGenerator.builder("F{yyyy}-{seq:3}")
                        .reset(TemplateReset.fiscalYear(MonthDay.of(4, 1)), "UTC")
                        .time(clock)
                        .build(store, "fiscal")
                        .nextId())
                .isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "2025-09-30T23:59:59Z, FY25-1, 2024-10-01",
        "2025-10-01T00:00:00Z, FY26-1, 2025-10-01",
        "2026-09-30T23:59:59Z, FY26-1, 2025-10-01"
    })
    void aFiscalYearMayHaveTheNameOfTheYearInWhichItEnds(String now, String text, LocalDate firstDay) {
        clock.setWall(Instant.parse(now));
        TemplateGenerator fiscal = TemplateGenerator.builder("FY{yy}-{seq}")
                .reset(TemplateReset.fiscalYearNamedByEnd(MonthDay.of(10, 1)), "UTC")
                .time(clock)
                .build(store, "fiscal");
        assertThat(fiscal.nextId()).isEqualTo(text);
        assertThat(fiscal.parts(text).firstDay()).contains(firstDay);
    }

    @Test
    void monthsYearsAndOtherFormsOfADay() {
        clock.setWall(Instant.parse("2024-02-29T12:00:00Z"));
        record Case(String template, TemplateReset reset, String text) {}
        for (Case each : List.of(
                new Case("{yyyy}/{MM}#{seq}", TemplateReset.monthly(), "2024/02#1"),
                new Case("{yyyy-MM}Q{Q}-{seq}", TemplateReset.monthly(), "2024-02Q1-1"),
                new Case("{seq:3}.{uuuu}", TemplateReset.yearly(), "001.2024"),
                new Case("{yyyyDDD}{seq:2}", TemplateReset.daily(), "202406001"),
                new Case("{dd.MM.yyyy} {seq}", TemplateReset.daily(), "29.02.2024 1"),
                new Case("{seq}{yyyyMMdd}", TemplateReset.daily(), "120240229"),
                new Case("{yyyy}-{seq}", TemplateReset.fiscalYear(MonthDay.of(2, 29)), "2024-1"),
                new Case("{yyyy}-{seq}", TemplateReset.fiscalYearNamedByEnd(MonthDay.of(1, 1)), "2024-1"))) {
            TemplateGenerator ids = TemplateGenerator.builder(each.template)
                    .reset(each.reset, "UTC")
                    .time(clock)
                    .build(store, each.template + each.reset);
            assertThat(ids.nextId()).isEqualTo(each.text);
            assertThat(ids.parts(each.text).counter()).isEqualTo(1);
            assertThat(ids.parts(each.text).firstDay())
                    .contains(each.reset.first(each.reset.period(LocalDate.of(2024, 2, 29))));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{yyyyMM}{seq:6}",
                "{yyyy}{seq:6}",
                "{MMdd}{seq:6}",
                "{yyyydd}{seq:6}",
                "{yyyyQ}{seq:6}",
                "ORD{seq:6}",
                "{yyyyMMdd}"
            })
    void aTemplateThatWouldRepeatAfterADayIsRefused(String template) {
        assertThatThrownBy(() -> daily(template).build(store, "t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(template);
        assertThat(store.counts()).isEmpty();
    }

    @Test
    void aDateThatAPeriodDoesNotHaveIsRefused() {
        assertThatThrownBy(() -> daily("{yyyyMMdd}{seq}")
                        .reset(TemplateReset.monthly(), BERLIN)
                        .build(store, "t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("{dd} is not the same for a whole period")
                .hasMessageContaining("{yyyyMM}");
        assertThatThrownBy(() -> daily("{yyyyMM}{seq}")
                        .reset(TemplateReset.fiscalYear(MonthDay.of(4, 1)), BERLIN)
                        .build(store, "t"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TemplateGenerator.builder("{yyyyMMdd}{seq}").build(store, "t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("resets never");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "{seq}{seq}",
                "{seq:0}",
                "{seq:19}",
                "{seq:999}",
                "{seq:-1}",
                "{seq:}",
                "{Seq}",
                "{seq",
                "seq}",
                "{}{seq}",
                "{ }{seq}",
                "{-}{seq}",
                "{host}{seq}",
                "{HH}{seq}",
                "{yyyyy}{seq}",
                "{machine}{seq}",
                "{seq}0{machine}",
                "{machine}{biz}{seq}",
                "{seq}\n"
            })
    void aTemplateThatCantBeReadOrHasTwoReadingsIsRefused(String template) {
        assertThatThrownBy(() ->
                        TemplateGenerator.builder(template).machine(1).biz("7").build(store, "t"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aSeparatorMakesTwoNumbersReadable() {
        TemplateGenerator ids =
                TemplateGenerator.builder("{machine}0-0{seq}").machine(10).build(() -> 7);
        assertThat(ids.nextId()).isEqualTo("100-07");
        assertThat(ids.parts("100-07")).isEqualTo(new TemplateParts(Optional.empty(), 7, OptionalInt.of(10)));
    }

    @Test
    void whatTheTemplateNeedsMustBeThere() {
        assertThatThrownBy(() -> TemplateGenerator.builder("{machine}-{seq}").build(store, "t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("machine(");
        assertThatThrownBy(() -> TemplateGenerator.builder("{biz}-{seq}").build(store, "t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("biz(");
        assertThatThrownBy(() -> TemplateGenerator.builder("{machine:2}-{seq}")
                        .machine(100)
                        .build(store, "t"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("more than 2 digits");
        TemplateGenerator.Builder builder = TemplateGenerator.builder("{yyyyMMdd}{seq}");
        assertThatThrownBy(() -> builder.reset(TemplateReset.daily(), "Mars/Phobos"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Unknown time zone \"Mars/Phobos\"; use one such as Europe/Berlin or UTC");
        assertThatThrownBy(() -> builder.countFrom(2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.machine(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.biz("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.idleMax(Duration.ofMillis(-1))).isInstanceOf(IllegalArgumentException.class);
        builder.reset(TemplateReset.daily(), BERLIN);
        assertThatThrownBy(() -> builder.build(() -> 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.build(store, "a\nb")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TemplateGenerator.builder("{seq}").countFrom(0).build(store, "t"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ORD",
                "ORD20261121",
                "ORD2026112100001",
                "ORD202611210000011",
                "ord20261121000001",
                "ORD20261321000001",
                "ORD20260229000001",
                "ORD19691231000001",
                "ORD20261121 00001",
                "ORD2026112100000\u0661",
                "ORD20261121000001\n"
            })
    void aForeignTextIsNotRead(String text) {
        assertThatThrownBy(() -> orders(clock).parts(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aTextHasOneForm() {
        TemplateGenerator ids = TemplateGenerator.builder("a{seq}").build(() -> 1);
        for (String text : List.of("a01", "a-1", "a9223372036854775808", "a" + "1".repeat(5000))) {
            assertThatThrownBy(() -> ids.parts(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aStoreThatWentBackOverMidnightIsFoundOut() {
        TemplateGenerator orders = orders(clock);
        orders.nextId();
        clock.advance(Duration.ofDays(1));
        assertThat(orders.nextId()).isEqualTo("ORD20261122000001");
        store.rollBack();
        assertThatThrownBy(orders::nextId).isInstanceOf(SequenceRegressedException.class);
        assertThatThrownBy(orders::nextId).isInstanceOf(SequenceRegressedException.class);
        assertThat(orders.regression()).isPresent();
        store.raiseTo("orders", orders.highestSeen().getAsLong());
        assertThat(orders.nextId()).isEqualTo("ORD20261122000002");
        assertThat(orders.regression()).isEmpty();
    }

    @Test
    void aSequenceWithAnotherStepIsRefusedAndAStoreThatIsAwayIsToldOf() {
        store.define("orders", new RangeDefinition(1, 5, Long.MAX_VALUE));
        assertThatThrownBy(() -> orders(clock).nextId()).isInstanceOf(DefinitionConflictException.class);
        store.failWith(() -> new BackendUnavailableException("away"));
        assertThatThrownBy(() -> orders(clock).nextId()).isInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void eightThreadsOverMidnightRepeatNothing() throws Exception {
        clock.setWall(at("2026-11-21T23:59:59+01:00[Europe/Berlin]"));
        List<long[]> taken = SnowflakeGeneratorTest.onEightThreads(thread -> {
            TemplateGenerator mine = orders(clock);
            long[] numbers = new long[500];
            for (int i = 0; i < numbers.length; i++) {
                clock.advance(Duration.ofMillis(1));
                numbers[i] = Long.parseLong(mine.nextId().substring("ORD".length()));
            }
            return numbers;
        });
        for (long[] mine : taken) {
            assertThat(mine).isSorted();
        }
        long[] all = taken.stream().flatMapToLong(Arrays::stream).distinct().toArray();
        assertThat(all).hasSize(4000);
        assertThat(Arrays.stream(all).map(number -> number / 1_000_000).distinct())
                .containsExactlyInAnyOrder(20261121L, 20261122L);
    }
}
