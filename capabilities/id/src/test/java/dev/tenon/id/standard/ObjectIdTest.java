package dev.tenon.id.standard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.RangeExhaustedException;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ObjectIdTest {
    private static final long START = 1_790_000_000_000L;
    private static final int COUNTERS = 1 << 24;
    private static final long HOUR = 3_600_000;

    private final SteppingClock clock = new SteppingClock(START);

    /** The test plan of the specification: the timestamp is unsigned. */
    @ParameterizedTest
    @CsvSource({
        "00000000, 1970-01-01T00:00:00Z",
        "7fffffff, 2038-01-19T03:14:07Z",
        "80000000, 2038-01-19T03:14:08Z",
        "ffffffff, 2106-02-07T06:28:15Z"
    })
    void readsTheTimestampsOfTheTestPlan(String seconds, Instant time) {
        assertThat(ObjectId.parse(seconds + "0000000000000000").time()).isEqualTo(time);
    }

    /** The test plan of the specification: after FFFFFF comes 000000. */
    @Test
    void theCounterWraps() {
        ObjectIdGenerator ids = ObjectIdGenerator.create(clock, new RepeatedLongs(-1)); // begins at the greatest
        ObjectId first = ids.nextObjectId();
        assertThat(first.counter()).isZero();
        ObjectIdGenerator others = ObjectIdGenerator.create(clock, new RepeatedLongs(-1L << 17));
        int before = others.nextObjectId().counter();
        Set<Integer> counters = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            int counter = others.nextObjectId().counter();
            assertThat(counter).isEqualTo(before + 1 & COUNTERS - 1);
            before = counter;
            counters.add(counter);
        }
        assertThat(counters).hasSize(1000);
    }

    @Test
    void hasTheFieldsOfTheOldFormToo() {
        ObjectId id = ObjectId.parse("507f1f77bcf86cd799439011");
        assertThat(id.time()).isEqualTo(Instant.parse("2012-10-17T21:13:27Z"));
        assertThat(id.legacyMachine()).isEqualTo(0xbcf86c);
        assertThat(id.legacyProcess()).isEqualTo(0xd799);
        assertThat(id.processUnique()).isEqualTo(0xbcf86cd799L);
        assertThat(id.counter()).isEqualTo(0x439011);
        assertThat(id).hasToString("507f1f77bcf86cd799439011");
        assertThat(ObjectId.parse("507F1F77BCF86CD799439011")).isEqualTo(id);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "507f1f77bcf86cd79943901",
                "507f1f77bcf86cd7994390111",
                "507f1f77bcf86cd79943901g",
                "507f1f77bcf86cd79943901\u0661",
                "507f1f77-bcf86cd79943901"
            })
    void refusesWhatIsNone(String text) {
        assertThatThrownBy(() -> ObjectId.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("An ObjectId ");
    }

    @Property
    void textAndBytesKeepBitsAndOrder(
            @ForAll int high, @ForAll long low, @ForAll int otherHigh, @ForAll long otherLow) {
        ObjectId id = new ObjectId(high, low);
        ObjectId other = new ObjectId(otherHigh, otherLow);
        assertThat(ObjectId.parse(id.toString())).isEqualTo(id);
        assertThat(ObjectId.fromBytes(id.toBytes())).isEqualTo(id);
        assertThat(Integer.signum(id.compareTo(other)))
                .isEqualTo(Integer.signum(id.toString().compareTo(other.toString())));
        assertThatThrownBy(() -> ObjectId.fromBytes(new byte[11])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aProcessKeepsItsBytesAndOthersHaveTheirs() {
        ObjectIdGenerator ids = ObjectIdGenerator.create();
        ObjectId first = ids.nextObjectId();
        assertThat(ids.nextObjectId().processUnique()).isEqualTo(first.processUnique());
        assertThat(ObjectIdGenerator.create().nextObjectId().processUnique()).isNotEqualTo(first.processUnique());
        assertThat(first.time()).isAfter(Instant.now().minusSeconds(60)).isBeforeOrEqualTo(Instant.now());
    }

    /** What drivers that only wrap their counter get wrong: more than 2²⁴ in a second. */
    @Test
    void aFullSecondIsFollowedByTheNext() {
        ObjectIdGenerator ids = ObjectIdGenerator.create(clock, new Random(5));
        ObjectId first = ids.nextObjectId();
        ObjectId last = first;
        for (int i = 1; i < COUNTERS; i++) {
            last = ids.nextObjectId();
        }
        assertThat(last.time()).isEqualTo(first.time());
        assertThat(last.counter()).isEqualTo(first.counter() - 1 & COUNTERS - 1);
        ObjectId after = ids.nextObjectId();
        assertThat(after.counter()).isEqualTo(first.counter());
        assertThat(after.time()).isEqualTo(first.time().plusSeconds(1));
    }

    @Property(tries = 300)
    void repeatsNothingThroughAnyClock(
            @ForAll @Size(min = 1, max = 50) List<@LongRange(min = -HOUR, max = HOUR) Long> steps,
            @ForAll @IntRange(min = 1, max = 20) int each) {
        ObjectIdGenerator ids = ObjectIdGenerator.create(clock, new Random(5));
        Set<ObjectId> seen = new HashSet<>();
        Instant last = Instant.EPOCH;
        for (long step : steps) {
            clock.step(step);
            for (int i = 0; i < each; i++) {
                ObjectId next = ids.nextObjectId();
                assertThat(seen.add(next)).isTrue();
                assertThat(next.time()).isAfterOrEqualTo(last);
                last = next.time();
            }
        }
    }

    @Test
    void eightThreadsGetNoneTwice() throws Exception {
        ObjectIdGenerator ids = ObjectIdGenerator.create();
        Set<ObjectId> seen = new HashSet<>();
        Many.draw(50_000, ids::nextObjectId).forEach(seen::addAll);
        assertThat(seen).hasSize(Many.THREADS * 50_000);
    }

    @Test
    void endsIn2106() {
        SteppingClock late = new SteppingClock(0xffffffffL * 1000 + 999);
        ObjectIdGenerator ids = ObjectIdGenerator.create(late, new Random(5));
        assertThat(ids.nextObjectId().time()).isEqualTo(Instant.parse("2106-02-07T06:28:15Z"));
        late.step(1);
        assertThatThrownBy(ids::nextObjectId).isInstanceOf(RangeExhaustedException.class);
    }
}
