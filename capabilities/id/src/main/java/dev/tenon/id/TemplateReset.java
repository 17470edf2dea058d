package dev.tenon.id;

import java.time.LocalDate;
import java.time.MonthDay;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

/**
 * When the counter of a template begins anew. What a period is counts from 1970 on, in the time zone that the template
 * was given. Immutable.
 */
public final class TemplateReset {
    private static final LocalDate EPOCH = LocalDate.EPOCH;
    private static final MonthDay NEW_YEAR = MonthDay.of(1, 1);

    private final Kind kind;
    private final MonthDay firstDay;
    private final boolean namedByEnd;

    private enum Kind {
        NEVER,
        DAILY,
        MONTHLY,
        YEARLY
    }

    private TemplateReset(Kind kind, MonthDay firstDay, boolean namedByEnd) {
        this.kind = kind;
        this.firstDay = Objects.requireNonNull(firstDay, "firstDay");
        this.namedByEnd = namedByEnd;
    }

    /** Never: the template has no date. */
    public static TemplateReset never() {
        return new TemplateReset(Kind.NEVER, NEW_YEAR, false);
    }

    /** At midnight. The template shows year, month and day, or year and day of the year. */
    public static TemplateReset daily() {
        return new TemplateReset(Kind.DAILY, NEW_YEAR, false);
    }

    /** At the first midnight of each month. The template shows year and month. */
    public static TemplateReset monthly() {
        return new TemplateReset(Kind.MONTHLY, NEW_YEAR, false);
    }

    /** On 1 January. The template shows the year. */
    public static TemplateReset yearly() {
        return new TemplateReset(Kind.YEARLY, NEW_YEAR, false);
    }

    /**
     * On the first day of each fiscal year. The template shows the year in which the fiscal year begins: with 1 April,
     * 2026 stands for April 2026 to March 2027.
     *
     * @param firstDay of the fiscal year; 29 February is 28 February in other years
     */
    public static TemplateReset fiscalYear(MonthDay firstDay) {
        return new TemplateReset(Kind.YEARLY, firstDay, false);
    }

    /**
     * On the first day of each fiscal year. The template shows the year in which the fiscal year ends: with 1 October,
     * 2026 stands for October 2025 to September 2026.
     *
     * @param firstDay of the fiscal year; 29 February is 28 February in other years
     */
    public static TemplateReset fiscalYearNamedByEnd(MonthDay firstDay) {
        return new TemplateReset(Kind.YEARLY, firstDay, true);
    }

    boolean isNever() {
        return kind == Kind.NEVER;
    }

    /** The period of a day; less than 0 before 1970. */
    long period(LocalDate day) {
        return switch (kind) {
            case NEVER -> 0;
            case DAILY -> day.toEpochDay();
            case MONTHLY -> ChronoUnit.MONTHS.between(EPOCH, day.withDayOfMonth(1));
            case YEARLY -> {
                long year = day.getYear() - (long) EPOCH.getYear();
                yield day.isBefore(firstDay.atYear(day.getYear())) ? year - 1 : year;
            }
        };
    }

    /** The first day of a period. */
    LocalDate first(long period) {
        return switch (kind) {
            case NEVER -> EPOCH;
            case DAILY -> LocalDate.ofEpochDay(period);
            case MONTHLY -> EPOCH.plusMonths(period);
            case YEARLY -> firstDay.atYear((int) (EPOCH.getYear() + period));
        };
    }

    /** The date whose fields a template shows for a period. */
    LocalDate shown(long period) {
        LocalDate first = first(period);
        return kind == Kind.YEARLY ? first.withDayOfYear(1).plusYears(nameShift()) : first;
    }

    /** The period for which a template shows that date. */
    long periodShownAs(LocalDate date) {
        return kind == Kind.YEARLY ? date.getYear() - EPOCH.getYear() - nameShift() : period(date);
    }

    /** A year that begins on 1 January ends in the year in which it began. */
    private int nameShift() {
        return namedByEnd && !firstDay.equals(NEW_YEAR) ? 1 : 0;
    }

    /** Whether that date part is the same for a whole period. */
    boolean fixes(DatePart part) {
        return switch (part) {
            case YEAR, YEAR_OF_CENTURY -> kind != Kind.NEVER;
            case MONTH, QUARTER -> kind == Kind.DAILY || kind == Kind.MONTHLY;
            case DAY, DAY_OF_YEAR -> kind == Kind.DAILY;
        };
    }

    /** What a template must show, so that no text comes again in another period. */
    String needs() {
        return switch (kind) {
            case NEVER -> "no date";
            case DAILY -> "year, month and day ({yyyyMMdd}), or year and day of the year ({yyyyDDD})";
            case MONTHLY -> "year and month ({yyyyMM})";
            case YEARLY -> "the year ({yyyy})";
        };
    }

    @Override
    public String toString() {
        return switch (kind) {
            case NEVER -> "never";
            case DAILY -> "daily";
            case MONTHLY -> "monthly";
            case YEARLY ->
                firstDay.equals(NEW_YEAR)
                        ? "yearly"
                        : "fiscal year from " + firstDay + (namedByEnd ? ", named by its end" : "");
        };
    }
}
