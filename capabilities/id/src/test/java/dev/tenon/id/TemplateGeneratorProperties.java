package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.MonthDay;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Several processes with clocks of their own around the turn of a period. */
class TemplateGeneratorProperties {
    /** A turn of a period, the zone and the reset for which it is one. */
    record Turn(String template, TemplateReset reset, String zone, String around) {}

    /**
     * One event.
     *
     * @param process which clock and generator
     * @param seconds by which its clock moves
     * @param count how many texts it takes
     */
    record Step(int process, int seconds, int count) {}

    @Property(tries = 400, edgeCases = EdgeCasesMode.MIXIN)
    void textsAreUniqueAndNeitherDateNorCounterGoesBack(
            @ForAll("turns") Turn turn,
            @ForAll @Size(value = 3) List<@IntRange(min = -900, max = 900) Integer> skewSeconds,
            @ForAll("steps") List<Step> steps,
            @ForAll @IntRange(max = 1) int countFrom) {
        TableRanges store = new TableRanges();
        List<ManualClock> clocks = new ArrayList<>();
        List<TemplateGenerator> processes = new ArrayList<>();
        for (int skew : skewSeconds) {
            ManualClock clock = new ManualClock(Instant.parse(turn.around).plusSeconds(skew));
            clocks.add(clock);
            processes.add(TemplateGenerator.builder(turn.template)
                    .reset(turn.reset, turn.zone)
                    .countFrom(countFrom)
                    .time(clock)
                    .build(store, "t"));
        }
        Set<String> texts = new HashSet<>();
        LocalDate date = LocalDate.EPOCH;
        long counter = -1;
        for (Step step : steps) {
            ManualClock clock = clocks.get(step.process);
            clock.setWall(clock.now().plusSeconds(step.seconds));
            String[] taken = new String[step.count];
            processes.get(step.process).fill(taken);
            for (String text : taken) {
                assertThat(texts.add(text)).as(text).isTrue();
                TemplateParts parts = processes.get(0).parts(text);
                LocalDate day = parts.firstDay().orElseThrow();
                assertThat(day).isAfterOrEqualTo(date);
                if (day.equals(date)) {
                    assertThat(parts.counter()).isGreaterThan(counter);
                } else {
                    assertThat(parts.counter()).isEqualTo(countFrom);
                }
                date = day;
                counter = parts.counter();
                LocalDate clockDay = clock.now().atZone(ZoneId.of(turn.zone)).toLocalDate();
                assertThat(day)
                        .as("not before the period of the clock")
                        .isAfterOrEqualTo(turn.reset.first(turn.reset.period(clockDay)));
            }
        }
    }

    @Provide
    Arbitrary<Turn> turns() {
        String daily = "{yyyyMMdd}{seq:6}";
        TemplateReset april = TemplateReset.fiscalYear(MonthDay.of(4, 6));
        TemplateReset leap = TemplateReset.fiscalYearNamedByEnd(MonthDay.of(2, 29));
        return Arbitraries.of(
                new Turn(daily, TemplateReset.daily(), "UTC", "2026-11-22T00:00:00Z"),
                new Turn(daily, TemplateReset.daily(), "Asia/Kathmandu", "2026-11-21T18:15:00Z"),
                new Turn(daily, TemplateReset.daily(), "UTC", "2024-02-29T00:00:00Z"),
                new Turn("{yyDDD}-{seq}", TemplateReset.daily(), "UTC", "2024-12-31T00:00:00Z"),
                // Clocks go from 00:00 back to 23:00 of the day before, and from 00:00 on to 01:00.
                new Turn(daily, TemplateReset.daily(), "America/Sao_Paulo", "2018-02-18T02:00:00Z"),
                new Turn(daily, TemplateReset.daily(), "America/Sao_Paulo", "2018-11-04T03:00:00Z"),
                // A day that never was.
                new Turn(daily, TemplateReset.daily(), "Pacific/Apia", "2011-12-30T10:00:00Z"),
                new Turn("{yyyy-MM}/{seq}", TemplateReset.monthly(), "Europe/Berlin", "2026-03-31T22:00:00Z"),
                new Turn("{yyyy}.{seq}", TemplateReset.yearly(), "Asia/Shanghai", "2026-12-31T16:00:00Z"),
                new Turn("{yyyy}.{seq}", april, "Europe/London", "2026-04-05T23:00:00Z"),
                new Turn("{yyyy}.{seq}", leap, "UTC", "2024-02-29T00:00:00Z"),
                new Turn("{yyyy}.{seq}", leap, "UTC", "2025-02-28T00:00:00Z"));
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, 2),
                        Arbitraries.integers().between(-300, 400),
                        Arbitraries.integers().between(1, 4))
                .as(Step::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(60);
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.MIXIN)
    void aPeriodIsFoundAgainFromItsFirstDayAndFromWhatIsShown(
            @ForAll("resets") TemplateReset reset, @ForAll @IntRange(min = 366, max = 100_000) int epochDay) {
        LocalDate day = LocalDate.ofEpochDay(epochDay);
        long period = reset.period(day);
        LocalDate first = reset.first(period);
        assertThat(first).isBeforeOrEqualTo(day);
        assertThat(reset.first(period + 1)).isAfter(day);
        assertThat(reset.period(first)).isEqualTo(period);
        assertThat(reset.period(first.minusDays(1))).isEqualTo(period - 1);
        assertThat(reset.periodShownAs(reset.shown(period))).isEqualTo(period);
        assertThat(Duration.between(first.atStartOfDay(), day.atStartOfDay())).isLessThan(Duration.ofDays(367));
    }

    @Provide
    Arbitrary<TemplateReset> resets() {
        Arbitrary<MonthDay> days = Arbitraries.integers()
                .between(1, 366)
                .map(day -> MonthDay.from(LocalDate.of(2024, 1, 1).plusDays(day - 1L)));
        return Arbitraries.oneOf(
                Arbitraries.of(TemplateReset.daily(), TemplateReset.monthly(), TemplateReset.yearly()),
                days.map(TemplateReset::fiscalYear),
                days.map(TemplateReset::fiscalYearNamedByEnd));
    }
}
