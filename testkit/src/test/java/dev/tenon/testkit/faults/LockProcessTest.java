package dev.tenon.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.LockMode;
import dev.tenon.testkit.history.History;
import dev.tenon.testkit.history.HoldModel;
import dev.tenon.testkit.history.Linearizability;
import dev.tenon.testkit.history.Model;
import dev.tenon.testkit.history.Operation;
import dev.tenon.testkit.history.Operation.Change;
import dev.tenon.testkit.history.Operation.Entered;
import dev.tenon.testkit.history.Operation.Granted;
import dev.tenon.testkit.history.Operation.Left;
import dev.tenon.testkit.history.ReentrantModel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a process that is killed leaves open in the history of its locks. */
class LockProcessTest {
    private final List<String> told = new ArrayList<>();

    private void tell(Change change, long invoked, long returned) {
        told.add(History.line("lock", Operation.answered("killed-jvm", change, invoked, returned)));
    }

    /** Whether another one may have come next. */
    private boolean mayBeFollowedBy(Change change, Model<?> model) {
        History history = new History();
        LockProcess.withEndings(told).forEach(history::add);
        history.add("lock", Operation.answered("other", change, 100, 110));
        return Linearizability.check(model, history.byLock().get("lock")).possible();
    }

    @Test
    void whatItWasInAtItsDeathItMayHaveLeft() {
        tell(new Entered(), 0, 10);
        tell(new Entered(), 11, 12);
        tell(new Left(), 13, 14);
        assertThat(mayBeFollowedBy(new Entered(), new ReentrantModel())).isTrue();
    }

    @Test
    void whatItHeldAtItsDeathMayHaveEnded() {
        tell(new Granted(1, LockMode.EXCLUSIVE), 0, 10);
        assertThat(mayBeFollowedBy(new Granted(2, LockMode.EXCLUSIVE), new HoldModel()))
                .isTrue();
    }

    @Test
    void nobodyElseIsInWhileItIs() {
        tell(new Entered(), 0, 10);
        tell(new Left(), 120, 130);
        assertThat(mayBeFollowedBy(new Entered(), new ReentrantModel())).isFalse();
    }
}
