-- What keeps statements short, however much is stored.

-- The history, the sessions and the checkpoints in the order of time, a page at a time: one write gives thousands of rows the same time.
create index variable_history_in_time on variable_history (written_at_ms, stage_id, name, revision);
create index sessions_in_time on sessions (created_at_ms, id);
create index audit_checkpoints_in_time on audit_checkpoints (at_ms, org_id, seq);
-- The session of a device code: whether the code keeps its session.
create index device_codes_by_session on device_codes (session_id);
-- Wrong user codes whose time is over.
create index wrong_user_codes_by_time on wrong_user_codes (updated_at_ms);
-- The size of the values that a change proposes; null in rows of an earlier version.
alter table changes add column value_bytes bigint;
-- The first three indexes begin with the columns of these. Last, because PostgreSQL locks the tables for it.
drop index variable_history_by_time;
drop index sessions_by_creation;
drop index audit_checkpoints_by_time;
