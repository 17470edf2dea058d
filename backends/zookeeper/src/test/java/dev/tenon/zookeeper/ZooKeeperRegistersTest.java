package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.lock.engine.Notice;
import dev.tenon.lock.engine.Register;
import dev.tenon.lock.engine.RegisterStore;
import dev.tenon.lock.engine.RegisterStore.Change;
import dev.tenon.lock.engine.RegisterStore.Written;
import dev.tenon.testkit.RecordedRegisterEvents;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.zookeeper.ZKUtil;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is ZooKeeper's own about its registers. */
class ZooKeeperRegistersTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final ZooKeeperBackend here = ZooKeeperBackend.connect(address.connectString());
    private final ZooKeeperBackend there = ZooKeeperBackend.connect(address.connectString());
    private final RegisterStore registers = new ZooKeeperRegisterStore(here.link());
    private final RegisterStore others = new ZooKeeperRegisterStore(there.link());
    private final RecordedRegisterEvents heard = new RecordedRegisterEvents();
    private final RecordedRegisterEvents othersHeard = new RecordedRegisterEvents();

    @AfterEach
    void close() {
        registers.close();
        others.close();
        here.close();
        there.close();
    }

    @Test
    void aNodeThatHasUsedUpItsVersionsIsReplacedAndTheRegisterGoesOn() {
        RegisterStore few = new ZooKeeperRegisterStore(here.link(), 2);
        Register made = written(few, Register.absent("name"), "0");
        Register register = made;
        List<Long> versions = new ArrayList<>(List.of(made.version()));
        for (int i = 1; i < 9; i++) {
            Register next = written(few, register, String.valueOf(i));
            assertThat(next.created()).isEqualTo(made.created());
            assertThat(next.changed()).isGreaterThan(register.changed());
            assertThat(others.read(List.of("name"))).containsExactly(next);
            assertRefused(others, register, next);
            versions.add(next.version());
            register = next;
        }
        assertThat(versions).doesNotHaveDuplicates();
    }

    @Test
    void whoEntersAgainOnAnotherConnectionIsNotTakenForGone() {
        registers.enter("me", TTL, heard);
        others.enter("you", TTL, othersHeard);
        try (ZooKeeperBackend next = ZooKeeperBackend.connect(address.connectString())) {
            RegisterStore again = new ZooKeeperRegisterStore(next.link());
            again.enter("you", TTL, othersHeard);
            assertThat(others.keepAlive("you")).isEmpty();
            assertThat(again.keepAlive("you")).isPresent();
            there.close();
            assertThat(registers.gone(Set.of("you"))).isEmpty();
            again.leave("you");
            await().atMost(PATIENCE).until(() -> heard.gone().contains("you"));
            assertThat(heard.gone()).containsExactly("you");
        }
    }

    @Test
    void aWalkKeepsItsNamesAndHasTheRegistersAsTheyAre() {
        List<Register> made = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            made.add(written(registers, Register.absent("n" + i), "one"));
        }
        assertThat(others.walk("", 3)).isEqualTo(made.subList(0, 3));
        registers.write(List.of(new Change(made.get(4), Optional.empty())), List.of());
        Register changed = written(registers, made.get(5), "two");
        written(registers, Register.absent("n3a"), "new");
        assertThat(others.walk("n2", 3)).as("not listed anew").containsExactly(made.get(3), changed, made.get(6));
        assertThat(others.walk("n6", 3)).isEqualTo(made.subList(7, 10));
        Register last = written(registers, Register.absent("p"), "new");
        assertThat(others.walk("n9", 3)).as("listed anew at the end").containsExactly(last);
        assertThat(others.walk("p", 3)).isEmpty();
        assertThat(others.walk("", 4)).extracting(Register::name).containsExactly("n0", "n1", "n2", "n3");
        assertThat(others.walk("n1", 3)).extracting(Register::name).containsExactly("n2", "n3", "n3a");
    }

    @Test
    void asManyNoticesAsOneWriteOfTheLockEngineMayHaveAreNotTooLarge() {
        List<Notice> notices = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            notices.add(new Notice("process-" + i + "-of-quite-some-length", "字".repeat(200), "text ".repeat(10)));
        }
        assertThat(registers
                        .write(List.of(new Change(Register.absent("name"), Optional.of("x".repeat(300_000)))), notices)
                        .done())
                .isTrue();
    }

    @Test
    void whatIsTooLargeForZooKeeperIsRefusedBeforeItIsSent() {
        assertThatThrownBy(() -> written(registers, Register.absent("name"), "x".repeat(900_001)))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("name");
        assertThat(written(registers, Register.absent("name"), "x".repeat(850_000))
                        .text())
                .isPresent();
    }

    @Test
    void lostDataIsSaid() throws Exception {
        Register made = written(registers, Register.absent("name"), "one");
        ZKUtil.deleteRecursive(handle(), here.link().paths().base());
        assertThatThrownBy(() -> written(registers, Register.absent("other"), "one"))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("lost");
        assertThatThrownBy(() -> registers.enter("me", TTL, heard))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("lost");
        assertRefused(registers, made, Register.absent("name"));
    }

    private ZooKeeper handle() throws Exception {
        return here.link().handle();
    }

    private static Register written(RegisterStore registers, Register seen, String text) {
        return made(registers.write(List.of(new Change(seen, Optional.of(text))), List.of()));
    }

    private static Register made(Written written) {
        assertThat(written.done()).isTrue();
        assertThat(written.now()).hasSize(1);
        return written.now().get(0);
    }

    private static void assertRefused(RegisterStore registers, Register seen, Register now) {
        assertThat(registers.write(List.of(new Change(seen, Optional.of("refused"))), List.of()))
                .isEqualTo(new Written(false, List.of(now)));
    }
}
