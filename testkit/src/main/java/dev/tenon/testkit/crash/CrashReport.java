package dev.tenon.testkit.crash;

import java.util.List;

/**
 * What an enumeration has seen. Immutable.
 *
 * @param points where the first process was crashed, in the order in which it came there: {@code before} and
 *     {@code after} each of its durable steps
 * @param recoveryPoints where recovery was crashed, each once
 * @param runs how many runs there were
 */
public record CrashReport(List<String> points, List<String> recoveryPoints, int runs) {
    public CrashReport {
        points = List.copyOf(points);
        recoveryPoints = List.copyOf(recoveryPoints);
    }
}
