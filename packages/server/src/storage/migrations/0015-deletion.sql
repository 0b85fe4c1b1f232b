-- What was deleted leaves its row, so that usage keeps its slug and a stage that is created again continues its revisions.
alter table organizations add column deleted_at_ms bigint;
alter table projects add column deleted_at_ms bigint;
alter table stages add column deleted_at_ms bigint;
create index stages_deleted on stages (id) where deleted_at_ms is not null;
