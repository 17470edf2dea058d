package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TestPortTest {
    /** Reserves as many ports as it is told, prints them, and keeps them until its input ends. */
    static final class Holder {
        public static void main(String[] arguments) throws Exception {
            for (int i = Integer.parseInt(arguments[0]); i > 0; i--) {
                System.out.println(TestPort.reserve().number());
            }
            System.in.read();
        }
    }

    @Test
    void noTwoHaveTheSameInOneJvmOrInSeveral() {
        int each = 2_000;
        try (ForkedJvm other = ForkedJvm.start(Holder.class, Integer.toString(each))) {
            List<TestPort> mine = Stream.generate(TestPort::reserve).limit(each).toList();
            Set<Integer> all = new HashSet<>();
            mine.forEach(port -> all.add(port.number()));
            for (int i = 0; i < each; i++) {
                all.add(Integer.parseInt(other.nextLine(Duration.ofSeconds(60))));
            }
            assertThat(all).hasSize(2 * each);
            mine.forEach(TestPort::close);
        }
    }

    @Test
    void aPortCanBeListenedOnAndIsLetGo() throws Exception {
        TestPort port = TestPort.reserve();
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(port.address());
            assertThat(socket.getLocalPort()).isEqualTo(port.number());
        }
        port.close();
        port.close();
    }
}
