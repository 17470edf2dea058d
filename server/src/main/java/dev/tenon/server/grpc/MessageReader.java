package dev.tenon.server.grpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Duration;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import com.google.protobuf.WireFormat;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the requests of one method, and refuses with {@link IllegalArgumentException}, by the name of the field, what
 * no method could do anything with: bytes that are no message, more fields than any request has, times out of the range
 * that protobuf gives them, durations that are negative or longer than {@value #DAYS_MAX} days, constants that are not
 * known. The rules follow from the types of the fields, so that they hold for fields to come. Thread-safe.
 *
 * @param <Q> the request
 */
final class MessageReader<Q extends Message> {
    /** The greatest number of fields in a request, with those of its parts. */
    static final int FIELDS_MAX = 100_000;

    /**
     * What a field may take in memory, beside its bytes: the object of an empty message that was two bytes on the line.
     */
    private static final int FIELD_BYTES = 128;

    private static final int DAYS_MAX = 36_500;
    private static final long SECONDS_MAX = java.time.Duration.ofDays(DAYS_MAX).toSeconds();
    private static final long NANOS_MAX = 999_999_999;
    private static final long YEAR_ONE = -62_135_596_800L; // google/protobuf/timestamp.proto
    private static final long YEAR_9999 = 253_402_300_799L;

    private final Q prototype;
    /** Of each type in the request, the fields that have a rule, or have in them some that have. */
    private final Map<Descriptor, List<FieldDescriptor>> ruled = new HashMap<>();

    private MessageReader(Q prototype) {
        this.prototype = prototype;
        hasRules(prototype.getDescriptorForType());
    }

    /** A reader of the requests of a method. */
    static <Q extends Message> MessageReader<Q> of(MethodDescriptor<Q, ?> method) {
        if (method.getRequestMarshaller() instanceof PrototypeMarshaller<Q> marshaller
                && marshaller.getMessagePrototype() != null) {
            return new MessageReader<>(marshaller.getMessagePrototype());
        }
        throw new IllegalArgumentException(method.getFullMethodName() + " is not described in protobuf");
    }

    private boolean hasRules(Descriptor type) {
        List<FieldDescriptor> found = ruled.get(type);
        if (found == null) {
            found = new ArrayList<>();
            ruled.put(type, found);
            for (FieldDescriptor field : type.getFields()) {
                boolean part = field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
                if (field.getJavaType() == FieldDescriptor.JavaType.ENUM || part && hasRules(field)) {
                    found.add(field);
                }
            }
        }
        return !found.isEmpty();
    }

    private boolean hasRules(FieldDescriptor part) {
        Descriptor type = part.getMessageType();
        return isTime(type) || hasRules(type);
    }

    private static boolean isTime(Descriptor type) {
        return type.getFullName().equals(Duration.getDescriptor().getFullName())
                || type.getFullName().equals(Timestamp.getDescriptor().getFullName());
    }

    /** What the request is a list of: the name of its first repeated field. */
    String list() {
        return prototype.getDescriptorForType().getFields().stream()
                .filter(FieldDescriptor::isRepeated)
                .map(FieldDescriptor::getName)
                .findFirst()
                .orElse("request");
    }

    /** About how many bytes a request will take in memory. Nothing of it is kept for that. */
    int weight(byte[] message) {
        try {
            CodedInputStream in = CodedInputStream.newInstance(message);
            int left = count(in, prototype.getDescriptorForType(), FIELDS_MAX);
            return message.length + FIELD_BYTES * (FIELDS_MAX - left);
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private static int count(CodedInputStream in, Descriptor type, int allowed) throws IOException {
        int left = allowed;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (--left < 0) {
                throw new IllegalArgumentException(
                        "A request has " + FIELDS_MAX + " fields at most; send fewer at once");
            }
            FieldDescriptor field = type.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
            boolean part = field != null && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE;
            if (part && WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
                int outer = in.pushLimit(in.readRawVarint32());
                left = count(in, field.getMessageType(), left);
                in.popLimit(outer);
            } else if (!in.skipField(tag)) {
                return left; // the end of a group that never began: the parser will say so
            }
        }
        return left;
    }

    /** The request. */
    @SuppressWarnings("unchecked") // the parser of a message makes messages of its type
    Q read(byte[] message) {
        Q request;
        try {
            request = (Q) prototype.getParserForType().parseFrom(message);
        } catch (InvalidProtocolBufferException e) {
            throw unreadable(e);
        }
        check(request, "");
        return request;
    }

    private IllegalArgumentException unreadable(IOException why) {
        return new IllegalArgumentException(
                "Not a valid " + prototype.getDescriptorForType().getFullName() + ": " + why.getMessage());
    }

    private void check(Message message, String path) {
        for (FieldDescriptor field : ruled.getOrDefault(message.getDescriptorForType(), List.of())) {
            String name = path + field.getName();
            if (field.isRepeated()) {
                for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
                    check(field, message.getRepeatedField(field, i), name + "[" + i + "]");
                }
            } else if (!field.hasPresence() || message.hasField(field)) {
                check(field, message.getField(field), name);
            }
        }
    }

    private void check(FieldDescriptor field, Object value, String name) {
        if (value instanceof EnumValueDescriptor constant) {
            if (field.getEnumType().findValueByNumber(constant.getNumber()) == null) {
                throw new IllegalArgumentException(name + " has an unknown value: " + constant.getNumber());
            }
        } else if (value instanceof Duration duration) {
            if (duration.getSeconds() < 0
                    || duration.getSeconds() > SECONDS_MAX
                    || duration.getNanos() < 0
                    || duration.getNanos() > NANOS_MAX) {
                throw new IllegalArgumentException(name + " must be 0 to " + DAYS_MAX + " days, in seconds and 0 to "
                        + NANOS_MAX + " nanos: " + duration.getSeconds() + " and " + duration.getNanos());
            }
        } else if (value instanceof Timestamp time) {
            if (time.getSeconds() < YEAR_ONE
                    || time.getSeconds() > YEAR_9999
                    || time.getNanos() < 0
                    || time.getNanos() > NANOS_MAX) {
                throw new IllegalArgumentException(name + " must be in the years 1 to 9999, with 0 to " + NANOS_MAX
                        + " nanos: " + time.getSeconds() + " seconds and " + time.getNanos());
            }
        } else {
            check((Message) value, name + ".");
        }
    }
}
