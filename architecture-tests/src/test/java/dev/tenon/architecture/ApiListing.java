package dev.tenon.architecture;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The public and protected API of some classes as text: types by name, members by text. It is written from reflection
 * by this code alone, so that every JDK gives the same text. Left out are the methods that every record, enum or object
 * has.
 */
final class ApiListing {
    /**
     * Types of these packages go by their simple name; all others in full, so that a driver in the API strikes the eye.
     */
    private static final Set<String> FAMILIAR = Set.of(
            "java.lang", "java.util", "java.util.concurrent", "java.util.function", "java.util.stream", "java.time");

    private static final Set<String> EVERYONES = Set.of("equals", "hashCode", "toString");

    private ApiListing() {}

    static String of(Collection<Class<?>> classes) {
        return classes.stream()
                .filter(ApiListing::isExported)
                .sorted(Comparator.comparing(Class::getName))
                .map(ApiListing::type)
                .collect(Collectors.joining("\n"));
    }

    private static boolean isExported(Class<?> type) {
        if (type.isAnonymousClass() || type.isLocalClass() || type.isSynthetic()) {
            return false;
        }
        Class<?> outer = type.getDeclaringClass();
        return isOpen(type.getModifiers()) && (outer == null || isExported(outer));
    }

    private static boolean isOpen(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static String type(Class<?> type) {
        List<String> members = new ArrayList<>();
        Stream.of(type.getDeclaredFields())
                .filter(field -> isOpen(field.getModifiers()) && !field.isSynthetic() && !field.isEnumConstant())
                .forEach(field -> members.add(field(field)));
        Stream.of(type.getDeclaredConstructors())
                .filter(made -> isOpen(made.getModifiers()) && !made.isSynthetic() && !isCanonical(type, made))
                .forEach(made -> members.add(constructor(made)));
        Stream.of(type.getDeclaredMethods())
                .filter(method -> isOpen(method.getModifiers()) && !method.isSynthetic() && !isImplied(type, method))
                .forEach(method -> members.add(method(method)));
        return header(type)
                + "\n"
                + members.stream()
                        .sorted()
                        .map(member -> "    " + member + "\n")
                        .collect(Collectors.joining());
    }

    private static String header(Class<?> type) {
        StringBuilder text = new StringBuilder();
        text.append(modifiers(type))
                .append(kind(type))
                .append(' ')
                .append(type.getName().replace('$', '.'));
        text.append(parameters(type.getTypeParameters()));
        if (type.isRecord()) {
            text.append(Arrays.stream(type.getRecordComponents())
                    .map(ApiListing::component)
                    .collect(Collectors.joining(", ", "(", ")")));
        }
        if (type.isEnum()) {
            // Their order is theirs: it shows in ordinal and compareTo.
            text.append(Arrays.stream(type.getEnumConstants())
                    .map(constant -> ((Enum<?>) constant).name())
                    .collect(Collectors.joining(", ", " {", "}")));
        }
        Class<?> superclass = type.getSuperclass();
        if (superclass != null && superclass != Object.class && !type.isEnum() && !type.isRecord()) {
            text.append(" extends ").append(name(type.getAnnotatedSuperclass()));
        }
        String interfaces = Arrays.stream(type.getAnnotatedInterfaces())
                .map(ApiListing::name)
                .sorted()
                .collect(Collectors.joining(", "));
        if (!interfaces.isEmpty() && !type.isAnnotation()) {
            text.append(type.isInterface() ? " extends " : " implements ").append(interfaces);
        }
        return text.toString();
    }

    private static String modifiers(Class<?> type) {
        int flags = type.getModifiers();
        String text = Modifier.isProtected(flags) ? "protected " : "";
        boolean plain = !type.isInterface() && !type.isEnum() && !type.isRecord();
        if (plain && Modifier.isAbstract(flags)) {
            text += "abstract ";
        }
        if (plain && Modifier.isFinal(flags)) {
            text += "final ";
        }
        return text + (type.isSealed() && !type.isEnum() ? "sealed " : "");
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) {
            return "@interface";
        }
        if (type.isInterface()) {
            return "interface";
        }
        return type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    }

    private static String component(RecordComponent component) {
        return name(component.getAnnotatedType()) + " " + component.getName();
    }

    private static String field(Field field) {
        return modifiers(field.getModifiers()) + name(field.getAnnotatedType()) + " " + field.getName();
    }

    private static String constructor(Constructor<?> constructor) {
        return modifiers(constructor.getModifiers())
                + "new "
                + constructor.getDeclaringClass().getSimpleName()
                + arguments(constructor);
    }

    private static String method(Method method) {
        String generic = parameters(method.getTypeParameters());
        // Methods of interfaces are abstract unless they say default.
        int implied = method.getDeclaringClass().isInterface() ? Modifier.ABSTRACT : 0;
        return modifiers(method.getModifiers() & ~implied)
                + (method.isDefault() ? "default " : "")
                + (generic.isEmpty() ? "" : generic + " ")
                + name(method.getAnnotatedReturnType())
                + " "
                + method.getName()
                + arguments(method);
    }

    private static String modifiers(int flags) {
        return (Modifier.isProtected(flags) ? "protected " : "")
                + (Modifier.isStatic(flags) ? "static " : "")
                + (Modifier.isAbstract(flags) ? "abstract " : "")
                + (Modifier.isFinal(flags) ? "final " : "");
    }

    private static String arguments(Executable executable) {
        List<String> arguments = new ArrayList<>();
        for (Parameter parameter : executable.getParameters()) {
            String type = name(parameter.getAnnotatedType());
            boolean varargs = parameter.isVarArgs();
            arguments.add((varargs ? type.replaceAll("\\[]$", "...") : type) + " " + parameter.getName());
        }
        String thrown = Arrays.stream(executable.getAnnotatedExceptionTypes())
                .map(ApiListing::name)
                .sorted()
                .collect(Collectors.joining(", "));
        return "(" + String.join(", ", arguments) + ")" + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    private static String parameters(TypeVariable<?>[] variables) {
        if (variables.length == 0) {
            return "";
        }
        return Arrays.stream(variables)
                .map(variable -> {
                    String bounds = Arrays.stream(variable.getAnnotatedBounds())
                            .map(ApiListing::name)
                            .collect(Collectors.joining(" & "));
                    return variable.getName() + (bounds.equals("Object") ? "" : " extends " + bounds);
                })
                .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String name(AnnotatedType type) {
        String nullable = type.isAnnotationPresent(Nullable.class) ? "@Nullable " : "";
        if (type instanceof AnnotatedArrayType array) {
            return nullable + name(array.getAnnotatedGenericComponentType()) + "[]";
        }
        if (type instanceof AnnotatedParameterizedType generic) {
            Class<?> raw = (Class<?>) ((ParameterizedType) generic.getType()).getRawType();
            return nullable
                    + name(raw)
                    + Arrays.stream(generic.getAnnotatedActualTypeArguments())
                            .map(ApiListing::name)
                            .collect(Collectors.joining(", ", "<", ">"));
        }
        if (type instanceof AnnotatedWildcardType wildcard) {
            return wildcard(wildcard);
        }
        if (type instanceof AnnotatedTypeVariable variable) {
            return nullable + ((TypeVariable<?>) variable.getType()).getName();
        }
        return nullable + name((Class<?>) type.getType());
    }

    private static String wildcard(AnnotatedWildcardType wildcard) {
        if (wildcard.getAnnotatedLowerBounds().length > 0) {
            return "? super " + name(wildcard.getAnnotatedLowerBounds()[0]);
        }
        String upper = name(wildcard.getAnnotatedUpperBounds()[0]);
        return upper.equals("Object") ? "?" : "? extends " + upper;
    }

    private static String name(Class<?> type) {
        if (type.isArray()) {
            return name(type.getComponentType()) + "[]";
        }
        String pack = type.getPackageName();
        boolean familiar = type.isPrimitive() || FAMILIAR.contains(pack) || pack.startsWith("dev.tenon");
        String full = type.getName().replace('$', '.');
        return familiar && !type.isPrimitive() ? full.substring(pack.length() + 1) : full;
    }

    private static boolean isCanonical(Class<?> type, Constructor<?> constructor) {
        return type.isRecord()
                && Arrays.equals(
                        constructor.getParameterTypes(),
                        Arrays.stream(type.getRecordComponents())
                                .map(RecordComponent::getType)
                                .toArray());
    }

    private static boolean isImplied(Class<?> type, Method method) {
        boolean noArguments = method.getParameterCount() == 0;
        boolean ofEnum = type.isEnum() && Set.of("values", "valueOf").contains(method.getName());
        boolean ofRecord = type.isRecord()
                && noArguments
                && Arrays.stream(type.getRecordComponents())
                        .anyMatch(component -> component.getName().equals(method.getName()));
        return ofEnum || ofRecord || EVERYONES.contains(method.getName());
    }
}
