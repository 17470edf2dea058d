package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.Test;

/** What counts as the same store, by what a server says of itself. */
class ZooKeeperIncarnationTest {
    private static final long SESSION = 0x0100_0215_225c_0000L;
    private static final long MILLISECOND = 0x1_0000;

    private static String alone(long session, String stored) {
        return ZooKeeperIncarnation.of(new ZooKeeperRun(1, OptionalLong.of(session), true), change(7), group(0))
                .text(stored);
    }

    private static String inEnsemble(long epoch, int deleted, String stored) {
        return ZooKeeperIncarnation.of(new ZooKeeperRun(1, OptionalLong.empty(), true), change(epoch), group(deleted))
                .text(stored);
    }

    private static Stat change(long epoch) {
        Stat stat = new Stat();
        stat.setMzxid(epoch << 32 | 0xffff_ffffL);
        return stat;
    }

    private static Stat group(int deleted) {
        Stat stat = new Stat();
        stat.setNumChildren(3);
        stat.setCversion(3 + deleted + deleted);
        return stat;
    }

    @Test
    void sessionsOfOneRunAreOneIncarnation() {
        String noted = alone(SESSION, "");
        assertThat(noted).isEqualTo("run 1000215225c0000");
        for (long later : List.of(0L, 1L, 1_000_000L, -1_000_000L)) {
            assertThat(alone(SESSION + later, noted)).isEqualTo(noted);
        }
    }

    @Test
    void aServerThatStartsAMomentLaterIsAnother() {
        String noted = alone(SESSION, "");
        for (long millis : List.of(16L, 500L, 1_000_000_000L, -16L, -1_000_000_000L)) {
            assertThat(alone(SESSION + millis * MILLISECOND, noted)).isNotEqualTo(noted);
        }
    }

    @Test
    void theEpochsOfAnEnsembleAreItsIncarnations() {
        assertThat(inEnsemble(3, 0, "")).isEqualTo("epoch 3");
        assertThat(inEnsemble(4, 0, "epoch 3")).isEqualTo("epoch 4");
        assertThat(inEnsemble(0xffff_ffffL, 0, "")).isEqualTo("epoch 4294967295");
        assertThat(alone(SESSION, "epoch 3")).startsWith("run ");
        assertThat(inEnsemble(3, 0, "run 1000215225c0000")).isEqualTo("epoch 3");
    }

    @Test
    void slotsThatWereDeletedMakeAnother() {
        assertThat(inEnsemble(3, 2, "epoch 3")).isEqualTo("epoch 3 deleted 2");
        ZooKeeperRun run = new ZooKeeperRun(1, OptionalLong.of(SESSION), true);
        String noted = ZooKeeperIncarnation.of(run, change(0), group(1)).text("run 1000215225c0000");
        assertThat(noted).isEqualTo("run 1000215225c0000 deleted 1");
        ZooKeeperRun same = new ZooKeeperRun(1, OptionalLong.of(SESSION + 9), true);
        assertThat(ZooKeeperIncarnation.of(same, change(0), group(1)).text(noted))
                .isEqualTo(noted);
    }

    @Test
    void whatSomebodyElseWroteIsAnother() {
        for (String text : List.of("", "run", "run xyz", "run 1000215225c0000 deleted", "run 11000215225c00000")) {
            assertThat(alone(SESSION, text)).isEqualTo("run 1000215225c0000");
        }
    }
}
