package dev.tenon.id;

import java.time.LocalDate;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.time.temporal.TemporalField;
import java.util.Optional;

/**
 * What a template can show of a date: the numbers of {@link java.time.format.DateTimeFormatter} that have a fixed
 * width.
 */
enum DatePart {
    YEAR("yyyy", ChronoField.YEAR),
    YEAR_OF_CENTURY("yy", ChronoField.YEAR),
    MONTH("MM", ChronoField.MONTH_OF_YEAR),
    DAY("dd", ChronoField.DAY_OF_MONTH),
    DAY_OF_YEAR("DDD", ChronoField.DAY_OF_YEAR),
    QUARTER("Q", IsoFields.QUARTER_OF_YEAR);

    /** As {@link java.time.format.DateTimeFormatter} reads two digits. */
    private static final int CENTURY = 2000;

    private final String letters;
    private final TemporalField field;

    DatePart(String letters, TemporalField field) {
        this.letters = letters;
        this.field = field;
    }

    /** The part that is written so. */
    static Optional<DatePart> of(String letters) {
        String year = letters.replace('u', 'y');
        for (DatePart part : values()) {
            if (part.letters.equals(year)) {
                return Optional.of(part);
            }
        }
        return Optional.empty();
    }

    String letters() {
        return letters;
    }

    int width() {
        return letters.length();
    }

    /** Its number; one that is wider than this part means that the date can't be shown. */
    long of(LocalDate date) {
        long number = date.getLong(field);
        return this == YEAR_OF_CENTURY ? number - CENTURY : number;
    }

    /** The number that the field itself has. */
    long fieldValue(long shown) {
        return this == YEAR_OF_CENTURY ? shown + CENTURY : shown;
    }

    TemporalField field() {
        return field;
    }
}
