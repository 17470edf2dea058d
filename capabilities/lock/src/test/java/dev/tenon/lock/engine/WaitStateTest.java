package dev.tenon.lock.engine;

import static dev.tenon.lock.engine.WaitState.ASKING;
import static dev.tenon.lock.engine.WaitState.CANCELLING;
import static dev.tenon.lock.engine.WaitState.CONFIRMING;
import static dev.tenon.lock.engine.WaitState.ENDED;
import static dev.tenon.lock.engine.WaitState.IDLE;
import static dev.tenon.lock.engine.WaitState.QUEUED;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The transitions of {@link WaitState}, every state by every input. */
class WaitStateTest {
    private record Row(WaitState from, WaitState asked, WaitState queued, WaitState granted, WaitState cancelled) {}

    private static final List<Row> TABLE = List.of(
            new Row(IDLE, ASKING, IDLE, CONFIRMING, ENDED),
            new Row(ASKING, ASKING, QUEUED, ASKING, CANCELLING),
            new Row(QUEUED, ASKING, QUEUED, CONFIRMING, ENDED),
            new Row(CONFIRMING, CONFIRMING, QUEUED, CONFIRMING, CANCELLING),
            new Row(CANCELLING, CANCELLING, CANCELLING, CANCELLING, CANCELLING),
            new Row(ENDED, ENDED, ENDED, ENDED, ENDED));

    @Test
    void everyInputLeadsWhereTheTableSays() {
        assertThat(TABLE).extracting(Row::from).containsExactly(WaitState.values());
        for (Row row : TABLE) {
            WaitState from = row.from();
            assertThat(new Row(from, from.asked(), from.queued(), from.granted(), from.cancelled()))
                    .isEqualTo(row);
        }
    }

    @Test
    void aStepIsUnderWayWhereAnAnswerOfTheStoreIsAwaited() {
        assertThat(WaitState.values()).filteredOn(WaitState::isBusy).containsExactly(ASKING, CONFIRMING, CANCELLING);
    }
}
