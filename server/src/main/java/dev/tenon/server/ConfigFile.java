package dev.tenon.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Options that are not among the arguments: from the environment ({@code TENON_} and the option's name in capitals),
 * else from a YAML file whose keys are the long names of options ({@code --config}).
 */
final class ConfigFile implements IDefaultValueProvider {
    private static final String OPTION = "--config";
    private static final String PREFIX = "TENON_";

    /** These are read where they are needed; as options they would be refused without a store. */
    private static final List<String> NOT_FROM_ENVIRONMENT = List.of("store-user", "store-password");

    /** What Kubernetes sets for a service that is called "tenon". */
    private static final String LINK = "tcp://";

    private final Map<String, String> values;
    private final UnaryOperator<@Nullable String> environment;

    private ConfigFile(Map<String, String> values, UnaryOperator<@Nullable String> environment) {
        this.values = values;
        this.environment = environment;
    }

    /**
     * What a command is told beside its arguments.
     *
     * @param spec of the command
     * @param environment a variable's value; null: it is not set
     * @throws StartException if the file can't be read, or has a key that is no option
     */
    static ConfigFile of(String[] arguments, CommandSpec spec, UnaryOperator<@Nullable String> environment) {
        @Nullable String file = named(arguments);
        if (file == null) {
            file = environment.apply(PREFIX + "CONFIG");
        }
        return new ConfigFile(
                file == null || file.isEmpty() ? Map.of() : read(Path.of(file), names(spec)), environment);
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option)) {
            return null;
        }
        String name = name(option);
        String variable = PREFIX + name.toUpperCase(Locale.ROOT).replace('-', '_');
        @Nullable String set = NOT_FROM_ENVIRONMENT.contains(name) ? null : environment.apply(variable);
        return set == null || set.isEmpty() || set.startsWith(LINK) ? values.get(name) : set;
    }

    private static @Nullable String named(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].startsWith(OPTION + "=")) {
                return arguments[i].substring(OPTION.length() + 1);
            }
            if (arguments[i].equals(OPTION) && i + 1 < arguments.length) {
                return arguments[i + 1];
            }
        }
        return null;
    }

    private static List<String> names(CommandSpec spec) {
        return spec.options().stream()
                .filter(option -> !option.usageHelp() && !option.versionHelp())
                .map(ConfigFile::name)
                .filter(name -> !OPTION.endsWith(name))
                .toList();
    }

    private static String name(OptionSpec option) {
        return option.longestName().replaceFirst("^-+", "");
    }

    private static Map<String, String> read(Path file, List<String> names) {
        Object root;
        try {
            root = new Load(LoadSettings.builder().setLabel(file.toString()).build())
                    .loadFromString(Files.readString(file));
        } catch (IOException e) {
            throw refused(file, "can't be read (" + e.getClass().getSimpleName() + ")");
        } catch (YamlEngineException e) {
            throw refused(
                    file, "is not valid YAML: " + String.valueOf(e.getMessage()).replaceAll("\\s+", " "));
        }
        PrivateFile.requireUnwritten(OPTION, file);
        if (root == null) {
            return Map.of(); // nothing but comments
        }
        if (!(root instanceof Map<?, ?> entries)) {
            throw refused(file, "must have a line \"option: value\" for each option, such as \"port: 7700\"");
        }
        Map<String, String> values = new LinkedHashMap<>();
        entries.forEach((key, value) -> {
            String name = String.valueOf(key);
            if (!names.contains(name)) {
                throw refused(
                        file,
                        "has \"" + name + "\", which is not an option"
                                + nearest(name, names)
                                        .map(n -> "; did you mean \"" + n + "\"?")
                                        .orElse(". See tenon server --help"));
            }
            values.put(name, text(file, name, value));
        });
        if (values.containsKey("store-password")) {
            PrivateFile.requireUnshared(OPTION, file);
        }
        return values;
    }

    private static String text(Path file, String name, @Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        if (value == null || value instanceof Map<?, ?>) {
            throw refused(file, "must have one value, or a list, for \"" + name + "\"");
        }
        return String.valueOf(value);
    }

    private static StartException refused(Path file, String why) {
        return new StartException(ServerExitCode.USAGE, "The file " + file + " " + why + ".", null);
    }

    private static Optional<String> nearest(String name, List<String> names) {
        return names.stream()
                .min(Comparator.comparingInt(other -> distance(name, other)))
                .filter(other -> distance(name, other) <= Math.max(2, other.length() / 3));
    }

    /** How many letters must be changed, added or left out to make one of the other (Levenshtein). */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int change = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(change, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
