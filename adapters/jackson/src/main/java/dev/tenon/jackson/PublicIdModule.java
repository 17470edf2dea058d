package dev.tenon.jackson;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.Version;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedMethod;
import tools.jackson.databind.introspect.NopAnnotationIntrospector;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/**
 * {@link PublicId} for Jackson 3: numbers are written as their public texts, and read from nothing else. A text that is
 * not one, a plain number among them, is an {@code InvalidFormatException}, and the annotation on another type than it
 * is for an {@code InvalidDefinitionException} at the first use. Thread-safe, if the function is.
 */
public final class PublicIdModule extends JacksonModule {
    private final Function<String, dev.tenon.id.codec.PublicId> ids;

    private PublicIdModule(Function<String, dev.tenon.id.codec.PublicId> ids) {
        this.ids = ids;
    }

    /**
     * The module over these public IDs.
     *
     * @param ids finds them by the name in the annotation, when Jackson first meets a property; throws
     *     {@link IllegalArgumentException} for a name that there is not
     */
    public static PublicIdModule over(Function<String, dev.tenon.id.codec.PublicId> ids) {
        return new PublicIdModule(ids);
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
        public @Nullable Object findSerializer(MapperConfig<?> config, Annotated found) {
            dev.tenon.id.codec.PublicId codec = codec(found, false);
            return codec == null ? null : new Writer(codec);
        }

        @Override
        public @Nullable Object findContentSerializer(MapperConfig<?> config, Annotated found) {
            dev.tenon.id.codec.PublicId codec = codec(found, true);
            return codec == null ? null : new Writer(codec);
        }

        @Override
        public @Nullable Object findDeserializer(MapperConfig<?> config, Annotated found) {
            dev.tenon.id.codec.PublicId codec = codec(found, false);
            return codec == null ? null : new Reader(codec);
        }

        @Override
        public @Nullable Object findContentDeserializer(MapperConfig<?> config, Annotated found) {
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
        private final dev.tenon.id.codec.PublicId codec;

        Writer(dev.tenon.id.codec.PublicId codec) {
            super(Long.class);
            this.codec = codec;
        }

        @Override
        public void serialize(Long number, JsonGenerator to, SerializationContext context) {
            to.writeString(codec.encode(number));
        }
    }

    private static final class Reader extends StdScalarDeserializer<Long> {
        private final dev.tenon.id.codec.PublicId codec;

        Reader(dev.tenon.id.codec.PublicId codec) {
            super(Long.class);
            this.codec = codec;
        }

        @Override
        public Long deserialize(JsonParser from, DeserializationContext context) {
            String text = from.getString();
            try {
                return codec.decode(text == null ? "" : text);
            } catch (IllegalArgumentException e) {
                throw context.weirdStringException(text, Long.class, String.valueOf(e.getMessage()));
            }
        }
    }
}
