package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiskWatchTest {
    private final List<String> told = new ArrayList<>();
    private long taken;
    private long flushed;

    private final DiskWatch watch = new DiskWatch(new DiskWatch.Watched() {
        @Override
        public long taken() {
            return taken;
        }

        @Override
        public long flushed() {
            return flushed;
        }

        @Override
        public void hangs() {
            told.add("hangs");
        }

        @Override
        public void isBack() {
            told.add("is back");
        }
    });

    private void look(int times) {
        for (int i = 0; i < times; i++) {
            watch.runOnce();
        }
    }

    @Test
    void anIdleDiskDoesNotHang() {
        taken = 5;
        flushed = 5;
        look(3 * DiskWatch.LOOKS);
        flushed = 7; // of what a new leader has taken back since
        look(3 * DiskWatch.LOOKS);
        assertThat(watch.hanging()).isFalse();
        assertThat(told).isEmpty();
    }

    @Test
    void aDiskThatIsAlwaysBehindAndGoesOnDoesNotHang() {
        for (int i = 0; i < 5; i++) {
            taken += 100;
            flushed++;
            look(DiskWatch.LOOKS);
        }
        assertThat(watch.hanging()).isFalse();
        assertThat(told).isEmpty();
    }

    @Test
    void aDiskOnWhichNothingArrivesHangsUntilSomethingDoes() {
        flushed = 3;
        look(1);
        taken = 4;
        look(DiskWatch.LOOKS - 1);
        assertThat(watch.hanging()).isFalse();
        look(1);
        assertThat(watch.hanging()).isTrue();
        assertThat(told).containsExactly("hangs");
        taken = 9;
        look(2);
        assertThat(told).as("at each look").containsExactly("hangs", "hangs", "hangs");
        flushed = 4;
        look(1);
        assertThat(watch.hanging()).isFalse();
        assertThat(told).endsWith("hangs", "is back");
        look(DiskWatch.LOOKS);
        assertThat(told).as("5 to 9 are missing").endsWith("is back", "hangs");
    }
}
