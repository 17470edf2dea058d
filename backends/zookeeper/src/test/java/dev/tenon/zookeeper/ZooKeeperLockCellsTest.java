package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.TenonException;
import dev.tenon.lock.spi.cell.Cell;
import dev.tenon.lock.spi.cell.LockCells;
import dev.tenon.lock.spi.cell.LockCells.Change;
import dev.tenon.lock.spi.cell.LockCells.Written;
import dev.tenon.lock.spi.cell.Mail;
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

/** The cells of locks on a real server. */
class ZooKeeperLockCellsTest {
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ZooKeeperAddress address = ZooKeeperServer.shared();
    private final ZooKeeperBackend here = ZooKeeperBackend.connect(address.connectString());
    private final ZooKeeperBackend there = ZooKeeperBackend.connect(address.connectString());
    private final LockCells cells = new ZooKeeperLockCells(here.link());
    private final LockCells others = new ZooKeeperLockCells(there.link());
    private final HeardCells heard = new HeardCells();
    private final HeardCells othersHeard = new HeardCells();

    @AfterEach
    void close() {
        cells.close();
        others.close();
        here.close();
        there.close();
    }

    @Test
    void aCellIsMadeChangedAndDeletedByWhoHasSeenIt() {
        assertThat(cells.read(List.of("name"))).containsExactly(Cell.absent("name"));
        Cell made = written(cells, Cell.absent("name"), "one");
        assertThat(made.text()).contains("one");
        assertThat(made.created()).isEqualTo(made.changed()).isPositive();
        assertThat(others.read(List.of("name"))).containsExactly(made);
        Cell changed = written(others, made, "two\nlines, ä 😀");
        assertThat(changed.text()).contains("two\nlines, ä 😀");
        assertThat(changed.created()).isEqualTo(made.created());
        assertThat(changed.changed()).isGreaterThan(made.changed());
        assertThat(changed.version()).isNotEqualTo(made.version());
        assertThat(cells.read(List.of("name"))).containsExactly(changed);
        assertThat(cells.write(List.of(new Change(changed, Optional.empty())), List.of()))
                .isEqualTo(new Written(true, List.of(Cell.absent("name"))));
        assertThat(others.read(List.of("name"))).containsExactly(Cell.absent("name"));
    }

    @Test
    void whoHasSeenAnotherIsToldWhatIsThere() {
        Cell made = written(cells, Cell.absent("name"), "one");
        assertRefused(others, Cell.absent("name"), made);
        Cell changed = written(others, made, "two");
        assertRefused(cells, made, changed);
        cells.write(List.of(new Change(changed, Optional.empty())), List.of());
        assertRefused(cells, changed, Cell.absent("name"));
    }

    @Test
    void aVersionOfBeforeTheDeletionStandsForNothingLater() {
        Cell first = written(cells, Cell.absent("name"), "one");
        cells.write(List.of(new Change(first, Optional.empty())), List.of());
        Cell second = written(others, Cell.absent("name"), "one");
        assertThat(second.version()).isNotEqualTo(first.version());
        assertThat(second.created()).isGreaterThan(first.created());
        assertRefused(cells, first, second);
        assertThat(cells.write(List.of(new Change(first, Optional.empty())), List.of()))
                .isEqualTo(new Written(false, List.of(second)));
    }

    @Test
    void aNodeThatHasUsedUpItsVersionsIsReplacedAndTheCellGoesOn() {
        LockCells few = new ZooKeeperLockCells(here.link(), 2);
        Cell made = written(few, Cell.absent("name"), "0");
        Cell cell = made;
        List<Long> versions = new ArrayList<>(List.of(made.version()));
        for (int i = 1; i < 9; i++) {
            Cell next = written(few, cell, String.valueOf(i));
            assertThat(next.created()).isEqualTo(made.created());
            assertThat(next.changed()).isGreaterThan(cell.changed());
            assertThat(others.read(List.of("name"))).containsExactly(next);
            assertRefused(others, cell, next);
            versions.add(next.version());
            cell = next;
        }
        assertThat(versions).doesNotHaveDuplicates();
    }

    @Test
    void manyCellsAreWrittenTogetherOrNotAtAll() {
        Cell a = written(cells, Cell.absent("a"), "a");
        Cell b = written(cells, Cell.absent("b"), "b");
        List<Change> changes = List.of(
                new Change(a, Optional.of("a2")),
                new Change(Cell.absent("c"), Optional.of("c")),
                new Change(b, Optional.empty()));
        Written written = cells.write(changes, List.of());
        assertThat(written.done()).isTrue();
        assertThat(written.now()).isEqualTo(others.read(List.of("a", "c", "b")));
        assertThat(written.now())
                .extracting(Cell::text)
                .containsExactly(Optional.of("a2"), Optional.of("c"), Optional.empty());
        Written again = others.write(changes, List.of());
        assertThat(again).isEqualTo(new Written(false, written.now()));
        assertThat(cells.read(List.of("a", "c", "b"))).isEqualTo(written.now());
    }

    @Test
    void mailComesWithAWriteAndLeavesNothing() throws Exception {
        cells.enter("me", TTL, heard);
        others.enter("you", TTL, othersHeard);
        Mail odd = new Mail("you", "a/b%&ä😀 ~", "text /%&= with ä and 😀");
        Mail second = new Mail("you", "name", "second");
        Mail toNobody = new Mail("nobody", "name", "lost");
        Cell made = made(cells.write(
                List.of(new Change(Cell.absent("name"), Optional.of("x"))), List.of(odd, odd, toNobody, second)));
        await().atMost(PATIENCE).until(() -> othersHeard.mail().contains(second));
        assertThat(othersHeard.mail()).containsExactly(odd, second);
        // A write that is not made sends nothing: mail that comes later would come after it.
        assertThat(cells.write(List.of(new Change(Cell.absent("name"), Optional.of("y"))), List.of(odd))
                        .done())
                .isFalse();
        Mail last = new Mail("you", "name", "last");
        cells.write(List.of(new Change(made, Optional.empty())), List.of(last));
        await().atMost(PATIENCE).until(() -> othersHeard.mail().contains(last));
        assertThat(othersHeard.mail()).containsExactly(odd, second, last);
        assertThat(heard.mail()).isEmpty();
        assertThat(handle().getChildren(here.link().paths().lockMail(), false)).isEmpty();
    }

    @Test
    void aProcessIsThereUntilItLeavesOrItsSessionEnds() {
        assertThat(cells.keepAlive("me")).isEmpty();
        Duration stay = cells.enter("me", TTL, heard);
        assertThat(stay).isBetween(Duration.ofSeconds(1), ZooKeeperOptions.TIMEOUT_MAX);
        assertThat(cells.keepAlive("me")).contains(stay);
        assertThat(cells.enter("me", TTL, heard)).isEqualTo(stay);
        others.enter("you", TTL, othersHeard);
        assertThat(cells.gone(Set.of("me", "you", "nobody"))).containsExactly("nobody");
        others.leave("you");
        await().atMost(PATIENCE).until(() -> heard.gone().contains("you"));
        assertThat(others.keepAlive("you")).isEmpty();
        others.enter("you", TTL, othersHeard);
        assertThat(cells.gone(Set.of("me", "you"))).isEmpty();
        there.close();
        await().atMost(PATIENCE).until(() -> heard.gone().size() == 2);
        assertThat(cells.gone(Set.of("me", "you"))).containsExactly("you");
    }

    @Test
    void whoEntersAgainOnAnotherConnectionIsNotTakenForGone() {
        cells.enter("me", TTL, heard);
        others.enter("you", TTL, othersHeard);
        try (ZooKeeperBackend next = ZooKeeperBackend.connect(address.connectString())) {
            LockCells again = new ZooKeeperLockCells(next.link());
            again.enter("you", TTL, othersHeard);
            assertThat(others.keepAlive("you")).isEmpty();
            assertThat(again.keepAlive("you")).isPresent();
            there.close();
            assertThat(cells.gone(Set.of("you"))).isEmpty();
            again.leave("you");
            await().atMost(PATIENCE).until(() -> heard.gone().contains("you"));
            assertThat(heard.gone()).containsExactly("you");
        }
    }

    @Test
    void pagesHaveTheNamesInOrder() {
        List<String> names = new ArrayList<>(List.of("p/b", "p/a", "p/ä", "p/a%_b", "p/Z", "p/😀", "p/\uffee"));
        names.forEach(name -> written(cells, Cell.absent(name), name));
        written(cells, Cell.absent("p"), "other");
        written(cells, Cell.absent("q"), "other");
        names.sort(Names.ORDER);
        assertThat(others.page("p/", "", 100)).extracting(Cell::name).containsExactlyElementsOf(names);
        assertThat(others.page("p/", names.get(1), 3))
                .extracting(cell -> cell.text().orElseThrow())
                .containsExactlyElementsOf(names.subList(2, 5));
        assertThat(others.page("", "p0", 100)).extracting(Cell::name).containsExactly("q");
        assertThat(others.page("nothing", "", 100)).isEmpty();
    }

    @Test
    void aWalkKeepsItsNamesAndHasTheCellsAsTheyAre() {
        List<Cell> made = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            made.add(written(cells, Cell.absent("n" + i), "one"));
        }
        assertThat(others.walk("", 3)).isEqualTo(made.subList(0, 3));
        cells.write(List.of(new Change(made.get(4), Optional.empty())), List.of());
        Cell changed = written(cells, made.get(5), "two");
        written(cells, Cell.absent("n3a"), "new");
        assertThat(others.walk("n2", 3)).as("not listed anew").containsExactly(made.get(3), changed, made.get(6));
        assertThat(others.walk("n6", 3)).isEqualTo(made.subList(7, 10));
        Cell last = written(cells, Cell.absent("p"), "new");
        assertThat(others.walk("n9", 3)).as("listed anew at the end").containsExactly(last);
        assertThat(others.walk("p", 3)).isEmpty();
        assertThat(others.walk("", 4)).extracting(Cell::name).containsExactly("n0", "n1", "n2", "n3");
        assertThat(others.walk("n1", 3)).extracting(Cell::name).containsExactly("n2", "n3", "n3a");
    }

    @Test
    void asMuchMailAsOneWriteOfTheLockEngineMayHaveIsNotTooLarge() {
        List<Mail> mail = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            mail.add(new Mail("process-" + i + "-of-quite-some-length", "字".repeat(200), "text ".repeat(10)));
        }
        assertThat(cells.write(List.of(new Change(Cell.absent("name"), Optional.of("x".repeat(300_000)))), mail)
                        .done())
                .isTrue();
    }

    @Test
    void whatIsTooLargeForZooKeeperIsRefusedBeforeItIsSent() {
        assertThatThrownBy(() -> written(cells, Cell.absent("name"), "x".repeat(900_001)))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("name");
        assertThat(written(cells, Cell.absent("name"), "x".repeat(850_000)).text())
                .isPresent();
    }

    @Test
    void lostDataIsSaid() throws Exception {
        Cell made = written(cells, Cell.absent("name"), "one");
        ZKUtil.deleteRecursive(handle(), here.link().paths().base());
        assertThatThrownBy(() -> written(cells, Cell.absent("other"), "one"))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("lost");
        assertThatThrownBy(() -> cells.enter("me", TTL, heard))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("lost");
        assertRefused(cells, made, Cell.absent("name"));
    }

    private ZooKeeper handle() throws Exception {
        return here.link().handle();
    }

    private static Cell written(LockCells cells, Cell seen, String text) {
        return made(cells.write(List.of(new Change(seen, Optional.of(text))), List.of()));
    }

    private static Cell made(Written written) {
        assertThat(written.done()).isTrue();
        assertThat(written.now()).hasSize(1);
        return written.now().get(0);
    }

    private static void assertRefused(LockCells cells, Cell seen, Cell now) {
        assertThat(cells.write(List.of(new Change(seen, Optional.of("refused"))), List.of()))
                .isEqualTo(new Written(false, List.of(now)));
    }
}
