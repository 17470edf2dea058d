package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.testkit.DefinitionStoreContract;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ClientDefinitionStoreTest extends DefinitionStoreContract {
    private static final TenonClient HERE = Clients.ofSharedServer();
    private static final TenonClient THERE = Clients.ofSharedServer();

    @Override
    protected DefinitionStore store() {
        return HERE.definitions();
    }

    @Override
    protected DefinitionStore otherStore() {
        return THERE.definitions();
    }

    /** A server stores nothing that it can't read. */
    @Override
    protected String text(String seed) {
        return "{\"kind\":\"uuid\",\"prefix\":\"" + seed + "\"}";
    }

    @Test
    void whatIsNoDefinitionIsRefused() {
        for (String text :
                List.of("x=1", "null", "[]", "{\"kind\":\"\"}", "{\"kind\":\"uuid\",\"more\":1}", "unissued {}")) {
            assertThatThrownBy(() -> HERE.definitions().putIfAbsent("no-definition", text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(THERE.definitions().find("no-definition")).isEmpty();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
