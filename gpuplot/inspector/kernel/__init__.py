"""The connection between kernel and pages: messages, when frames are sent, threads and hosts."""
