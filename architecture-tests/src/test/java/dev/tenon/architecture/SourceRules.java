package dev.tenon.architecture;

import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.PrimitiveTypeTree;
import com.sun.source.tree.SynchronizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import dev.tenon.architecture.Repository.Source;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * The rules that only the source shows: sizes of methods, names of parameters, {@code synchronized} blocks. Each
 * violation is one line, with the file and line to go to and what to do instead.
 */
final class SourceRules {
    static final int METHOD_LINES_MAX = 60;
    static final int PARAMETERS_MAX = 5;

    static final int REASON_LENGTH_MIN = 20;

    private static final Set<String> TIME_WORDS = Set.of(
            "millis",
            "milliseconds",
            "ms",
            "micros",
            "nanos",
            "nanoseconds",
            "second",
            "seconds",
            "secs",
            "minutes",
            "hours",
            "days",
            "timeout",
            "ttl",
            "duration",
            "delay",
            "interval",
            "period",
            "deadline",
            "lease",
            "epoch",
            "wait",
            "expiry");
    private static final Pattern CAMEL_HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");
    private static final Pattern SAYS_NOTHING =
            Pattern.compile(".*(Impl|Manager|Helper|Util|Common|Misc)(s|[A-Z0-9].*)?|(Common|Misc)[A-Z].*");
    private static final Pattern GETTER = Pattern.compile("get[A-Z].*");
    private static final Pattern MUTABLE =
            Pattern.compile("\\w*(Map|Set|List|Queue|Deque|Vector|Stack|Hashtable|Properties|Adder|Random)");
    private static final Pattern MUTABLE_VIEW = Pattern.compile(
            "(?s)(.*\\.)?(newKeySet|newSetFromMap|newConcurrentMap|synchronized(Map|Set|List|Collection|Sorted\\w+|Navigable\\w+))");
    private static final Pattern SET_DAEMON = Pattern.compile("(?s)(.*\\.)?setDaemon");
    private static final Pattern UNFINISHED = Pattern.compile("\\b(TODO|FIXME|XXX)\\b");

    private final List<String> violations = new ArrayList<>();
    private final Set<String> superclasses = new HashSet<>();

    private SourceRules() {}

    /** What is wrong with these main sources; they are judged together, as one repository. */
    static List<String> violations(List<Source> sources) {
        SourceRules rules = new SourceRules();
        Parsed parsed = Parsed.of(sources);
        for (Parsed.Unit unit : parsed.units()) {
            rules.collectSuperclasses(unit.tree());
        }
        for (Parsed.Unit unit : parsed.units()) {
            rules.check(unit, parsed);
        }
        return rules.violations;
    }

    private void collectSuperclasses(CompilationUnitTree unit) {
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitClass(ClassTree type, Void unused) {
                if (type.getExtendsClause() != null) {
                    superclasses.add(type.getExtendsClause().toString());
                }
                return super.visitClass(type, unused);
            }
        }.scan(unit, null);
    }

    /**
     * {@code @OverLimit("why this must be longer")}, an annotation that a module declares for itself when it needs one.
     */
    private static boolean isExcused(ModifiersTree modifiers) {
        return modifiers.getAnnotations().stream()
                .filter(annotation -> simple(annotation.getAnnotationType()).equals("OverLimit"))
                .anyMatch(annotation -> annotation.getArguments().toString().length() > REASON_LENGTH_MIN);
    }

    private void check(Parsed.Unit unit, Parsed parsed) {
        Source source = unit.source();
        if (UNFINISHED.matcher(source.text()).find()) {
            violations.add(source.file() + ": unfinished business in a comment; do it or write an issue");
        }
        new Visitor(unit, parsed).scan(unit.tree(), null);
    }

    /** Sources as syntax trees. */
    record Parsed(List<Unit> units, DocTrees docs) {
        record Unit(Source source, CompilationUnitTree tree) {}

        static Parsed of(List<Source> sources) {
            // The compiler refuses to parse nothing, which a module without tests has.
            List<JavaFileObject> files = Stream.concat(Stream.of(new Source("", "Nothing.java", "")), sources.stream())
                    .map(source -> Compiled.file(source.file(), source.text()))
                    .toList();
            JavacTask task = (JavacTask)
                    ToolProvider.getSystemJavaCompiler().getTask(null, null, null, List.of("-proc:none"), null, files);
            try {
                List<Unit> units = new ArrayList<>();
                int i = -1;
                for (CompilationUnitTree tree : task.parse()) {
                    if (i >= 0) {
                        units.add(new Unit(sources.get(i), tree));
                    }
                    i++;
                }
                return new Parsed(units, DocTrees.instance(task));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final class Visitor extends TreePathScanner<Void, Void> {
        private final Parsed.Unit unit;
        private final DocTrees docs;
        private final SourcePositions positions;
        private final String module;
        private final boolean library;
        /** The types round the one being read, innermost first, and whether users can see it. */
        private final Deque<ClassTree> types = new ArrayDeque<>();

        private final Deque<Boolean> exported = new ArrayDeque<>();

        Visitor(Parsed.Unit unit, Parsed parsed) {
            this.unit = unit;
            this.docs = parsed.docs();
            this.positions = docs.getSourcePositions();
            this.module = unit.source().module();
            this.library = !module.equals("server")
                    && !module.equals("cli")
                    && !module.equals("examples")
                    && !module.equals("benchmarks");
        }

        @Override
        public Void visitClass(ClassTree type, Void unused) {
            boolean visible = isVisible(type.getModifiers());
            if (!type.getSimpleName().isEmpty()) {
                checkName(type, visible);
                checkOpen(type, visible);
                if (visible && library && docs.getDocComment(getCurrentPath()) == null) {
                    report(type, type.getSimpleName() + " is public and has no Javadoc");
                }
            }
            types.push(type);
            exported.push(visible && !type.getSimpleName().isEmpty());
            super.visitClass(type, unused);
            types.pop();
            exported.pop();
            return null;
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            checkSize(method);
            if (method.getModifiers().getFlags().contains(Modifier.SYNCHRONIZED)) {
                reportSynchronized(method);
            }
            boolean overrides = has(method.getModifiers(), "Override");
            if (exported.peek() && isVisible(method.getModifiers()) && !overrides) {
                method.getParameters().forEach(this::checkTime);
                if (library && !isConstructor(method) && docs.getDocComment(getCurrentPath()) == null) {
                    report(method, method.getName() + " is public and has no Javadoc");
                }
                if (GETTER.matcher(method.getName()).matches()) {
                    report(method, "accessor " + method.getName() + ": name it without get");
                }
            }
            return super.visitMethod(method, unused);
        }

        @Override
        public Void visitVariable(VariableTree variable, Void unused) {
            if (getCurrentPath().getParentPath().getLeaf() == types.peek()) {
                boolean fixed = variable.getModifiers().getFlags().contains(Modifier.STATIC)
                        || types.peek().getKind() == Tree.Kind.INTERFACE;
                if (fixed && isMutable(variable.getInitializer())) {
                    report(
                            variable,
                            "mutable static " + variable.getName() + ": make it a field, or Map.of and the like");
                }
                // The only fields of a record that are not static are its components.
                if (!fixed && types.peek().getKind() == Tree.Kind.RECORD && exported.peek()) {
                    checkTime(variable);
                }
            }
            return super.visitVariable(variable, unused);
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree call, Void unused) {
            boolean factory = unit.source().file().equals("core/src/main/java/dev/tenon/DaemonThreads.java");
            if (!factory
                    && SET_DAEMON.matcher(call.getMethodSelect().toString()).matches()) {
                report(call, "setDaemon: let DaemonThreads make the thread");
            }
            return super.visitMethodInvocation(call, unused);
        }

        @Override
        public Void visitBlock(BlockTree block, Void unused) {
            if (getCurrentPath().getParentPath().getLeaf() instanceof ClassTree) {
                checkLines(block, "an initializer");
            }
            return super.visitBlock(block, unused);
        }

        @Override
        public Void visitSynchronized(SynchronizedTree block, Void unused) {
            reportSynchronized(block);
            return super.visitSynchronized(block, unused);
        }

        @Override
        public Void visitMemberSelect(MemberSelectTree select, Void unused) {
            String text = select.toString();
            if (library && !module.equals("testkit") && (text.equals("System.out") || text.equals("System.err"))) {
                report(select, text + " in a library: throw, or tell a listener");
            }
            return super.visitMemberSelect(select, unused);
        }

        private static boolean isMutable(@Nullable ExpressionTree value) {
            if (value instanceof NewClassTree created) {
                return MUTABLE.matcher(simple(created.getIdentifier())).matches();
            }
            return value instanceof MethodInvocationTree call
                    && MUTABLE_VIEW.matcher(call.getMethodSelect().toString()).matches();
        }

        private void checkLines(Tree tree, String name) {
            long from = positions.getStartPosition(unit.tree(), tree);
            long to = positions.getEndPosition(unit.tree(), tree);
            // Generated ones, such as default constructors, have no place.
            if (from >= 0 && to >= 0) {
                long lines = line(to) - line(from) + 1;
                if (lines > METHOD_LINES_MAX) {
                    report(tree, name + " has " + lines + " lines, " + METHOD_LINES_MAX + " are allowed");
                }
            }
        }

        private void checkSize(MethodTree method) {
            if (isExcused(method.getModifiers())) {
                return;
            }
            checkLines(method, method.getName().toString());
            // How much those of records may take is said in SizeRules.
            boolean header = isConstructor(method) && types.peek().getKind() == Tree.Kind.RECORD;
            int parameters = method.getParameters().size();
            if (parameters > PARAMETERS_MAX && !header && !has(method.getModifiers(), "Override")) {
                report(method, method.getName() + " has " + parameters + " parameters; make them a record");
            }
        }

        private void checkName(ClassTree type, boolean visible) {
            String name = type.getSimpleName().toString();
            String pack = String.valueOf(unit.tree().getPackageName());
            if (SAYS_NOTHING.matcher(name).matches()) {
                report(type, name + " says nothing; name it after what it does");
            }
            boolean spi = pack.endsWith(".spi") || pack.endsWith(".engine");
            boolean clock = pack.equals("dev.tenon") && name.equals("TimeSource");
            if (visible
                    && type.getKind() == Tree.Kind.INTERFACE
                    && name.matches(".*(Store|Source)")
                    && !spi
                    && !clock) {
                report(type, name + ": interfaces called …Store or …Source are only in spi and engine packages");
            }
            if (name.endsWith("Contract") && !module.equals("testkit")) {
                report(type, name + ": contracts are only in testkit");
            }
        }

        private void checkOpen(ClassTree type, boolean visible) {
            if (!visible || type.getKind() != Tree.Kind.CLASS || module.equals("benchmarks")) {
                return;
            }
            Set<Modifier> flags = type.getModifiers().getFlags();
            String name = type.getSimpleName().toString();
            boolean contract = name.endsWith("Contract") && flags.contains(Modifier.ABSTRACT);
            boolean root = name.endsWith("Exception") && superclasses.contains(name);
            if (!flags.contains(Modifier.FINAL) && !flags.contains(Modifier.SEALED) && !contract && !root) {
                report(type, name + " is public and open: make it final, sealed, a record or an interface");
            }
        }

        private void checkTime(VariableTree parameter) {
            String type = parameter.getType().toString();
            boolean number = parameter.getType() instanceof PrimitiveTypeTree || type.matches("Long|Integer|Double");
            if (!number || type.equals("boolean")) {
                return;
            }
            for (String word : CAMEL_HUMP.split(parameter.getName())) {
                if (TIME_WORDS.contains(word.toLowerCase(Locale.ROOT))) {
                    report(parameter, type + " " + parameter.getName() + ": take a Duration or an Instant");
                    return;
                }
            }
        }

        private void reportSynchronized(Tree tree) {
            report(tree, "synchronized pins virtual threads on older JDKs; use a ReentrantLock");
        }

        private boolean isVisible(ModifiersTree modifiers) {
            boolean inside = exported.isEmpty() || exported.peek();
            Set<Modifier> flags = modifiers.getFlags();
            boolean inInterface = !types.isEmpty()
                    && (types.peek().getKind() == Tree.Kind.INTERFACE
                            || types.peek().getKind() == Tree.Kind.ANNOTATION_TYPE);
            boolean open = flags.contains(Modifier.PUBLIC)
                    || flags.contains(Modifier.PROTECTED)
                    || (inInterface && !flags.contains(Modifier.PRIVATE));
            return inside && open;
        }

        private boolean isConstructor(MethodTree method) {
            return method.getReturnType() == null;
        }

        private boolean has(ModifiersTree modifiers, String annotation) {
            return modifiers.getAnnotations().stream()
                    .anyMatch(found -> simple(found.getAnnotationType()).equals(annotation));
        }

        private void report(Tree tree, String what) {
            long at = positions.getStartPosition(unit.tree(), tree);
            violations.add(unit.source().file() + ":" + line(at) + ": " + what);
        }

        private long line(long position) {
            return unit.tree().getLineMap().getLineNumber(position);
        }
    }

    private static String simple(Tree name) {
        if (name instanceof MemberSelectTree select) {
            return select.getIdentifier().toString();
        }
        if (name instanceof ParameterizedTypeTree generic) {
            return simple(generic.getType());
        }
        return name instanceof IdentifierTree || name instanceof ExpressionTree ? name.toString() : "";
    }
}
