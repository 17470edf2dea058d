package dev.tenon.architecture;

import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePathScanner;
import dev.tenon.architecture.Repository.Source;
import dev.tenon.architecture.SourceRules.Parsed;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The rules of main and test sources alike: nothing sleeps (but testkit, which waits for real servers), no test is switched off. */
final class TestRules {
    private static final Pattern SLEEP =
            Pattern.compile("(java\\.lang\\.)?Thread\\.sleep|(\\w+\\.)*TimeUnit\\.\\w+\\.sleep");
    private static final Pattern SWITCHED_OFF = Pattern.compile(
            "org\\.junit\\.jupiter\\.api\\.(Disabled|Assumptions)\\b.*|org\\.assertj.*\\.Assumptions\\b.*");

    private TestRules() {}

    static List<String> violations(List<Source> sources) {
        List<String> violations = new ArrayList<>();
        Parsed parsed = Parsed.of(sources);
        for (Parsed.Unit unit : parsed.units()) {
            new TreePathScanner<Void, Void>() {
                @Override
                public Void visitMemberSelect(MemberSelectTree select, Void unused) {
                    if (!unit.source().module().equals("testkit")
                            && SLEEP.matcher(select.toString()).matches()) {
                        report(select, "sleeps; wait for the condition, or drive a ManualClock");
                    }
                    return super.visitMemberSelect(select, unused);
                }

                @Override
                public Void visitImport(ImportTree imported, Void unused) {
                    if (SWITCHED_OFF
                            .matcher(imported.getQualifiedIdentifier().toString())
                            .matches()) {
                        report(imported, "a test that does not run proves nothing; fail and say what to install");
                    }
                    return super.visitImport(imported, unused);
                }

                private void report(Tree tree, String what) {
                    long at = parsed.docs().getSourcePositions().getStartPosition(unit.tree(), tree);
                    long line = unit.tree().getLineMap().getLineNumber(at);
                    violations.add(unit.source().file() + ":" + line + ": " + what);
                }
            }.scan(unit.tree(), null);
        }
        return violations;
    }
}
