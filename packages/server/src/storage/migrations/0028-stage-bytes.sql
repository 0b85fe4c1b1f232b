-- Bytes of the sealed values of a stage at a revision. They are known only while that is the revision of the stage, because a node of an
-- earlier version advances the revision alone. They are summed and kept when someone asks, so that an upgrade does not read all values.
alter table stages add column bytes bigint not null default 0;
alter table stages add column bytes_revision bigint;
