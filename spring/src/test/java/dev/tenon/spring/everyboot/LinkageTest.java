package dev.tenon.spring.everyboot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Executable;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.asm.ClassReader;
import org.springframework.asm.ClassVisitor;
import org.springframework.asm.Handle;
import org.springframework.asm.MethodVisitor;
import org.springframework.asm.Opcodes;
import org.springframework.asm.SpringAsmInfo;
import org.springframework.asm.Type;

/**
 * Every class, method and field of a library that a backend or a broker's module names is there, in the versions that
 * Spring Boot gives: those too that are used once in a blue moon. For gRPC's transport the same, whose Netty is another
 * one than it was built with.
 */
class LinkageTest {
    /** A class of each module, where it is on the class path. */
    private static final List<String> MODULES = List.of(
            "dev.tenon.redis.RedisBackend",
            "dev.tenon.zookeeper.ZooKeeperBackend",
            "dev.tenon.etcd.EtcdBackend",
            "dev.tenon.client.TenonClient",
            "dev.tenon.grpc.GrpcParticipants",
            "dev.tenon.protocol.Reason",
            "dev.tenon.jdbc.JdbcBackend",
            "dev.tenon.kafka.KafkaSink",
            "dev.tenon.rabbitmq.RabbitMqSink",
            "io.grpc.netty.NettyChannelBuilder");

    private static final Set<String> BRIDGES = Set.of("dev/tenon/redis/MaintenanceNotices$Newer");

    private final ClassLoader loader = LinkageTest.class.getClassLoader();
    private final Set<String> missing = new TreeSet<>();
    private int references;

    @Test
    void whatTheBackendsNameIsThere() throws Exception {
        int modules = 0;
        for (String module : MODULES) {
            if (loader.getResource(module.replace('.', '/') + ".class") != null) {
                read(Class.forName(module, false, loader)
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI());
                modules++;
            }
        }
        assertThat(missing).isEmpty();
        assertThat(modules).isGreaterThanOrEqualTo(MODULES.size() - 2); // brokers are on one class path only
        assertThat(references).isGreaterThan(5_000);
    }

    @Test
    void whatIsNotThereIsFound() {
        reference("io/netty/channel/ChannelOfNoVersion", "", "");
        reference("io/netty/channel/Channel", "fly", "()V");
        reference("io/netty/channel/Channel", "close", "()Lio/netty/channel/ChannelFuture;"); // inherited
        assertThat(missing).containsExactly("io/netty/channel/Channel.fly()V", "io/netty/channel/ChannelOfNoVersion.");
    }

    private void read(URI location) throws IOException {
        Path place = Path.of(location);
        if (Files.isDirectory(place)) {
            readAll(place);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(place)) {
                readAll(jar.getPath("/"));
            }
        }
    }

    private void readAll(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : (Iterable<Path>) files.filter(LinkageTest::isClass)::iterator) {
                try (InputStream bytes = Files.newInputStream(file)) {
                    ClassReader reader = new ClassReader(bytes);
                    if (!BRIDGES.contains(reader.getClassName())) {
                        reader.accept(new References(), ClassReader.SKIP_DEBUG);
                    }
                }
            }
        }
    }

    private static boolean isClass(Path file) {
        String name = file.toString();
        return name.endsWith(".class") && !name.contains("META-INF") && !name.endsWith("-info.class");
    }

    /** @param name of a method or field; empty for the type alone */
    private void reference(String owner, String name, String descriptor) {
        if (owner.startsWith("[") || owner.startsWith("java/") || owner.startsWith("dev/tenon/")) {
            return;
        }
        references++;
        try {
            Class<?> type = Class.forName(owner.replace('/', '.'), false, loader);
            if (name.isEmpty() || has(type, name, descriptor)) {
                return;
            }
        } catch (ClassNotFoundException e) {
            // told below
        } catch (NoClassDefFoundError e) {
            return; // what its own signatures name is optional
        }
        missing.add(owner + "." + name + descriptor);
    }

    private static boolean has(Class<?> type, String name, String descriptor) {
        boolean here = descriptor.startsWith("(")
                ? methods(type, name).anyMatch(method -> descriptor(method).equals(descriptor) || isPolymorphic(type))
                : Arrays.stream(type.getDeclaredFields())
                        .anyMatch(field -> field.getName().equals(name));
        Class<?> parent = type.isInterface() ? Object.class : type.getSuperclass();
        return here
                || parent != null && has(parent, name, descriptor)
                || Arrays.stream(type.getInterfaces()).anyMatch(above -> has(above, name, descriptor));
    }

    private static Stream<? extends Executable> methods(Class<?> type, String name) {
        return name.equals("<init>")
                ? Arrays.stream(type.getDeclaredConstructors())
                : Arrays.stream(type.getDeclaredMethods())
                        .filter(method -> method.getName().equals(name));
    }

    private static boolean isPolymorphic(Class<?> type) {
        return type.getName().startsWith("java.lang.invoke.");
    }

    private static String descriptor(Executable method) {
        return method instanceof java.lang.reflect.Method known
                ? Type.getMethodDescriptor(known)
                : Type.getConstructorDescriptor((java.lang.reflect.Constructor<?>) method);
    }

    private final class References extends ClassVisitor {
        References() {
            super(SpringAsmInfo.ASM_VERSION);
        }

        @Override
        public void visit(int version, int access, String name, String signature, String above, String[] interfaces) {
            reference(above, "", "");
            for (String one : interfaces) {
                reference(one, "", "");
            }
        }

        @Override
        public MethodVisitor visitMethod(
                int access, String name, String descriptor, String signature, String[] thrown) {
            return new MethodVisitor(SpringAsmInfo.ASM_VERSION) {
                @Override
                public void visitMethodInsn(
                        int opcode, String owner, String called, String arguments, boolean isInterface) {
                    reference(owner, called, arguments);
                }

                @Override
                public void visitFieldInsn(int opcode, String owner, String field, String type) {
                    reference(owner, field, type);
                }

                @Override
                public void visitTypeInsn(int opcode, String type) {
                    reference(type, "", "");
                }

                @Override
                public void visitInvokeDynamicInsn(String called, String type, Handle factory, Object... arguments) {
                    for (Object argument : arguments) {
                        if (argument instanceof Handle handle && handle.getTag() >= Opcodes.H_INVOKEVIRTUAL) {
                            reference(handle.getOwner(), handle.getName(), handle.getDesc());
                        }
                    }
                }
            };
        }
    }
}
