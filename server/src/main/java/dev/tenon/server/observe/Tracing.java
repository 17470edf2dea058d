package dev.tenon.server.observe;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * A span for each request, as a child of what its header {@code traceparent} says (W3C Trace Context), and its IDs in
 * what is logged meanwhile ({@code trace_id}, {@code span_id}). Without an OpenTelemetry SDK no span is made, and the
 * IDs in the log are those of the header. Thread-safe.
 */
public final class Tracing implements Observer {
    private static final AttributeKey<String> NAME = AttributeKey.stringKey("tenon.name");
    private static final AttributeKey<String> CALLER = AttributeKey.stringKey("tenon.caller");
    private static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");
    private static final String TRACE_ID = "trace_id";
    private static final String SPAN_ID = "span_id";
    private static final int SERVER_ERROR = 500;

    private static final TextMapGetter<Function<String, Optional<String>>> HEADERS = new TextMapGetter<>() {
        @Override
        public @Nullable String get(@Nullable Function<String, Optional<String>> headers, String key) {
            return headers == null ? null : headers.apply(key).orElse(null);
        }
    };

    private final Tracer tracer;
    private final Observer inner;

    /**
     * @param telemetry where spans go
     * @param inner hears of every request within its span
     */
    public Tracing(OpenTelemetry telemetry, Observer inner) {
        this.tracer = telemetry.getTracer("dev.tenon.server");
        this.inner = inner;
    }

    @Override
    public Observation begin(String operation, String name, Function<String, Optional<String>> header) {
        Context caller = header.apply("traceparent").isPresent()
                ? W3CTraceContextPropagator.getInstance().extract(Context.root(), header, HEADERS)
                : Context.root();
        Span span = tracer.spanBuilder(operation)
                .setParent(caller)
                .setSpanKind(SpanKind.SERVER)
                .startSpan();
        if (!name.isEmpty()) {
            span.setAttribute(NAME, name);
        }
        Context context = caller.with(span);
        return new Traced(span, context, inner.begin(operation, name, header));
    }

    @Override
    public void stored(String call, String outcome, Duration took) {
        inner.stored(call, outcome, took);
    }

    private record Traced(Span span, Context context, Observation observed) implements Observation {
        @Override
        public void end(int status, String caller) {
            Working working = enter();
            try {
                observed.end(status, caller);
            } finally {
                working.close();
            }
            span.setAttribute(STATUS, Long.valueOf(status));
            span.setAttribute(CALLER, caller);
            if (status >= SERVER_ERROR) {
                span.setStatus(StatusCode.ERROR);
            }
            span.end();
        }

        @Override
        @SuppressWarnings("MustBeClosedChecker") // closed with what this returns
        public Working enter() {
            SpanContext ids = span.getSpanContext();
            if (!ids.isValid()) {
                return observed.enter();
            }
            Scope scope = context.makeCurrent();
            MDC.put(TRACE_ID, ids.getTraceId());
            MDC.put(SPAN_ID, ids.getSpanId());
            Working inside = observed.enter();
            return () -> {
                inside.close();
                MDC.remove(SPAN_ID);
                MDC.remove(TRACE_ID);
                scope.close();
            };
        }
    }
}
