package dev.tenon.redis;

import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.TestServer;
import dev.tenon.testkit.faults.LockStoreFixture;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;

/** Redis, for the suites that break it; its place is a URI. Public, as other JVMs make one too. */
public final class RedisFixture implements LockStoreFixture {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final String REGISTER = "register";

    @Override
    public TestServer start() {
        return RedisServer.startLogged();
    }

    @Override
    public String newPlace(TestServer server) {
        return ((RedisServer) server).address().newDatabase().uri();
    }

    @Override
    public Backend open(String place) {
        RedisBackend backend = RedisBackend.connect(RedisOptions.of(place).withCommandTimeout(TIMEOUT));
        return new Backend(backend.lockStore(), backend::close);
    }

    @Override
    public Register register(String place, Path folder) {
        URI uri = URI.create(place);
        RedisAddress address = new RedisAddress(
                uri.getHost(), uri.getPort(), Integer.parseInt(uri.getPath().substring(1)));
        RedisBackend backend = PatientRedis.connect(place);
        RedisFence fence = backend.fence();
        return new Register() {
            @Override
            public long read(OptionalLong token) {
                token.ifPresent(shown -> fence.check(REGISTER, shown));
                return fence.value(REGISTER).map(Long::parseLong).orElse(0L);
            }

            @Override
            public void write(long value, OptionalLong token) {
                String text = Long.toString(value);
                token.ifPresentOrElse(
                        shown -> fence.set(REGISTER, text, shown),
                        () -> address.command("HSET", "tenon:guarded:" + REGISTER, "value", text));
            }

            @Override
            public void close() {
                backend.close();
            }
        };
    }
}
