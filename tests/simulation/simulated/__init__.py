"""The services, their real handlers and their real SQL in one process, one step at a time, under drawn faults."""
