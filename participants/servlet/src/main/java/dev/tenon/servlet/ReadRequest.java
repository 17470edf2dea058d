package dev.tenon.servlet;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/** A request whose body has been read, and is there to be read again. Of one thread. */
final class ReadRequest extends HttpServletRequestWrapper {
    private final ByteArrayInputStream body;

    ReadRequest(HttpServletRequest request, byte[] body) {
        super(request);
        this.body = new ByteArrayInputStream(body);
    }

    @Override
    public ServletInputStream getInputStream() {
        return new ServletInputStream() {
            @Override
            public boolean isFinished() {
                return body.available() == 0;
            }

            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setReadListener(ReadListener listener) {
                throw new IllegalStateException("A participant reads in the thread that it was called in");
            }

            @Override
            public int read() {
                return body.read();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                return body.read(bytes, offset, length);
            }
        };
    }

    @Override
    public BufferedReader getReader() {
        String said = getCharacterEncoding();
        Charset charset = said == null ? StandardCharsets.UTF_8 : Charset.forName(said);
        return new BufferedReader(new InputStreamReader(body, charset));
    }
}
