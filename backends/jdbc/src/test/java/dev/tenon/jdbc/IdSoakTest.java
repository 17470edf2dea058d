package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The short form of {@link IdSoak}; the long one is {@code scripts/soak-ids}. */
class IdSoakTest {
    private static final long IDS = 5_000_000;
    private static final int FAULTS = 3;

    @TempDir
    private Path folder;

    @Test
    void noIdComesTwiceThroughKillsThievesAndWrongClocks() throws Exception {
        IdSoak.Report report;
        try (IdSoak soak = new IdSoak(folder, new IdSoak.Aim(IDS, FAULTS, Duration.ofSeconds(3)), progress -> {})) {
            report = soak.run();
        }
        assertThat(report.duplicates()).isEmpty();
        assertThat(report.ids()).isGreaterThanOrEqualTo(IDS);
        assertThat(report.kills()).isGreaterThanOrEqualTo(FAULTS);
        assertThat(report.outages()).isPositive();
        assertThat(report.thefts()).isGreaterThanOrEqualTo(FAULTS);
    }
}
