package dev.tenon.testkit.duplicates;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class DuplicateDetectorTest {
    @Test
    void failsTheTestInWhichAnIdCameTwiceAndNoOther() {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(Watched.class))
                                .build(),
                        listener);

        assertThat(listener.getSummary().getTestsSucceededCount()).isEqualTo(2);
        assertThat(listener.getSummary().getFailures()).singleElement().satisfies(failure -> {
            assertThat(failure.getTestIdentifier().getDisplayName()).startsWith("twice");
            assertThat(failure.getException())
                    .hasMessageContaining("1 of 4 IDs")
                    .hasMessageContaining("7 (in");
        });
    }

    @Test
    void watchesEveryThread() {
        DuplicateDetector ids = new DuplicateDetector();

        LongStream.range(0, 10_000).parallel().forEach(i -> ids.record((Object) (i % 9_999)));

        assertThat(ids.seen()).isEqualTo(9_999);
        assertThat(ids.duplicates()).singleElement().asString().startsWith("0 ");
    }

    /** Run by the test above alone: its name ends like no test's. */
    static class Watched {
        @RegisterExtension
        final DuplicateDetector ids = new DuplicateDetector();

        @Test
        void once() {
            ids.record(new long[] {7, 8, 9});
        }

        @Test
        void alsoOnce() {
            List.of("7", "8").forEach(ids::record);
        }

        @Test
        void twice() {
            ids.record(new long[] {7, 8, 9, 7});
        }
    }
}
