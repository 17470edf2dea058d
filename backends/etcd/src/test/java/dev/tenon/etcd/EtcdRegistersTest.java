package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.TimeSource;
import dev.tenon.lock.engine.Notice;
import dev.tenon.lock.engine.Register;
import dev.tenon.lock.engine.RegisterStore.Change;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The greatest writes that the locks may need: etcd limits the operations and the bytes of a transaction. */
class EtcdRegistersTest {
    private final EtcdAddress address = EtcdServer.shared();
    private final EtcdLink link = new EtcdLink(
            EtcdOptions.of(address.endpoint()).withCommandTimeout(Duration.ofSeconds(30)), TimeSource.system());
    private final EtcdRegisterStore registers = new EtcdRegisterStore(link, address.keyPrefix());

    @AfterEach
    void close() {
        registers.close();
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
    void manyRegistersAreWrittenWithNoticesForMany() {
        assertWritten(100, "x", 150);
    }

    private void assertWritten(int names, String text, int processes) {
        List<Change> changes = IntStream.range(0, names)
                .mapToObj(i -> new Change(Register.absent("n" + i), Optional.of(text)))
                .toList();
        List<Notice> notices = IntStream.range(0, processes)
                .mapToObj(i -> new Notice("p" + i, "n" + i % names, "hello"))
                .toList();
        assertThat(registers.write(changes, notices).done()).isTrue();
    }
}
