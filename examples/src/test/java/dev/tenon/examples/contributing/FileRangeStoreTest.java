package dev.tenon.examples.contributing;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RangeStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

// tag::test[]
class FileRangeStoreTest extends RangeStoreContract {
    private static RangeStore store;

    @BeforeAll
    static void open(@TempDir Path folder) {
        store = new FileRangeStore(folder.resolve("ranges"));
    }

    @Override
    protected RangeStore store() {
        return store;
    }

    @Override
    protected int callsPerThread() {
        return 10; // each waits for the disk
    }
}
// end::test[]
