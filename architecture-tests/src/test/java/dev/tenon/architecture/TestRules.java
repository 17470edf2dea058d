package dev.tenon.architecture;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.MemberReferenceTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.TreePathScanner;
import dev.tenon.architecture.Repository.Source;
import dev.tenon.architecture.SourceRules.Parsed;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The rules of main and test sources alike: nothing sleeps (but testkit, which waits for real servers), no test is
 * switched off. Whatever is called {@code sleep} counts: a thread's, a unit of time's, a static import of either.
 */
final class TestRules {
    /** JUnit's of both generations: without a condition, and with any of those that it has. */
    private static final Pattern SWITCHES =
            Pattern.compile("Ignore|(Disabled|Enabled)((If|On|For|In)[A-Z]\\w*|If|On[A-Z]\\w*)?");

    private static final Pattern ASSUMES = Pattern.compile("assum(e[A-Z]\\w*|e|ing[A-Z]\\w*)");
    private static final Pattern SWITCHED_OFF = Pattern.compile(
            "org\\.junit\\.(jupiter\\.api\\.(Disabled|Assumptions|condition)"
                    + "|Ignore|Assume)\\b.*|org\\.assertj.*\\.Assumptions\\b.*|(.*\\.)?(TestAbortedException|AssumptionViolatedException)");

    private TestRules() {}

    static List<String> violations(List<Source> sources) {
        List<String> violations = new ArrayList<>();
        Parsed parsed = Parsed.of(sources);
        for (Parsed.Unit unit : parsed.units()) {
            new Visitor(unit, parsed, violations).scan(unit.tree(), null);
        }
        return violations;
    }

    private static final class Visitor extends TreePathScanner<Void, Void> {
        private final Parsed.Unit unit;
        private final Parsed parsed;
        private final List<String> violations;

        Visitor(Parsed.Unit unit, Parsed parsed, List<String> violations) {
            this.unit = unit;
            this.parsed = parsed;
            this.violations = violations;
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree call, Void unused) {
            String name = name(call.getMethodSelect());
            checkSleep(call, name);
            if (ASSUMES.matcher(name).matches()) {
                reportSwitch(call);
            }
            return super.visitMethodInvocation(call, unused);
        }

        @Override
        public Void visitMemberReference(MemberReferenceTree reference, Void unused) {
            checkSleep(reference, reference.getName().toString());
            return super.visitMemberReference(reference, unused);
        }

        @Override
        public Void visitAnnotation(AnnotationTree annotation, Void unused) {
            String type = annotation.getAnnotationType().toString();
            if (SWITCHES.matcher(type.substring(type.lastIndexOf('.') + 1)).matches()) {
                reportSwitch(annotation);
            }
            return super.visitAnnotation(annotation, unused);
        }

        @Override
        public Void visitNewClass(NewClassTree made, Void unused) {
            if (SWITCHED_OFF.matcher(made.getIdentifier().toString()).matches()) {
                reportSwitch(made);
            }
            return super.visitNewClass(made, unused);
        }

        @Override
        public Void visitImport(ImportTree imported, Void unused) {
            String name = imported.getQualifiedIdentifier().toString();
            if (SWITCHED_OFF.matcher(name).matches()) {
                reportSwitch(imported);
            }
            return super.visitImport(imported, unused);
        }

        private void checkSleep(Tree tree, String name) {
            if (name.equals("sleep") && !unit.source().module().equals("testkit")) {
                report(tree, "sleeps; wait for the condition, or drive a ManualClock");
            }
        }

        private void reportSwitch(Tree tree) {
            report(tree, "a test that does not run proves nothing; fail and say what to install");
        }

        private void report(Tree tree, String what) {
            long at = parsed.docs().getSourcePositions().getStartPosition(unit.tree(), tree);
            long line = unit.tree().getLineMap().getLineNumber(at);
            violations.add(unit.source().file() + ":" + line + ": " + what);
        }

        private static String name(ExpressionTree called) {
            if (called instanceof MemberSelectTree select) {
                return select.getIdentifier().toString();
            }
            return called instanceof IdentifierTree identifier
                    ? identifier.getName().toString()
                    : "";
        }
    }
}
