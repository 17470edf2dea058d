package dev.tenon.architecture;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.TreePathScanner;
import dev.tenon.architecture.Repository.Source;
import dev.tenon.architecture.SourceRules.Parsed;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import javax.lang.model.element.Modifier;

/**
 * How large a file, a class, a record and what a constructor takes may be. What is larger for a good reason is on a
 * list that gives it; what is on a list and within the limit is reported as well, so that the lists stay short.
 *
 * <p>A record that only carries parameters to the constructor of one class counts there as all of its components: it is
 * made in one place (so it has no copies with a component changed), and is the parameter of no method.
 */
final class SizeRules {
    static final int FILE_LINES_MAX = 400;
    static final int FIELDS_MAX = 12;

    /** Fields that a command line fills: they are its parameters, of which it has as many as its page says. */
    private static final Set<String> OPTION_ANNOTATIONS =
            Set.of("Option", "Parameters", "Mixin", "ArgGroup", "Spec", "ParentCommand");

    private final Exemptions exempt;
    private final Set<String> used = new HashSet<>();
    private final List<String> violations = new ArrayList<>();
    private final List<Type> types = new ArrayList<>();
    private final Map<String, List<Type>> bySimpleName = new HashMap<>();

    /**
     * What may be larger, with the reasons.
     *
     * @param files of more lines: one idea each
     * @param fields classes with more fields
     * @param components records with more components
     * @param constructors classes whose constructors take more, counting what records carry to them
     */
    record Exemptions(
            Map<String, String> files,
            Map<String, String> fields,
            Map<String, String> components,
            Map<String, String> constructors) {
        static final Exemptions NONE = new Exemptions(Map.of(), Map.of(), Map.of(), Map.of());
    }

    /** A class or record; how often it is made elsewhere, and where its name stands as a type. */
    private static final class Type {
        final String name;
        final String file;
        final ClassTree tree;
        int made;
        boolean takenByMethod;
        final Set<Type> takers = new TreeSet<>((a, b) -> a.name.compareTo(b.name));

        Type(String name, String file, ClassTree tree) {
            this.name = name;
            this.file = file;
            this.tree = tree;
        }

        /** Its fields or components that are not static. */
        List<VariableTree> fields() {
            return tree.getMembers().stream()
                    .filter(VariableTree.class::isInstance)
                    .map(VariableTree.class::cast)
                    .filter(field -> !field.getModifiers().getFlags().contains(Modifier.STATIC))
                    .toList();
        }

        boolean isRecord() {
            return tree.getKind() == Tree.Kind.RECORD;
        }

        boolean isBag() {
            return isRecord() && made == 1 && !takenByMethod && takers.size() == 1;
        }
    }

    private SizeRules(Exemptions exempt) {
        this.exempt = exempt;
    }

    /** What is too large in these main sources; they are judged together, as one repository. */
    static List<String> violations(List<Source> sources, Exemptions exempt) {
        SizeRules rules = new SizeRules(exempt);
        List<Parsed.Unit> units = Parsed.of(sources).units();
        for (Source source : sources) {
            rules.checkLines(source);
        }
        units.forEach(rules::collect);
        units.forEach(unit -> rules.new Uses().scan(unit.tree(), null));
        rules.types.forEach(rules::checkFields);
        rules.types.forEach(rules::checkConstructors);
        rules.checkExemptions();
        return rules.violations;
    }

    private void checkLines(Source source) {
        long lines = source.text().lines().count();
        if (lines > FILE_LINES_MAX && !isExempt("file", exempt.files(), source.file())) {
            violations.add(source.file() + ": " + lines + " lines; split it, " + FILE_LINES_MAX
                    + " are allowed, or say in SizeExemptions why it is one idea");
        }
    }

    private void collect(Parsed.Unit unit) {
        Deque<String> outer = new ArrayDeque<>();
        outer.push(String.valueOf(unit.tree().getPackageName()));
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitClass(ClassTree tree, Void unused) {
                if (tree.getSimpleName().isEmpty()) {
                    return super.visitClass(tree, unused);
                }
                String simple = tree.getSimpleName().toString();
                Type type = new Type(outer.peek() + "." + simple, unit.source().file(), tree);
                types.add(type);
                bySimpleName.computeIfAbsent(simple, key -> new ArrayList<>()).add(type);
                outer.push(type.name);
                super.visitClass(tree, unused);
                outer.pop();
                return null;
            }
        }.scan(unit.tree(), null);
    }

    private void checkFields(Type type) {
        long fields = type.fields().stream().filter(field -> !isOption(field)).count();
        if (fields <= FIELDS_MAX) {
            return;
        }
        if (type.isRecord() && !isExempt("components", exempt.components(), type.name)) {
            violations.add(type.file + ": record " + type.name + " has " + fields + " components, " + FIELDS_MAX
                    + " are allowed");
        } else if (!type.isRecord() && !isExempt("fields", exempt.fields(), type.name)) {
            violations.add(type.file + ": " + type.name + " has " + fields + " fields, " + FIELDS_MAX + " are allowed");
        }
    }

    private static boolean isOption(VariableTree field) {
        return field.getModifiers().getAnnotations().stream()
                .map(annotation -> annotation.getAnnotationType().toString())
                .anyMatch(name -> OPTION_ANNOTATIONS.contains(name.substring(name.lastIndexOf('.') + 1)));
    }

    private void checkConstructors(Type type) {
        for (Tree member : type.tree.getMembers()) {
            if (member instanceof MethodTree method && method.getReturnType() == null) {
                if (type.isRecord()) {
                    checkShorthand(type, method);
                } else {
                    checkCarried(type, method);
                }
            }
        }
    }

    /** The canonical constructor of a record has its components; others are constructors as any. */
    private void checkShorthand(Type type, MethodTree constructor) {
        List<String> parameters = names(constructor.getParameters());
        if (parameters.size() > SourceRules.PARAMETERS_MAX
                && !parameters.equals(names(type.fields()))
                && !isExempt("constructors", exempt.constructors(), type.name)) {
            violations.add(type.file + ": a constructor of record " + type.name + " has " + parameters.size()
                    + " parameters, " + SourceRules.PARAMETERS_MAX + " are allowed beside those of all components");
        }
    }

    private static List<String> names(List<? extends VariableTree> variables) {
        return variables.stream().map(variable -> variable.getName().toString()).toList();
    }

    private void checkCarried(Type type, MethodTree constructor) {
        Set<String> bags = new TreeSet<>();
        int taken = 0;
        for (VariableTree parameter : constructor.getParameters()) {
            Optional<Type> bag = resolve(parameter.getType(), type).filter(Type::isBag);
            bag.ifPresent(found -> bags.add(found.tree.getSimpleName().toString()));
            taken += bag.map(found -> found.fields().size()).orElse(1);
        }
        boolean over = !bags.isEmpty() && taken > SourceRules.PARAMETERS_MAX;
        if (over && !isExempt("constructors", exempt.constructors(), type.name)) {
            violations.add(type.file + ": the constructor of " + type.name + " takes " + taken + " things, as "
                    + String.join(" and ", bags) + " only carries them; " + SourceRules.PARAMETERS_MAX
                    + " are allowed");
        }
    }

    private void checkExemptions() {
        stale("file", exempt.files());
        stale("fields", exempt.fields());
        stale("components", exempt.components());
        stale("constructors", exempt.constructors());
    }

    private void stale(String list, Map<String, String> entries) {
        entries.forEach((name, reason) -> {
            if (!used.contains(list + " " + name)) {
                violations.add(name + " is on the list of " + list + ", and is within the limit");
            }
            if (reason.length() < SourceRules.REASON_LENGTH_MIN) {
                violations.add(name + " is on the list of " + list + " without a reason");
            }
        });
    }

    private boolean isExempt(String list, Map<String, String> entries, String name) {
        used.add(list + " " + name);
        return entries.containsKey(name);
    }

    /**
     * The record or class that a name means in a type: one in the type or round it, else one of its package, else an
     * imported one.
     */
    private Optional<Type> resolve(Tree name, Type in) {
        String text = name == null ? "" : name.toString().replaceAll("<.*", "");
        String simple = text.substring(text.lastIndexOf('.') + 1);
        List<Type> found = bySimpleName.getOrDefault(simple, List.of()).stream()
                .filter(type -> type.name.equals(text) || type.name.endsWith("." + text))
                .toList();
        for (String scope = in.name; scope.contains("."); scope = scope.substring(0, scope.lastIndexOf('.'))) {
            String inside = scope + "." + text;
            Optional<Type> nearest =
                    found.stream().filter(type -> type.name.equals(inside)).findFirst();
            if (nearest.isPresent()) {
                return nearest;
            }
        }
        return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
    }

    /** Where types are made and taken. */
    private final class Uses extends TreePathScanner<Void, Void> {
        private final Deque<Type> inside = new ArrayDeque<>();

        @Override
        public Void visitClass(ClassTree tree, Void unused) {
            Optional<Type> type =
                    types.stream().filter(known -> known.tree == tree).findFirst();
            type.ifPresent(inside::push);
            super.visitClass(tree, unused);
            type.ifPresent(known -> inside.pop());
            return null;
        }

        @Override
        public Void visitNewClass(NewClassTree made, Void unused) {
            find(made.getIdentifier()).ifPresent(type -> type.made++);
            return super.visitNewClass(made, unused);
        }

        @Override
        public Void visitMethod(MethodTree method, Void unused) {
            boolean constructor = method.getReturnType() == null;
            for (VariableTree parameter : method.getParameters()) {
                find(parameter.getType()).ifPresent(type -> {
                    if (constructor) {
                        type.takers.add(inside.peek());
                    } else {
                        type.takenByMethod = true;
                    }
                });
            }
            return super.visitMethod(method, unused);
        }

        private Optional<Type> find(Tree name) {
            return inside.isEmpty() ? Optional.empty() : resolve(name, inside.peek());
        }
    }
}
