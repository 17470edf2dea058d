package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.ForkedJvm;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * What is said when a library does not fit: an application that starts on a class path with it, in a JVM of its own.
 */
class ClassConflictTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final URLStreamHandler NOWHERE = new URLStreamHandler() {
        @Override
        protected URLConnection openConnection(URL url) {
            throw new UnsupportedOperationException();
        }
    };
    private static final Path UNFIT = Path.of("target", "unfit");

    @Test
    void aLibraryThatIsTooOldIsNamedWithItsVersionAndTheOneThatIsNeeded() throws Exception {
        try (ForkedJvm redis =
                        start("lettuce-core", unfit("lettuce-core"), "redis", "tenon.redis.uri=redis://localhost");
                ForkedJvm server =
                        start("protobuf-java", unfit("protobuf-java"), "server", "tenon.server.address=localhost:1");
                ForkedJvm etcd =
                        start("netty-codec-http2", List.of(), "etcd", "tenon.etcd.endpoints=http://localhost:1")) {
            assertThat(output(redis))
                    .contains("APPLICATION FAILED TO START", "dev.tenon.redis.")
                    .containsPattern("library: +io.lettuce:lettuce-core")
                    .containsPattern("on class path: +6\\.0\\.\\d+.RELEASE \\(lettuce-core-6\\.0\\.\\d+.RELEASE.jar\\)")
                    .containsPattern("needed: +6\\.6\\.0\\.RELEASE to 7\\.\\d+\\.\\d+\\.RELEASE")
                    .contains("mvn dependency:tree -Dincludes=io.lettuce");
            assertThat(output(server))
                    .contains("APPLICATION FAILED TO START")
                    .containsPattern("library: +com.google.protobuf:protobuf-java")
                    .containsPattern("on class path: +3\\.25\\.\\d+ \\(protobuf-java-3")
                    .containsPattern("needed: +4\\.\\d+\\.\\d+ or newer");
            assertThat(output(etcd))
                    .contains("APPLICATION FAILED TO START", "io.grpc.netty.")
                    .containsPattern("library: +io.netty:netty-codec-http2")
                    .containsPattern("on class path: +none")
                    .contains("Add io.netty:netty-codec-http2");
        }
    }

    @Test
    void whatOthersCantLinkIsLeftToOthers() {
        NoSuchMethodError theirs = new NoSuchMethodError("'void io.netty.channel.Channel.fly()'");
        theirs.setStackTrace(
                new StackTraceElement[] {new StackTraceElement("com.example.Shop", "open", "Shop.java", 1)});
        assertThat(new ClassConflictAnalyzer().analyze(new IllegalStateException(theirs)))
                .isNull();
        FailureAnalysis ours = new ClassConflictAnalyzer()
                .analyze(new IllegalStateException(
                        new NoSuchMethodError("'io.grpc.Status io.netty.channel.Channel.fly(java.lang.String)'")));
        assertThat(ours.getDescription()).containsPattern("library: +io.netty:netty-transport");
    }

    @Test
    void aJarInAJarHasItsOwnVersion() throws Exception {
        KnownLibrary library =
                KnownLibrary.of("io.lettuce.core.ClientOptions$Builder").orElseThrow();
        URL nested = noted("nested:/app/shop-1.0.jar/!BOOT-INF/lib/lettuce-core-6.6.0.RELEASE.jar!/io/lettuce");
        ClassLoader jar = new ClassLoader(null) {
            @Override
            protected Enumeration<URL> findResources(String name) {
                assertThat(name).isEqualTo("io/lettuce/core/RedisClient.class");
                return Collections.enumeration(List.of(nested));
            }
        };
        assertThat(library.find(jar))
                .containsExactly(new KnownLibrary.Found("lettuce-core-6.6.0.RELEASE.jar", "6.6.0.RELEASE"));
    }

    @SuppressWarnings("deprecation") // what takes its place is not in JDK 17
    private static URL noted(String url) throws MalformedURLException {
        return new URL(null, url, NOWHERE);
    }

    private static List<Path> unfit(String library) throws Exception {
        try (Stream<Path> files = Files.list(UNFIT)) {
            List<Path> found = files.filter(
                            file -> file.getFileName().toString().startsWith(library))
                    .toList();
            assertThat(found).hasSize(1);
            return found;
        }
    }

    /** @param instead what is on the class path where the library was */
    private static ForkedJvm start(String library, List<Path> instead, String backend, String key) {
        String own = System.getProperty("java.class.path");
        assertThat(own).contains("/" + library + "-");
        String path = Stream.concat(
                        instead.stream().map(Path::toString),
                        Arrays.stream(own.split(File.pathSeparator))
                                .filter(entry -> !entry.contains("/" + library + "-")))
                .collect(Collectors.joining(File.pathSeparator));
        return ForkedJvm.start(Launcher.class, path, "--tenon.backend=" + backend, "--" + key);
    }

    private static String output(ForkedJvm jvm) {
        assertThat(jvm.awaitExit(PATIENCE)).as(jvm.errors()).isEqualTo(1);
        return String.join("\n", jvm.lines());
    }

    /** What is started. */
    @ImportAutoConfiguration({
        TenonAutoConfiguration.class,
        RedisBackendAutoConfiguration.class,
        EtcdBackendAutoConfiguration.class,
        ServerBackendAutoConfiguration.class
    })
    public static class Application {
        public static void main(String[] args) {
            SpringApplication application = new SpringApplication(Application.class);
            application.setWebApplicationType(WebApplicationType.NONE);
            application.run(args);
        }
    }

    /** Runs the application with that class path, and nothing of this test's. */
    static final class Launcher {
        private Launcher() {}

        public static void main(String[] args) throws Exception {
            URL[] path = Arrays.stream(args[0].split(File.pathSeparator))
                    .map(Launcher::url)
                    .toArray(URL[]::new);
            ClassLoader own = new URLClassLoader(path, ClassLoader.getPlatformClassLoader());
            Thread.currentThread().setContextClassLoader(own);
            try {
                own.loadClass(Application.class.getName())
                        .getMethod("main", String[].class)
                        .invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
            } catch (ReflectiveOperationException e) {
                System.exit(1);
            }
        }

        private static URL url(String entry) {
            try {
                return Path.of(entry).toUri().toURL();
            } catch (MalformedURLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
