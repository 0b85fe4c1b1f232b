-- When the value of a variable became what it is; null: with its last write, which was before this column.
alter table variables add column value_at_ms bigint;
