package dev.tenon.spring;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/**
 * Says which library does not fit when something of Tenon's can't be linked: which one, which version is there, which
 * is needed. What others can't link is left to others.
 */
final class ClassConflictAnalyzer extends AbstractFailureAnalyzer<LinkageError> implements Ordered {
    private static final String OURS = "dev.tenon.";
    private static final List<String> JDK = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.");

    /** What was looked for stands before the arguments of a method, behind the type of its result. */
    private static final Pattern METHOD = Pattern.compile("([\\w$./]+)\\.[\\w$<>]+\\(");

    private static final Pattern TYPE = Pattern.compile("[a-z]\\w*(?:[./][\\w$]+)+");

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE; // before that of Spring Boot, which knows of no versions
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable failure, LinkageError error) {
        if (!isOfOurs(failure, error)) {
            return null;
        }
        List<String> types = types(error);
        Optional<KnownLibrary> library = types.stream()
                .map(KnownLibrary::of)
                .flatMap(Optional::stream)
                // an error that names Tenon's class names the one that asks, too
                .min((one, other) -> Boolean.compare(isOurs(one), isOurs(other)));
        String problem =
                "The backend of Tenon can't be started: a library that it stands on is missing, or another version of it"
                        + " is on the class path than the one that is needed. " + asked(error)
                        + " can't be linked:\n\n    "
                        + reason(error);
        return library.map(known -> told(problem, known, error))
                .orElseGet(() -> new FailureAnalysis(
                        problem,
                        "Find out which jar should have it, and who asks for another version: mvn dependency:tree, or"
                                + " gradle dependencies.",
                        error));
    }

    private static FailureAnalysis told(String problem, KnownLibrary library, LinkageError error) {
        List<KnownLibrary.Found> found = library.find(loader());
        String there = found.stream()
                .map(jar -> jar.version().isEmpty() ? jar.jar() : jar.version() + " (" + jar.jar() + ")")
                .collect(Collectors.joining(", "));
        String description = problem + "\n\n    library:       " + library.group() + ":" + library.artifact()
                + "\n    on class path: " + (there.isEmpty() ? "none" : there) + "\n    needed:        "
                + library.needed();
        return new FailureAnalysis(description, advice(library, found), error);
    }

    private static String advice(KnownLibrary library, List<KnownLibrary.Found> found) {
        String who = "Who asks for it: mvn dependency:tree -Dincludes=" + library.group()
                + ", or gradle dependencyInsight --dependency " + library.artifact() + ".";
        if (found.isEmpty()) {
            return "Add " + library.group() + ":" + library.artifact() + ", or take back what excludes it. " + who;
        }
        if (found.size() > 1) {
            return "Keep one of them, of a version that is needed. " + who;
        }
        if (isOurs(library)) {
            return "Give all of Tenon's modules one version: import dev.tenon:tenon-bom, and name no versions beside it.";
        }
        return "Set the version of " + library.group()
                + " to one that is needed, or remove what sets it in your build: Spring Boot"
                + " gives one that fits, or Tenon's own modules do. " + who;
    }

    /** Whether Tenon's code stumbled over it, or was told of it by a thread of a library's. */
    private static boolean isOfOurs(Throwable failure, LinkageError error) {
        for (Throwable at = failure; at != null && at != error; at = at.getCause()) {
            if (at.getClass().getName().startsWith(OURS)) {
                return true;
            }
        }
        return Arrays.stream(error.getStackTrace())
                .anyMatch(frame -> frame.getClassName().startsWith(OURS));
    }

    /** The class that asked for what is not there. */
    private static String asked(LinkageError error) {
        return Arrays.stream(error.getStackTrace())
                .map(StackTraceElement::getClassName)
                .filter(type -> JDK.stream().noneMatch(type::startsWith))
                .findFirst()
                .orElse("A class");
    }

    /** Names of types in what the error and its causes say, the likeliest first. */
    private static List<String> types(Throwable error) {
        List<String> types = new ArrayList<>();
        for (Throwable at = error; at != null; at = at.getCause()) {
            String message = Objects.requireNonNullElse(at.getMessage(), "");
            Matcher method = METHOD.matcher(message);
            if (method.find()) {
                types.add(method.group(1).replace('/', '.'));
            }
            if (at != error) {
                types.add(at.getClass().getName()); // such as Protobuf's own
            }
            TYPE.matcher(message)
                    .results()
                    .map(found -> found.group().replace('/', '.'))
                    .forEach(types::add);
        }
        return types;
    }

    private static String reason(Throwable error) {
        Throwable last = error;
        while (last instanceof LinkageError && last.getMessage() == null && last.getCause() != null) {
            last = last.getCause(); // an initializer that failed, which says nothing itself
        }
        return last.toString();
    }

    private static boolean isOurs(KnownLibrary library) {
        return OURS.startsWith(library.classes() + ".");
    }

    private static ClassLoader loader() {
        ClassLoader own = ClassConflictAnalyzer.class.getClassLoader();
        return own == null ? ClassLoader.getSystemClassLoader() : own;
    }
}
