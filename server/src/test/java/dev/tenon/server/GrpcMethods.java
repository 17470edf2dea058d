package dev.tenon.server;

import com.google.protobuf.Message;
import dev.tenon.protocol.LocksGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.ServiceDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** Every method that the server has, found by the generated classes: whoever adds one has it tried. */
record GrpcMethods(String name, Message prototype) {
    private static final String SUFFIX = "Grpc.class";

    /** Those of all services but the one that is served by others. */
    static List<GrpcMethods> all() {
        List<GrpcMethods> all = new ArrayList<>();
        for (String service : services()) {
            try {
                Object descriptor = Class.forName(LocksGrpc.class.getPackageName() + "." + service)
                        .getMethod("getServiceDescriptor")
                        .invoke(null);
                ((ServiceDescriptor) descriptor).getMethods().forEach(method -> all.add(of(method)));
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(e);
            }
        }
        return all;
    }

    private static GrpcMethods of(MethodDescriptor<?, ?> method) {
        PrototypeMarshaller<?> requests = (PrototypeMarshaller<?>) method.getRequestMarshaller();
        return new GrpcMethods(
                method.getFullMethodName(), (Message) Objects.requireNonNull(requests.getMessagePrototype()));
    }

    private static List<String> services() {
        String file = LocksGrpc.class.getSimpleName() + ".class";
        URI found = URI.create(
                Objects.requireNonNull(LocksGrpc.class.getResource(file)).toString());
        try {
            if (!found.getScheme().equals("jar")) {
                return services(Path.of(found).getParent());
            }
            try (FileSystem jar = FileSystems.newFileSystem(found, Map.of())) {
                return services(Objects.requireNonNull(
                        jar.getPath("/" + LocksGrpc.class.getName().replace('.', '/'))
                                .getParent()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> services(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(path -> path.getFileName().toString())
                    .filter(name -> name.endsWith(SUFFIX) && !name.startsWith("Participant"))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .sorted()
                    .toList();
        }
    }
}
