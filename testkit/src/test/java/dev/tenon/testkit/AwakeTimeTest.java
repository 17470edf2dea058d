package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class AwakeTimeTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofSeconds(2);

    /** Prints how long it took until a line came, awake and by the clock, in milliseconds. */
    public static final class Waiting {
        private Waiting() {}

        /** No arguments. */
        public static void main(String[] args) throws IOException {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            AwakeTime awake = AwakeTime.start();
            long start = System.nanoTime();
            System.out.println("ready");
            in.readLine();
            System.out.println(awake.elapsed().toMillis() + " "
                    + Duration.ofNanos(System.nanoTime() - start).toMillis());
        }
    }

    @Test
    void whatPassesWhileNobodyRunsDoesNotCount() {
        try (ForkedJvm jvm = ForkedJvm.start(Waiting.class)) {
            jvm.nextLine("ready"::equals, LIMIT);
            jvm.pause();
            long paused = System.nanoTime();
            await().until(() -> System.nanoTime() - paused > PAUSE.toNanos());
            jvm.resume();
            jvm.send("go on");
            String[] millis = jvm.nextLine(LIMIT).split(" ");
            long awake = Long.parseLong(millis[0]);
            long clock = Long.parseLong(millis[1]);
            assertThat(clock - awake).isGreaterThan(PAUSE.toMillis() - 200);
        }
    }

    @Test
    void whatPassesWhileItRunsCounts() {
        AwakeTime awake = AwakeTime.start();
        await().atMost(LIMIT).until(() -> awake.elapsed().compareTo(Duration.ofMillis(300)) > 0);
    }
}
