-- What the audit log has told of a variable, each once: when it was due for another value, and since when the chance has been what it is
-- that its served split does not fit; null: nothing.
alter table variables add column due_told_ms bigint;
alter table variables add column misfit_told_ms bigint;
