package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RaftMetricsTest {
    /** To make a bean of each metric of the engine is a tenth of the start of a node. */
    @Test
    void theEnginesMetricsAreNoBeans(@TempDir Path folder) throws Exception {
        try (RaftBackend backend = RaftBackend.open(folder, RaftOptions.DEFAULT)) {
            assertThat(backend.status().leads()).isTrue();
            assertThat(ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName("ratis*:*"), null))
                    .isEmpty();
        }
    }
}
