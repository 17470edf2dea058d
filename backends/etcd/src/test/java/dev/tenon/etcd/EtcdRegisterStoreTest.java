package dev.tenon.etcd;

import dev.tenon.TimeSource;
import dev.tenon.lock.engine.RegisterStore;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.RegisterStoreContract;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

class EtcdRegisterStoreTest extends RegisterStoreContract {
    private final EtcdAddress address = EtcdServer.shared();
    private final List<EtcdLink> links = new ArrayList<>();

    @Override
    protected RegisterStore process() {
        EtcdLink link =
                new EtcdLink(EtcdOptions.of(address.endpoint()).withCommandTimeout(PATIENCE), TimeSource.system());
        links.add(link);
        return new EtcdRegisterStore(link, address.keyPrefix());
    }

    @AfterEach
    void close() {
        links.forEach(EtcdLink::close);
    }
}
