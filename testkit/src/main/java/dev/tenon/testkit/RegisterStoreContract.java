package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.Names;
import dev.tenon.lock.engine.Notice;
import dev.tenon.lock.engine.Register;
import dev.tenon.lock.engine.RegisterStore;
import dev.tenon.lock.engine.RegisterStore.Change;
import dev.tenon.lock.engine.RegisterStore.Written;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link RegisterStore} must do. A backend's test extends it and supplies the store as two processes have
 * it; names and processes are fresh in every test.
 */
public abstract class RegisterStoreContract {
    /** How long to wait for what is told without being asked for. */
    protected static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration TTL = Duration.ofSeconds(30);

    private final RecordedRegisterEvents heard = new RecordedRegisterEvents();
    private final RecordedRegisterEvents othersHeard = new RecordedRegisterEvents();
    private final List<RegisterStore> processes = new ArrayList<>();
    private String name = "";
    private String me = "";
    private String you = "";

    /** The store under test as one more process has it. It is closed after the test. */
    protected abstract RegisterStore process();

    @BeforeEach
    void open() {
        String id = UUID.randomUUID().toString().substring(0, 13);
        name = "contract:" + id;
        me = "me-" + id;
        you = "you-" + id;
        processes.add(process());
        processes.add(process());
    }

    @AfterEach
    void closeStores() {
        processes.forEach(RegisterStore::close);
    }

    @Test
    void aRegisterIsMadeChangedAndDeletedByWhoHasSeenIt() {
        assertThat(registers().read(List.of(name))).containsExactly(Register.absent(name));
        Register made = written(registers(), Register.absent(name), "one");
        assertThat(made.text()).contains("one");
        assertThat(made.created()).isEqualTo(made.changed()).isPositive();
        assertThat(others().read(List.of(name))).containsExactly(made);
        Register changed = written(others(), made, "two\nlines, ä 😀");
        assertThat(changed.text()).contains("two\nlines, ä 😀");
        assertThat(changed.created()).isEqualTo(made.created());
        assertThat(changed.changed()).isGreaterThan(made.changed());
        assertThat(changed.version()).isNotEqualTo(made.version());
        assertThat(registers().read(List.of(name))).containsExactly(changed);
        assertThat(registers().write(List.of(new Change(changed, Optional.empty())), List.of()))
                .isEqualTo(new Written(true, List.of(Register.absent(name))));
        assertThat(others().read(List.of(name))).containsExactly(Register.absent(name));
    }

    @Test
    void whoHasSeenAnotherIsToldWhatIsThere() {
        Register made = written(registers(), Register.absent(name), "one");
        assertRefused(others(), Register.absent(name), made);
        Register changed = written(others(), made, "two");
        assertRefused(registers(), made, changed);
        registers().write(List.of(new Change(changed, Optional.empty())), List.of());
        assertRefused(registers(), changed, Register.absent(name));
    }

    @Test
    void aVersionOfBeforeTheDeletionStandsForNothingLater() {
        Register first = written(registers(), Register.absent(name), "one");
        registers().write(List.of(new Change(first, Optional.empty())), List.of());
        Register second = written(others(), Register.absent(name), "one");
        assertThat(second.version()).isNotEqualTo(first.version());
        assertThat(second.created()).isGreaterThan(first.created());
        assertRefused(registers(), first, second);
        assertThat(registers().write(List.of(new Change(first, Optional.empty())), List.of()))
                .isEqualTo(new Written(false, List.of(second)));
    }

    @Test
    void manyRegistersAreWrittenTogetherOrNotAtAll() {
        Register a = written(registers(), Register.absent(name + "a"), "a");
        Register b = written(registers(), Register.absent(name + "b"), "b");
        List<Change> changes = List.of(
                new Change(a, Optional.of("a2")),
                new Change(Register.absent(name + "c"), Optional.of("c")),
                new Change(b, Optional.empty()));
        Written written = registers().write(changes, List.of());
        assertThat(written.done()).isTrue();
        assertThat(written.now()).isEqualTo(others().read(List.of(name + "a", name + "c", name + "b")));
        assertThat(written.now())
                .extracting(Register::text)
                .containsExactly(Optional.of("a2"), Optional.of("c"), Optional.empty());
        Written again = others().write(changes, List.of());
        assertThat(again).isEqualTo(new Written(false, written.now()));
        assertThat(registers().read(List.of(name + "a", name + "c", name + "b")))
                .isEqualTo(written.now());
    }

    @Test
    void noticesComeWithAWriteInItsOrderAndOnlyWithIt() {
        registers().enter(me, TTL, heard);
        others().enter(you, TTL, othersHeard);
        String oddName = name + "/b%&ä😀 ~";
        Notice odd = new Notice(you, oddName, "text /%&= with ä and 😀");
        Notice second = new Notice(you, name, "second");
        Notice toNobody = new Notice("nobody", name, "lost");
        Change oddChange = new Change(Register.absent(oddName), Optional.of("x"));
        Change creation = new Change(Register.absent(name), Optional.of("x"));
        Written written = registers().write(List.of(oddChange, creation), List.of(odd, toNobody, second));
        assertThat(written.done()).isTrue();
        await().atMost(PATIENCE).until(() -> othersHeard.notices().contains(second));
        assertThat(othersHeard.notices()).startsWith(odd).endsWith(second).containsOnly(odd, second);
        // A write that is not made tells nothing: a notice that comes later would come after it.
        assertThat(registers().write(List.of(creation), List.of(odd)).done()).isFalse();
        int before = othersHeard.notices().size();
        Notice last = new Notice(you, name, "last");
        Change deletion = new Change(written.now().get(1), Optional.empty());
        assertThat(registers().write(List.of(deletion), List.of(last)).done()).isTrue();
        await().atMost(PATIENCE).until(() -> othersHeard.notices().contains(last));
        assertThat(othersHeard.notices().subList(before, othersHeard.notices().size()))
                .containsOnly(last);
        assertThat(heard.notices()).isEmpty();
    }

    @Test
    void aGreatWriteWithManyNoticesIsMade() {
        List<Change> changes = IntStream.range(0, RegisterStore.REGISTERS_MAX)
                .mapToObj(i -> new Change(Register.absent(name + i), Optional.of("text")))
                .toList();
        List<Notice> notices = IntStream.range(0, 100)
                .mapToObj(i -> new Notice("process-" + i + "-of-quite-some-length", name + i, "text ".repeat(20)))
                .toList();
        assertThat(registers().write(changes, notices).done()).isTrue();
        List<String> names =
                changes.stream().map(change -> change.seen().name()).toList();
        assertThat(others().read(names)).extracting(Register::text).containsOnly(Optional.of("text"));
    }

    @Test
    void aProcessIsPresentUntilItLeaves() {
        assertThat(registers().keepAlive(me)).isEmpty();
        Duration stay = registers().enter(me, TTL, heard);
        assertThat(stay).isPositive();
        assertThat(registers().keepAlive(me).orElseThrow()).isPositive();
        assertThat(registers().enter(me, TTL, heard)).isPositive();
        others().enter(you, TTL, othersHeard);
        assertThat(registers().gone(Set.of(me, you, "nobody-" + name.substring(9))))
                .containsExactly("nobody-" + name.substring(9));
        others().leave(you);
        await().atMost(PATIENCE).until(() -> heard.gone().contains(you));
        assertThat(others().keepAlive(you)).isEmpty();
        others().enter(you, TTL, othersHeard);
        assertThat(registers().gone(Set.of(me, you))).isEmpty();
    }

    @Test
    void pagesHaveTheNamesInOrder() {
        String p = name + "p";
        List<String> names = new ArrayList<>(List.of("/b", "/a", "/ä", "/a%_b", "/Z", "/😀", "/\uffee"));
        names.replaceAll(end -> p + end);
        names.forEach(each -> written(registers(), Register.absent(each), each));
        written(registers(), Register.absent(p), "other");
        written(registers(), Register.absent(name + "q"), "other");
        names.sort(Names.ORDER);
        assertThat(others().page(p + "/", "", 100)).extracting(Register::name).containsExactlyElementsOf(names);
        assertThat(others().page(p + "/", names.get(1), 3))
                .extracting(register -> register.text().orElseThrow())
                .containsExactlyElementsOf(names.subList(2, 5));
        assertThat(others().page(name, p + "0", 100)).extracting(Register::name).containsExactly(name + "q");
        assertThat(others().page(name + "nothing", "", 100)).isEmpty();
    }

    @Test
    void aWalkComesByAllAsTheyAre() {
        for (int i = 0; i < 7; i++) {
            written(registers(), Register.absent(name + i), "one");
        }
        Register changed = written(others(), registers().read(List.of(name + 5)).get(0), "two");
        List<Register> seen = new ArrayList<>();
        List<Register> page = others().walk("", 3);
        while (!page.isEmpty()) {
            seen.addAll(page);
            page = others().walk(seen.get(seen.size() - 1).name(), 3);
        }
        assertThat(seen).extracting(Register::name).isSortedAccordingTo(Names.ORDER);
        assertThat(seen)
                .filteredOn(register -> register.name().startsWith(name))
                .hasSize(7);
        assertThat(seen).contains(changed);
    }

    private RegisterStore registers() {
        return processes.get(0);
    }

    private RegisterStore others() {
        return processes.get(1);
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
