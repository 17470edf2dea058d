package dev.tenon.id;

import java.time.LocalDate;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a text of a template says. Immutable.
 *
 * @param firstDay of the period whose counter it is: the day, or the first one of the month, the year or the fiscal
 *     year; empty for a template that never resets
 * @param counter the number
 * @param machine the index of the machine, if the template shows it
 */
public record TemplateParts(Optional<LocalDate> firstDay, long counter, OptionalInt machine) {}
