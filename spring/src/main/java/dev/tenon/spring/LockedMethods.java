package dev.tenon.spring;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** What methods with {@link Locked} say, and the names of their locks. Thread-safe. */
final class LockedMethods {
    private static final Pattern VARIABLE = Pattern.compile("#([A-Za-z_$][\\w$]*)");
    private static final Pattern TEXT = Pattern.compile("'(?:[^']|'')*'|\"[^\"]*\"");
    private static final Pattern POSITION = Pattern.compile("[ap]\\d+");

    private final Environment environment;
    private final BeanFactoryResolver beans;
    private final Duration wait;
    private final SpelExpressionParser parser = new SpelExpressionParser();
    private final ParameterNameDiscoverer names = new DefaultParameterNameDiscoverer();
    private final Map<Method, LockedMethod> known = new ConcurrentHashMap<>();

    LockedMethods(Environment environment, BeanFactory beans, Duration wait) {
        this.environment = environment;
        this.beans = new BeanFactoryResolver(beans);
        this.wait = wait;
    }

    /**
     * Reads a method.
     *
     * @throws TenonStartException if its annotation can't be followed
     */
    LockedMethod of(Method method) {
        return known.computeIfAbsent(method, this::read);
    }

    private LockedMethod read(Method method) {
        String label = label(method);
        Locked locked = Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(method, Locked.class));
        try {
            Expression key = parser.parseExpression(locked.key());
            requireKnownVariables(method, locked.key());
            String text = environment.resolveRequiredPlaceholders(locked.waitAtMost());
            Duration own = text.isBlank() ? wait : DurationStyle.detectAndParse(text);
            if (own.isNegative()) {
                throw new IllegalArgumentException("it waits for " + text);
            }
            return new LockedMethod(label, key, own);
        } catch (ParseException | IllegalArgumentException e) {
            throw new TenonStartException(
                    "@Locked on " + label + " can't be followed: " + e.getMessage(),
                    "The key is a Spring expression over the arguments, such as \"'stock:' + #item\"; waitAtMost is a duration such as"
                            + " \"5s\".",
                    e);
        }
    }

    /** A variable that is none is null, and would make one lock of many. */
    private void requireKnownVariables(Method method, String key) {
        @Nullable String[] found = names.getParameterNames(method);
        Set<String> parameters = new HashSet<>();
        for (int i = 0; found != null && i < found.length; i++) {
            parameters.add(String.valueOf(found[i]));
        }
        Matcher variables = VARIABLE.matcher(TEXT.matcher(key).replaceAll("''"));
        while (variables.find()) {
            String name = variables.group(1);
            boolean positional = POSITION.matcher(name).matches()
                    && Integer.parseInt(name.substring(1)) < method.getParameterCount();
            boolean special = name.equals("this") || name.equals("root");
            if (!parameters.contains(name) && !positional && !special) {
                throw new IllegalArgumentException("it has no parameter #" + name
                        + (found == null ? "; its class was compiled without -parameters, so write #p0, #p1" : ""));
            }
        }
    }

    /**
     * The name of the lock for one call.
     *
     * @throws IllegalArgumentException if there is none
     */
    String name(LockedMethod locked, Method method, @Nullable Object[] arguments, @Nullable Object target) {
        MethodBasedEvaluationContext context =
                new MethodBasedEvaluationContext(target == null ? this : target, method, arguments, names);
        context.setBeanResolver(beans);
        Object value;
        try {
            value = locked.key().getValue(context);
        } catch (EvaluationException e) {
            throw new IllegalArgumentException(
                    "The key of @Locked on " + locked.label() + ", "
                            + locked.key().getExpressionString() + ", has no value: " + e.getMessage()
                            + ". Plain text stands in single quotes",
                    e);
        }
        if (value == null || !hasText(value)) {
            throw new IllegalArgumentException("The key of @Locked on " + locked.label() + ", "
                    + locked.key().getExpressionString() + ", is "
                    + (value == null ? "null" : "a " + value.getClass().getName() + ", which has no text of its own"));
        }
        return value.toString();
    }

    /** Whether equal values have the same text, as far as a class can tell. */
    static boolean hasText(Object value) {
        try {
            return !value.getClass().isArray()
                    && value.getClass().getMethod("toString").getDeclaringClass() != Object.class;
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    static String label(Method method) {
        return method.getDeclaringClass().getSimpleName() + "." + method.getName();
    }
}
