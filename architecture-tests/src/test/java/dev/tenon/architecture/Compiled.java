package dev.tenon.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/** Compiles the counterexamples of the rules, so that they can have the packages of real modules. */
final class Compiled {
    private static final Pattern PACKAGE = Pattern.compile("package ([\\w.]+);");
    private static final Pattern TYPE = Pattern.compile("(?:class|interface|record|enum) (\\w+)");

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    /** One for all, so that the class path is opened once. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    private Compiled() {}

    /** Compiles each text, one top-level type, into {@code folder}. */
    static Path into(Path folder, String... sources) {
        List<JavaFileObject> files = Arrays.stream(sources).map(Compiled::file).toList();
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> options = List.of(
                "-d",
                folder.toString(),
                "-parameters",
                "-proc:none",
                "-XDsuppressNotes",
                "-classpath",
                System.getProperty("java.class.path"));
        boolean compiled =
                COMPILER.getTask(null, FILES, null, options, null, files).call();
        if (!compiled) {
            throw new IllegalArgumentException("The counterexample does not compile");
        }
        return folder;
    }

    static JavaFileObject file(String source) {
        String name = match(PACKAGE, source).replace('.', '/') + "/" + match(TYPE, source) + ".java";
        return file(name, source);
    }

    static JavaFileObject file(String name, String source) {
        return new SimpleJavaFileObject(URI.create("memory:///" + name), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return source;
            }
        };
    }

    private static String match(Pattern pattern, String source) {
        Matcher matcher = pattern.matcher(source);
        if (!matcher.find()) {
            throw new IllegalArgumentException("No " + pattern + " in " + source);
        }
        return matcher.group(1);
    }
}
