"""The pitstream command: settle, feed, replay, stack and services."""
