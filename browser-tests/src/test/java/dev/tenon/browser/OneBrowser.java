package dev.tenon.browser;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One browser for all test classes, started when the first asks for it. */
final class OneBrowser implements ParameterResolver {
    private static final Namespace SPACE = Namespace.create(OneBrowser.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot().getStore(SPACE).computeIfAbsent("browser", key -> Browser.start(), Browser.class);
    }
}
