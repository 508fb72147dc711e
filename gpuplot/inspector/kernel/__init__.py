"""The conversation with pages: messages, when frames are sent, threads and hosts."""
