package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * Three servers for a test class, or for all suites within one, and two clients for each suite: one begins at n1, the
 * other at n2. In the middle of a suite servers are killed, as {@link LeaderDies} says, and are started again at once.
 */
final class LeaderKills implements BeforeAllCallback, AfterAllCallback, InvocationInterceptor {
    private static final String SERVING = "n1";
    private static final String IDLE = "n3";

    /** Tests with times of their own are not to meet a kill. */
    private final ReadWriteLock calm = new ReentrantReadWriteLock(true);

    private final List<String> killed = new ArrayList<>();
    private Path folder;
    private ThreeServers servers;
    private TenonClient here;
    private TenonClient there;

    ThreeServers servers() {
        return servers;
    }

    TenonClient here() {
        return here;
    }

    TenonClient there() {
        return there;
    }

    private static Optional<LeaderDies> plan(ExtensionContext context) {
        return Optional.ofNullable(context.getRequiredTestClass().getAnnotation(LeaderDies.class));
    }

    private static boolean isOutermost(ExtensionContext context) {
        return context.getRequiredTestClass().getEnclosingClass() == null;
    }

    private static boolean isSuite(ExtensionContext context) {
        return !isOutermost(context) || plan(context).isPresent();
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        if (isOutermost(context)) {
            folder = Files.createTempDirectory("tenon-three");
            servers = ThreeServers.start(folder);
        }
        if (isSuite(context)) {
            connect(context);
        }
    }

    private void connect(ExtensionContext context) {
        servers.awaitReady();
        servers.lead(plan(context).map(LeaderDies::serving).orElse(false) ? SERVING : IDLE);
        here = Clients.of(servers.addresses("n1"));
        there = Clients.of(servers.addresses("n2"));
        killed.clear();
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (isSuite(context)) {
            here.close();
            there.close();
        }
        if (isOutermost(context)) {
            servers.close();
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
        plan(context)
                .ifPresent(plan -> assertThat(killed)
                        .as("the tests of the contract still have these names")
                        .hasSize(plan.servingOneBefore().isEmpty() ? 1 : 2));
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
            throws Throwable {
        String name = method.getExecutable().getName();
        Optional<LeaderDies> plan = plan(context);
        if (plan.filter(p -> p.during().equals(name)).isPresent()) {
            calm.writeLock().lock();
            try {
                servers.awaitReady();
                if (plan.get().serving()) {
                    servers.lead(SERVING);
                    CompletableFuture<Void> kill = CompletableFuture.runAsync(() -> kill(SERVING));
                    test.proceed();
                    kill.join();
                } else {
                    servers.lead(IDLE);
                    kill(IDLE);
                    test.proceed();
                }
            } finally {
                calm.writeLock().unlock();
            }
            return;
        }
        calm.readLock().lock();
        try {
            if (plan.filter(p -> p.servingOneBefore().equals(name)).isPresent()) {
                servers.awaitReady();
                kill(SERVING);
                // Its next call is not to meet the connection that has just gone: a number, or a release, can't be
                // asked for
                // twice.
                assertThat(here.definitions().find("nobody's")).isEmpty();
            }
            test.proceed();
        } finally {
            calm.readLock().unlock();
        }
    }

    private void kill(String name) {
        servers.kill(name);
        killed.add(name);
        servers.launch(name);
    }
}
