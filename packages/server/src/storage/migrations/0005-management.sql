-- Projects, stages and settings that people manage in the web application.

-- Archived: hidden from people and no longer written, but evaluated as before.
alter table projects add column archived_at_ms bigint;
alter table stages add column archived_at_ms bigint;
-- The project's time, repeated here, so that a write needs only the stage's row to find out that it is refused.
alter table stages add column project_archived_at_ms bigint;

-- When the stage reached its revision.
alter table stages add column updated_at_ms bigint not null default 0;
update stages set updated_at_ms = coalesce(
  (select max(h.written_at_ms) from variable_history h where h.stage_id = stages.id), created_at_ms);

-- Whether writes create the projects and stages that they name: 0 or 1.
alter table organizations add column creates_on_write bigint not null default 1;

-- For the changes of a stage: the latest first, or those after a revision.
create index variable_history_by_revision on variable_history (stage_id, revision);
