package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class ConfigFileTest {
    private final Map<String, String> environment = new HashMap<>();

    @TempDir
    private Path folder;

    private Path file;

    /** Options such as a server has. */
    @Command(name = "sample", mixinStandardHelpOptions = true)
    private static final class Sample {
        @Option(names = "--port", defaultValue = "7700")
        private int port;

        @Option(names = "--insecure-bind")
        private boolean insecureBind;

        @Option(names = "--idle-timeout", converter = DurationConverter.class)
        private Duration idle = Duration.ofSeconds(75);

        @Option(names = "--allow-host", split = ",")
        private List<String> hosts = new ArrayList<>();

        @Option(names = "--config")
        private String config = "";
    }

    @BeforeEach
    void theFile() {
        file = folder.resolve("tenon.yaml");
    }

    private Sample parsed(String... arguments) {
        Sample sample = new Sample();
        CommandLine line = new CommandLine(sample);
        List<String> all = new ArrayList<>(List.of(arguments));
        line.setDefaultValueProvider(
                ConfigFile.of(all.toArray(new String[0]), line.getCommandSpec(), environment::get));
        line.parseArgs(arguments);
        return sample;
    }

    private String config() {
        return "--config=" + file;
    }

    @Test
    void anArgumentGoesBeforeTheEnvironmentAndThatBeforeTheFile() throws IOException {
        assertThat(parsed().port).isEqualTo(7700);
        Files.writeString(file, "port: 1\n");
        assertThat(parsed(config()).port).isEqualTo(1);
        assertThat(parsed("--config", file.toString()).port).isEqualTo(1);
        environment.put("TENON_PORT", "2");
        assertThat(parsed(config()).port).isEqualTo(2);
        assertThat(parsed(config(), "--port", "3").port).isEqualTo(3);
        environment.put("TENON_PORT", "");
        environment.put("TENON_CONFIG", file.toString());
        assertThat(parsed().port).isEqualTo(1);
    }

    @Test
    void everyKindOfOptionMayBeInTheFile() throws IOException {
        Files.writeString(file, """
                # the server of the shop
                insecure-bind: true
                idle-timeout: 90s
                allow-host: [ids.example.com, ids.example.org]
                """);
        Sample sample = parsed(config());
        assertThat(sample.insecureBind).isTrue();
        assertThat(sample.idle).isEqualTo(Duration.ofSeconds(90));
        assertThat(sample.hosts).containsExactly("ids.example.com", "ids.example.org");
        Files.writeString(file, "# nothing\n");
        assertThat(parsed(config()).idle).isEqualTo(Duration.ofSeconds(75));
    }

    @Test
    void whatKubernetesSetsForAServiceIsNotTakenForAnOption() {
        environment.put("TENON_PORT", "tcp://10.0.0.1:7700");
        assertThat(parsed().port).isEqualTo(7700);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'prot: 1' | did you mean \"port\"",
                "'idletimeout: 1s' | did you mean \"idle-timeout\"",
                "'--port: 1' | did you mean \"port\"",
                "'config: x' | there is no such option",
                "'completely-different: 1' | tenon server --help",
                "'port:' | one value",
                "'port: {a: 1}' | one value",
                "'[1, 2]' | \"port: 7700\"",
                "'port: 1\nport: 2' | no YAML",
                "'port: [' | no YAML",
                "'a: &x [*x]' | tenon"
            })
    void aFileThatMeansNothingIsRefusedInOneLine(String text, String words) throws IOException {
        Files.writeString(file, text);
        assertThatThrownBy(() -> parsed(config()))
                .isInstanceOf(StartException.class)
                .hasMessageContaining(words)
                .hasMessageContaining(file.toString())
                .hasMessageNotContaining("\n");
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        assertThatThrownBy(() -> parsed(config())).hasMessageContaining("tenon.yaml can't be read");
    }
}
