-- What people manage in the web application.

-- Archived: hidden from people and not written any more, but evaluated as before.
alter table projects add column archived_at_ms bigint;
alter table stages add column archived_at_ms bigint;
-- The same time as its project's, so that a write is refused by the row that it moves, and waits for nothing else.
alter table stages add column project_archived_at_ms bigint;

-- When the stage came to its revision.
alter table stages add column updated_at_ms bigint not null default 0;
update stages set updated_at_ms = coalesce(
  (select max(h.written_at_ms) from variable_history h where h.stage_id = stages.id), created_at_ms);

-- Whether writes make the projects and stages that they name: 0 or 1.
alter table organizations add column creates_on_write bigint not null default 1;

-- What a stage's revisions touched, the latest first or from one on.
create index variable_history_by_revision on variable_history (stage_id, revision);
