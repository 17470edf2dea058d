package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.architecture.Repository.Source;
import dev.tenon.architecture.SizeRules.Exemptions;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SizeRulesTest {
    private static final String REASON = "one table, read from top to bottom";
    private static final String LONG = "class A {\n" + "// line\n".repeat(400) + "}";
    private static final String WIDE = "package p; class A { static int s; " + fields(13) + " }";
    private static final String PARTS =
            "package p; final class A { A(Parts parts, int f) {} record Parts(int a, int b, int c, int d, int e) {} }";
    private static final String MAKER = "package p; class M { Object a = new A(new A.Parts(1, 2, 3, 4, 5), 6); }";

    @Test
    void mainSourcesKeepTheLimits() {
        List<Source> sources = Repository.modules().stream()
                .flatMap(module -> module.mainSources().stream())
                .toList();
        assertThat(sources).hasSizeGreaterThan(1000);
        assertThat(SizeRules.violations(sources, SizeExemptions.ALL)).isEmpty();
    }

    @Test
    void findsAFileThatIsTooLong() {
        assertThat(violations(LONG))
                .containsExactly("X0.java: 402 lines; split it, 400 are allowed, or say in"
                        + " SizeExemptions why it is one idea");
        assertThat(violations("class A {\n" + "// line\n".repeat(398) + "}")).isEmpty();
        assertThat(violations(new Exemptions(Map.of("X0.java", REASON), Map.of(), Map.of(), Map.of()), LONG))
                .isEmpty();
    }

    @Test
    void findsAClassWithTooManyFields() {
        assertThat(violations(WIDE)).containsExactly("X0.java: p.A has 13 fields, 12 are allowed");
        assertThat(violations("class A { static int s; " + fields(12) + " }")).isEmpty();
        assertThat(violations("package p; class B { enum A { X; " + fields(13) + " } }"))
                .hasSize(1);
        assertThat(violations("class A { @picocli.CommandLine.Option int o; @Option int p; " + fields(12) + " }"))
                .isEmpty();
        assertThat(violations(new Exemptions(Map.of(), Map.of("p.A", REASON), Map.of(), Map.of()), WIDE))
                .isEmpty();
    }

    @Test
    void findsARecordWithTooManyComponents() {
        String header = fields(13).replace(";", ",").replaceAll(", $", "");
        String wide = "package p; class A { record R(" + header + ") {} }";
        assertThat(violations(wide)).containsExactly("X0.java: record p.A.R has 13 components, 12 are allowed");
        assertThat(violations(new Exemptions(Map.of(), Map.of(), Map.of("p.A.R", REASON), Map.of()), wide))
                .isEmpty();
        assertThat(violations("record R(int a, int b, int c, int d, int e, int f) { static int s; }"))
                .isEmpty();
    }

    @Test
    void findsARecordThatOnlyCarriesParameters() {
        assertThat(violations(PARTS, MAKER))
                .containsExactly(
                        "X0.java: the constructor of p.A takes 6 things, as Parts only carries them; 5 are allowed");
        assertThat(violations(PARTS.replace(", int f", ""), MAKER.replace(", 6)", ")")))
                .isEmpty();
        assertThat(violations(new Exemptions(Map.of(), Map.of(), Map.of(), Map.of("p.A", REASON)), PARTS, MAKER))
                .isEmpty();
    }

    @Test
    void aRecordOfItsOwnFileOrAnotherPackageCarriesAsWell() {
        String parts = "package q; public record Parts(int a, int b, int c, int d, int e) {}";
        String taker = "package p; import q.Parts; final class A { A(Parts parts, int f) {} }";
        String maker = "package p; import q.Parts; class M { Object a = new A(new Parts(1, 2, 3, 4, 5), 6); }";
        assertThat(violations(parts, taker, maker)).hasSize(1);
    }

    @Test
    void findsAConstructorOfARecordThatTakesTooMuch() {
        String record = "package p; record R(int a, int b, int c, int d, int e, int f, int g) {"
                + " R(int a, int b, int c, int d, int e, int f) { this(a, b, c, d, e, f, 0); } }";
        assertThat(violations(record))
                .containsExactly("X0.java: a constructor of record p.R has 6 parameters, 5 are allowed beside those of"
                        + " all components");
        assertThat(violations(new Exemptions(Map.of(), Map.of(), Map.of(), Map.of("p.R", REASON)), record))
                .isEmpty();
        assertThat(violations("record R(int a, int b, int c, int d, int e, int f) { R { } }"))
                .isEmpty();
        assertThat(violations("record R(int a, int b, int c, int d, int e, int f) {"
                        + " R(int a, int b, int c, int d, int e, int f) {} R(int a) { this(a, a, a, a, a, a); } }"))
                .isEmpty();
    }

    @Test
    void aValueCarriesNothing() {
        // Made in two places, such as by a copy with one component changed.
        assertThat(violations(PARTS, MAKER, MAKER.replace("class M", "class N")))
                .isEmpty();
        // Somebody's argument.
        assertThat(violations(PARTS, MAKER, "package p; class N { void n(A.Parts parts) {} }"))
                .isEmpty();
        // Taken by several.
        assertThat(violations(PARTS, MAKER, "package p; class N { N(A.Parts parts) {} }"))
                .isEmpty();
        // Another of the same name, of which there are two.
        assertThat(violations(
                        PARTS,
                        MAKER,
                        "package p; class B { B(Parts parts, int f) {} record Parts(int a, int b) {}"
                                + " Object b = new B(new Parts(1, 2), 3); Object c = new Parts(1, 2); }"))
                .hasSize(1);
    }

    @Test
    void whatIsOnAListIsOverTheLimitAndHasAReason() {
        Map<String, String> some = Map.of("p.A", REASON);
        assertThat(violations(new Exemptions(some, some, some, some), "package p; class A {}"))
                .hasSize(4)
                .allMatch(found -> found.startsWith("p.A is on the list of ") && found.endsWith("within the limit"));
        assertThat(violations(new Exemptions(Map.of("X0.java", "long"), Map.of(), Map.of(), Map.of()), LONG))
                .containsExactly("X0.java is on the list of file without a reason");
    }

    private static List<String> violations(String... sources) {
        return violations(Exemptions.NONE, sources);
    }

    private static List<String> violations(Exemptions exempt, String... sources) {
        return SizeRules.violations(
                IntStream.range(0, sources.length)
                        .mapToObj(i -> new Source("backends/redis", "X" + i + ".java", sources[i]))
                        .toList(),
                exempt);
    }

    private static String fields(int count) {
        StringBuilder fields = new StringBuilder();
        IntStream.range(0, count).forEach(i -> fields.append("int f").append(i).append("; "));
        return fields.toString();
    }
}
