-- The order of a project's stages, and which of them are production: 0 or 1.
alter table stages add column position bigint not null default 0;
alter table stages add column is_production bigint not null default 0;
update stages set is_production = 1 where slug in ('prod', 'production', 'live');
-- By creation, but those marked as production last.
update stages set position = ranked.position
from (
  select id, row_number() over (partition by project_id order by is_production, created_at_ms, slug) as position from stages
) as ranked
where ranked.id = stages.id;
