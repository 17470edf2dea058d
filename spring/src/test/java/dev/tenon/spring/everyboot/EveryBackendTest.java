package dev.tenon.spring.everyboot;

import org.junit.jupiter.api.Test;

/**
 * Each backend in an application of Spring Boot, with a real store and the versions of libraries that Spring Boot
 * gives. Run on both lines: the module spring/boot3 has these files too. The table of docs/compatibility.md is made of
 * what it reports.
 */
class EveryBackendTest {
    @Test
    void memory() throws Exception {
        works(EveryBackend.MEMORY);
    }

    @Test
    void jdbc() throws Exception {
        works(EveryBackend.JDBC);
    }

    @Test
    void redis() throws Exception {
        works(EveryBackend.REDIS);
    }

    @Test
    void zookeeper() throws Exception {
        works(EveryBackend.ZOOKEEPER);
    }

    @Test
    void etcd() throws Exception {
        works(EveryBackend.ETCD);
    }

    @Test
    void server() throws Exception {
        works(EveryBackend.SERVER);
    }

    private static void works(EveryBackend backend) throws Exception {
        try (BootApplication application = backend.start()) {
            StoreUse.work(application);
            StoreUse.look(application, backend.key());
        }
    }
}
