package dev.tenon.jackson;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedMethod;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * {@link PublicId} for Jackson 2: numbers are written as their public texts, and read from nothing else. A text that is
 * not one, a plain number among them, is an {@code InvalidFormatException}, and the annotation on another type than it
 * is for an {@code InvalidDefinitionException} at the first use. Thread-safe, if the function is.
 */
public final class PublicIdModule2 extends Module {
    private final Function<String, dev.tenon.id.codec.PublicId> ids;

    private PublicIdModule2(Function<String, dev.tenon.id.codec.PublicId> ids) {
        this.ids = ids;
    }

    /**
     * The module over these public IDs.
     *
     * @param ids finds them by the name in the annotation, when Jackson first meets a property; throws
     *     {@link IllegalArgumentException} for a name that there is not
     */
    public static PublicIdModule2 over(Function<String, dev.tenon.id.codec.PublicId> ids) {
        return new PublicIdModule2(ids);
    }

    @Override
    public String getModuleName() {
        return "tenon-public-ids";
    }

    @Override
    public Version version() {
        return Version.unknownVersion();
    }

    @Override
    public void setupModule(SetupContext context) {
        context.insertAnnotationIntrospector(new Introspector(ids));
    }

    /** Reads the annotation where Jackson reads its own. */
    private static final class Introspector extends NopAnnotationIntrospector {
        private static final long serialVersionUID = 1L;

        private final transient Function<String, dev.tenon.id.codec.PublicId> ids;

        Introspector(Function<String, dev.tenon.id.codec.PublicId> ids) {
            this.ids = ids;
        }

        @Override
        public @Nullable Object findSerializer(Annotated found) {
            dev.tenon.id.codec.PublicId codec = codec(found, false);
            return codec == null ? null : new Writer(codec);
        }

        @Override
        public @Nullable Object findContentSerializer(Annotated found) {
            dev.tenon.id.codec.PublicId codec = codec(found, true);
            return codec == null ? null : new Writer(codec);
        }

        @Override
        public @Nullable Object findDeserializer(Annotated found) {
            dev.tenon.id.codec.PublicId codec = codec(found, false);
            return codec == null ? null : new Reader(codec);
        }

        @Override
        public @Nullable Object findContentDeserializer(Annotated found) {
            dev.tenon.id.codec.PublicId codec = codec(found, true);
            return codec == null ? null : new Reader(codec);
        }

        /**
         * Nothing if there is no annotation, or if it is about the content and not the container, or the other way
         * round.
         */
        private dev.tenon.id.codec.@Nullable PublicId codec(Annotated found, boolean content) {
            PublicId asked = found.getAnnotation(PublicId.class);
            if (asked == null) {
                return null;
            }
            boolean setter = found instanceof AnnotatedMethod method && method.getParameterCount() == 1;
            JavaType type = setter ? ((AnnotatedMethod) found).getParameterType(0) : found.getType();
            JavaType number = type.isContainerType() ? type.getContentType() : type;
            boolean inside = number != type;
            if (!number.hasRawClass(Long.class) && (inside || !number.hasRawClass(long.class))) {
                throw new IllegalArgumentException("@PublicId is on " + found + ", a " + type.toCanonical()
                        + "; it can be on a long, a Long, or a collection, map or array of Long");
            }
            return inside == content ? ids.apply(asked.value()) : null;
        }
    }

    private static final class Writer extends StdScalarSerializer<Long> {
        private static final long serialVersionUID = 1L;

        private final transient dev.tenon.id.codec.PublicId codec;

        Writer(dev.tenon.id.codec.PublicId codec) {
            super(Long.class);
            this.codec = codec;
        }

        @Override
        public void serialize(Long number, JsonGenerator to, SerializerProvider context) throws IOException {
            to.writeString(codec.encode(number));
        }
    }

    private static final class Reader extends StdScalarDeserializer<Long> {
        private static final long serialVersionUID = 1L;

        private final transient dev.tenon.id.codec.PublicId codec;

        Reader(dev.tenon.id.codec.PublicId codec) {
            super(Long.class);
            this.codec = codec;
        }

        @Override
        public Long deserialize(JsonParser from, DeserializationContext context) throws IOException {
            String text = from.getText();
            try {
                return codec.decode(text == null ? "" : text);
            } catch (IllegalArgumentException e) {
                throw context.weirdStringException(text, Long.class, String.valueOf(e.getMessage()));
            }
        }
    }
}
