package dev.tenon.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Every message that differs from a sound one in one field, by the fields that its descriptor has: a field that is
 * added to the protocol is tried without a word here.
 */
final class HostileMessages {
    /** Stands for bytes that are no UTF-8, of the same number. */
    private static final String NO_UTF_8 = "@no-utf-8@";

    private static final byte[] BYTES = {
        (byte) 0xff,
        (byte) 0xfe,
        (byte) 0xc0,
        (byte) 0x80,
        (byte) 0xed,
        (byte) 0xa0,
        (byte) 0x80,
        (byte) 0xf5,
        (byte) 0xc1,
        (byte) 0xe2
    };
    private static final long[] NUMBERS = {Long.MIN_VALUE, -1, 7, Long.MAX_VALUE};
    private static final int DEEPEST = 3;

    private final List<String> texts;
    private final List<Mutant> mutants = new ArrayList<>();

    private HostileMessages(List<String> texts) {
        this.texts = texts;
    }

    /**
     * A message.
     *
     * @param what which field has which value
     * @param bytes on the wire
     */
    record Mutant(String what, byte[] bytes) {}

    /** The sound message, and all that differ from it in one field. */
    static List<Mutant> of(Message sound, List<String> texts) {
        HostileMessages made = new HostileMessages(texts);
        made.mutants.add(new Mutant("sound", sound.toByteArray()));
        made.each(sound, UnaryOperator.identity(), "", 0);
        return made.mutants;
    }

    private void each(Message message, UnaryOperator<Message> whole, String path, int depth) {
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            String here = path + "." + field.getName();
            if (field.getJavaType() != JavaType.MESSAGE) {
                for (Object value : values(field)) {
                    keep(whole.apply(with(message, field, value)), here + "=" + value);
                }
            } else if (depth < DEEPEST) {
                boolean first = field.isRepeated() && message.getRepeatedFieldCount(field) > 0;
                Message inner = first
                        ? (Message) message.getRepeatedField(field, 0)
                        : field.isRepeated()
                                ? message.newBuilderForType()
                                        .newBuilderForField(field)
                                        .build()
                                : (Message) message.getField(field);
                each(inner, changed -> whole.apply(with(message, field, changed)), here, depth + 1);
            }
        }
    }

    private static Message with(Message message, FieldDescriptor field, Object value) {
        Message.Builder builder = message.toBuilder();
        if (!field.isRepeated()) {
            return builder.setField(field, value).build();
        }
        return message.getRepeatedFieldCount(field) > 0 && !field.isMapField()
                ? builder.setRepeatedField(field, 0, value).build()
                : builder.addRepeatedField(field, value).build();
    }

    private void keep(Message message, String what) {
        byte[] bytes = message.toByteArray();
        byte[] mark = NO_UTF_8.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i + mark.length <= bytes.length; i++) {
            if (ByteString.copyFrom(bytes, i, mark.length).equals(ByteString.copyFrom(mark))) {
                System.arraycopy(BYTES, 0, bytes, i, BYTES.length);
            }
        }
        mutants.add(new Mutant(what.length() > 100 ? what.substring(0, 100) : what, bytes));
    }

    private List<Object> values(FieldDescriptor field) {
        List<Object> values = new ArrayList<>();
        switch (field.getJavaType()) {
            case STRING -> {
                values.addAll(texts);
                values.add(NO_UTF_8);
            }
            case LONG -> {
                for (long number : NUMBERS) {
                    values.add(number);
                }
            }
            case INT -> {
                for (long number : NUMBERS) {
                    values.add((int) number);
                }
            }
            case BOOLEAN -> values.add(true);
            case ENUM -> values.addAll(field.getEnumType().getValues());
            default -> throw new IllegalStateException("No values for " + field.getFullName());
        }
        return values;
    }
}
