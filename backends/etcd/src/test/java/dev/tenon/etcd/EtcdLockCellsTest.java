package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.cell.Cell;
import dev.tenon.lock.spi.cell.LockCells.Change;
import dev.tenon.lock.spi.cell.Mail;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The greatest writes that the locks may need: etcd limits the operations and the bytes of a transaction. */
class EtcdLockCellsTest {
    private final EtcdAddress address = EtcdServer.shared();
    private final EtcdLink link = new EtcdLink(
            EtcdOptions.of(address.endpoint()).withCommandTimeout(Duration.ofSeconds(30)), TimeSource.system());
    private final EtcdLockCells cells = new EtcdLockCells(link, address.keyPrefix());

    @AfterEach
    void close() {
        cells.close();
        link.close();
    }

    @Test
    void oneWriteTellsAsManyAsCanWait() {
        assertWritten(1, "x".repeat(100), 1500);
    }

    @Test
    void oneWriteTellsManyWhoCouldEachBeToldALongState() {
        assertWritten(1, "x".repeat(16_000), 120);
    }

    @Test
    void manyCellsAreWrittenWithMailForMany() {
        assertWritten(100, "x", 150);
    }

    private void assertWritten(int names, String text, int processes) {
        List<Change> changes = IntStream.range(0, names)
                .mapToObj(i -> new Change(Cell.absent("n" + i), Optional.of(text)))
                .toList();
        List<Mail> mail = IntStream.range(0, processes)
                .mapToObj(i -> new Mail("p" + i, "n" + i % names, "hello"))
                .toList();
        assertThat(cells.write(changes, mail).done()).isTrue();
    }
}
