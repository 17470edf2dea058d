package dev.tenon.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import java.util.List;
import java.util.Random;

/** Messages made up from their description: every field may be there, with a likely value or an extreme one. */
final class RandomMessages {
    private static final int DEPTH_MAX = 4;
    private static final List<String> TEXTS = List.of(
            "default",
            "a",
            "b",
            "shop/a",
            "",
            " ",
            "/",
            "\u0000",
            "\u001b[2J",
            "\u2028",
            "é\uD83D\uDE00",
            "x".repeat(300));
    private static final long[] NUMBERS = {
        0, 1, 2, 10, 1_000, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE
    };

    private final Random random;

    RandomMessages(Random random) {
        this.random = random;
    }

    DynamicMessage next(Descriptor type) {
        return next(type, 0);
    }

    private DynamicMessage next(Descriptor type, int depth) {
        DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
        for (FieldDescriptor field : type.getFields()) {
            if (random.nextInt(4) == 0
                    || (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && depth >= DEPTH_MAX)) {
                continue;
            }
            if (field.isRepeated()) {
                for (int left = random.nextInt(3); left > 0; left--) {
                    message.addRepeatedField(field, value(field, depth));
                }
            } else {
                message.setField(field, value(field, depth));
            }
        }
        return message.build();
    }

    private Object value(FieldDescriptor field, int depth) {
        long number = random.nextInt(3) == 0 ? NUMBERS[random.nextInt(NUMBERS.length)] : random.nextInt(50);
        return switch (field.getJavaType()) {
            case INT -> (int) number;
            case LONG -> number;
            case FLOAT -> (float) number;
            case DOUBLE -> (double) number;
            case BOOLEAN -> random.nextBoolean();
            case STRING -> TEXTS.get(random.nextInt(TEXTS.size()));
            case BYTE_STRING -> ByteString.copyFromUtf8(TEXTS.get(random.nextInt(TEXTS.size())));
            case ENUM ->
                field.getEnumType()
                        .getValues()
                        .get(random.nextInt(field.getEnumType().getValues().size()));
            case MESSAGE -> next(field.getMessageType(), depth + 1);
        };
    }
}
