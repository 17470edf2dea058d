package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.StatusResponse;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * What the index of Raft tells of the log in which a mark was written; the numbers are those of an etcd 3.4 and of its
 * snapshot.
 */
class EtcdSettlingTest {
    private static final long CLUSTER = 0x8cc9_74d1_39b2_5115L;
    private static final ResponseHeader HEADER = ResponseHeader.newBuilder()
            .setClusterId(CLUSTER)
            .setRaftTerm(2)
            .setRevision(9)
            .build();

    @Test
    void theLogOfTheMarkIsAheadOfTheRevisionByNoLess() {
        assertThat(EtcdSettling.log(marked("10"), status(12, 9))).isEqualTo(EtcdSettling.Log.SAME);
        assertThat(EtcdSettling.log(marked("10"), status(1009, 1006))).isEqualTo(EtcdSettling.Log.SAME);
    }

    @Test
    void aSnapshotThatIsRestoredKeepsItsRevisionAndBeginsANewLog() {
        assertThat(EtcdSettling.log(marked("10"), status(3, 9))).isEqualTo(EtcdSettling.Log.OTHER);
        assertThat(EtcdSettling.log(marked("10"), status(1003, 1006))).isEqualTo(EtcdSettling.Log.OTHER);
        assertThat(EtcdSettling.log(marked("10"), status(3, 1_000_000_009)))
                .as("with --bump-revision")
                .isEqualTo(EtcdSettling.Log.OTHER);
    }

    @Test
    void aMemberThatIsBehindSaysNothing() {
        assertThat(EtcdSettling.log(marked("10"), status(9, 7))).isEqualTo(EtcdSettling.Log.BEHIND);
    }

    @Test
    void whoMayNotAskTrustsTheTerm() {
        assertThat(EtcdSettling.log(marked("10"), Optional.empty())).isEqualTo(EtcdSettling.Log.SAME);
        assertThat(EtcdSettling.log(marked("-1"), status(3, 9))).isEqualTo(EtcdSettling.Log.SAME);
    }

    @Test
    void anotherClusterOrTermIsNotThatOfTheMark() {
        assertThat(marked("10").inTermNoted()).isTrue();
        assertThat(seen("10", HEADER.toBuilder().setRaftTerm(3).build()).inTermNoted())
                .isFalse();
        assertThat(seen("10", HEADER.toBuilder().setClusterId(1).build()).inTermNoted())
                .isFalse();
        assertThat(new EtcdSettling.Seen(Optional.empty(), Optional.empty(), HEADER).inTermNoted())
                .isFalse();
    }

    /** Written at revision 8. */
    private static EtcdSettling.Seen marked(String index) {
        return seen(index, HEADER);
    }

    private static EtcdSettling.Seen seen(String index, ResponseHeader header) {
        KeyValue mark = KeyValue.newBuilder()
                .setValue(ByteString.copyFromUtf8(Long.toHexString(CLUSTER) + "\n2\n" + index + "\n30"))
                .setModRevision(8)
                .build();
        return new EtcdSettling.Seen(Optional.of(mark), Optional.empty(), header);
    }

    private static Optional<StatusResponse> status(long index, long revision) {
        return Optional.of(StatusResponse.newBuilder()
                .setHeader(ResponseHeader.newBuilder().setRevision(revision))
                .setRaftIndex(index)
                .build());
    }
}
