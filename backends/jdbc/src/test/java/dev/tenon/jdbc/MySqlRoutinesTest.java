package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.LockMachine;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

/**
 * The stored routines: each is made once for good, so what changes in one needs another name. Processes of two versions
 * then have each their own.
 */
class MySqlRoutinesTest {
    private static final Pattern NAME = Pattern.compile("PROCEDURE IF NOT EXISTS (\\w+_\\d+)\\(");

    /** When this fails, raise the number of the routine in its file and its call, and then write here what it found. */
    private static final Map<String, Long> AS_RELEASED = new TreeMap<>(Map.of(
            "tenon_bell_listen_1", 1916798564L,
            "tenon_bell_ring_1", 840163575L,
            "tenon_lock_acquire_1", 1769048188L,
            "tenon_lock_acquire_all_1", 640565793L,
            "tenon_lock_release_1", 4173338088L,
            "tenon_lock_write_tell_1", 2310791114L,
            "tenon_range_next_1", 1243439274L,
            "tenon_tx_begin_1", 754354806L,
            "tenon_tx_write_1", 306188630L));

    private static Map<String, String> routines() {
        Map<String, String> all = new TreeMap<>();
        for (Sql routine : MySqlDialect.MYSQL.routines()) {
            Matcher name = NAME.matcher(routine.text());
            assertThat(name.find()).as(routine.id()).isTrue();
            all.put(name.group(1), routine.text());
        }
        return all;
    }

    @Test
    void whatChangesHasAnotherName() {
        Map<String, Long> now = new TreeMap<>();
        routines().forEach((name, text) -> {
            CRC32 crc = new CRC32();
            crc.update(text.replaceAll("\\s+", " ").getBytes(StandardCharsets.UTF_8));
            now.put(name, crc.getValue());
        });
        assertThat(now).isEqualTo(AS_RELEASED);
    }

    @Test
    void allOfThemAreLookedFor() {
        String found = MySqlDialect.MYSQL.sql(BuiltInStatement.ROUTINES).text();
        assertThat(routines().keySet()).allMatch(name -> found.contains("'" + name + "'"));
        assertThat(found.split("tenon_").length - 1).isEqualTo(routines().size());
    }

    /** A file can be run by hand, so nothing is filled in. */
    @Test
    void theyHaveTheClockAndTheStrideOfAllOthers() {
        for (String text : routines().values()) {
            assertThat(text).doesNotContain("{clock}", "{stride}");
            assertThat(text.replace(MariaDbDialect.CLOCK, "")).doesNotContain("UTC_TIMESTAMP", "NOW(");
        }
        for (String file : List.of("lock-acquire", "lock-acquire-all", "lock-release")) {
            String text = MySqlDialect.MYSQL.routine(file).text();
            assertThat(text).contains("v_token + " + LockMachine.TOKEN_STRIDE);
            assertThat(text.replaceAll("v_token \\+ " + LockMachine.TOKEN_STRIDE, ""))
                    .doesNotContain("v_token +");
        }
    }
}
